// map on several threads, in order.
//
// Workers take turns at the input (it is one stream), number what they took, compute side by side
// and leave the result in a ring; the consumer collects by number. An error takes the place of its
// element, so it arrives in order too.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "data/node.h"
#include "data/start_thread.h"
#include "thalweg/base/parallel.h"

namespace thalweg::data {
namespace {

class ParallelMapStream : public ExampleStream {
 public:
  ParallelMapStream(std::unique_ptr<ExampleStream> input, const MapFunction& function, int workers)
      : input_(std::move(input)),
        function_(function),
        workers_(workers),
        ring_(2 * static_cast<size_t>(workers)) {}
  // One stop for all before the first is joined: a worker may wait for its turn behind one that
  // waits for room.
  ~ParallelMapStream() override { stop_.request_stop(); }

  std::optional<Example> next() override {
    while (threads_.size() < static_cast<size_t>(workers_))
      threads_.push_back(start_thread("map", [this] { work(); }));
    std::unique_lock lock(mutex_);
    Slot& slot = ring_[given_ % ring_.size()];
    // No deadline: whoever took element `given_` always fills its slot.
    ready_.wait(lock, [&] { return slot.ready || (input_ended_ && given_ == taken_); });
    if (!slot.ready) return std::nullopt;
    Slot result = std::exchange(slot, {});
    ++given_;
    lock.unlock();
    room_.notify_one();
    if (result.error) std::rethrow_exception(result.error);
    return std::move(result.example);
  }

  // Only before next(): the workers then have not started.
  int64_t skip(int64_t count) override {
    return threads_.empty() ? input_->skip(count) : ExampleStream::skip(count);
  }

 private:
  struct Slot {
    bool ready = false;
    std::optional<Example> example;
    std::exception_ptr error;
  };

  void work() {
    const ScopedNumThreads serial(1);
    Slot slot;
    while (std::optional<size_t> number = take(slot)) {
      if (!slot.error) compute(slot);
      slot.ready = true;
      {
        const std::lock_guard lock(mutex_);
        ring_[*number % ring_.size()] = std::move(slot);
      }
      ready_.notify_one();
      slot = {};
    }
  }

  /// Reads the next input into `slot`; returns its number, or nullopt when there is nothing more to
  /// do.
  std::optional<size_t> take(Slot& slot) {
    const std::lock_guard turn(input_mutex_);
    {
      std::unique_lock lock(mutex_);
      if (!room_.wait(lock, stop_.get_token(),
                      [&] { return input_ended_ || taken_ < given_ + ring_.size(); })) {
        return std::nullopt;
      }
      if (input_ended_) return std::nullopt;
    }
    try {
      slot.example = input_->next();
    } catch (...) {
      slot.error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (!slot.example) input_ended_ = true;
    if (!slot.example && !slot.error) {
      ready_.notify_one();
      return std::nullopt;
    }
    return taken_++;
  }

  void compute(Slot& slot) const {
    try {
      slot.example = function_(std::move(*slot.example));
    } catch (...) {
      slot.error = std::current_exception();
    }
  }

  std::unique_ptr<ExampleStream> input_;  // guarded by input_mutex_ once workers run
  const MapFunction& function_;
  int workers_;
  std::mutex input_mutex_;  // taken before mutex_
  std::mutex mutex_;        // guards the rest
  std::condition_variable ready_;
  std::condition_variable_any room_;
  std::vector<Slot> ring_;
  size_t taken_ = 0;
  size_t given_ = 0;
  bool input_ended_ = false;
  std::stop_source stop_;
  std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

class ParallelMapNode : public Node {
 public:
  ParallelMapNode(NodePtr input, MapFunction function, int workers)
      : input_(std::move(input)), function_(std::move(function)), workers_(workers) {}

  Spec spec() const override { return mapped_spec(*input_, function_, cache_); }
  int64_t size() const override { return input_->size(); }
  // As a serial map's: the number of threads changes nothing that comes out.
  uint64_t hash(Hash what) const override { return fold(input_->hash(what), 9); }
  std::unique_ptr<ExampleStream> examples(int64_t epoch) const override {
    return std::make_unique<ParallelMapStream>(input_->examples(epoch), function_, workers_);
  }

 private:
  NodePtr input_;
  MapFunction function_;
  int workers_;
  mutable SpecCache cache_;
};

}  // namespace

NodePtr parallel_map_node(NodePtr input, MapFunction function, int workers) {
  return std::make_shared<ParallelMapNode>(std::move(input), std::move(function), workers);
}

}  // namespace thalweg::data
