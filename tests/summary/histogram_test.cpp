#include "thalweg/summary/histogram.h"

#include <cmath>
#include <limits>
#include <vector>

#include "hex.h"
#include "testing.h"
#include "thalweg/formats/tensor_proto.h"

namespace thalweg {
namespace {

using testing::expect_error;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

void expect_rows(const Histogram& histogram, std::initializer_list<double> rows) {
  const Tensor expected = Tensor::of<double>(rows, {static_cast<int64_t>(rows.size()) / 3, 3});
  EXPECT_TRUE(histogram.buckets.same_bits(expected)) << histogram.buckets.to_string(30);
}

TEST(Histogram, CountsInBucketsOfEqualWidth) {
  expect_rows(make_histogram(Tensor::of<float>({0, 1, 2, 3}), 2), {0, 1.5, 2, 1.5, 3, 2});
  expect_rows(make_histogram(Tensor::of<int64_t>({-2, 2, 0, 2}), 4),
              {-2, -1, 1, -1, 0, 0, 0, 1, 1, 1, 2, 2});
}

TEST(Histogram, HasTheBytesThatTensorBoardWrites) {
  const Tensor buckets = make_histogram(Tensor::of<float>({0, 1, 2, 3}), 2).buckets;
  std::string expected = testing::from_hex("08 02 12 08 12 02 08 02 12 02 08 03 22 30");
  for (const double x : {0.0, 1.5, 2.0, 1.5, 3.0, 2.0})
    expected.append(reinterpret_cast<const char*>(&x), 8);
  EXPECT_EQ(testing::to_hex(encode_tensor(buckets)), testing::to_hex(expected));
}

TEST(Histogram, AnEdgeBelongsToTheBucketOnItsRightAndTheMaximumToTheLast) {
  expect_rows(make_histogram(Tensor::of<double>({0, 1, 2, 3, 4}), 4),
              {0, 1, 1, 1, 2, 1, 2, 3, 1, 3, 4, 2});
}

TEST(Histogram, OfEqualValuesCountsInTheLastBucket) {
  expect_rows(make_histogram(Tensor::of<float>({5, 5, 5}), 2), {5, 5, 0, 5, 5, 3});
}

TEST(Histogram, OfNothingIsZeros) {
  expect_rows(make_histogram(Tensor(kFloat32, {0, 4}), 2), {0, 0, 0, 0, 0, 0});
}

TEST(Histogram, DropsAndCountsWhatIsNotFinite) {
  const Histogram histogram = make_histogram(Tensor::of<float>({kNan, 0, kInf, 2, -kInf}), 2);
  EXPECT_EQ(histogram.dropped, 3);
  expect_rows(histogram, {0, 1, 1, 1, 2, 1});
  const Histogram none = make_histogram(Tensor::of<float>({kNan, kNan}), 1);
  EXPECT_EQ(none.dropped, 2);
  expect_rows(none, {0, 0, 0});
}

TEST(Histogram, TakesEveryNumericDType) {
  for (const DType dtype : {kFloat32, kFloat64, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16,
                            kUInt32, kUInt64, kBFloat16, kFloat16}) {
    expect_rows(make_histogram(Tensor::of<float>({0, 1, 2, 3}).cast(dtype), 2),
                {0, 1.5, 2, 1.5, 3, 2});
  }
  expect_rows(make_histogram(Tensor::of<bool>({true, false, true}), 2), {0, 0.5, 1, 0.5, 1, 2});
  expect_error(
      Code::kInvalidArgument, [] { make_histogram(Tensor("text")); }, "strings");
  expect_error(
      Code::kInvalidArgument, [] { make_histogram(Tensor(1.0f), 0); }, "0 buckets");
}

TEST(Histogram, StandsARangeThatOverflows) {
  const double huge = std::numeric_limits<double>::max();
  expect_rows(make_histogram(Tensor::of<double>({-huge, 0, huge}), 2), {-huge, 0, 1, 0, huge, 2});
}

TEST(Histogram, StandsARangeTooNarrowForItsBuckets) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Histogram histogram = make_histogram(Tensor::of<double>({0, tiny}));
  double total = 0;
  for (int i = 0; i < kHistogramBuckets; ++i) total += histogram.buckets.at(3 * i + 2);
  EXPECT_EQ(total, 2);
}

TEST(Histogram, CountsAllOfManyValues) {
  std::vector<float> values;
  for (int i = 0; i < 10000; ++i) values.push_back(std::sin(static_cast<float>(i)));
  const Histogram histogram = make_histogram(values);
  EXPECT_EQ(histogram.buckets.shape(), (Shape{kHistogramBuckets, 3}));
  double total = 0;
  for (int i = 0; i < kHistogramBuckets; ++i) {
    total += histogram.buckets.at(3 * i + 2);
    if (i == 0) continue;
    EXPECT_EQ(histogram.buckets.at(3 * i), histogram.buckets.at(3 * i - 2))
        << "no gap between buckets";
  }
  EXPECT_EQ(total, 10000);
}

}  // namespace
}  // namespace thalweg
