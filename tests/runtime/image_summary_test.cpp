// ImageSummary: the PNG's pixels, read back by zlib through DecodeCompressed.
#include <gtest/gtest.h>

#include <limits>

#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

std::string summary_of(Tensor images, int64_t max_images) {
  Graph graph(standard_ops());
  Node& node =
      graph.add("ImageSummary", {constant(graph, "digit"), constant(graph, std::move(images))},
                {{"max_images", max_images}});
  Session session(graph);
  return session.run(node.output()).item<std::string>();
}

// The rows of the first image in a summary, each behind its filter byte.
std::vector<int> pixels_of(const std::string& summary) {
  const size_t chunk = summary.find("IDAT");
  if (chunk == std::string::npos) return {};
  size_t size = 0;
  for (size_t i = chunk - 4; i < chunk; ++i)
    size = size << 8 | static_cast<unsigned char>(summary[i]);
  Graph graph(standard_ops());
  Node& node = graph.add("DecodeCompressed", {constant(graph, summary.substr(chunk + 4, size))},
                         {{"compression_type", std::string("ZLIB")}});
  Session session(graph);
  std::vector<int> pixels;
  for (char c : session.run(node.output()).item<std::string>())
    pixels.push_back(static_cast<unsigned char>(c));
  return pixels;
}

TEST(ImageSummary, WritesBytesAsTheyAre) {
  const std::string summary = summary_of(Tensor::of<uint8_t>({0, 255, 7, 8}, Shape{1, 2, 2, 1}), 1);
  EXPECT_EQ(pixels_of(summary), (std::vector<int>{0, 0, 255, 0, 7, 8}));
  EXPECT_NE(summary.find("digit/image\""), std::string::npos);  // then field 4, the image
  EXPECT_NE(summary.find("\x89PNG\r\n\x1a\n"), std::string::npos);
}

TEST(ImageSummary, ScalesReals) {
  EXPECT_EQ(pixels_of(summary_of(Tensor::of<float>({0, 0.5f, 2}, Shape{1, 1, 3, 1}), 1)),
            (std::vector<int>{0, 0, 63, 255}));
  EXPECT_EQ(pixels_of(summary_of(Tensor::of<float>({-2, 0, 1}, Shape{1, 1, 3, 1}), 1)),
            (std::vector<int>{0, 1, 128, 191}));
  EXPECT_EQ(pixels_of(summary_of(Tensor::of<float>({0, 0, 0}, Shape{1, 1, 1, 3}), 1)),
            (std::vector<int>{0, 0, 0, 0}));
}

TEST(ImageSummary, ShowsWhatIsNoNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(pixels_of(summary_of(Tensor::of<float>({nan, 1, 1, 0, 0.5f, 1}, Shape{1, 1, 2, 3}), 1)),
            (std::vector<int>{0, 255, 0, 0, 0, 127, 255}));
}

TEST(ImageSummary, TakesAFewImages) {
  const std::string summary = summary_of(Tensor::zeros(kUInt8, Shape{4, 1, 1, 1}), 3);
  EXPECT_NE(summary.find("digit/image/0"), std::string::npos);
  EXPECT_NE(summary.find("digit/image/2"), std::string::npos);
  EXPECT_EQ(summary.find("digit/image/3"), std::string::npos);
}

}  // namespace
}  // namespace thalweg
