// Special functions of one variable, and the zeta family; those with incomplete integrals are in
// incomplete_functions.cpp.
#include "kernels/reference/special_functions.h"

#include <array>
#include <cmath>
#include <complex>
#include <limits>

namespace thalweg::reference {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.14159265358979323846;
constexpr double kEpsilon = 1e-16;

template <size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double result = 0;
  for (double c : coefficients) result = result * x + c;
  return result;
}

// Acklam's rational approximation, to nine digits.
double rough_ndtri(double p) {
  constexpr std::array a = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                            1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr std::array b = {-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                            6.680131188771972e+01,  -1.328068155288572e+01, 1.0};
  constexpr std::array c = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                            -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr std::array d = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                            3.754408661907416e+00, 1.0};
  constexpr double kTail = 0.02425;
  if (p < kTail || p > 1 - kTail) {
    const double q = std::sqrt(-2 * std::log(p < kTail ? p : 1 - p));
    const double x = polynomial(c, q) / polynomial(d, q);
    return p < kTail ? x : -x;
  }
  const double q = p - 0.5;
  return polynomial(a, q * q) * q / polynomial(b, q * q);
}

// C(x) + i S(x): the power series near 0, else the continued fraction of the complex error
// function (Press et al., Numerical Recipes, 6.9).
std::complex<double> fresnel(double x) {
  const double ax = std::abs(x);
  const double t = kPi / 2 * ax * ax;
  std::complex<double> result;
  if (ax == 0) return result;
  // What is left to go is 1 / (pi x).
  if (ax > 1e15) return {std::copysign(0.5, x), std::copysign(0.5, x)};
  if (ax < 1.5) {
    // i^n t^n / n! x / (2n + 1): even n to the cosine, odd n to the sine.
    double power = ax;
    for (int n = 0; n < 100; ++n) {
      const double term = power / (2 * n + 1) * ((n / 2) % 2 == 0 ? 1 : -1);
      result += n % 2 == 0 ? std::complex<double>(term, 0) : std::complex<double>(0, term);
      power *= t / (n + 1);
      if (power < kEpsilon * kEpsilon) break;
    }
  } else {
    std::complex<double> b(1, -2 * t), c(1e300, 0), d = 1.0 / b, h = d;
    for (int k = 1; k < 1000; ++k) {
      const double n = 2 * k - 1;
      const double a = -n * (n + 1);
      b += 4;
      d = 1.0 / (a * d + b);
      c = b + a / c;
      const std::complex<double> delta = c * d;
      h *= delta;
      if (std::abs(delta - 1.0) < kEpsilon * 10) break;
    }
    h *= std::complex<double>(ax, -ax);
    result = std::complex<double>(0.5, 0.5) * (1.0 - std::polar(1.0, t) * h);
  }
  return x < 0 ? -result : result;
}

}  // namespace

double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0 || p == 1) return p == 0 ? -kInf : kInf;
  double x = rough_ndtri(p);
  // Halley's step on the distribution function.
  const double error = 0.5 * std::erfc(-x / std::sqrt(2.0)) - p;
  const double u = error * std::sqrt(2 * kPi) * std::exp(x * x / 2);
  if (std::isfinite(u)) x -= u / (1 + x * u / 2);
  return x;
}

double erfinv(double x) {
  double y = ndtri((x + 1) / 2) / std::sqrt(2.0);
  // Near 0 the quantile has lost digits to the 1 that was added.
  if (std::abs(x) < 0.9) y -= (std::erf(y) - x) * std::sqrt(kPi) / 2 * std::exp(y * y);
  return y;
}

double digamma(double x) {
  if (x <= 0) {
    const double part = x - std::floor(x);
    if (part == 0) return kNan;
    return digamma(1 - x) - kPi / std::tan(kPi * part);
  }
  double shift = 0;
  for (; x < 10; ++x) shift += 1 / x;
  // DLMF 5.11.2.
  constexpr std::array series = {1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                                 1.0 / 252, -1.0 / 120,     1.0 / 12,  0.0};
  return std::log(x) - 0.5 / x - polynomial(series, 1 / (x * x)) - shift;
}

double zeta(double x, double q) {
  if (x == 1) return kInf;
  if (!(x > 1)) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return x == std::floor(x) && std::fmod(x, 2) == 0 ? kInf : kNan;
    if (x != std::floor(x)) return kNan;
  }
  if (std::isinf(x) && q > 0) return q < 1 ? kInf : q == 1 ? 1 : 0;
  if (std::isinf(q)) return 0;
  // Euler and Maclaurin: some terms, then their integral and its corrections B_2k / (2k)!.
  double sum = 0;
  int n = 0;
  for (; n < 12 || q + n < 10; ++n) sum += std::pow(q + n, -x);
  const double w = q + n;
  double power = std::pow(w, -x);
  sum += power * w / (x - 1) + power / 2;
  constexpr std::array bernoulli = {1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,    5.0 / 66,
                                    -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798};
  double factor = x;
  double factorial = 2;
  for (size_t k = 0; k < bernoulli.size(); ++k) {
    power /= w;
    sum += bernoulli[k] / factorial * factor * power;
    power /= w;
    const auto j = static_cast<double>(2 * k + 1);
    factor *= (x + j) * (x + j + 1);
    factorial *= (j + 2) * (j + 3);
  }
  return sum;
}

double polygamma(double n, double x) {
  if (!(n >= 0) || n != std::floor(n)) return kNan;
  if (n == 0) return digamma(x);
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::exp(std::lgamma(n + 1)) * zeta(n + 1, x);
}

// Above this the expansions for large x have all digits (DLMF 10.40.1 and 10.40.2): the sum over
// products of ((2 n)^2 - odd^2) / (8 k x), with signs that alternate or do not.
constexpr double kLargeBessel = 100;

double large_bessel_sum(int n, double x, double sign) {
  double term = 1, sum = 1;
  for (int k = 1; k < 30; ++k) {
    term *= sign * (4.0 * n * n - (2 * k - 1) * (2 * k - 1)) / (8 * k * x);
    sum += term;
  }
  return sum;
}

double bessel_ie(int n, double x) {
  const double ax = std::abs(x);
  const double sign = n == 1 && x < 0 ? -1 : 1;
  if (ax == 0) return n == 0 ? 1 : 0;
  if (ax > kLargeBessel) return sign * large_bessel_sum(n, ax, -1) / std::sqrt(2 * kPi * ax);
  if (ax < 1) {
    double term = n == 0 ? 1 : ax / 2, sum = term;
    for (int k = 1; k < 15; ++k) {
      term *= ax * ax / (4.0 * k * (k + n));
      sum += term;
    }
    return sign * sum * std::exp(-ax);
  }
  // The trapezoidal rule on a whole period of exp(x cos t) cos(n t) is exact up to I_N.
  constexpr int kPoints = 200;
  double sum = 0;
  for (int k = 0; k < kPoints; ++k) {
    const double t = 2 * kPi * k / kPoints;
    sum += std::exp(ax * (std::cos(t) - 1)) * std::cos(n * t);
  }
  return sign * sum / kPoints;
}

double bessel_ke(int n, double x) {
  if (x <= 0) return kInf;
  if (x > kLargeBessel) return large_bessel_sum(n, x, 1) * std::sqrt(kPi / (2 * x));
  // The integral of exp(-x cosh t) cosh(n t), whose integrand falls doubly exponentially.
  constexpr double kStep = 1.0 / 32;
  double sum = 0.5;
  for (int k = 1; k < 100000; ++k) {
    const double t = k * kStep;
    const double term = std::exp(-2 * x * std::sinh(t / 2) * std::sinh(t / 2)) * std::cosh(n * t);
    sum += term;
    if (term < kEpsilon * kEpsilon * sum) break;
  }
  return sum * kStep;
}

double dawson(double x) {
  const double ax = std::abs(x);
  // The next term of this expansion is below rounding.
  if (ax > 1e5) return (1 + 1 / (2 * x) / x) / (2 * x);
  if (ax < 0.2) {
    double term = x, sum = x;
    for (int n = 1; n < 20; ++n) {
      term *= -2 * x * x / (2 * n + 1);
      sum += term;
    }
    return sum;
  }
  // Rybicki 1989: a sum over odd multiples of a step, from the even multiple nearest to x.
  constexpr double kStep = 0.2;
  const double n0 = 2 * std::floor(0.5 * ax / kStep + 0.5);
  const double rest = ax - n0 * kStep;
  double sum = 0;
  for (int i = -31; i <= 31; i += 2) {
    const double away = rest - i * kStep;
    sum += std::exp(-away * away) / (n0 + i);
  }
  return std::copysign(sum / std::sqrt(kPi), x);
}

double fresnel_cos(double x) { return fresnel(x).real(); }
double fresnel_sin(double x) { return fresnel(x).imag(); }

double spence(double x) {
  if (!(x >= 0)) return kNan;
  if (x == 0) return kPi * kPi / 6;
  if (x > 1.5) {
    const double logarithm = std::log(x);
    return -spence(1 / x) - logarithm * logarithm / 2;
  }
  if (x < 0.5) return kPi * kPi / 6 - std::log(x) * std::log1p(-x) - spence(1 - x);
  const double z = 1 - x;
  double power = 1, sum = 0;
  for (int k = 1; k < 80; ++k) {
    power *= z;
    sum += power / (static_cast<double>(k) * k);
  }
  return sum;
}

}  // namespace thalweg::reference
