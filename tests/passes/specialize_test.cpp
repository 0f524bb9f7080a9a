#include "passes/pass_testing.h"
#include "testing.h"

namespace thalweg::testing {
namespace {

TEST(Specialize, CopiesOnlyWhatTheFetchesNeed) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim}, {.name = "x"});
  const Output y = exp(x);
  log(x);
  const PlanGraph plan = specialize(graph, {{x, kFloat32, Shape{3}}}, {y}, {});
  EXPECT_EQ(count_ops(plan), (std::map<std::string, int>{{"Placeholder", 1}, {"Exp", 1}}));
}

TEST(Specialize, CarriesTheFeedsShapesThrough) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 4}, {.name = "x"});
  const Output y = reshape(exp(x), {-1});
  const PlanGraph plan = specialize(graph, {{x, kFloat32, Shape{3, 4}}}, {y}, {});
  EXPECT_EQ(plan.fetches[0].shape(), Shape{12});
}

TEST(Specialize, DoesNotLookBehindAFedTensor) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "x"});
  const Output middle = exp(x);
  const Output y = neg(middle);
  const PlanGraph plan = specialize(graph, {{middle, kFloat32, Shape{2}}}, {y}, {});
  EXPECT_EQ(count_ops(plan), (std::map<std::string, int>{{"Placeholder", 1}, {"Neg", 1}}));
}

TEST(Specialize, NamesAPlaceholderThatIsNeededButNotFed) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "pixels"});
  expect_error(
      Code::kInvalidArgument, [&] { specialize(graph, {}, {exp(x)}, {}); }, "pixels", "not fed");
}

TEST(Specialize, RejectsFeedsThatDoNotFit) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 4}, {.name = "x"});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        specialize(graph, {{x, kFloat32, Shape{3, 5}}}, {x}, {});
      },
      "x:0", "[?, 4]", "[3, 5]");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        specialize(graph, {{x, kInt32, Shape{3, 4}}}, {x}, {});
      },
      "x:0", "int32");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        specialize(graph, {{x, kFloat32, Shape{1, 4}}, {x, kFloat32, Shape{1, 4}}}, {x}, {});
      },
      "twice");
}

TEST(PassPipeline, RejectsAnUnknownPassName) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor(1.0f));
  expect_error(
      Code::kInvalidArgument, [&] { optimized(graph, {}, {x}, {}, {"fold_everything"}); },
      "fold_everything", "simplify");
}

TEST(PassPipeline, ShowsTheGraphBeforeAndAfterEachPass) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor(1.0f));
  std::vector<std::string> seen;
  run_passes(
      specialize(graph, {}, {exp(x)}, {}), {reference_kernels()},
      {.observe = [&](std::string_view pass, const PlanGraph&) { seen.emplace_back(pass); }});
  ASSERT_EQ(seen.size(), standard_passes().size() + 1);
  EXPECT_EQ(seen[0], "");
  EXPECT_EQ(seen[1], "inline");
}

TEST(Specialize, RejectsTargetsThatAreNothingOrOfAnotherGraph) {
  Graph graph(standard_ops());
  Graph other(standard_ops());
  const Output x = constant(graph, Tensor(1.0f));
  const Output y = neg(neg(constant(other, Tensor(1.0f))));
  expect_error(
      Code::kInvalidArgument, [&] { specialize(graph, {}, {x}, {nullptr}); }, "target");
  expect_error(
      Code::kInvalidArgument, [&] { specialize(graph, {}, {x}, {y.node()}); }, y.node()->name(),
      "another graph");
}

TEST(Specialize, LetsTheFeedStandForItsPlaceholder) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "x"});
  const Output first = placeholder(graph, kFloat32, {2}, {.name = "first"});
  const ControlScope after(graph, {first.node()});
  const Output y = exp(x);
  const PlanGraph plan = specialize(graph, {{x, kFloat32, Shape{2}}, {first, kFloat32, Shape{2}}},
                                    {y}, {first.node()});
  EXPECT_EQ(count_ops(plan), (std::map<std::string, int>{{"Placeholder", 2}, {"Exp", 1}}));
  ASSERT_EQ(plan.fetches[0].node()->control_inputs().size(), 1u);
  EXPECT_EQ(plan.fetches[0].node()->control_inputs()[0], plan.feeds[1].node());
  EXPECT_EQ(plan.targets[0], plan.feeds[1].node());
}

TEST(Specialize, StillRunsWhatComputesAFedTensorForThoseWhoWait) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "x"});
  const Output middle = exp(x);
  const ControlScope after(graph, {middle.node()});
  const Output y = neg(middle);
  expect_error(
      Code::kInvalidArgument,
      [&] {
        specialize(graph, {{middle, kFloat32, Shape{2}}}, {y}, {});
      },
      "x", "not fed");
}

TEST(Fold, LeavesWhatNoMemoryHolds) {
  Graph graph(standard_ops());
  // 2^61 elements of 8 bytes: the product wraps around to nothing.
  const Output y = fill(IntVector(constant(graph, Tensor::of<int64_t>({int64_t{1} << 61}))),
                        constant(graph, Tensor(1.0)));
  EXPECT_EQ(count_ops(optimized(graph, {}, {y}))["Fill"], 1);
}

}  // namespace
}  // namespace thalweg::testing
