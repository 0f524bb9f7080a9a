#include <algorithm>

#include "data/reorder.h"
#include "thalweg/base/philox.h"

namespace thalweg::data {
namespace {

// Fills the buffer, then draws from it and tops it up. With the whole pass in the buffer this is
// the Fisher-Yates shuffle, so row numbers need no second algorithm. The state is a function of
// (seed, epoch, elements given): skip() replays it, which on row numbers costs some ten nanoseconds
// each.
template <class T>
class ShuffleStream : public Stream<T> {
 public:
  ShuffleStream(std::unique_ptr<Stream<T>> input, int64_t buffer_size, uint64_t seed)
      : input_(std::move(input)), capacity_(static_cast<size_t>(buffer_size)), random_(seed) {}

  std::optional<T> next() override {
    while (!input_ended_ && buffer_.size() < capacity_) {
      if (std::optional<T> item = input_->next()) {
        buffer_.push_back(std::move(*item));
      } else {
        input_ended_ = true;
      }
    }
    if (buffer_.empty()) return std::nullopt;
    std::swap(buffer_[static_cast<size_t>(random_.below(buffer_.size()))], buffer_.back());
    T result = std::move(buffer_.back());
    buffer_.pop_back();
    return result;
  }

 private:
  std::unique_ptr<Stream<T>> input_;
  size_t capacity_;
  Philox random_;
  std::vector<T> buffer_;
  bool input_ended_ = false;
};

class ShuffleNode : public ReorderNode<ShuffleNode> {
 public:
  ShuffleNode(NodePtr input, int64_t buffer_size, uint64_t seed)
      : ReorderNode(std::move(input)), buffer_size_(buffer_size), seed_(seed) {}

  int64_t size() const override { return input().size(); }
  uint64_t hash(Hash what) const override {
    return fold(fold(fold(input().hash(what), 6), static_cast<uint64_t>(buffer_size_)), seed_);
  }

  template <class T>
  std::unique_ptr<Stream<T>> stream(int64_t epoch) const {
    return std::make_unique<ShuffleStream<T>>(open<T>(input(), epoch), buffer_size_,
                                              mix_seed(seed_, static_cast<uint64_t>(epoch)));
  }

 private:
  int64_t buffer_size_;
  uint64_t seed_;
};

}  // namespace

NodePtr shuffle_node(NodePtr input, int64_t buffer_size, uint64_t seed) {
  if (buffer_size < 1)
    throw invalid_argument("shuffle(", buffer_size, "): the buffer must hold at least 1 element");
  return std::make_shared<ShuffleNode>(std::move(input), buffer_size, seed);
}

}  // namespace thalweg::data
