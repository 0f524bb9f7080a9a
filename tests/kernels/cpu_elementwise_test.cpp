// The fast element-wise kernels against the reference, over the ways in which operands broadcast.
#include "kernels/families.h"
#include "kernels/kernel_testing.h"

namespace thalweg {
namespace {

using namespace testing;  // NOLINT

const KernelRegistry& fast() {
  static const KernelRegistry registry = [] {
    KernelRegistry kernels;
    kernels.add(cpu_elementwise_kernels());
    kernels.add(reference_binary_kernels());
    return kernels;
  }();
  return registry;
}

TEST(CpuElementwise, BroadcastsRowsAndColumnsAndOneAgainstTheOther) {
  const std::pair<Shape, Shape> cases[] = {
      {{3, 4, 5}, {3, 4, 5}}, {{3, 4, 5}, {5}}, {{3, 4, 5}, {3, 4, 1}},
      {{3, 4, 5}, {3, 1, 1}}, {{3, 4, 5}, {}},  {{3, 4, 5}, {1, 5}},
      {{3, 4, 1}, {5}},       {{3, 1}, {1, 7}}, {{2, 3, 1, 1}, {4, 5}}};
  for (const char* op : {"AddV2", "Sub", "Mul", "Maximum", "SquaredDifference"}) {
    for (const auto& [a, b] : cases) {
      for (const bool swapped : {false, true}) {
        const Tensor x = some_tensor(swapped ? b : a, 1), y = some_tensor(swapped ? a : b, 2);
        const LoneNode lone(op, {}, {x, y});
        const KernelRun run = lone.run(fast());
        const std::string what = str(op, " ", x.shape(), " ", y.shape());
        EXPECT_EQ(run.provider, "cpu") << what;
        expect_close(run.outputs[0], lone.expected()[0], 1e-6, what);
      }
    }
  }
}

TEST(CpuElementwise, LeavesOtherBroadcastsToTheReference) {
  // A column of the first dimension alone and a row of the last: nothing says what lies between.
  const LoneNode lone("Mul", {}, {some_tensor({3, 1, 1}, 1), some_tensor({4, 1}, 2)});
  const KernelRun run = lone.run(fast());
  expect_close(run.outputs[0], lone.expected()[0], 1e-6, "columns");
  const LoneNode gap("Mul", {}, {some_tensor({3, 1, 5}, 1), some_tensor({1, 4, 1}, 2)});
  const KernelRun other = gap.run(fast());
  EXPECT_EQ(other.provider, "reference");
  expect_close(other.outputs[0], gap.expected()[0], 1e-6, "gap");
}

}  // namespace
}  // namespace thalweg
