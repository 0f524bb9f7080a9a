// A few threads that share out many small tasks, for readers that alternate between work for all
// threads and work for one. parallel_for gives each thread its range beforehand and waits for all
// of them, so that one thread without a core holds up the rest, block after block. Here whoever has
// a core takes the next task, nobody waits for a thread that took none, and waiting sleeps.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace thalweg::data {

/// Used by one thread at a time.
class Crew {
 public:
  /// `threads` with the caller's own; the others are started when first needed.
  explicit Crew(int threads) : threads_(threads) {}
  ~Crew();
  Crew(const Crew&) = delete;

  int threads() const { return threads_; }
  /// Calls task(i) once for each i from 0 to before `count`, on the caller's thread too, and
  /// returns when all are done. Rethrows the exception of the lowest i. Errors: resource_exhausted
  /// when no thread can be started.
  void run(int64_t count, const std::function<void(int64_t)>& task);

 private:
  struct Job;
  void help(const std::stop_token& stop);
  void work_on(Job& job);

  int threads_;
  std::mutex mutex_;
  std::condition_variable_any posted_, done_;
  std::shared_ptr<Job> job_;  // the last one posted
  std::vector<std::jthread> helpers_;
};

}  // namespace thalweg::data
