#include <algorithm>

#include "data/reorder.h"

namespace thalweg::data {
namespace {

template <class T>
class RepeatStream : public Stream<T> {
 public:
  /// Passes first_epoch, first_epoch + 1, ...: `passes` of them, or endlessly when negative.
  RepeatStream(const Node& input, int64_t first_epoch, int64_t passes)
      : input_(input), epoch_(first_epoch), left_(passes) {}

  std::optional<T> next() override {
    while (left_ != 0) {
      open_pass();
      if (std::optional<T> item = pass_->next()) {
        ++given_;
        return item;
      }
      close_pass();
    }
    return std::nullopt;
  }

  int64_t skip(int64_t count) override {
    int64_t done = 0;
    while (done < count && left_ != 0) {
      if (!pass_) done += skip_passes(count - done);
      if (done == count || left_ == 0) break;
      open_pass();
      const int64_t here = pass_->skip(count - done);
      given_ += here;
      done += here;
      if (done < count) close_pass();
    }
    return done;
  }

 private:
  void open_pass() {
    if (pass_) return;
    pass_ = open<T>(input_, epoch_);
    given_ = 0;
  }

  void close_pass() {
    pass_.reset();
    ++epoch_;
    if (left_ > 0) --left_;
    if (given_ == 0) left_ = 0;  // an empty pass, repeated for ever, would never return
  }

  /// Whole passes of known size need not be opened.
  int64_t skip_passes(int64_t count) {
    const int64_t size = input_.size();
    if (size <= 0) return 0;
    int64_t passes = count / size;
    if (left_ > 0) {
      passes = std::min(passes, left_);
      left_ -= passes;
    }
    epoch_ += passes;
    return passes * size;
  }

  const Node& input_;
  int64_t epoch_;
  int64_t left_;
  std::unique_ptr<Stream<T>> pass_;
  int64_t given_ = 0;  // by the open pass
};

class RepeatNode : public ReorderNode<RepeatNode> {
 public:
  RepeatNode(NodePtr input, int64_t count) : ReorderNode(std::move(input)), count_(count) {}

  int64_t size() const override {
    const int64_t all = input().size();
    if (all == 0 || count_ == 0) return 0;
    if (all == kInfinite || all == kInfiniteOrEmpty) return all;
    if (count_ < 0) return all == kUnknownSize ? kInfiniteOrEmpty : kInfinite;
    int64_t total = 0;
    if (all == kUnknownSize || __builtin_mul_overflow(all, count_, &total)) return kUnknownSize;
    return total;
  }
  uint64_t hash(Hash what) const override {
    return fold(fold(input().hash(what), 7), static_cast<uint64_t>(count_));
  }

  template <class T>
  std::unique_ptr<Stream<T>> stream(int64_t epoch) const {
    return std::make_unique<RepeatStream<T>>(input(), count_ < 0 ? epoch : epoch * count_, count_);
  }

 private:
  int64_t count_;
};

}  // namespace

NodePtr repeat_node(NodePtr input, int64_t count) {
  if (count < -1)
    throw invalid_argument("repeat(", count, "): the count must be 0 or more, or -1 for ever");
  return std::make_shared<RepeatNode>(std::move(input), count);
}

}  // namespace thalweg::data
