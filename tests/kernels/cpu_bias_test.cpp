// The fast BiasAdd and BiasAddGrad against the reference kernels, in both data formats.
#include "kernels/families.h"
#include "kernels/kernel_testing.h"

namespace thalweg {
namespace {

using namespace testing;  // NOLINT

const KernelRegistry& fast() {
  static const KernelRegistry registry = [] {
    KernelRegistry kernels;
    kernels.add(cpu_bias_kernels());
    kernels.add(reference_linalg_kernels());
    return kernels;
  }();
  return registry;
}

struct Place {
  Shape shape;
  std::string format;
  int64_t channels() const { return format == "NCHW" ? shape[1] : shape.dim(-1); }
};

const std::vector<Place> kPlaces = {
    {{7, 5}, "NHWC"},       {{1, 300}, "NHWC"},       {{300, 1}, "NHWC"},
    {{2, 3, 4, 3}, "NHWC"}, {{65, 130}, "NHWC"},      {{1000, 100}, "NHWC"},
    {{4, 3}, "NCHW"},       {{2, 3, 5}, "NCHW"},      {{3, 2, 4, 5}, "NCHW"},
    {{0, 5}, "NHWC"},       {{2, 3, 0, 4}, "NCHW"},   {{2, 3, 2, 2, 2}, "NCHW"},
    {{50, 70, 9}, "NCHW"},  {{2, 2, 2, 2, 6}, "NHWC"}};

TEST(CpuBias, AddsAsTheReference) {
  for (const Place& place : kPlaces) {
    const LoneNode lone("BiasAdd", {{"data_format", place.format}},
                        {some_tensor(place.shape), some_tensor({place.channels()})});
    const KernelRun run = lone.run(fast());
    EXPECT_EQ(run.provider, "cpu");
    EXPECT_TRUE(run.outputs[0].same_bits(lone.expected()[0]))
        << place.shape.to_string() << place.format;
  }
}

TEST(CpuBias, SumsItsGradientAsTheReference) {
  for (const Place& place : kPlaces) {
    const LoneNode lone("BiasAddGrad", {{"data_format", place.format}}, {some_tensor(place.shape)});
    const KernelRun run = lone.run(fast());
    EXPECT_EQ(run.provider, "cpu");
    ASSERT_EQ(run.outputs[0].shape(), lone.expected()[0].shape());
    const auto got = run.outputs[0].data<float>(), expected = lone.expected()[0].data<float>();
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], expected[i], 2e-5 * place.shape.num_elements() / got.size() + 1e-6)
          << place.shape.to_string() << place.format;
  }
}

}  // namespace
}  // namespace thalweg
