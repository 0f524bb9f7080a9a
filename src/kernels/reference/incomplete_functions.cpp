// The incomplete gamma and beta functions, by series and continued fractions.
#include <cmath>
#include <limits>

#include "kernels/reference/special_functions.h"

namespace thalweg::reference {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = 1e-16;

// A value with its derivative: arithmetic on it carries both along.
struct Dual {
  double value = 0;
  double slope = 0;
  friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(Dual a, Dual b) {
    const double quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
};

// x^a exp(-x) / Gamma(a), with its derivative by a.
Dual gamma_factor(double a, double x) {
  const double value = std::exp(a * std::log(x) - x - std::lgamma(a));
  return {value, value * (std::log(x) - digamma(a))};
}

// The lower function by its series; converges fast for x < a + 1 (DLMF 8.7.1).
Dual lower_gamma(double a, double x) {
  Dual term = Dual{1} / Dual{a, 1}, sum = term;
  for (int n = 1; n < 10000; ++n) {
    term = term * (Dual{x} / Dual{a + n, 1});
    sum = sum + term;
    if (std::abs(term.value) < kEpsilon * std::abs(sum.value) &&
        std::abs(term.slope) <= kEpsilon * std::abs(sum.slope))
      break;
  }
  return gamma_factor(a, x) * sum;
}

// The upper function by its continued fraction, in Lentz's way (DLMF 8.9.2).
Dual upper_gamma(double a, double x) {
  constexpr double kTiny = 1e-300;
  Dual b{x + 1 - a, -1};
  Dual c{1 / kTiny}, d = Dual{1} / b, h = d;
  for (int n = 1; n < 10000; ++n) {
    const Dual factor = Dual{-static_cast<double>(n)} * Dual{n - a, -1};
    b = b + Dual{2};
    d = factor * d + b;
    if (std::abs(d.value) < kTiny) d.value = kTiny;
    d = Dual{1} / d;
    c = b + factor / c;
    if (std::abs(c.value) < kTiny) c.value = kTiny;
    const Dual delta = c * d;
    h = h * delta;
    if (std::abs(delta.value - 1) < kEpsilon * 10 && std::abs(delta.slope) < kEpsilon * 10) break;
  }
  return gamma_factor(a, x) * h;
}

bool outside(double a, double x) { return !(x >= 0) || !(a > 0); }

// The lower function with its derivative, inside the domain.
Dual gamma_p(double a, double x) {
  if (x < a + 1) return lower_gamma(a, x);
  return Dual{1} - upper_gamma(a, x);
}

// The continued fraction of the incomplete beta function (DLMF 8.17.22).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto keep = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / keep(1 - (a + b) * x / (a + 1));
  double h = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / keep(1 + even * d);
    c = keep(1 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / keep(1 + odd * d);
    c = keep(1 + odd / c);
    h *= d * c;
    if (std::abs(d * c - 1) < kEpsilon * 10) break;
  }
  return h;
}

}  // namespace

double igamma(double a, double x) {
  if (x == 0) return 0;
  if (outside(a, x)) return kNan;
  return std::isinf(x) ? 1 : gamma_p(a, x).value;
}

double igammac(double a, double x) {
  if (outside(a, x)) return kNan;
  if (x == 0) return 1;
  if (std::isinf(x)) return 0;
  return x < a + 1 ? 1 - lower_gamma(a, x).value : upper_gamma(a, x).value;
}

double igamma_grad_a(double a, double x) {
  if (x == 0) return 0;
  if (outside(a, x)) return kNan;
  return std::isinf(x) ? 0 : gamma_p(a, x).slope;
}

double betainc(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1)) return kNan;
  if (x == 0 || x == 1) return x;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace thalweg::reference
