#include "thalweg/base/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <latch>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "thalweg/base/error.h"

#if defined(__SANITIZE_THREAD__)
// libgomp's barriers are not instrumented, so ThreadSanitizer has to be told what they order.
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#define THALWEG_ACQUIRE(address) __tsan_acquire(address)
#define THALWEG_RELEASE(address) __tsan_release(address)
#define THALWEG_NOT_INSTRUMENTED __attribute__((no_sanitize("thread"), noinline))
#else
#define THALWEG_ACQUIRE(address) static_cast<void>(address)
#define THALWEG_RELEASE(address) static_cast<void>(address)
#define THALWEG_NOT_INSTRUMENTED
#endif

namespace thalweg {
namespace {

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
    }
  }
  return cpus;
}

// More than any machine has cores; the thread pool breaks the process when it cannot start them
// all.
constexpr int kMostThreads = 4096;

int core_count() { return std::max<int>(1, static_cast<int>(allowed_cpus().size())); }

// libgomp ends the process when the system does not give it a thread, so more threads than cores
// are tried first. Throws resource_exhausted.
void check_can_make(int threads) {
  std::vector<std::thread> trial;
  std::latch all_there(1);
  struct Join {
    ~Join() {
      gate.count_down();
      for (std::thread& thread : threads) thread.join();
    }
    std::latch& gate;
    std::vector<std::thread>& threads;
  } join{all_there, trial};
  try {
    trial.reserve(static_cast<size_t>(threads));
    while (static_cast<int>(trial.size()) < threads - 1)
      trial.emplace_back([&] { all_there.wait(); });
  } catch (const std::exception&) {  // std::system_error, std::bad_alloc
    throw resource_exhausted("the system gives this process ", trial.size() + 1, " of the ",
                             threads,
                             " threads that are wanted; ask for fewer, or raise its limits");
  }
}

int initial_count() {
  const char* text = std::getenv("THALWEG_NUM_THREADS");
  if (text == nullptr || *text == '\0') return core_count();
  int count = 0;
  const char* end = text + std::strlen(text);
  const std::from_chars_result result = std::from_chars(text, end, count);
  if (result.ec != std::errc() || result.ptr != end || count < 0 || count > kMostThreads) {
    throw invalid_argument("THALWEG_NUM_THREADS is '", text,
                           "', expected a number of threads from 0 (as many as cores) to ",
                           kMostThreads);
  }
  if (count > core_count()) check_can_make(count);
  return count == 0 ? core_count() : count;
}

std::atomic<int>& process_count() {
  static std::atomic<int> count = initial_count();
  return count;
}

thread_local int t_override = 0;  // of ScopedNumThreads; 0: none
thread_local int t_openmp_count =
    0;  // last given to omp_set_num_threads, which is a setting of each thread
thread_local bool t_in_region = false;
thread_local bool t_pinned = false;

// libgomp keeps one pool for each thread that forks. Only the first one's workers are pinned: two
// pools pinned alike would sit on the same cores.
class Pinning {
 public:
  static Pinning& instance() {
    static Pinning pinning;
    return pinning;
  }
  bool wanted(int threads) const {
    return wanted_ && static_cast<size_t>(threads) <= cpus_.size() &&
           pthread_equal(owner_, pthread_self());
  }
  void pin(int worker) const {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpus_[static_cast<size_t>(worker)], &mask);
    pthread_setaffinity_np(pthread_self(), sizeof mask, &mask);  // a refusal costs speed only
  }

 private:
  Pinning() : owner_(pthread_self()), cpus_(allowed_cpus()) {
    const char* text = std::getenv("THALWEG_PIN");
    wanted_ = text == nullptr || std::string_view(text) != "0";
  }
  pthread_t owner_;
  std::vector<int> cpus_;
  bool wanted_;
};

struct Region {
  int64_t count;
  int ranges;
  internal::RangeFunction function;
  void* closure;
  const Pinning* pinning;  // null: leave the workers where they are

  std::mutex mutex;
  int failed_range = -1;
  std::exception_ptr error;

  int64_t begin(int range) const {
    // The first count % ranges of them are one longer.
    return count / ranges * range + std::min<int64_t>(range, count % ranges);
  }

  void run(int range) {
    try {
      function(closure, begin(range), begin(range + 1));
    } catch (...) {
      // Of several failures the lowest range's is kept, so that the same input gives the same
      // message.
      const std::lock_guard lock(mutex);
      if (failed_range < 0 || range < failed_range) {
        failed_range = range;
        error = std::current_exception();
      }
    }
  }

  void work(int worker, int workers) {
    THALWEG_ACQUIRE(this);
    if (worker != 0 && pinning != nullptr && !t_pinned) {
      pinning->pin(worker);
      t_pinned = true;
    }
    t_in_region = true;
    for (int range = worker; range < ranges; range += workers)
      run(range);  // OpenMP may grant fewer
    t_in_region = false;
    THALWEG_RELEASE(this);
  }
};

THALWEG_NOT_INSTRUMENTED void fork_and_join(Region* region) {
#pragma omp parallel num_threads(region->ranges)
  region->work(omp_get_thread_num(), omp_get_num_threads());
}

void tell_openmp(int count) {
  if (count == t_openmp_count) return;
  omp_set_num_threads(count);
  t_openmp_count = count;
}

}  // namespace

int num_threads() {
  if (t_in_region || omp_in_parallel()) return 1;
  const int count = t_override != 0 ? t_override : process_count().load(std::memory_order_relaxed);
  tell_openmp(count);  // threads made after set_num_threads do not inherit it
  return count;
}

void set_num_threads(int count) {
  if (count < 0 || count > kMostThreads) {
    throw invalid_argument("number of threads is ", count, ", expected 0 (all cores) to ",
                           kMostThreads);
  }
  if (count > core_count()) check_can_make(count);
  process_count() = count == 0 ? core_count() : count;
  if (!t_in_region) num_threads();
}

ScopedNumThreads::ScopedNumThreads(int count) : previous_(t_override) {
  if (count < 1 || count > kMostThreads) {
    throw invalid_argument("number of threads is ", count, ", expected 1 to ", kMostThreads);
  }
  t_override = count;
  num_threads();
}

ScopedNumThreads::~ScopedNumThreads() {
  t_override = previous_;
  num_threads();
}

namespace internal {

void parallel_for(int64_t count, int64_t grain, RangeFunction function, void* closure) {
  if (count <= 0) return;
  const int64_t most = count / std::max<int64_t>(grain, 1);
  if (most <= 1) return function(closure, 0, count);
  const int ranges = static_cast<int>(std::min<int64_t>(num_threads(), most));
  if (ranges == 1) return function(closure, 0, count);

  const Pinning& pinning = Pinning::instance();
  Region region{.count = count,
                .ranges = ranges,
                .function = function,
                .closure = closure,
                .pinning = pinning.wanted(ranges) ? &pinning : nullptr};
  THALWEG_RELEASE(&region);
  fork_and_join(&region);
  THALWEG_ACQUIRE(&region);
  if (region.error) std::rethrow_exception(region.error);
}

}  // namespace internal
}  // namespace thalweg
