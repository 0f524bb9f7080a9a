// What the codecs give for whole pictures. That pixels are TensorFlow's is shown by the golden
// cases of the ops.
#include <gtest/gtest.h>

#include "image/pictures.h"
#include "testing.h"

namespace thalweg::testing {
namespace {

int largest_difference(const Tensor& a, const Tensor& b) {
  int worst = 0;
  const auto x = a.data<uint8_t>(), y = b.data<uint8_t>();
  for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  return worst;
}

TEST(Png, KeepsEveryPixel) {
  for (int64_t channels = 1; channels <= 4; ++channels) {
    const Tensor image = smooth_picture(7, 9, channels);
    EXPECT_TRUE(decode_png(encode_png(image)).same_bits(image)) << channels;
  }
}

TEST(Png, KeepsSixteenBits) {
  Tensor image(kUInt16, Shape{2, 3, 3});
  auto values = image.mutable_data<uint16_t>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(i * 3777 + 1);
  EXPECT_TRUE(decode_png(encode_png(image), {.dtype = kUInt16}).same_bits(image));
}

TEST(Png, CompressesAsAsked) {
  const Tensor image = smooth_picture(40, 40, 3);
  EXPECT_GT(encode_png(image, {.compression = 0}).size(), 4800u);
  EXPECT_LT(encode_png(image, {.compression = 9}).size(), 4800u);
}

TEST(Png, AddsAndDropsAlpha) {
  const Tensor image = smooth_picture(3, 3, 3);
  const Tensor with_alpha = decode_png(encode_png(image), {.channels = 4});
  EXPECT_EQ(with_alpha.data<uint8_t>()[3], 255);
  EXPECT_TRUE(decode_png(encode_png(with_alpha), {.channels = 3}).same_bits(image));
}

TEST(Jpeg, KeepsSmoothPictures) {
  for (int64_t channels : {1, 3}) {
    const Tensor image = smooth_picture(21, 17, channels);
    const Tensor back = decode_jpeg(encode_jpeg(image, {.quality = 100}));
    ASSERT_EQ(back.shape(), image.shape());
    EXPECT_LE(largest_difference(back, image), 12) << channels;
  }
}

TEST(Jpeg, TellsItsShapeFromTheHeader) {
  const std::string bytes = encode_jpeg(smooth_picture(21, 17, 3));
  EXPECT_EQ(jpeg_shape(bytes), (std::array<int64_t, 3>{21, 17, 3}));
  EXPECT_EQ(jpeg_shape(bytes.substr(0, bytes.size() - 100)), (std::array<int64_t, 3>{21, 17, 3}));
}

TEST(Jpeg, CropsWhatItDecodes) {
  const std::string bytes = encode_jpeg(smooth_picture(20, 30, 3));
  const Tensor whole = decode_jpeg(bytes);
  const Tensor part = decode_jpeg(bytes, {.crop = ImageWindow{4, 7, 5, 6}});
  ASSERT_EQ(part.shape(), (Shape{5, 6, 3}));
  for (int64_t y = 0; y < 5; ++y) {
    for (int64_t i = 0; i < 18; ++i) {
      EXPECT_EQ(part.at(y * 18 + i), whole.at(((y + 4) * 30 + 7) * 3 + i));
    }
  }
}

TEST(Jpeg, RefusesCropsOutsideThePicture) {
  const std::string bytes = encode_jpeg(smooth_picture(20, 30, 3));
  for (const ImageWindow& window :
       {ImageWindow{-1, 0, 5, 5}, ImageWindow{16, 0, 5, 5}, ImageWindow{0, 26, 5, 5},
        ImageWindow{0, 0, 0, 5}, ImageWindow{INT64_MAX, 0, 5, 5}}) {
    expect_error(
        Code::kInvalidArgument, [&] { decode_jpeg(bytes, {.crop = window}); }, "crop window");
  }
}

TEST(Jpeg, ShrinksByItsRatio) {
  const std::string bytes = encode_jpeg(smooth_picture(20, 30, 3));
  EXPECT_EQ(decode_jpeg(bytes, {.ratio = 4}).shape(), (Shape{5, 8, 3}));
  expect_error(
      Code::kInvalidArgument, [&] { decode_jpeg(bytes, {.ratio = 3}); }, "ratio");
}

TEST(Jpeg, WritesWhatIsAsked) {
  const Tensor image = smooth_picture(64, 64, 3);
  const size_t plain = encode_jpeg(image).size();
  EXPECT_LT(encode_jpeg(image, {.optimize_size = true}).size(), plain);
  EXPECT_GT(encode_jpeg(image, {.chroma_downsampling = false}).size(), plain);
  EXPECT_LT(encode_jpeg(image, {.quality = 30}).size(), plain);
  const std::string with_xmp = encode_jpeg(image, {.xmp_metadata = "<x/>"});
  EXPECT_NE(with_xmp.find("<x/>"), std::string::npos);
  EXPECT_EQ(decode_jpeg(encode_jpeg(image, {.progressive = true})).shape(), image.shape());
}

TEST(Bmp, ReadsRowsFromTheLastToTheFirst) {
  std::string bytes = bmp(1, 2, 2);
  bytes[54] = '\x01';  // blue of the row stored first
  const Tensor image = decode_bmp(bytes);
  EXPECT_EQ(image.shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(image.at(2), 255);
  EXPECT_EQ(image.at(5), 1);
}

TEST(Gif, ReadsAFrame) {
  const Tensor image = decode_gif(gif(5, 4, 20));
  EXPECT_EQ(image.shape(), (Shape{1, 4, 5, 3}));
}

TEST(Image, IsReadWhateverItsFormat) {
  const Tensor image = smooth_picture(6, 5, 3);
  EXPECT_EQ(decode_image(encode_png(image)).shape(), (Shape{6, 5, 3}));
  EXPECT_EQ(decode_image(encode_jpeg(image)).shape(), (Shape{6, 5, 3}));
  EXPECT_EQ(decode_image(bmp(5, 6, 6)).shape(), (Shape{6, 5, 3}));
  EXPECT_EQ(decode_image(gif(5, 6, 30)).shape(), (Shape{1, 6, 5, 3}));
  EXPECT_EQ(decode_image(gif(5, 6, 30), {.expand_animations = false}).shape(), (Shape{6, 5, 3}));
  expect_error(
      Code::kInvalidArgument, [&] { decode_image("hello"); }, "no JPEG, PNG, GIF or BMP");
}

TEST(Image, BecomesFloatsBetweenZeroAndOne) {
  const Tensor image = decode_image(bmp(1, 1, 1), {.dtype = kFloat32});
  EXPECT_FLOAT_EQ(image.data<float>()[0], 1);
}

TEST(Encoders, RefuseTensorsThatAreNoPictures) {
  expect_error(
      Code::kInvalidArgument,
      [&] {
        encode_png(Tensor::zeros(kFloat32, Shape{2, 2, 3}));
      },
      "uint8 or");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        encode_png(Tensor::zeros(kUInt8, Shape{0, 2, 3}));
      },
      "height and");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        encode_jpeg(Tensor::zeros(kUInt8, Shape{2, 2, 4}));
      },
      "1 or 3");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        encode_jpeg(Tensor::zeros(kUInt8, Shape{2, 70000, 1}));
      },
      "65500");
}

}  // namespace
}  // namespace thalweg::testing
