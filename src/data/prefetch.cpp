// prefetch: a thread of its own that keeps a few elements ready.
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "data/node.h"
#include "data/start_thread.h"
#include "thalweg/base/parallel.h"

namespace thalweg::data {
namespace {

class PrefetchStream : public ExampleStream {
 public:
  PrefetchStream(std::unique_ptr<ExampleStream> input, int64_t count)
      : input_(std::move(input)), capacity_(static_cast<size_t>(count)) {}

  std::optional<Example> next() override {
    if (!thread_.joinable())
      thread_ = start_thread("prefetch", [this](std::stop_token stop) { read_ahead(stop); });
    std::unique_lock lock(mutex_);
    // No deadline: the thread ends only by setting ended_, and is stopped only by the destructor.
    ready_.wait(lock, [&] { return !queue_.empty() || ended_; });
    if (queue_.empty()) {
      if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
      return std::nullopt;
    }
    std::optional<Example> result = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    room_.notify_one();
    return result;
  }

  int64_t skip(int64_t count) override {
    return thread_.joinable() ? ExampleStream::skip(count) : input_->skip(count);
  }

 private:
  void read_ahead(const std::stop_token& stop) {
    const ScopedNumThreads serial(1);  // the cores belong to the training step
    std::exception_ptr error;
    try {
      while (std::optional<Example> example = input_->next()) {
        std::unique_lock lock(mutex_);
        if (!room_.wait(lock, stop, [&] { return queue_.size() < capacity_; })) return;
        queue_.push_back(std::move(*example));
        lock.unlock();
        ready_.notify_one();
        if (stop.stop_requested()) return;
      }
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      error_ = std::move(error);  // the last the thread has to do with it
      ended_ = true;
    }
    ready_.notify_one();
  }

  std::unique_ptr<ExampleStream> input_;  // the thread's, once it runs
  size_t capacity_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable ready_;
  std::condition_variable_any room_;
  std::deque<Example> queue_;
  std::exception_ptr error_;
  bool ended_ = false;
  std::jthread thread_;  // last: joined before the rest goes
};

class PrefetchNode : public Node {
 public:
  PrefetchNode(NodePtr input, int64_t count) : input_(std::move(input)), count_(count) {}

  Spec spec() const override { return input_->spec(); }
  int64_t size() const override { return input_->size(); }
  uint64_t hash(Hash what) const override {
    return input_->hash(what);
  }  // changes nothing that comes out
  std::unique_ptr<ExampleStream> examples(int64_t epoch) const override {
    return std::make_unique<PrefetchStream>(input_->examples(epoch), count_);
  }

 private:
  NodePtr input_;
  int64_t count_;
};

}  // namespace

NodePtr prefetch_node(NodePtr input, int64_t count) {
  if (count < 1) throw invalid_argument("prefetch(", count, "): the count must be at least 1");
  return std::make_shared<PrefetchNode>(std::move(input), count);
}

}  // namespace thalweg::data
