// take, skip and select: which elements a pass visits.
#include <algorithm>

#include "data/reorder.h"

namespace thalweg::data {
namespace {

template <class T>
class TakeStream : public Stream<T> {
 public:
  TakeStream(std::unique_ptr<Stream<T>> input, int64_t count)
      : input_(std::move(input)), left_(count) {}
  std::optional<T> next() override {
    if (left_ == 0) return std::nullopt;
    --left_;
    return input_->next();
  }
  int64_t skip(int64_t count) override {
    const int64_t done = input_->skip(std::min(count, left_));
    left_ -= done;
    return done;
  }

 private:
  std::unique_ptr<Stream<T>> input_;
  int64_t left_;
};

class TakeNode : public ReorderNode<TakeNode> {
 public:
  TakeNode(NodePtr input, int64_t count) : ReorderNode(std::move(input)), count_(count) {}
  int64_t size() const override {
    const int64_t all = input().size();
    if (all == kInfinite || count_ == 0) return count_;
    return all < 0 ? kUnknownSize : std::min(all, count_);
  }
  uint64_t hash(Hash what) const override {
    return fold(fold(input().hash(what), 3), static_cast<uint64_t>(count_));
  }
  bool fixed_order() const override { return input().fixed_order(); }

  template <class T>
  std::unique_ptr<Stream<T>> stream(int64_t epoch) const {
    return std::make_unique<TakeStream<T>>(open<T>(input(), epoch), count_);
  }

 private:
  int64_t count_;
};

class SkipNode : public ReorderNode<SkipNode> {
 public:
  SkipNode(NodePtr input, int64_t count) : ReorderNode(std::move(input)), count_(count) {}
  int64_t size() const override {
    const int64_t all = input().size();
    return all < 0 ? all : std::max<int64_t>(0, all - count_);
  }
  uint64_t hash(Hash what) const override {
    return fold(fold(input().hash(what), 4), static_cast<uint64_t>(count_));
  }
  bool fixed_order() const override { return input().fixed_order(); }

  template <class T>
  std::unique_ptr<Stream<T>> stream(int64_t epoch) const {
    auto result = open<T>(input(), epoch);
    result->skip(count_);
    return result;
  }

 private:
  int64_t count_;
};

class ListedIndices : public IndexStream {
 public:
  explicit ListedIndices(std::span<const int64_t> indices) : indices_(indices) {}
  std::optional<int64_t> next() override {
    if (next_ == indices_.size()) return std::nullopt;
    return indices_[next_++];
  }
  int64_t skip(int64_t count) override {
    const size_t done = std::min(static_cast<size_t>(count), indices_.size() - next_);
    next_ += done;
    return static_cast<int64_t>(done);
  }

 private:
  std::span<const int64_t> indices_;
  size_t next_ = 0;
};

class SelectNode : public Node {
 public:
  /// `indices` are numbers of source rows.
  SelectNode(NodePtr input, std::vector<int64_t> indices)
      : input_(std::move(input)), indices_(std::move(indices)) {}
  Spec spec() const override { return input_->spec(); }
  int64_t size() const override { return static_cast<int64_t>(indices_.size()); }
  uint64_t hash(Hash what) const override {
    uint64_t result = fold(input_->hash(what), 5);
    for (const int64_t index : indices_) result = fold(result, static_cast<uint64_t>(index));
    return result;
  }
  const Rows* rows() const override { return input_->rows(); }
  std::unique_ptr<IndexStream> indices(int64_t) const override {
    return std::make_unique<ListedIndices>(indices_);
  }
  bool fixed_order() const override { return true; }

 private:
  NodePtr input_;
  std::vector<int64_t> indices_;
};

}  // namespace

NodePtr take_node(NodePtr input, int64_t count) {
  if (count < 0) throw invalid_argument("take(", count, "): the count must be 0 or more");
  return std::make_shared<TakeNode>(std::move(input), count);
}

NodePtr skip_node(NodePtr input, int64_t count) {
  if (count < 0) throw invalid_argument("skip(", count, "): the count must be 0 or more");
  return std::make_shared<SkipNode>(std::move(input), count);
}

NodePtr select_node(NodePtr input, const std::vector<int64_t>& indices) {
  if (input->rows() == nullptr || !input->fixed_order()) {
    throw invalid_argument(
        "select() needs random access in a fixed order, which this pipeline does not have; call it "
        "right after the source, before shuffle, repeat, batch and prefetch");
  }
  // Numbers count this node's elements; they become rows of the source here, once.
  std::vector<int64_t> visited;
  visited.reserve(static_cast<size_t>(input->size()));
  const auto all = input->indices(0);
  while (const std::optional<int64_t> index = all->next()) visited.push_back(*index);
  std::vector<int64_t> selected;
  selected.reserve(indices.size());
  for (const int64_t index : indices) {
    if (index < 0 || index >= static_cast<int64_t>(visited.size())) {
      throw out_of_range("select(): element ", index, " does not exist; the dataset has ",
                         visited.size());
    }
    selected.push_back(visited[static_cast<size_t>(index)]);
  }
  return std::make_shared<SelectNode>(std::move(input), std::move(selected));
}

}  // namespace thalweg::data
