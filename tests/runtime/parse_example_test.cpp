// Parsing of Examples through a session: batches in parallel, and bytes that are damaged.
#include <gtest/gtest.h>

#include "testing.h"
#include "thalweg/base/parallel.h"
#include "thalweg/base/philox.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/parsing.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

// {age: int64 [7, -1], x: float [0.5]}, as protobuf writes it.
const std::string kExample(
    "\x0a\x27\x0a\x16\x0a\x03\x61\x67\x65\x12\x0f\x1a\x0d\x0a\x0b\x07\xff\xff\xff\xff\xff\xff\xff"
    "\xff"
    "\xff\x01\x0a\x0d\x0a\x01\x78\x12\x08\x12\x06\x0a\x04\x00\x00\x00\x3f",
    41);

class ParseExampleTest : public ::testing::Test {
 protected:
  ParseExampleTest() {
    serialized_ = placeholder(graph_, kString, Shape{kUnknownDim});
    parsed_ = parse_example(serialized_, {{"x", kFloat32, Shape{}}},
                            {{"age", kInt64}, {"nothing", kString}}, {{"age", kInt64}});
    fetches_ = {parsed_.dense[0], parsed_.sparse[0].values, parsed_.sparse[0].shape,
                parsed_.ragged[0].row_splits};
  }
  std::vector<Tensor> parse(const std::vector<std::string>& messages) {
    const Tensor batch = Tensor::from(std::span<const std::string>(messages),
                                      Shape{static_cast<int64_t>(messages.size())});
    return session_.run({{serialized_, batch}}, fetches_);
  }

  Graph graph_{standard_ops()};
  Session session_{graph_};
  Output serialized_;
  ParsedExamples parsed_;
  std::vector<Output> fetches_;
};

TEST_F(ParseExampleTest, ReadsTheGoldenMessage) {
  const auto values = parse({kExample, kExample});
  EXPECT_EQ(values[0].to_string(), "float32[2] [0.5, 0.5]");
  EXPECT_EQ(values[1].to_string(), "int64[4] [7, -1, 7, -1]");
  EXPECT_EQ(values[2].to_string(), "int64[2] [2, 2]");
  EXPECT_EQ(values[3].to_string(), "int64[3] [0, 2, 4]");
}

TEST_F(ParseExampleTest, GivesTheSameOnManyThreads) {
  std::vector<std::string> messages(500, kExample);
  set_num_threads(4);
  const auto values = parse(messages);
  set_num_threads(0);
  ASSERT_EQ(values[1].num_elements(), 1000);
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(values[1].at(i), i % 2 == 0 ? 7 : -1);
}

TEST_F(ParseExampleTest, NamesTheFirstExampleThatFails) {
  std::vector<std::string> messages(300, kExample);
  messages[123] = messages[250] = "\x0a\x7f";
  testing::expect_error(
      Code::kDataLoss, [&] { parse(messages); }, "example 123", "breaks off");
}

TEST_F(ParseExampleTest, RefusesEveryTruncation) {
  // Only the empty message is one again, and it lacks a feature.
  for (size_t size = 0; size < kExample.size(); ++size) {
    SCOPED_TRACE(size);
    testing::expect_error(
        size == 0 ? Code::kInvalidArgument : Code::kDataLoss,
        [&] { parse({kExample.substr(0, size)}); }, "example 0");
  }
}

TEST_F(ParseExampleTest, SurvivesDamagedBytes) {
  Philox random(7);
  int failures = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string message = kExample;
    for (uint64_t k = random.below(3) + 1; k > 0; --k)
      message[random.below(message.size())] = static_cast<char>(random.below(256));
    try {
      parse({message});
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == Code::kDataLoss || error.code() == Code::kInvalidArgument)
          << error.message();
      ++failures;
    }
  }
  EXPECT_GT(failures, 1000);
}

}  // namespace
}  // namespace thalweg
