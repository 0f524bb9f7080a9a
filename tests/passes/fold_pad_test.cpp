// fold_pad: zeros around images, in the convolution or before it.
#include "passes/pass_testing.h"
#include "thalweg/ops/convolution.h"

namespace thalweg::testing {
namespace {

Tensor ramp(const Shape& shape) {
  Tensor tensor(kFloat32, shape);
  float value = -0.9f;
  for (float& cell : tensor.mutable_data<float>()) {
    cell = value;
    value = value > 1 ? -1 : value + 0.13f;
  }
  return tensor;
}

class FoldPad : public ::testing::Test {
 protected:
  std::map<std::string, int> counts(const std::vector<Output>& fetches) {
    return count_ops(expect_same_numbers(graph_, {x_}, {ramp(x_.shape())}, fetches));
  }

  Graph graph_{standard_ops()};
  Output x_ = placeholder(graph_, kFloat32, {1, 4, 5, 2}, {.name = "x"});
  Output filter_ = constant(graph_, ramp({3, 3, 2, 3}));
};

TEST_F(FoldPad, GivesTheConvolutionThePadding) {
  const Output padded = pad(x_, {{0, 0}, {0, 1}, {2, 1}, {0, 0}});
  const auto left = counts({conv2d(padded, filter_, {.strides = {2, 2}, .padding = "VALID"})});
  EXPECT_FALSE(left.contains("Pad") || left.contains("PadV2"));
}

TEST_F(FoldPad, AddsToPaddingThatIsThere) {
  const Output padded = pad(x_, {{0, 0}, {0, 1}, {1, 1}, {0, 0}});
  const auto left =
      counts({depthwise_conv2d(padded, constant(graph_, ramp({3, 3, 2, 1})),
                               {.padding = "EXPLICIT", .explicit_paddings = {1, 0, 0, 2}})});
  EXPECT_FALSE(left.contains("Pad") || left.contains("PadV2"));
}

TEST_F(FoldPad, KnowsWhereTheChannelsAre) {
  x_ = placeholder(graph_, kFloat32, {1, 2, 4, 5}, {.name = "first"});
  const ConvOptions options = {.padding = "VALID", .data_format = "NCHW"};
  const auto left = counts({conv2d(pad(x_, {{0, 0}, {0, 0}, {0, 1}, {2, 1}}), filter_, options)});
  EXPECT_FALSE(left.contains("Pad") || left.contains("PadV2"));
  x_ = placeholder(graph_, kFloat32, {1, 1, 4, 5}, {.name = "channel"});
  const auto kept = counts({conv2d(pad(x_, {{0, 0}, {0, 1}, {0, 0}, {0, 0}}), filter_, options)});
  EXPECT_TRUE(kept.contains("Pad") || kept.contains("PadV2")) << "it makes a channel";
}

TEST_F(FoldPad, LeavesOtherPaddings) {
  const auto stays = [&](const Output& padded, const std::string& padding) {
    const auto left = counts({conv2d(padded, filter_, {.strides = {2, 2}, .padding = padding})});
    return left.contains("Pad") || left.contains("PadV2");
  };
  const Paddings one = {{0, 0}, {1, 1}, {1, 1}, {0, 0}};
  EXPECT_TRUE(stays(pad(x_, one, 1.0), "VALID")) << "of ones";
  EXPECT_TRUE(stays(pad(x_, one), "SAME")) << "which depends on the size";
  EXPECT_TRUE(stays(pad(x_, {{1, 0}, {0, 0}, {0, 0}, {0, 0}}), "VALID")) << "of images";
  const Output shared = pad(x_, one);
  const auto left = counts({conv2d(shared, filter_, {.padding = "VALID"}), shared});
  EXPECT_TRUE(left.contains("Pad") || left.contains("PadV2")) << "others read it";
}

}  // namespace
}  // namespace thalweg::testing
