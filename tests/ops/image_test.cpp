#include "thalweg/ops/image.h"

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/convolution.h"
#include "thalweg/ops/image_codec.h"
#include "thalweg/ops/pooling.h"
#include "thalweg/ops/space.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/volume.h"

namespace thalweg {
namespace {

using testing::expect_error;

class PictureFunctions : public ::testing::Test {
 protected:
  Output input(const Shape& shape, DType dtype = kFloat32) {
    return placeholder(graph_, dtype, shape);
  }
  Output values(std::initializer_list<float> numbers, const Shape& shape) {
    return constant(graph_, Tensor::of<float>(numbers, shape));
  }

  Graph graph_{standard_ops()};
};

TEST_F(PictureFunctions, ResizeAnUnknownBatch) {
  const Output x = input({kUnknownDim, 8, 8, 3}, kUInt8);
  const Output y = resize_bilinear(x, {16, 12}, {.half_pixel_centers = true});
  EXPECT_EQ(y.shape(), (Shape{kUnknownDim, 16, 12, 3}));
  EXPECT_EQ(y.dtype(), kFloat32);
  EXPECT_EQ(resize_nearest_neighbor(x, {4, 4}).dtype(), kUInt8);
  EXPECT_EQ(resize_area(x, input({2}, kInt32)).shape(),
            (Shape{kUnknownDim, kUnknownDim, kUnknownDim, 3}));
}

TEST_F(PictureFunctions, CropBoxes) {
  const Output crops = crop_and_resize(input({2, 8, 8, 3}), input({kUnknownDim, 4}),
                                       input({5}, kInt32), {7, 7}, {.method = "nearest"});
  EXPECT_EQ(crops.shape(), (Shape{5, 7, 7, 3}));
}

TEST_F(PictureFunctions, MoveBlocksThereAndBack) {
  const Output x = input({2, 4, 6, 3});
  const Output pieces = space_to_batch(x, {2, 2}, {{0, 0}, {1, 1}});
  EXPECT_EQ(pieces.shape(), (Shape{8, 2, 4, 3}));
  EXPECT_EQ(batch_to_space(pieces, {2, 2}, {{0, 0}, {1, 1}}).shape(), x.shape());
  EXPECT_EQ(depth_to_space(space_to_depth(x, 2), 2).shape(), x.shape());
  EXPECT_EQ(extract_image_patches(x, {3, 3}).shape(), (Shape{2, 2, 4, 27}));
  EXPECT_EQ(extract_volume_patches(input({1, 3, 4, 5, 2}), {1, 2, 2}).shape(),
            (Shape{1, 3, 3, 4, 8}));
}

TEST_F(PictureFunctions, ConvolveVolumes) {
  const Output x = input({kUnknownDim, 6, 8, 8, 2});
  const Output y = conv3d(x, input({3, 3, 3, 2, 5}), {.strides = {1, 2, 2}});
  EXPECT_EQ(y.shape(), (Shape{kUnknownDim, 6, 4, 4, 5}));
  EXPECT_EQ(max_pool3d(y).shape(), (Shape{kUnknownDim, 3, 2, 2, 5}));
  EXPECT_EQ(avg_pool3d(y, {.window = {2, 1, 1}, .strides = {2, 1, 1}}).shape(),
            (Shape{kUnknownDim, 3, 4, 4, 5}));
  const Output up = conv3d_transpose(input({1, 3, 2, 2, 5}), input({2, 2, 2, 4, 5}),
                                     {1, 6, 4, 4, 4}, {.strides = {2, 2, 2}});
  EXPECT_EQ(up.shape(), (Shape{1, 6, 4, 4, 4}));
}

TEST_F(PictureFunctions, ConvolveRows) {
  const Output x = values({1, 2, 3, 4}, {1, 4, 1});
  const Output filter = values({1, 10}, {2, 1, 1});
  const Tensor y = testing::evaluate_output(conv1d(x, filter, {.padding = "VALID"}));
  EXPECT_TRUE(y.same_bits(Tensor::of<float>({21, 32, 43}, {1, 3, 1})));
  const Tensor first = testing::evaluate_output(
      conv1d(reshape(x, {1, 1, 4}), filter, {.padding = "VALID", .data_format = "NCW"}));
  EXPECT_TRUE(first.same_bits(Tensor::of<float>({21, 32, 43}, {1, 1, 3})));
}

TEST_F(PictureFunctions, TransposeConvolutions) {
  const Output x = values({1, 2}, {1, 2, 1});
  const Output filter = values({1, 10}, {2, 1, 1});
  const Tensor y = testing::evaluate_output(
      conv1d_transpose(x, filter, {1, 4, 1}, {.stride = 2, .padding = "VALID"}));
  EXPECT_TRUE(y.same_bits(Tensor::of<float>({1, 10, 2, 20}, {1, 4, 1})));
  const Output up =
      conv2d_transpose(input({2, 4, 4, 8}), input({3, 3, 6, 8}), {2, 8, 8, 6}, {.strides = {2, 2}});
  EXPECT_EQ(up.shape(), (Shape{2, 8, 8, 6}));
  expect_error(
      Code::kInvalidArgument,
      [&] {
        conv1d_transpose(x, filter, {4, 1});
      },
      "3 numbers");
}

TEST_F(PictureFunctions, PoolWithPlaces) {
  const MaxPoolWithArgmaxResult result = max_pool_with_argmax(input({2, 4, 4, 3}));
  EXPECT_EQ(result.output.shape(), (Shape{2, 2, 2, 3}));
  EXPECT_EQ(result.argmax.dtype(), kInt64);
}

TEST_F(PictureFunctions, AdjustColours) {
  const Output x = input({2, 4, 4, 3});
  const Output one = constant(graph_, 1.0f);
  for (const Output& y : {rgb_to_hsv(x), hsv_to_rgb(x), adjust_contrast(x, one), adjust_hue(x, one),
                          adjust_saturation(x, one)}) {
    EXPECT_EQ(y.shape(), x.shape());
  }
}

TEST_F(PictureFunctions, KeepTheBestOfBoxesThatOverlap) {
  const Output boxes = values({0, 0, 1, 1, 0, 0, 1, 0.9f, 2, 2, 3, 3}, {3, 4});
  const Output scores = values({0.5f, 0.9f, 0.7f}, {3});
  const Tensor kept = testing::evaluate_output(non_max_suppression(boxes, scores, 10));
  EXPECT_TRUE(kept.same_bits(Tensor::of<int32_t>({1, 2})));
}

TEST_F(PictureFunctions, WriteAndReadFiles) {
  Tensor image(kUInt8, {2, 3, 3});
  auto pixels = image.mutable_data<uint8_t>();
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(10 * i);
  const Output bytes = encode_png(constant(graph_, image));
  EXPECT_EQ(bytes.shape(), Shape{});
  EXPECT_TRUE(testing::evaluate_output(decode_png(bytes)).same_bits(image));
  EXPECT_TRUE(testing::evaluate_output(decode_image(bytes)).same_bits(image));
  EXPECT_EQ(decode_png(bytes, {.channels = 4}).shape(), (Shape{kUnknownDim, kUnknownDim, 4}));
}

}  // namespace
}  // namespace thalweg
