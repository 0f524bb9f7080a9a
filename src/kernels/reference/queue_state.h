// A queue of tuples of tensors, as it lives between runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

#include "thalweg/base/philox.h"
#include "thalweg/kernels/resource.h"

namespace thalweg::reference {

/// Waits and closes exactly as TensorFlow's queues do: those who wait are served in the order in
/// which they came, a close waits behind pending enqueues unless it cancels them, and a dequeue of
/// many takes elements as they come and gives them back when the queue closes too early.
/// Thread-safe.
class QueueState final : public Resource {
 public:
  enum class Kind { kFifo, kPadding, kRandom, kPriority };
  struct Config {
    Kind kind = Kind::kFifo;
    std::vector<DType> types;
    std::vector<Shape> shapes;      // empty: any
    int64_t capacity = -1;          // negative: any number
    int64_t min_after_dequeue = 0;  // kRandom
    uint64_t seed = 0;              // kRandom
  };
  using Element = std::vector<Tensor>;
  using Timeout = std::optional<std::chrono::milliseconds>;

  explicit QueueState(Config config);
  const Config& config() const { return config_; }

  /// Errors: invalid_argument (shapes), cancelled (closed), deadline_exceeded; after these some of
  /// the elements may be in the queue.
  void enqueue(std::vector<Element> elements, Timeout timeout);
  /// `count` elements, or with `up_to` what a closed queue has left, when that is anything. Errors:
  /// out_of_range (closed with too few), deadline_exceeded; what had been taken is given back.
  std::vector<Element> dequeue(int64_t count, bool up_to, Timeout timeout);
  void close(bool cancel_pending_enqueues);
  bool is_closed() const;
  int64_t size() const;

 private:
  struct Attempt {
    bool cancelled = false;
  };
  using Line = std::list<Attempt>;

  // A place in a line of those who wait, for as long as it lives; needs the mutex held.
  class Place;

  void check(const Element& element) const;
  bool is_full() const;
  void put(Element element);
  Element take();
  int64_t available() const;
  void wait(std::unique_lock<std::mutex>& lock,
            const std::optional<std::chrono::steady_clock::time_point>& deadline, const char* what);

  const Config config_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Element> elements_;
  Line enqueuers_;
  Line dequeuers_;
  bool closed_ = false;
  Philox random_;
};

}  // namespace thalweg::reference
