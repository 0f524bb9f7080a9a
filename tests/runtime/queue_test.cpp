// Queues between the runs of several threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/queue.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;

class QueueTest : public ::testing::Test {
 protected:
  Output number() { return placeholder(graph_, kInt64, Shape{}); }
  // The graph may not grow while another thread runs it, so `count` is a queue_size made before.
  int64_t value_of(Output count) { return session_.run(count).item<int32_t>(); }

  Graph graph_{standard_ops()};
  Session session_{graph_};
};

TEST_F(QueueTest, GivesElementsInOrder) {
  const Output queue = fifo_queue(graph_, {kInt64, kString}, {.shapes = {Shape{}, Shape{2}}});
  const Output x = number();
  Node& put = queue_enqueue(queue, {x, constant(graph_, Tensor::of<std::string>({"a", ""}))});
  const auto taken = queue_dequeue(queue, {kInt64, kString});
  EXPECT_EQ(taken[1].shape(), Shape{2});
  for (int64_t i = 0; i < 3; ++i) session_.run(put, {{x, Tensor(i)}});
  for (int64_t i = 0; i < 3; ++i) {
    const auto element = session_.run({}, taken);
    EXPECT_EQ(element[0].item<int64_t>(), i);
    EXPECT_EQ(element[1].to_string(), "string[2] [\"a\", \"\"]");
  }
}

TEST_F(QueueTest, TakesAndGivesBatches) {
  const Output queue = fifo_queue(graph_, {kInt64}, {.shapes = {Shape{}}});
  Node& put = queue_enqueue_many(queue, {constant(graph_, Tensor::of<int64_t>({1, 2, 3, 4, 5}))});
  const Output three = queue_dequeue_many(queue, 3, {kInt64})[0];
  EXPECT_EQ(three.shape(), Shape{3});
  const Output none = queue_dequeue_many(queue, 0, {kInt64})[0];
  session_.run(put);
  EXPECT_EQ(session_.run(three).to_string(), "int64[3] [1, 2, 3]");
  EXPECT_EQ(session_.run(none).to_string(), "int64[0] []");
  EXPECT_EQ(value_of(queue_size(queue)), 2);
}

TEST_F(QueueTest, ChecksShapesAndTypes) {
  const Output queue = fifo_queue(graph_, {kInt64}, {.shapes = {Shape{2}}});
  expect_error(
      Code::kInvalidArgument, [&] { queue_enqueue(queue, {constant(graph_, Tensor(int64_t{1}))}); },
      "component 0", "[2]");
  expect_error(
      Code::kInvalidArgument, [&] { queue_dequeue(queue, {kString}); }, "int64", "string");
  const Output open = fifo_queue(graph_, {kInt64});
  const Output batch = queue_dequeue_many(open, 1, {kInt64})[0];
  expect_error(
      Code::kInvalidArgument, [&] { session_.run(batch); }, "shapes", "one element");
}

TEST_F(QueueTest, WaitsForAnElement) {
  const Output queue = fifo_queue(graph_, {kInt64}, {.shapes = {Shape{}}});
  const Output x = number();
  Node& put = queue_enqueue(queue, {x});
  const Output taken = queue_dequeue(queue, {kInt64})[0];
  Tensor result;
  std::jthread consumer([&] { result = session_.run(taken); });
  session_.run(put, {{x, Tensor(int64_t{42})}});
  consumer.join();
  EXPECT_EQ(result.item<int64_t>(), 42);
}

TEST_F(QueueTest, WaitsForRoom) {
  const Output queue = fifo_queue(graph_, {kInt64}, {.shapes = {Shape{}}, .capacity = 2});
  Node& put = queue_enqueue_many(queue, {constant(graph_, Tensor::of<int64_t>({1, 2, 3, 4, 5}))});
  // Five elements through a queue of two: taken as they come.
  const Output all = queue_dequeue_many(queue, 5, {kInt64})[0];
  std::jthread producer([&] { session_.run(put); });
  EXPECT_EQ(session_.run(all).to_string(), "int64[5] [1, 2, 3, 4, 5]");
}

TEST_F(QueueTest, EndsAWaitWhenItsTimeIsUp) {
  const Output queue =
      fifo_queue(graph_, {kInt64}, {.shapes = {Shape{}}, .capacity = 1, .name = "jobs"});
  const Output taken = queue_dequeue(queue, {kInt64}, {.timeout_ms = 5})[0];
  expect_error(
      Code::kDeadlineExceeded, [&] { session_.run(taken); }, "jobs", "dequeue");
  const Output one = constant(graph_, Tensor(int64_t{1}));
  session_.run(queue_enqueue(queue, {one}));
  Node& second = queue_enqueue(queue, {one}, {.timeout_ms = 5});
  expect_error(
      Code::kDeadlineExceeded, [&] { session_.run(second); }, "enqueue");
}

TEST_F(QueueTest, WaitsThroughATimeoutThatNoClockReaches) {
  const Output queue = fifo_queue(graph_, {kInt64}, {.shapes = {Shape{}}});
  Node& put = queue_enqueue(queue, {constant(graph_, Tensor(int64_t{42}))});
  const Output taken =
      queue_dequeue(queue, {kInt64}, {.timeout_ms = std::numeric_limits<int64_t>::max()})[0];
  Tensor result;
  std::jthread consumer([&] { result = session_.run(taken); });
  session_.run(put);
  consumer.join();
  EXPECT_EQ(result.item<int64_t>(), 42);
}

TEST_F(QueueTest, IsWhatEveryHandleOfItsNameSays) {
  const Output small = fifo_queue(graph_, {kFloat32}, {.shapes = {Shape{1}}, .shared_name = "q"});
  const auto takes = [&](const QueueOptions& options, const char* word) {
    const Output other = fifo_queue(graph_, {kFloat32}, options);
    const Output taken = queue_dequeue(other, {kFloat32})[0];
    expect_error(
        Code::kInvalidArgument, [&] { session_.run(taken); }, "`q`", word);
  };
  // The first op makes the queue, with an element that is larger than others expect.
  const Output large =
      fifo_queue(graph_, {kFloat32}, {.shapes = {Shape{1000}}, .shared_name = "q"});
  session_.run(queue_enqueue(large, {constant(graph_, Tensor::zeros(kFloat32, Shape{1000}))}));
  const Output taken = queue_dequeue(small, {kFloat32})[0];
  expect_error(
      Code::kInvalidArgument, [&] { session_.run(taken); }, "`q`", "[1000]", "[1]");
  takes({.shapes = {Shape{1000}}, .capacity = 7, .shared_name = "q"}, "capacity");
  takes({.shared_name = "q"}, "shapes");
  EXPECT_EQ(value_of(queue_size(large)), 1);
}

TEST_F(QueueTest, ThatIsClosedGivesWhatItHas) {
  const Output queue = fifo_queue(graph_, {kInt64}, {.shapes = {Shape{}}});
  Node& put = queue_enqueue_many(queue, {constant(graph_, Tensor::of<int64_t>({1, 2, 3}))});
  session_.run(put);
  session_.run(queue_close(queue));
  EXPECT_TRUE(session_.run(queue_is_closed(queue)).item<bool>());
  expect_error(
      Code::kCancelled, [&] { session_.run(put); }, "closed");
  const Output four = queue_dequeue_many(queue, 4, {kInt64})[0];
  expect_error(
      Code::kOutOfRange, [&] { session_.run(four); }, "closed", "too few");
  const Output up_to = queue_dequeue_up_to(queue, 2, {kInt64})[0];
  EXPECT_EQ(session_.run(up_to).to_string(), "int64[2] [1, 2]");
  EXPECT_EQ(session_.run(up_to).to_string(), "int64[1] [3]");
  expect_error(
      Code::kOutOfRange, [&] { session_.run(up_to); }, "closed");
}

TEST_F(QueueTest, EndsTheWaitOfDequeuesWhenItCloses) {
  const Output queue = fifo_queue(graph_, {kInt64}, {.shapes = {Shape{}}});
  session_.run(queue_enqueue(queue, {constant(graph_, Tensor(int64_t{7}))}));
  Node& close = queue_close(queue);
  const Output two = queue_dequeue_many(queue, 2, {kInt64})[0];
  const Output one = queue_dequeue(queue, {kInt64})[0];
  const Output count = queue_size(queue);
  std::jthread consumer([&] {
    expect_error(
        Code::kOutOfRange, [&] { session_.run(two); }, "2 were asked for, 1 are there");
  });
  while (value_of(count) != 0) std::this_thread::yield();  // the one element is taken ...
  session_.run(close);
  consumer.join();
  EXPECT_EQ(session_.run(one).item<int64_t>(), 7);  // ... and given back
}

TEST_F(QueueTest, ClosesBehindThoseThatWaitForRoom) {
  const Output queue = fifo_queue(graph_, {kInt64}, {.shapes = {Shape{}}, .capacity = 1});
  Node& put = queue_enqueue_many(queue, {constant(graph_, Tensor::of<int64_t>({1, 2}))});
  Node& close = queue_close(queue);
  const Output closed = queue_is_closed(queue);
  const Output taken = queue_dequeue(queue, {kInt64})[0];
  const Output count = queue_size(queue);
  std::jthread producer([&] { session_.run(put); });
  while (value_of(count) != 1) std::this_thread::yield();
  std::jthread closer([&] { session_.run(close); });
  EXPECT_EQ(session_.run(taken).item<int64_t>(), 1);
  EXPECT_EQ(session_.run(taken).item<int64_t>(), 2);
  closer.join();
  EXPECT_TRUE(session_.run(closed).item<bool>());
}

TEST_F(QueueTest, CancelsThoseThatWaitForRoom) {
  const Output queue = fifo_queue(graph_, {kInt64}, {.shapes = {Shape{}}, .capacity = 1});
  Node& put = queue_enqueue_many(queue, {constant(graph_, Tensor::of<int64_t>({1, 2}))});
  Node& close = queue_close(queue, true);
  const Output taken = queue_dequeue(queue, {kInt64})[0];
  const Output count = queue_size(queue);
  std::jthread producer([&] {
    expect_error(
        Code::kCancelled, [&] { session_.run(put); }, "closed");
  });
  while (value_of(count) != 1) std::this_thread::yield();
  session_.run(close);
  producer.join();
  EXPECT_EQ(session_.run(taken).item<int64_t>(), 1);
  expect_error(
      Code::kOutOfRange, [&] { session_.run(taken); }, "closed");
}

TEST_F(QueueTest, PadsBatches) {
  const Output queue = padding_fifo_queue(graph_, {kInt64}, {.shapes = {Shape{kUnknownDim}}});
  const Output x = placeholder(graph_, kInt64, Shape{kUnknownDim});
  Node& put = queue_enqueue(queue, {x});
  const Output batch = queue_dequeue_many(queue, 3, {kInt64})[0];
  EXPECT_EQ(batch.shape(), (Shape{3, kUnknownDim}));
  session_.run(put, {{x, Tensor::of<int64_t>({1})}});
  session_.run(put, {{x, Tensor::of<int64_t>({2, 3, 4})}});
  session_.run(put, {{x, Tensor(kInt64, Shape{0})}});
  EXPECT_EQ(session_.run(batch).to_string(), "int64[3, 3] [[1, 0, 0], [2, 3, 4], [0, 0, 0]]");
}

TEST_F(QueueTest, ShufflesAndKeepsAFew) {
  const Output queue = random_shuffle_queue(graph_, {kInt64}, 2, {.shapes = {Shape{}}});
  std::vector<int64_t> numbers(20);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
  const Tensor all = Tensor::from(std::span<const int64_t>(numbers), Shape{20});
  session_.run(queue_enqueue_many(queue, {constant(graph_, all)}));
  std::vector<int64_t> seen;
  const Output many = queue_dequeue_many(queue, 18, {kInt64})[0];
  const Tensor batch = session_.run(many);
  seen.assign(batch.data<int64_t>().begin(), batch.data<int64_t>().end());
  EXPECT_FALSE(std::is_sorted(seen.begin(), seen.end()));
  const Output one = queue_dequeue(queue, {kInt64}, {.timeout_ms = 5})[0];
  expect_error(
      Code::kDeadlineExceeded, [&] { session_.run(one); }, "2 elements");
  session_.run(queue_close(queue));
  for (int i = 0; i < 2; ++i) seen.push_back(session_.run(one).item<int64_t>());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, numbers);
}

TEST_F(QueueTest, OfPrioritiesGivesTheSmallestFirst) {
  const Output queue = graph_
                           .add("PriorityQueueV2", {},
                                {{"component_types", std::vector<DType>{kString}},
                                 {"shapes", std::vector<Shape>{Shape{}}}})
                           .output();
  session_.run(
      queue_enqueue_many(queue, {constant(graph_, Tensor::of<int64_t>({5, 1, 5, 3})),
                                 constant(graph_, Tensor::of<std::string>({"a", "b", "c", "d"}))}));
  const auto all = queue_dequeue_many(queue, 4, {kInt64, kString});
  const auto values = session_.run({}, all);
  EXPECT_EQ(values[0].to_string(), "int64[4] [1, 3, 5, 5]");
  EXPECT_EQ(values[1].to_string(), "string[4] [\"b\", \"d\", \"a\", \"c\"]");
}

TEST_F(QueueTest, LosesNothingBetweenManyThreads) {
  constexpr int kThreads = 4;
  constexpr int64_t kEach = 50;
  const Output queue = fifo_queue(graph_, {kInt64}, {.shapes = {Shape{}}, .capacity = 3});
  const Output x = number();
  const Callable put = session_.make_callable({x}, {}, {&queue_enqueue(queue, {x})});
  const Callable take = session_.make_callable({}, {queue_dequeue(queue, {kInt64})[0]});
  const Callable close = session_.make_callable({}, {}, {&queue_close(queue)});
  std::vector<std::vector<int64_t>> taken(kThreads);
  {
    std::vector<std::jthread> consumers;
    for (int t = 0; t < kThreads; ++t) {
      consumers.emplace_back([&, t] {
        try {
          while (true) taken[static_cast<size_t>(t)].push_back(take({})[0].item<int64_t>());
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), Code::kOutOfRange) << error.message();
        }
      });
    }
    {
      std::vector<std::jthread> producers;
      for (int t = 0; t < kThreads; ++t) {
        producers.emplace_back([&, t] {
          for (int64_t i = 0; i < kEach; ++i) put({Tensor(t * kEach + i)});
        });
      }
    }
    close({});
  }
  std::vector<int64_t> all;
  for (const auto& part : taken) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), static_cast<size_t>(kThreads * kEach));
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<int64_t>(i));
}

}  // namespace
}  // namespace thalweg
