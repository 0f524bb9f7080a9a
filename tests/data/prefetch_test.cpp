#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "data_testing.h"
#include "thalweg/base/parallel.h"

namespace thalweg::data {
namespace {

TEST(Prefetch, ChangesNothingThatComesOut) {
  const Dataset plain = numbers(100).shuffle(100, 1).batch(7);
  EXPECT_EQ(values_of(plain.prefetch(3)), values_of(plain));
  EXPECT_EQ(plain.prefetch(3).size(), plain.size());
  EXPECT_EQ(values_of(numbers(0).prefetch(2)), Values{});
  EXPECT_EQ(values_of(generated(5).prefetch(1).prefetch(1)), (Values{0, 1, 2, 3, 4}));
}

TEST(Prefetch, ReadsAheadAsFarAsItMayAndNoFurther) {
  std::mutex mutex;
  std::condition_variable made_more;
  int made = 0;
  const Dataset counting = numbers(50).map([&](Example example) {
    const std::lock_guard lock(mutex);
    ++made;
    made_more.notify_all();
    return example;
  });
  Iterator pass = counting.prefetch(3).iterate();
  pass.next();
  std::unique_lock lock(mutex);
  // One given, three queued, one in the thread's hand.
  EXPECT_TRUE(made_more.wait_for(lock, std::chrono::seconds(60), [&] { return made == 5; }))
      << made;
  EXPECT_FALSE(made_more.wait_for(lock, std::chrono::milliseconds(20), [&] { return made > 5; }))
      << made;
}

TEST(Prefetch, PositionIsTheConsumers) {
  Iterator pass = numbers(50).prefetch(10).iterate();
  pass.next();
  pass.next();
  EXPECT_EQ(pass.position().to_string(), "epoch 0, element 2");
}

TEST(Prefetch, ErrorsArriveAfterWhatCameBefore) {
  const MapFunction fails = [](Example example) {
    if (example[0].item<int64_t>() == 2) throw data_loss("damaged record");
    return example;
  };
  Iterator pass = numbers(9).map(fails).prefetch(5).iterate();
  EXPECT_TRUE(pass.next());
  EXPECT_TRUE(pass.next());
  expect_error(
      Code::kDataLoss, [&] { pass.next(); }, "element 2: damaged record");
  expect_error(
      Code::kFailedPrecondition, [&] { pass.next(); }, "failed");
}

TEST(Prefetch, ThreadStopsWhenTheIteratorGoes) {
  for (int i = 0; i < 50; ++i) {
    Iterator pass = numbers(10).repeat().batch(4).prefetch(2).iterate();
    if (i % 2 == 0) pass.next();
    pass = numbers(3).prefetch(1).iterate();  // also by assignment
    pass.next();
  }
}

TEST(Prefetch, ThreadComputesSerially) {
  std::atomic<int> threads = 0;
  const MapFunction count = [&](Example example) {
    threads = num_threads();
    return example;
  };
  values_of(numbers(3).map(count).prefetch(1));
  EXPECT_EQ(threads, 1);
}

}  // namespace
}  // namespace thalweg::data
