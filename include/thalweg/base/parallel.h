// One thread pool for the whole process, shared with the kernel library.
//
// Debian's oneDNN is built on OpenMP, and two spinning pools turn microseconds into milliseconds, so OpenMP is the pool,
// hidden behind parallel_for. Workers pin themselves to a core the first time they run; the calling thread stays free,
// because threads it makes later inherit its mask. With one thread nothing forks.
#pragma once

#include <cstdint>
#include <type_traits>

namespace thalweg {

/// Threads that parallel_for may use when called on this thread; at least 1. Starts as THALWEG_NUM_THREADS when that is
/// set, else the number of cores this process may run on.
int num_threads();

/// Sets the thread count of the process; 0 means "as many as cores". Also bounds the kernel library's threads.
/// Throws invalid_argument when negative.
void set_num_threads(int count);

/// Overrides num_threads() on the calling thread while it lives (data-loading threads use 1).
class ScopedNumThreads {
 public:
  explicit ScopedNumThreads(int count);
  ~ScopedNumThreads();
  ScopedNumThreads(const ScopedNumThreads&) = delete;
  ScopedNumThreads& operator=(const ScopedNumThreads&) = delete;

 private:
  int previous_;
};

namespace internal {
using RangeFunction = void (*)(void* closure, int64_t begin, int64_t end);
void parallel_for(int64_t count, int64_t grain, RangeFunction function, void* closure);
}  // namespace internal

/// Calls `f(begin, end)` so that the ranges cover [0, count) once. At most one range per thread, each at least `grain`
/// long (but the last); the split depends only on count, grain and num_threads(). `grain` is the number of items that
/// take about 5 microseconds: less work than that stays on the calling thread. The first exception is rethrown after
/// all ranges ended. Nested calls run serially.
template <class F>
void parallel_for(int64_t count, int64_t grain, F&& f) {
  internal::parallel_for(
      count, grain,
      [](void* closure, int64_t begin, int64_t end) {
        (*static_cast<std::remove_reference_t<F>*>(closure))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&f)));
}

}  // namespace thalweg
