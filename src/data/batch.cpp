#include <algorithm>
#include <limits>
#include <type_traits>

#include "data/node.h"

namespace thalweg::data {
namespace {

class BatchNode : public Node {
 public:
  BatchNode(NodePtr input, int64_t batch_size, bool drop_remainder)
      : input_(std::move(input)), batch_size_(batch_size), drop_remainder_(drop_remainder) {}

  Spec spec() const override {
    Spec result = input_->spec();
    const int64_t all = input_->size();
    const bool is_full = drop_remainder_ || all == kInfinite || all == kInfiniteOrEmpty;
    const Shape batch{is_full ? batch_size_ : kUnknownDim};
    for (Component& component : result) component.shape = batch.concat(component.shape);
    return result;
  }
  int64_t size() const override {
    const int64_t all = input_->size();
    return all < 0 ? all : batches_in(all);
  }
  uint64_t hash(Hash what) const override {
    return fold(fold(fold(input_->hash(what), 8), static_cast<uint64_t>(batch_size_)),
                drop_remainder_ ? 1 : 0);
  }
  std::unique_ptr<ExampleStream> examples(int64_t epoch) const override;

  int64_t batches_in(int64_t elements) const {
    return elements / batch_size_ + (!drop_remainder_ && elements % batch_size_ != 0 ? 1 : 0);
  }
  const Node& input() const { return *input_; }
  int64_t batch_size() const { return batch_size_; }
  /// Whether a batch of this many elements is given out.
  bool keeps(size_t count) const {
    return count != 0 && (count == static_cast<size_t>(batch_size_) || !drop_remainder_);
  }

 private:
  NodePtr input_;
  int64_t batch_size_;
  bool drop_remainder_;
};

// Batches of row numbers, gathered, and batches of examples, stacked.
template <class T>
class BatchStream : public ExampleStream {
 public:
  BatchStream(const BatchNode& node, std::unique_ptr<Stream<T>> input)
      : node_(node), input_(std::move(input)) {}

  std::optional<Example> next() override {
    items_.clear();
    while (static_cast<int64_t>(items_.size()) < node_.batch_size()) {
      std::optional<T> item = input_->next();
      if (!item) break;
      items_.push_back(std::move(*item));
    }
    if (!node_.keeps(items_.size())) return std::nullopt;
    if constexpr (std::is_same_v<T, int64_t>) {
      return node_.input().rows()->gather(items_);
    } else {
      Example result = stack_items();
      items_.clear();  // lets go of the inputs' memory while the consumer works
      return result;
    }
  }

  int64_t skip(int64_t count) override {
    int64_t elements = 0;
    if (__builtin_mul_overflow(count, node_.batch_size(), &elements))
      elements = std::numeric_limits<int64_t>::max();
    return node_.batches_in(input_->skip(elements));
  }

 private:
  Example stack_items() const {
    try {
      return stack(items_);
    } catch (Error& error) {
      error.add_context(
          str("batch(", node_.batch_size(), ") of (", to_string(node_.input().spec()), ")"));
      throw;
    }
  }

  const BatchNode& node_;
  std::unique_ptr<Stream<T>> input_;
  std::vector<T> items_;
};

std::unique_ptr<ExampleStream> BatchNode::examples(int64_t epoch) const {
  if (input_->rows() != nullptr)
    return std::make_unique<BatchStream<int64_t>>(*this, input_->indices(epoch));
  return std::make_unique<BatchStream<Example>>(*this, input_->examples(epoch));
}

}  // namespace

NodePtr batch_node(NodePtr input, int64_t size, bool drop_remainder) {
  if (size < 1) throw invalid_argument("batch(", size, "): the size must be at least 1");
  return std::make_shared<BatchNode>(std::move(input), size, drop_remainder);
}

}  // namespace thalweg::data
