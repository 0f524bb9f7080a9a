#include <math.h>  // j0 and its like are POSIX's

#include <cmath>
#include <limits>

#include "kernels/families.h"
#include "kernels/reference/elementwise.h"
#include "kernels/reference/special_functions.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: a table of rows in its words

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr Types<float, double> kDoubles;

// Rows of functions of doubles: others are converted there and back.
template <class F>
constexpr KernelDef function(std::string_view op, F) {
  return unary_kernel(op, kFloats,
                      []<class T>(T x) { return static_cast<T>(F{}(static_cast<double>(x))); });
}
template <class List, class F>
constexpr KernelDef function(std::string_view op, List types, F) {
  return binary_kernel(op, types, []<class T>(T x, T y) {
    return static_cast<T>(F{}(static_cast<double>(x), static_cast<double>(y)));
  });
}

// `f` where x > 0, else `limit`.
template <class F>
double positive(double x, double limit, F f) {
  return x > 0 || std::isnan(x) ? f(x) : limit;
}

// How a gamma sample x moves with its parameter where the uniform number behind it stays: P(a, x)
// does not change, so dx/da = -(dP/da) / (dP/dx).
double gamma_sample_slope(double a, double x) {
  if (!(a > 0) || !(x >= 0)) return kNan;
  if (x == 0) return 0;
  const double density = std::exp((a - 1) * std::log(x) - x - std::lgamma(a));
  // In the tails what is beyond x is as good as one power: P = x^a / Gamma(a + 1) below, 1 - P =
  // x^(a - 1) exp(-x) / Gamma(a) above.
  if (density < std::numeric_limits<double>::min()) {
    return x < a ? x / a * (digamma(a + 1) - std::log(x)) : std::log(x) - digamma(a);
  }
  return -igamma_grad_a(a, x) / density;
}

KernelPtr make_betainc(const KernelRequest& request) {
  const auto f = []<class T>(T a, T b, T x) {
    return static_cast<T>(
        betainc(static_cast<double>(a), static_cast<double>(b), static_cast<double>(x)));
  };
  return make_function<decltype(f)>(request, kDoubles, 0, std::make_index_sequence<3>{});
}

constexpr KernelDef kKernels[] = {
    function("Asinh", [](double x) { return std::asinh(x); }),
    function("Acosh", [](double x) { return std::acosh(x); }),
    function("Atanh", [](double x) { return std::atanh(x); }),
    function("Erfc", [](double x) { return std::erfc(x); }),
    function("Erfinv", [](double x) { return erfinv(x); }),
    function("Ndtri", [](double x) { return ndtri(x); }),
    function("Lgamma", [](double x) { return std::lgamma(x); }),
    function("Digamma", [](double x) { return digamma(x); }),
    function("BesselI0", [](double x) { return bessel_ie(0, x) * std::exp(std::fabs(x)); }),
    function("BesselI1", [](double x) { return bessel_ie(1, x) * std::exp(std::fabs(x)); }),
    function("BesselI0e", [](double x) { return bessel_ie(0, x); }),
    function("BesselI1e", [](double x) { return bessel_ie(1, x); }),
    function("BesselK0", [](double x) { return bessel_ke(0, x) * std::exp(-x); }),
    function("BesselK1", [](double x) { return bessel_ke(1, x) * std::exp(-x); }),
    function("BesselK0e", [](double x) { return bessel_ke(0, x); }),
    function("BesselK1e", [](double x) { return bessel_ke(1, x); }),
    function("BesselJ0", [](double x) { return ::j0(x); }),
    function("BesselJ1", [](double x) { return ::j1(x); }),
    function("BesselY0",
             [](double x) { return positive(x, -kInf, [](double y) { return ::y0(y); }); }),
    function("BesselY1",
             [](double x) { return positive(x, -kInf, [](double y) { return ::y1(y); }); }),
    function("Dawsn", [](double x) { return dawson(x); }),
    function("Expint",
             [](double x) {
               return positive(x, x == 0 ? -kInf : kNan, [](double y) { return std::expint(y); });
             }),
    function("FresnelCos", [](double x) { return fresnel_cos(x); }),
    function("FresnelSin", [](double x) { return fresnel_sin(x); }),
    function("Spence", [](double x) { return spence(x); }),
    function("Polygamma", kDoubles, [](double n, double x) { return polygamma(n, x); }),
    function("Zeta", kDoubles, [](double x, double q) { return zeta(x, q); }),
    function("Igamma", kFloats, [](double a, double x) { return igamma(a, x); }),
    function("Igammac", kFloats, [](double a, double x) { return igammac(a, x); }),
    function("IgammaGradA", kDoubles, [](double a, double x) { return igamma_grad_a(a, x); }),
    function("RandomGammaGrad", kDoubles,
             [](double a, double x) { return gamma_sample_slope(a, x); }),
    {"Betainc", "reference", make_betainc},
    function("Xlogy", kFloats, [](double x, double y) { return x == 0 ? 0 : x * std::log(y); }),
    function("Xlog1py", kFloats, [](double x, double y) { return x == 0 ? 0 : x * std::log1p(y); }),
    function("Xdivy", kFloats, [](double x, double y) { return x == 0 ? 0 : x / y; }),
    function("MulNoNan", kFloats, [](double x, double y) { return y == 0 ? 0 : x * y; }),
    binary_kernel("NextAfter", kDoubles, [](auto x, auto to) { return std::nextafter(x, to); }),
};

}  // namespace

std::span<const KernelDef> reference_special_kernels() { return kKernels; }

}  // namespace thalweg
