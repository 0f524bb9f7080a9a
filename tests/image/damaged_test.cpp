// Bytes that are cut off, changed, or claim too much give errors, and nothing else.
#include <gtest/gtest.h>

#include "image/pictures.h"
#include "testing.h"
#include "thalweg/base/philox.h"

namespace thalweg::testing {
namespace {

std::vector<std::string> samples() {
  const Tensor image = smooth_picture(19, 23, 3);
  return {encode_png(image),
          encode_png(smooth_picture(5, 9, 2)),
          encode_jpeg(image),
          encode_jpeg(image, {.progressive = true}),
          encode_jpeg(smooth_picture(9, 9, 1)),
          bmp(8, 5, 5),
          gif(9, 7, 63)};
}

// Whether the bytes are a picture; an Error says no, anything else fails the test.
bool is_picture(std::string_view bytes) {
  try {
    const Tensor image = decode_image(bytes);
    return image.num_elements() > 0;
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == Code::kInvalidArgument || error.code() == Code::kUnimplemented ||
                error.code() == Code::kResourceExhausted)
        << error.message();
    EXPECT_FALSE(error.message().empty());
    return false;
  }
}

TEST(DamagedImage, IsRefusedWhereverItIsCutOff) {
  for (const std::string& bytes : samples()) {
    ASSERT_TRUE(is_picture(bytes));
    const bool is_jpeg = image_format(bytes) == ImageFormat::kJpeg;
    for (size_t size = 0; size < bytes.size(); ++size) {
      // A JPEG is whole when only its end marker is missing, a GIF without its last byte is not.
      const bool is_nearly_whole = is_jpeg && size + 3 >= bytes.size();
      EXPECT_TRUE(!is_picture(std::string_view(bytes).substr(0, size)) || is_nearly_whole)
          << to_string(image_format(bytes)) << " of " << size << " bytes";
    }
  }
}

TEST(DamagedImage, NeverCrashes) {
  Philox random(3);
  for (const std::string& bytes : samples()) {
    for (int round = 0; round < 300; ++round) {
      std::string damaged = bytes;
      for (int change = 0; change <= round % 8; ++change) {
        const auto at = static_cast<size_t>(random.uniform() * static_cast<double>(bytes.size()));
        damaged[at] = static_cast<char>(random.uniform() * 256);
      }
      is_picture(damaged);
    }
  }
}

TEST(DamagedImage, JpegIsFilledUpWhenAsked) {
  const Tensor image = smooth_picture(64, 64, 3);
  const std::string bytes = encode_jpeg(image);
  const std::string_view part = std::string_view(bytes).substr(0, bytes.size() * 3 / 4);
  expect_error(
      Code::kInvalidArgument, [&] { decode_jpeg(part); }, "ends too early");
  expect_error(
      Code::kInvalidArgument, [&] { decode_jpeg(part, {.try_recover_truncated = true}); },
      "ends too early");
  const Tensor filled =
      decode_jpeg(part, {.try_recover_truncated = true, .acceptable_fraction = 0.3f});
  EXPECT_EQ(filled.shape(), image.shape());
}

// Writes `value` into four bytes at `at`, the greatest first.
void put(std::string& bytes, size_t at, uint32_t value) {
  for (size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(value >> (24 - 8 * i) & 255);
}

TEST(ImageLimit, RefusesWhatAHeaderClaimsBeforeAllocating) {
  expect_error(
      Code::kResourceExhausted, [&] { decode_bmp(bmp(2'000'000'000, 2'000'000'000, 0)); }, "limit");
  expect_error(
      Code::kResourceExhausted, [&] { decode_gif(gif(65535, 65535, 4)); }, "limit");
  std::string jpeg = encode_jpeg(smooth_picture(8, 8, 3));
  const size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  expect_error(
      Code::kResourceExhausted, [&] { decode_jpeg(jpeg); }, "65500 x 65500");
}

TEST(ImageLimit, RefusesThePngThatUnpacksToMuch) {
  // 30000 x 30000 black pixels pack into a few hundred kilobytes.
  const std::string small = encode_png(Tensor::zeros(kUInt8, Shape{4000, 3000, 1}));
  EXPECT_LT(small.size(), 20000u);
  expect_error(
      Code::kResourceExhausted, [&] { decode_png(small, {.max_bytes = 4'000'000}); },
      "3000 x 4000 pixels");
}

TEST(ImageLimit, CountsAllFramesOfAGif) {
  const std::string one = gif(9, 7, 63);
  const std::string frame = one.substr(25, one.size() - 26);
  std::string many = one.substr(0, 25);
  for (int i = 0; i < 20; ++i) many += frame;
  many += ";";
  EXPECT_EQ(decode_gif(many).dim(0), 20);
  EXPECT_EQ(decode_gif(many, {.max_frames = 2}).dim(0), 2);
  expect_error(
      Code::kResourceExhausted, [&] { decode_gif(many, {.max_bytes = 9 * 7 * 3 * 19}); },
      "20 times");
}

TEST(ImageLimit, RefusesNegativeAndEmptySizes) {
  expect_error(
      Code::kInvalidArgument, [&] { decode_bmp(bmp(-5, 4, 0)); }, "no pixels");
  expect_error(
      Code::kInvalidArgument, [&] { decode_bmp(bmp(5, 0, 0)); }, "no pixels");
  std::string png = encode_png(smooth_picture(3, 3, 1));
  put(png, 16, 0);
  expect_error(
      Code::kInvalidArgument, [&] { decode_png(png); }, "PNG cannot be read");
}

}  // namespace
}  // namespace thalweg::testing
