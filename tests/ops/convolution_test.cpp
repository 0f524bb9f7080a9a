#include "thalweg/ops/convolution.h"

#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/normalization.h"
#include "thalweg/ops/pooling.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

using testing::expect_error;

class ImageFunctions : public ::testing::Test {
 protected:
  Output images(const Shape& shape) { return placeholder(graph_, kFloat32, shape); }

  Graph graph_{standard_ops()};
};

TEST_F(ImageFunctions, KeepAnUnknownBatchUnknown) {
  const Output x = images({kUnknownDim, 28, 28, 1});
  const Output y = conv2d(x, images({5, 5, 1, 20}), {.padding = "VALID"});
  EXPECT_EQ(y.shape(), (Shape{kUnknownDim, 24, 24, 20}));
  EXPECT_EQ(max_pool(y).shape(), (Shape{kUnknownDim, 12, 12, 20}));
  EXPECT_EQ(avg_pool(y, {.window = {3, 3}, .strides = {2, 2}, .padding = "SAME"}).shape(),
            (Shape{kUnknownDim, 12, 12, 20}));
}

TEST_F(ImageFunctions, PutHeightAndWidthWhereTheFormatHasThem) {
  const Output x = images({2, 3, 8, 10});
  const Output y = conv2d(x, images({3, 1, 3, 4}),
                          {.strides = {2, 1},
                           .padding = "EXPLICIT",
                           .explicit_paddings = {1, 0, 0, 2},
                           .data_format = "NCHW"});
  EXPECT_EQ(y.shape(), (Shape{2, 4, 4, 12}));
  using Ints = std::vector<int64_t>;
  EXPECT_EQ(y.node()->attr<Ints>("strides"), (Ints{1, 1, 2, 1}));
  EXPECT_EQ(y.node()->attr<Ints>("explicit_paddings"), (Ints{0, 0, 0, 0, 1, 0, 0, 2}));
}

TEST_F(ImageFunctions, GiveGradientsOfTheShapesOfTheirInputs) {
  const Output x = images({kUnknownDim, 9, 9, 2});
  const Output filter = images({3, 3, 2, 2});
  const Output y = depthwise_conv2d(x, filter, {.strides = {2, 2}, .dilations = {2, 2}});
  EXPECT_EQ(y.shape(), (Shape{kUnknownDim, 5, 5, 4}));
  const std::vector<Output> found = gradients({y}, {x, filter});
  EXPECT_EQ(found[0].shape(), x.shape());
  EXPECT_EQ(found[1].shape(), filter.shape());
  EXPECT_EQ(found[0].node()->attr<std::vector<int64_t>>("dilations"),
            (std::vector<int64_t>{1, 2, 2, 1}));
}

TEST_F(ImageFunctions, NormaliseImagesOfUnknownBatch) {
  const Output x = images({kUnknownDim, 4, 4, 3});
  const Output channel = images({3});
  const FusedBatchNormResult norm = fused_batch_norm(x, channel, channel, channel, channel);
  EXPECT_EQ(norm.y.shape(), x.shape());
  EXPECT_EQ(norm.batch_variance.shape(), Shape{3});
  const std::vector<Output> found = gradients({norm.y}, {x, channel});
  EXPECT_EQ(found[0].shape(), x.shape());
  EXPECT_EQ(found[1].shape(), Shape{3});
}

TEST_F(ImageFunctions, NameTheDimensionThatDoesNotFit) {
  const Output x = images({kUnknownDim, 2, 8, 3});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        conv2d(x, images({3, 3, 3, 8}), {.padding = "VALID"});
      },
      "Conv2D", "height", "SAME");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        conv2d(x, images({1, 1, 4, 8}));
      },
      "input depth 3, filter expects 4");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        conv2d(x, images({1, 1, 3, 8}), {.strides = {1, 1, 1, 1}});
      },
      "strides", "{height, width}");
  expect_error(
      Code::kUnimplemented, [&] { max_pool(x, {.data_format = "NHCW"}); }, "NHCW");
}

}  // namespace
}  // namespace thalweg
