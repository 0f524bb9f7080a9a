#include "data/crew.h"

#include <atomic>
#include <chrono>

#include "data_testing.h"

namespace thalweg::data {
namespace {

TEST(Crew, DoesEachTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    Crew crew(threads);
    for (const int64_t count : {0, 1, 3, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
      crew.run(count, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
      for (const auto& call : calls) EXPECT_EQ(call, 1);
    }
  }
}

TEST(Crew, WorksAtTheSameTime) {
  Crew crew(2);
  std::atomic<int> here = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  crew.run(2, [&](int64_t) {
    ++here;
    while (here < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  EXPECT_EQ(here, 2);
  EXPECT_LT(std::chrono::steady_clock::now(), deadline);
}

TEST(Crew, RethrowsTheFirstErrorAndGoesOn) {
  Crew crew(3);
  const auto fail = [](int64_t i) {
    if (i % 10 == 7) throw data_loss("task ", i);
  };
  for (int round = 0; round < 20; ++round)
    expect_error(
        Code::kDataLoss, [&] { crew.run(100, fail); }, "task 7");
  std::atomic<int64_t> sum = 0;
  crew.run(10, [&](int64_t i) { sum += i; });
  EXPECT_EQ(sum, 45);
}

}  // namespace
}  // namespace thalweg::data
