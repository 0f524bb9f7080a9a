// Elementwise functions against double-precision libm, on every target.
#include "kernels/cpu/elementwise.h"

#include <bit>

#include "kernels/simd_testing.h"

namespace thalweg::simd {
namespace {

THALWEG_FOR_EACH_TARGET(SimdUnary);
THALWEG_FOR_EACH_TARGET(SimdBinary);
THALWEG_FOR_EACH_TARGET(SimdCompare);

struct UnaryCase {
  const char* op;
  double (*exact)(double);
  double ulp;
};

double sign(double x) { return x > 0 || x < 0 ? std::copysign(1, x) : x; }
double relu(double x) { return x > 0 || std::isnan(x) ? x : 0; }

const UnaryCase kUnary[] = {
    {"Neg", [](double x) { return -x; }, 0},
    {"Abs", [](double x) { return std::fabs(x); }, 0},
    {"Sign", sign, 0},
    {"Square", [](double x) { return x * x; }, 0.51},
    {"Sqrt", [](double x) { return std::sqrt(x); }, 0.51},
    {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1.6},
    {"Reciprocal", [](double x) { return 1 / x; }, 0.51},
    {"Inv", [](double x) { return 1 / x; }, 0.51},
    {"Floor", [](double x) { return std::floor(x); }, 0},
    {"Ceil", [](double x) { return std::ceil(x); }, 0},
    {"Round", [](double x) { return std::nearbyint(x); }, 0},
    {"Rint", [](double x) { return std::nearbyint(x); }, 0},
    {"Relu", relu, 0},
    {"Relu6", [](double x) { return x > 6 ? 6 : relu(x); }, 0},
    {"Softsign", [](double x) { return x / (1 + std::fabs(x)); }, 1.6},
    {"Exp", [](double x) { return std::exp(x); }, 1.1},
    {"Expm1", [](double x) { return std::expm1(x); }, 1.7},
    {"Log", [](double x) { return std::log(x); }, 1},
    {"Log1p", [](double x) { return std::log1p(x); }, 1.7},
    {"Tanh", [](double x) { return std::tanh(x); }, 6},
    {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, 2.5},
    {"Erf", [](double x) { return std::erf(x); }, 6},
    {"Erfc", [](double x) { return std::erfc(x); }, 5},
    {"Softplus", [](double x) { return relu(x) + std::log1p(std::exp(-std::fabs(x))); }, 2.6},
    {"Elu", [](double x) { return x < 0 ? std::expm1(x) : x; }, 1.7},
    {"Selu",
     [](double x) { return x < 0 ? 1.7580993408473768 * std::expm1(x) : 1.0507009873554805 * x; },
     2.6},
    {"Sinh", [](double x) { return std::sinh(x); }, 1.7},
    {"Cosh", [](double x) { return std::cosh(x); }, 1.5},
    {"Sin", [](double x) { return std::sin(x); }, 1.7},
    {"Cos", [](double x) { return std::cos(x); }, 1.7},
    {"Tan", [](double x) { return std::tan(x); }, 3.6},
    {"Asin", [](double x) { return std::asin(x); }, 2.3},
    {"Acos", [](double x) { return std::acos(x); }, 1.3},
    {"Atan", [](double x) { return std::atan(x); }, 1.4},
};

// A spread over all floats, and the places where something happens.
std::vector<float> probes() {
  std::vector<float> x = {0.0f,     -0.0f,    1.0f,    -1.0f,    0.5f,    1.5f,
                          2.5f,     -2.5f,    1e-45f,  -1e-45f,  1e-38f,  1e38f,
                          88.7228f, 88.7229f, -87.34f, -103.9f,  -104.1f, 89.4f,
                          8388609., 0.41421f, 6.0f,    1048577., 1e30f,   -1e30f};
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 99991) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isfinite(value)) x.push_back(value);
  }
  for (float value : some_numbers(20000, -12, 12)) x.push_back(value);
  return x;
}

TEST_P(SimdUnary, StaysWithinItsErrorBound) {
  const std::vector<float> x = probes();
  std::vector<float> y(x.size());
  for (const UnaryCase& c : kUnary) {
    const UnaryFn function = find_unary(c.op);
    ASSERT_NE(function, nullptr) << c.op;
    function(x.data(), y.data(), static_cast<int64_t>(x.size()));
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = ulp_error(y[i], c.exact(x[i]));
      if (error > worst) worst = error, at = i;
    }
    EXPECT_LE(worst, c.ulp) << c.op << "(" << x[at] << ") gave " << y[at];
  }
}

TEST_P(SimdUnary, KeepsNanInfinitiesAndTheSignOfZero) {
  const std::vector<float> x = {kNaN, kInf, -kInf, -0.0f, 0.0f};
  for (const UnaryCase& c : kUnary) {
    std::vector<float> y(x.size());
    find_unary(c.op)(x.data(), y.data(), 5);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(ulp_error(y[i], c.exact(x[i])), 0) << c.op << "(" << x[i] << ") gave " << y[i];
    }
    if (c.exact(-0.0) == 0 && std::signbit(c.exact(-0.0)) && std::string(c.op) != "Relu") {
      EXPECT_TRUE(std::signbit(y[3])) << c.op;
    }
  }
}

TEST_P(SimdUnary, GivesEachElementTheSameResultAtAnyLengthAndPlace) {
  for (const UnaryCase& c : kUnary) {
    const UnaryFn function = find_unary(c.op);
    const std::vector<float> x = some_numbers(1000, 0.01f, 0.99f);
    std::vector<float> whole(1000);
    function(x.data(), whole.data(), 1000);
    for (int64_t n : {0, 1, 7, 8, 15, 16, 17, 100, 1000}) {
      std::vector<float> y(x.begin(), x.begin() + n);
      y.push_back(-7.0f);
      function(y.data(), y.data(), n);  // in place
      EXPECT_EQ(y.back(), -7.0f) << c.op << " wrote past " << n;
      y.pop_back();
      EXPECT_EQ(y, std::vector<float>(whole.begin(), whole.begin() + n)) << c.op;
    }
    std::vector<float> shifted(999);
    function(x.data() + 1, shifted.data(), 999);
    EXPECT_EQ(shifted, std::vector<float>(whole.begin() + 1, whole.end())) << c.op;
  }
}

TEST(SimdLookup, GivesNullForAnUnknownOp) {
  EXPECT_EQ(find_unary("MatMul"), nullptr);
  EXPECT_EQ(find_binary("Neg"), nullptr);
  EXPECT_EQ(find_ternary("AddV2"), nullptr);
  EXPECT_EQ(find_compare("Add"), nullptr);
  EXPECT_EQ(find_binary_scalar("Pow", ScalarSide::kFirst), nullptr);
}

struct BinaryCase {
  const char* op;
  double (*exact)(double, double);
  double ulp;
  double absolute = 0;  // allowed where the formula cancels
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

const BinaryCase kBinary[] = {
    {"AddV2", [](double a, double b) { return a + b; }, 0.51},
    {"Add", [](double a, double b) { return a + b; }, 0.51},
    {"Sub", [](double a, double b) { return a - b; }, 0.51},
    {"Mul", [](double a, double b) { return a * b; }, 0.51},
    {"RealDiv", [](double a, double b) { return a / b; }, 0.51},
    {"Div", [](double a, double b) { return a / b; }, 0.51},
    {"DivNoNan", [](double a, double b) { return b == 0 ? 0 : a / b; }, 0.51},
    {"Maximum", larger, 0},
    {"Minimum", smaller, 0},
    {"SquaredDifference", [](double a, double b) { return (a - b) * (a - b); }, 2},
    {"Pow", [](double a, double b) { return std::pow(a, b); }, 1},
    {"ReluGrad", [](double dy, double x) { return x > 0 ? dy : 0; }, 0},
    {"Relu6Grad", [](double dy, double x) { return x > 0 && x < 6 ? dy : 0; }, 0},
    {"EluGrad", [](double dy, double y) { return y < 0 ? dy * (y + 1) : dy; }, 2, 3e-6},
    {"SeluGrad",
     [](double dy, double y) { return dy * (y < 0 ? y + 1.7580993408473768 : 1.0507009873554805); },
     2, 3e-6},
    {"SoftplusGrad", [](double dy, double x) { return dy * sigmoid(x); }, 3},
    {"SoftsignGrad",
     [](double dy, double x) { return dy / ((1 + std::fabs(x)) * (1 + std::fabs(x))); }, 3},
    {"SigmoidGrad", [](double y, double dy) { return dy * y * (1 - y); }, 3},
    {"TanhGrad", [](double y, double dy) { return dy * (1 - y * y); }, 2, 3e-6},
    {"ReciprocalGrad", [](double y, double dy) { return -dy * y * y; }, 2},
    {"InvGrad", [](double y, double dy) { return -dy * y * y; }, 2},
    {"SqrtGrad", [](double y, double dy) { return 0.5 * dy / y; }, 1},
    {"RsqrtGrad", [](double y, double dy) { return -0.5 * dy * y * y * y; }, 3},
};

TEST_P(SimdBinary, AgreesWithTheFormula) {
  const std::vector<float> a = some_numbers(1003, -8, 8, 3);
  const std::vector<float> b = some_numbers(1003, -8, 8, 4);
  for (const BinaryCase& c : kBinary) {
    const BinaryFn function = find_binary(c.op);
    ASSERT_NE(function, nullptr) << c.op;
    for (int64_t n : {0, 1, 7, 8, 15, 16, 17, 1003}) {
      std::vector<float> y(a.begin(), a.begin() + n);
      y.push_back(-7.0f);
      function(y.data(), b.data(), y.data(), n);
      EXPECT_EQ(y.back(), -7.0f) << c.op << " wrote past " << n;
      for (size_t i = 0; i + 1 < y.size(); ++i) {
        const double want = c.exact(a[i], b[i]);
        if (std::fabs(y[i] - want) <= c.absolute) continue;
        EXPECT_LE(ulp_error(y[i], want), c.ulp) << c.op << "(" << a[i] << ", " << b[i] << ")";
      }
    }
  }
}

TEST_P(SimdBinary, MaximumAndMinimumGiveNanForNanOnEitherSide) {
  const std::vector<float> a = {kNaN, 1, kNaN, -kInf};
  const std::vector<float> b = {1, kNaN, kNaN, kInf};
  for (const char* op : {"Maximum", "Minimum"}) {
    std::vector<float> y(4);
    find_binary(op)(a.data(), b.data(), y.data(), 4);
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]) && std::isnan(y[2])) << op;
    EXPECT_TRUE(std::isinf(y[3])) << op;
  }
}

TEST_P(SimdBinary, DividesByZeroToZeroOnlyWhenAskedTo) {
  const std::vector<float> a = {1, -1, 0, kNaN};
  const std::vector<float> b = {0, -0.0f, 0, 0};
  std::vector<float> y(4);
  find_binary("DivNoNan")(a.data(), b.data(), y.data(), 4);
  EXPECT_EQ(y, std::vector<float>(4, 0.0f));
  find_binary("RealDiv")(a.data(), b.data(), y.data(), 4);
  EXPECT_EQ(y[0], kInf);
  EXPECT_EQ(y[1], kInf);
  EXPECT_TRUE(std::isnan(y[2]));
}

TEST_P(SimdBinary, ReluGradStopsAnInfiniteGradientBelowZero) {
  const float dy = kInf, x = -1;
  float dx = 9;
  find_binary("ReluGrad")(&dy, &x, &dx, 1);
  EXPECT_EQ(dx, 0.0f);
}

TEST_P(SimdBinary, TakesOneValueOnEitherSide) {
  const std::vector<float> a = some_numbers(77, -8, 8);
  for (const char* op : {"AddV2", "Add", "Sub", "Mul", "RealDiv", "Div", "Maximum", "Minimum",
                         "SquaredDifference"}) {
    const std::vector<float> b(77, 1.25f);
    std::vector<float> want(77), got(77);
    find_binary(op)(a.data(), b.data(), want.data(), 77);
    find_binary_scalar(op, ScalarSide::kSecond)(a.data(), 1.25f, got.data(), 77);
    EXPECT_EQ(got, want) << op;
    find_binary(op)(b.data(), a.data(), want.data(), 77);
    find_binary_scalar(op, ScalarSide::kFirst)(a.data(), 1.25f, got.data(), 77);
    EXPECT_EQ(got, want) << op;
  }
}

TEST_P(SimdBinary, MulAddAddsTheProduct) {
  const std::vector<float> a = some_numbers(53, 0, 2, 1), b = some_numbers(53, 0, 2, 2),
                           c = some_numbers(53, 0, 2, 3);
  std::vector<float> y(53);
  find_ternary("_MulAdd")(a.data(), b.data(), c.data(), y.data(), 53);
  for (size_t i = 0; i < y.size(); ++i) {
    EXPECT_LE(ulp_error(y[i], static_cast<double>(a[i]) * b[i] + c[i]), 1.01);
  }
}

TEST_P(SimdBinary, LeakyReluScalesWhatIsNotPositive) {
  const std::vector<float> x = {-2, -0.0f, 3, kNaN, -kInf};
  const std::vector<float> dy = {1, 2, 3, 4, 5};
  std::vector<float> y(5), dx(5);
  leaky_relu(x.data(), 0.5f, y.data(), 5);
  EXPECT_EQ(y[0], -1.0f);
  EXPECT_EQ(y[2], 3.0f);
  EXPECT_TRUE(std::isnan(y[3]));
  EXPECT_EQ(y[4], -kInf);
  leaky_relu_grad(dy.data(), x.data(), 0.5f, dx.data(), 5);
  EXPECT_EQ(dx, (std::vector<float>{0.5f, 1, 3, 2, 2.5f}));
}

TEST_P(SimdCompare, WritesOneForTrueAndZeroForFalse) {
  std::vector<float> a = some_numbers(100, -2, 2, 1), b = some_numbers(100, -2, 2, 2);
  for (size_t i = 0; i < 100; i += 3) b[i] = a[i];
  a[4] = b[7] = a[99] = kNaN;
  const std::pair<const char*, bool (*)(float, float)> cases[] = {
      {"Less", [](float p, float q) { return p < q; }},
      {"LessEqual", [](float p, float q) { return p <= q; }},
      {"Greater", [](float p, float q) { return p > q; }},
      {"GreaterEqual", [](float p, float q) { return p >= q; }},
      {"Equal", [](float p, float q) { return p == q; }},
      {"NotEqual", [](float p, float q) { return p != q; }},
  };
  for (const auto& [op, exact] : cases) {
    for (int64_t n : {0, 1, 7, 16, 17, 100}) {
      std::vector<uint8_t> y(static_cast<size_t>(n) + 1, 77);
      find_compare(op)(a.data(), b.data(), y.data(), n);
      for (int64_t i = 0; i < n; ++i) EXPECT_EQ(y[i], exact(a[i], b[i])) << op << " at " << i;
      EXPECT_EQ(y.back(), 77);
    }
  }
}

TEST_P(SimdCompare, SelectTakesAnyNonzeroByteAsTrue) {
  const std::vector<float> a = some_numbers(37, 1, 2), b = some_numbers(37, -2, -1);
  std::vector<uint8_t> condition(37);
  for (size_t i = 0; i < 37; ++i) condition[i] = i % 3 == 0 ? 0 : static_cast<uint8_t>(i * 64 + 1);
  std::vector<float> y(37);
  select(condition.data(), a.data(), b.data(), y.data(), 37);
  for (size_t i = 0; i < 37; ++i) EXPECT_EQ(y[i], condition[i] ? a[i] : b[i]);
}

}  // namespace
}  // namespace thalweg::simd
