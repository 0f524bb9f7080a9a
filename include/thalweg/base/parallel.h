// One thread pool for the whole process, shared with the kernel library.
//
// Debian's oneDNN is built on OpenMP, and two spinning pools turn microseconds into milliseconds,
// so OpenMP is the pool, hidden behind parallel_for. Workers of the first thread that forks pin
// themselves to a core each, unless THALWEG_PIN=0 or there are more threads than cores; the calling
// thread stays free, because threads it makes later inherit its mask. With one thread nothing
// forks.
#pragma once

#include <cstdint>
#include <type_traits>

namespace thalweg {

/// Threads that parallel_for may use when called on this thread; 1 inside one of its ranges. Starts
/// as THALWEG_NUM_THREADS when that is set (invalid_argument when not 0 to 4096), else the number
/// of cores this process may run on. Brings the kernel library's setting for this thread, which new
/// threads do not inherit, into line.
int num_threads();

/// Sets the thread count of the process; 0 means "as many as cores". The kernel library follows at
/// once on the calling thread, on others when they next call num_threads() or parallel_for().
/// Throws invalid_argument when negative or above 4096.
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

/// Calls `f(begin, end)` so that the ranges cover [0, count) once. At most one range per thread,
/// each at least `grain` long (but the last); the split depends only on count, grain and
/// num_threads(). `grain` is the number of items that take about 5 microseconds: less work than
/// that stays on the calling thread. After all ranges ended, the exception of the lowest one that
/// failed is rethrown. Calls from inside a range that runs beside others stay on their thread.
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
