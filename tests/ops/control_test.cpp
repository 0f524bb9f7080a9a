#include "thalweg/ops/control.h"

#include <limits>

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/base/log.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using testing::evaluate_output;
using testing::expect_error;

// What is printed while it lives.
class PrintedText {
 public:
  PrintedText() {
    set_log_sink(
        [this](LogLevel, std::string_view, std::string_view text) { lines_.emplace_back(text); });
  }
  ~PrintedText() { set_log_sink({}); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

TEST(Group, RunsAfterAllItsNodes) {
  Graph graph(standard_ops());
  Node& a = no_op(graph);
  Node& b = no_op(graph, {&a}, {.name = "second"});
  const Node& both = group({&a, &b});
  EXPECT_EQ(both.type(), "NoOp");
  EXPECT_EQ(both.control_inputs().size(), 2u);
  expect_error(
      Code::kInvalidArgument, [] { group({}); }, "at least one");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        group({nullptr, &a});
      },
      "group", "nothing");
}

TEST(Assert, ShowsTheConditionWhenThereIsNoData) {
  Graph graph(standard_ops());
  const Node& node = assert_that(constant(graph, Tensor(false)), {}, {.name = "sane"});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        evaluate(node, std::vector{Tensor(false), Tensor(false)}, reference_kernels());
      },
      "sane", "assertion failed: [0]");
}

TEST(CheckNumerics, ChecksTheGradientToo) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor(0.0));
  const Output y = sqrt(check_numerics(x, "root"));
  EXPECT_EQ(evaluate_output(y).item<double>(), 0);
  expect_error(
      Code::kInvalidArgument, [&] { evaluate_output(gradient(y, x)); }, "gradient", "root");
}

TEST(Print, WritesMessageAndDataInBrackets) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2, 3, 4}, {2, 2}));
  const PrintedText printed;
  EXPECT_EQ(evaluate_output(print(x, "x = ")).shape(), x.shape());
  evaluate_output(
      print(x, "", {.data = {shape_of(x), constant(graph, Tensor("text"))}, .summarize = -1}));
  EXPECT_EQ(printed.lines(), (std::vector<std::string>{"x = [[1 2][3]...]", "[2 2][text]"}));
}

TEST(Print, StopsAfterFirstN) {
  Graph graph(standard_ops());
  const Output x = print(constant(graph, Tensor(1.0f)), "once", {.first_n = 0});
  const PrintedText printed;
  evaluate_output(x);
  EXPECT_TRUE(printed.lines().empty());
}

}  // namespace
}  // namespace thalweg
