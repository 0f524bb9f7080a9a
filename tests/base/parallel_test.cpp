#include "thalweg/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "testing.h"

namespace thalweg {
namespace {

using testing::expect_error;

struct Ranges {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> items;
  void add(int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    items.emplace_back(begin, end);
  }
};

std::vector<std::pair<int64_t, int64_t>> ranges_of(int64_t count, int64_t grain) {
  Ranges ranges;
  parallel_for(count, grain, [&](int64_t begin, int64_t end) { ranges.add(begin, end); });
  std::sort(ranges.items.begin(), ranges.items.end());
  return ranges.items;
}

TEST(ParallelFor, CoversEveryItemOnceInRangesOfAtLeastTheGrain) {
  for (const int threads : {1, 2, 3, 4}) {
    const ScopedNumThreads scoped(threads);
    for (const int64_t count : {1, 2, 3, 7, 16, 100, 101}) {
      for (const int64_t grain : {0, 1, 3, 10, 1000}) {
        int64_t next = 0;
        const auto ranges = ranges_of(count, grain);
        EXPECT_LE(ranges.size(), static_cast<size_t>(threads));
        for (const auto& [begin, end] : ranges) {
          EXPECT_EQ(begin, next);
          if (ranges.size() > 1) {
            EXPECT_GE(end - begin, grain);
          }
          EXPECT_GT(end, begin);
          next = end;
        }
        EXPECT_EQ(next, count);
      }
    }
  }
}

TEST(ParallelFor, SplitsInTheSameWayEachTime) {
  const ScopedNumThreads scoped(3);
  using List = std::vector<std::pair<int64_t, int64_t>>;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ranges_of(10, 1), (List{{0, 4}, {4, 7}, {7, 10}}));
}

TEST(ParallelFor, DoesNothingForNoItems) {
  parallel_for(0, 1, [](int64_t, int64_t) { FAIL(); });
  parallel_for(-5, 1, [](int64_t, int64_t) { FAIL(); });
}

TEST(ParallelFor, StaysOnTheCallingThreadWhenWorkIsSmall) {
  const ScopedNumThreads scoped(2);
  const std::thread::id self = std::this_thread::get_id();
  parallel_for(99, 50, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    EXPECT_EQ(end - begin, 99);
  });
}

TEST(ParallelFor, UsesSeveralThreadsWhenWorkIsLarge) {
  const ScopedNumThreads scoped(3);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(3, 1, [&](int64_t, int64_t) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), 3u);
}

TEST(ParallelFor, RunsNestedCallsSerially) {
  const ScopedNumThreads scoped(2);
  std::atomic<int64_t> sum = 0;
  parallel_for(2, 1, [&](int64_t, int64_t) {
    EXPECT_EQ(num_threads(), 1);
    const std::thread::id self = std::this_thread::get_id();
    parallel_for(100, 1, [&](int64_t begin, int64_t end) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      sum += end - begin;
    });
  });
  EXPECT_EQ(sum, 200);
  EXPECT_EQ(num_threads(), 2);
}

TEST(ParallelFor, RethrowsTheErrorOfTheLowestRangeAfterAllEnded) {
  const ScopedNumThreads scoped(4);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ended = 0;
    expect_error(
        Code::kInvalidArgument,
        [&] {
          parallel_for(4, 1, [&](int64_t begin, int64_t) {
            ++ended;
            if (begin >= 1) throw invalid_argument("row ", begin);
          });
        },
        "row 1");
    EXPECT_EQ(ended, 4);
  }
  EXPECT_EQ(ranges_of(8, 1).size(), 4u);  // the pool is as good as before
}

TEST(ParallelFor, WritesAreSeenByTheCallerAndByTheNextRegion) {
  const ScopedNumThreads scoped(2);
  std::vector<int> values(1000);
  for (int round = 0; round < 100; ++round) {
    parallel_for(1000, 10, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++values[static_cast<size_t>(i)];
    });
    std::rotate(values.begin(), values.begin() + 300, values.end());
  }
  EXPECT_EQ(std::count(values.begin(), values.end(), 100), 1000);
}

TEST(ParallelFor, MayBeCalledBySeveralThreadsAtOnce) {
  std::atomic<int64_t> sum = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        const ScopedNumThreads scoped(2);
        for (int i = 0; i < 50; ++i) {
          parallel_for(10, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
        }
      });
    }
  }
  EXPECT_EQ(sum, 3 * 50 * 10);
}

TEST(NumThreads, IsSetForTheProcessAndOverriddenForAThread) {
  const int before = num_threads();
  set_num_threads(3);
  EXPECT_EQ(num_threads(), 3);
  {
    const ScopedNumThreads one(1);
    EXPECT_EQ(num_threads(), 1);
    {
      const ScopedNumThreads two(2);
      EXPECT_EQ(num_threads(), 2);
    }
    EXPECT_EQ(num_threads(), 1);
    std::jthread([] { EXPECT_EQ(num_threads(), 3); });
  }
  EXPECT_EQ(num_threads(), 3);
  set_num_threads(0);
  EXPECT_GE(num_threads(), 1);
  expect_error(
      Code::kInvalidArgument, [] { set_num_threads(-1); }, "-1");
  expect_error(
      Code::kInvalidArgument, [] { const ScopedNumThreads none(0); }, "0");
  set_num_threads(before);
}

// Settings are read once in a process, so each of these runs in a fresh one.
class ParallelEnvironment : public ::testing::Test {
 protected:
  ParallelEnvironment() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[noreturn]] void exit_with_thread_count(const char* setting) {
  ::setenv("THALWEG_NUM_THREADS", setting, 1);
  try {
    std::_Exit(num_threads());
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(100 + static_cast<int>(error.code()));
  }
}

TEST_F(ParallelEnvironment, SetsTheNumberOfThreads) {
  EXPECT_EXIT(exit_with_thread_count("5"), ::testing::ExitedWithCode(5), "");
}

TEST(SetNumThreads, RefusesMoreThanCanBeStarted) {
  expect_error(
      Code::kInvalidArgument, [] { set_num_threads(200000); }, "200000", "4096");
  expect_error(
      Code::kInvalidArgument, [] { ScopedNumThreads{200000}; }, "200000", "4096");
}

TEST_F(ParallelEnvironment, RefusesWhatIsNoNumberOfThreads) {
  for (const char* setting : {"two", "-1", "2x", "99999999999", " 3", "4097", "200000"}) {
    EXPECT_EXIT(exit_with_thread_count(setting), ::testing::ExitedWithCode(103),
                "THALWEG_NUM_THREADS is '");
  }
}

int cpus_of_this_thread() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  return CPU_COUNT(&mask);
}

// Exits with (CPUs of the caller) * 10 + (CPUs of its worker), after two forks, from the second
// forking thread too.
[[noreturn]] void exit_with_masks(const char* pin) {
  ::setenv("THALWEG_PIN", pin, 1);
  set_num_threads(2);
  std::atomic<int> worker = 0;
  const auto look = [&](int64_t begin, int64_t) {
    if (begin != 0) worker = cpus_of_this_thread();
  };
  parallel_for(2, 1, look);
  const int first = worker;
  std::jthread([&] { parallel_for(2, 1, look); }).join();
  std::fprintf(stderr, "caller %d first %d second %d\n", cpus_of_this_thread(), first,
               worker.load());
  std::_Exit(0);
}

TEST_F(ParallelEnvironment, PinsTheWorkersOfTheFirstPoolOnly) {
  const int cpus = cpus_of_this_thread();
  if (cpus < 2) GTEST_SKIP() << "one CPU: nothing to pin";
  const std::string all = std::to_string(cpus);
  EXPECT_EXIT(exit_with_masks("1"), ::testing::ExitedWithCode(0),
              "caller " + all + " first 1 second " + all);
}

TEST_F(ParallelEnvironment, PinsNothingWhenToldSo) {
  const std::string all = std::to_string(cpus_of_this_thread());
  EXPECT_EXIT(exit_with_masks("0"), ::testing::ExitedWithCode(0),
              "caller " + all + " first " + all);
}

}  // namespace
}  // namespace thalweg
