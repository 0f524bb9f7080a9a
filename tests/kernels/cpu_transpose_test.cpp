// The fast Transpose against the reference kernel, for every permutation.
#include <algorithm>
#include <numeric>

#include "kernels/families.h"
#include "kernels/kernel_testing.h"

namespace thalweg {
namespace {

using namespace testing;  // NOLINT

const KernelRegistry& fast() {
  static const KernelRegistry registry = [] {
    KernelRegistry kernels;
    kernels.add(cpu_transpose_kernels());
    kernels.add(reference_movement_kernels());
    return kernels;
  }();
  return registry;
}

// How many permutations of the shape the fast kernel took.
int check_all(const Tensor& x) {
  std::vector<int32_t> perm(static_cast<size_t>(x.shape().rank()));
  std::iota(perm.begin(), perm.end(), 0);
  int fast_ones = 0;
  do {
    const Tensor by = Tensor::from(std::span<const int32_t>(perm), Shape{x.shape().rank()});
    const LoneNode lone("Transpose", {}, {x, by});
    const KernelRun run = lone.run(fast());
    fast_ones += run.provider == "cpu";
    EXPECT_TRUE(run.outputs[0].same_bits(lone.expected()[0]))
        << x.shape().to_string() << " by " << by.to_string();
  } while (std::next_permutation(perm.begin(), perm.end()));
  return fast_ones;
}

TEST(CpuTranspose, AgreesWithTheReferenceForEveryPermutation) {
  EXPECT_EQ(check_all(some_tensor({7})), 1);
  EXPECT_EQ(check_all(some_tensor({33, 18})), 2);
  EXPECT_EQ(check_all(some_tensor({3, 40, 17})), 5) << "all but the mirror image";
  EXPECT_EQ(check_all(some_tensor({2, 3, 4, 5})), 12);
  EXPECT_EQ(check_all(some_tensor({2, 1, 3, 1})), 24) << "dimensions of 1 do not count";
  EXPECT_GT(check_all(some_tensor({2, 3, 2, 5, 3})), 0);
}

TEST(CpuTranspose, MovesElementsOfAnySize) {
  for (const DType dtype : {kInt8, kInt16, kInt32, kInt64, kFloat64, kFloat16, kBool}) {
    Tensor x(dtype, Shape{3, 4, 5});
    auto* bytes = static_cast<uint8_t*>(x.mutable_raw());
    for (size_t i = 0; i < 60 * element_size(dtype); ++i) {
      bytes[i] = static_cast<uint8_t>(dtype == kBool ? i % 2 : i * 7);
    }
    EXPECT_EQ(check_all(x), 5);
  }
}

TEST(CpuTranspose, LeavesWhatIsEmptyOrWrongToTheReference) {
  const LoneNode empty("Transpose", {},
                       {Tensor::zeros(kFloat32, {0, 3}), Tensor::of<int32_t>({1, 0})});
  EXPECT_EQ(empty.run(fast()).provider, "reference");
  const LoneNode scalar("Transpose", {}, {Tensor(2.0f), Tensor(kInt32, Shape{0})});
  EXPECT_TRUE(scalar.run(fast()).outputs[0].same_bits(Tensor(2.0f)));
}

}  // namespace
}  // namespace thalweg
