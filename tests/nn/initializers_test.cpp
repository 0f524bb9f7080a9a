#include "thalweg/nn/initializers.h"

#include <algorithm>
#include <cmath>

#include "nn/nn_testing.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::GraphTest;

class InitializerTest : public GraphTest {
 protected:
  std::vector<double> draw(const Initializer& initializer, const Shape& shape,
                           std::string_view name = "w", DType dtype = kFloat32) {
    return numbers(initializer(graph_, shape, dtype, name));
  }
};

struct Moments {
  double mean = 0;
  double variance = 0;
  double largest = 0;
};
Moments moments(const std::vector<double>& x) {
  Moments m;
  for (const double v : x) m.mean += v / static_cast<double>(x.size());
  for (const double v : x) {
    m.variance += (v - m.mean) * (v - m.mean) / static_cast<double>(x.size());
    m.largest = std::max(m.largest, std::abs(v));
  }
  return m;
}

TEST_F(InitializerTest, FillsWithConstants) {
  EXPECT_EQ(draw("zeros", {2}), (std::vector<double>{0, 0}));
  EXPECT_EQ(draw("ones", {2}), (std::vector<double>{1, 1}));
  EXPECT_EQ(draw(initializers::constant(2.5), {2}), (std::vector<double>{2.5, 2.5}));
  EXPECT_EQ(draw(initializers::constant(2.5), {}), (std::vector<double>{2.5}));
}

TEST_F(InitializerTest, HasTheVarianceOfItsFans) {
  struct Case {
    const char* name;
    double variance;
    bool uniform;
  };
  const Shape shape{3, 3, 20, 40};  // fans 180 and 360
  for (const Case& c : {Case{"glorot_uniform", 2.0 / 540, true}, Case{"glorot_normal", 2.0 / 540},
                        Case{"he_uniform", 2.0 / 180, true}, Case{"he_normal", 2.0 / 180},
                        Case{"lecun_uniform", 1.0 / 180, true}, Case{"lecun_normal", 1.0 / 180}}) {
    const Moments m = moments(draw(c.name, shape));
    const double deviation = std::sqrt(c.variance);
    EXPECT_NEAR(m.mean, 0, 0.05 * deviation) << c.name;
    EXPECT_NEAR(m.variance / c.variance, 1, 0.06) << c.name;
    const double limit = c.uniform ? std::sqrt(3.0) : 2 / 0.87962566103423978;
    EXPECT_LE(m.largest, limit * deviation * 1.0001) << c.name;
    EXPECT_GE(m.largest, limit * deviation * 0.97) << c.name;
  }
}

TEST_F(InitializerTest, DrawsWithGivenMoments) {
  const Moments u = moments(draw(initializers::uniform(1, 3), {5000}));
  EXPECT_NEAR(u.mean, 2, 0.05);
  EXPECT_NEAR(u.variance, 4.0 / 12, 0.02);
  const Moments n = moments(draw(initializers::normal(1, 0.5), {5000}));
  EXPECT_NEAR(n.mean, 1, 0.05);
  EXPECT_NEAR(n.variance, 0.25, 0.02);
  const Moments t = moments(draw(initializers::truncated_normal(0, 2), {5000}));
  EXPECT_LE(t.largest, 4);
  EXPECT_NEAR(std::sqrt(t.variance), 2 * 0.8796, 0.05);
}

void expect_orthonormal(const std::vector<double>& w, int rows, int columns, double gain) {
  const bool by_column = rows >= columns;
  const int count = std::min(rows, columns), length = std::max(rows, columns);
  const auto at = [&](int vector, int k) {
    return w[static_cast<size_t>(by_column ? k * columns + vector : vector * columns + k)];
  };
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j <= i; ++j) {
      double dot = 0;
      for (int k = 0; k < length; ++k) dot += at(i, k) * at(j, k);
      EXPECT_NEAR(dot, i == j ? gain * gain : 0, 1e-5) << i << " and " << j;
    }
  }
}

TEST_F(InitializerTest, MakesOrthonormalColumnsOrRows) {
  expect_orthonormal(draw("orthogonal", {12, 5}), 12, 5, 1);
  expect_orthonormal(draw(initializers::orthogonal(2), {4, 9}), 4, 9, 2);
  expect_orthonormal(draw("orthogonal", {3, 3, 2, 7}), 18, 7, 1);
  expect_error(
      Code::kInvalidArgument, [&] { draw("orthogonal", {3}); }, "2 dimensions", "[3]");
}

TEST_F(InitializerTest, IsAFunctionOfSeedAndName) {
  for (const char* name : {"glorot_uniform", "orthogonal"}) {
    const Initializer initializer(name);
    EXPECT_EQ(draw(initializer, {4, 4}, "a/kernel"), draw(initializer, {4, 4}, "a/kernel"));
    EXPECT_NE(draw(initializer, {4, 4}, "a/kernel"), draw(initializer, {4, 4}, "b/kernel"));
    const std::vector<double> before = draw(initializer, {4, 4});
    graph_.set_seed(7);
    EXPECT_NE(draw(initializer, {4, 4}), before);
    graph_.set_seed(0);
  }
}

TEST_F(InitializerTest, WorksInEveryFloatingType) {
  for (const DType dtype : {kFloat32, kFloat64, kFloat16, kBFloat16}) {
    for (const char* name : {"ones", "he_normal", "orthogonal"}) {
      EXPECT_EQ(Initializer(name)(graph_, {2, 3}, dtype, "w").dtype(), dtype);
    }
  }
  expect_error(
      Code::kInvalidArgument, [&] { draw("ones", {2}, "w", kInt32); }, "int32");
  expect_error(
      Code::kInvalidArgument, [&] { draw("ones", {kUnknownDim}); }, "fully known", "`w`");
}

TEST(InitializerText, ReadsBackWhatItWrites) {
  for (const char* text : {"zeros", "constant(0.1)", "uniform(-0.05, 0.05)", "normal(0, 1e-3)",
                           "glorot_uniform", "orthogonal", " truncated_normal( 0 , 2 ) "}) {
    const Initializer initializer(text);
    EXPECT_EQ(Initializer(initializer.to_string()), initializer) << text;
  }
  EXPECT_EQ(Initializer("orthogonal").to_string(), "orthogonal(1)");
  EXPECT_EQ(initializers::uniform(-0.05, 0.05).to_string(), "uniform(-0.05, 0.05)");
}

TEST(InitializerText, SaysWhatIsWanted) {
  const auto fails = [](const char* text, const char* word) {
    expect_error(
        Code::kInvalidArgument, [&] { Initializer initializer(text); }, text, word);
  };
  fails("glorot_unifrom", "`glorot_uniform`");
  fails("something else", "one of zeros");
  fails("uniform(1)", "uniform(low, high)");
  fails("uniform(1, x)", "uniform(low, high)");
  fails("uniform(1, 2", "uniform(low, high)");
  fails("uniform(2, 1)", "above");
  fails("normal(0, -1)", "negative");
  fails("zeros(1)", "without arguments");
  fails("constant(nan)", "constant(value)");
}

TEST(ComputeFans, AreTensorFlows) {
  const auto fans = [](const Shape& shape) {
    const Fans f = compute_fans(shape);
    return std::vector<double>{f.in, f.out};
  };
  EXPECT_EQ(fans({}), (std::vector<double>{1, 1}));
  EXPECT_EQ(fans({5}), (std::vector<double>{5, 5}));
  EXPECT_EQ(fans({5, 7}), (std::vector<double>{5, 7}));
  EXPECT_EQ(fans({3, 2, 5, 7}), (std::vector<double>{30, 42}));
}

}  // namespace
}  // namespace thalweg
