// Each op against TensorFlow: the values of every kernel that accepts, and the gradients that the
// op rows give.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "cases/case_run.h"
#include "reference_evaluator.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::testing {
namespace {

void check_values(const Case& c) {
  Graph graph(standard_ops());
  Node& node = add_case(graph, c);
  bool any = false;
  for (const KernelDef& kernel : standard_kernels().find(c.op)) {
    const CaseResult result = run_case(c, node, kernel);
    if (!result.accepted) continue;
    any = true;
    for (const auto& [i, expected] : expected_outputs(c, node)) {
      EXPECT_EQ(difference(expected->value, result.outputs[static_cast<size_t>(i)], c.tolerance),
                "")
          << c.where() << ": output " << expected->name << " of the " << kernel.provider
          << " kernel";
    }
    for (const auto& [expected, actual] : expected_variables(c, result)) {
      EXPECT_EQ(
          difference(expected->value, actual == nullptr ? Tensor() : actual->value, c.tolerance),
          "")
          << c.where() << ": variable " << expected->name << " after the " << kernel.provider
          << " kernel";
    }
  }
  EXPECT_TRUE(any) << c.where() << ": no kernel accepts";
}

void check_slopes(const Case& c) {
  if (c.slopes.empty()) return;
  Graph graph(standard_ops());
  Node& node = add_case(graph, c);
  std::vector<Output> ys;
  std::vector<Output> incoming;
  std::set<std::string> taken;
  for (const CaseTensor& upstream : c.upstream) {
    // The tensors of a list output come in order under one name.
    const auto [begin, end] = output_range(node, upstream.name);
    int i = begin;
    while (i + 1 < end && !taken.insert(str(upstream.name, i)).second) ++i;
    ys.push_back(node.output(i));
    incoming.push_back(known_input(graph, {.name = "upstream", .value = upstream.value}));
  }
  std::vector<Output> xs;
  for (const CaseTensor& slope : c.slopes) {
    xs.push_back(node.input(node.input_range(slope.name).first));
  }
  const std::vector<Output> slopes = gradients(ys, xs, {.grad_ys = incoming});
  ReferenceEvaluator evaluator;
  const std::vector<Tensor> values = evaluator.run(slopes);
  for (size_t i = 0; i < xs.size(); ++i) {
    const Tensor& expected = c.slopes[i].value;
    ASSERT_TRUE(values[i].is_valid()) << c.where() << ": no gradient reaches " << c.slopes[i].name;
    EXPECT_EQ(difference(expected, values[i], std::max(c.tolerance, 5e-5)), "")
        << c.where() << ": gradient of " << c.slopes[i].name;
  }
}

class GoldenTest : public ::testing::Test {
 public:
  explicit GoldenTest(const Case& c) : case_(c) {}
  void TestBody() override {
    check_values(case_);
    check_slopes(case_);
  }

 private:
  const Case& case_;
};

}  // namespace
}  // namespace thalweg::testing

int main(int argc, char** argv) {
  using namespace thalweg::testing;
  ::testing::InitGoogleTest(&argc, argv);
  std::vector<Case> cases;
  try {
    cases = read_cases(THALWEG_GOLDEN, thalweg::standard_ops());
  } catch (const thalweg::Error& error) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return 1;
  }
  std::set<std::string> ops;
  std::set<std::string> with_slopes;
  for (const Case& c : cases) {
    ops.insert(c.op);
    if (!c.slopes.empty()) with_slopes.insert(c.op);
    ::testing::RegisterTest(c.op.c_str(), c.test_name().c_str(), nullptr, nullptr, c.file.c_str(),
                            c.line, [&c]() -> ::testing::Test* { return new GoldenTest(c); });
  }
  std::printf("%zu ops against TensorFlow, %zu of them with gradients\n", ops.size(),
              with_slopes.size());
  return RUN_ALL_TESTS();
}
