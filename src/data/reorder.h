// The common part of steps that choose or order elements without changing them: written once for
// row numbers and examples alike.
#pragma once

#include <type_traits>
#include <utility>

#include "data/node.h"

namespace thalweg::data {

/// Pass `epoch` of `node` as items of type T.
template <class T>
std::unique_ptr<Stream<T>> open(const Node& node, int64_t epoch) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return node.indices(epoch);
  } else {
    return node.examples(epoch);
  }
}

/// `Step` has `template <class T> std::unique_ptr<Stream<T>> stream(int64_t epoch) const`.
template <class Step>
class ReorderNode : public Node {
 public:
  explicit ReorderNode(NodePtr input) : input_(std::move(input)) {}

  Spec spec() const override { return input_->spec(); }
  const Rows* rows() const override { return input_->rows(); }
  std::unique_ptr<IndexStream> indices(int64_t epoch) const override {
    return static_cast<const Step*>(this)->template stream<int64_t>(epoch);
  }
  std::unique_ptr<ExampleStream> examples(int64_t epoch) const override {
    if (rows() != nullptr) return Node::examples(epoch);
    return static_cast<const Step*>(this)->template stream<Example>(epoch);
  }

 protected:
  const Node& input() const { return *input_; }

 private:
  NodePtr input_;
};

}  // namespace thalweg::data
