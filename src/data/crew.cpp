#include "data/crew.h"

#include <atomic>
#include <exception>

#include "data/start_thread.h"

namespace thalweg::data {

/// A helper that comes late still finds the job, but no task of it.
struct Crew::Job {
  const std::function<void(int64_t)>* task;
  int64_t count;
  std::atomic<int64_t> next = 0, done = 0;
  std::exception_ptr error = {};  // under the mutex
  int64_t failed = 0;
};

Crew::~Crew() {
  for (std::jthread& helper : helpers_) helper.request_stop();
  helpers_.clear();
}

void Crew::run(int64_t count, const std::function<void(int64_t)>& task) {
  if (threads_ <= 1 || count <= 1) {
    for (int64_t i = 0; i < count; ++i) task(i);
    return;
  }
  while (static_cast<int>(helpers_.size()) < threads_ - 1) {
    helpers_.push_back(
        start_thread("reading a table", [this](const std::stop_token& stop) { help(stop); }));
  }
  const auto job = std::make_shared<Job>();
  job->task = &task;
  job->count = count;
  {
    const std::lock_guard lock(mutex_);
    job_ = job;
  }
  posted_.notify_all();
  work_on(*job);
  // What is not done yet is being done: no task can be without its thread.
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return job->done.load() == job->count; });
  if (job->error) std::rethrow_exception(job->error);
}

void Crew::help(const std::stop_token& stop) {
  std::shared_ptr<Job> last;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (!posted_.wait(lock, stop, [&] { return job_ != last; })) return;
      last = job_;
    }
    work_on(*last);
  }
}

void Crew::work_on(Job& job) {
  for (int64_t i = job.next++; i < job.count; i = job.next++) {
    try {
      (*job.task)(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!job.error || i < job.failed) {
        job.error = std::current_exception();
        job.failed = i;
      }
    }
    if (++job.done != job.count) continue;
    const std::lock_guard lock(mutex_);
    done_.notify_one();
  }
}

}  // namespace thalweg::data
