// Special functions of real numbers that the standard library lacks, in double precision.
#pragma once

namespace thalweg::reference {

/// The x with P(X <= x) = p for X standard normal; infinite at 0 and 1, NaN outside.
double ndtri(double p);
/// The y with erf(y) = x.
double erfinv(double x);
/// Derivative of lgamma; NaN at 0 and negative integers.
double digamma(double x);
/// Sum of (k + q)^-x over k >= 0.
double zeta(double x, double q);
/// The n-th derivative of digamma; NaN when n is no natural number.
double polygamma(double n, double x);
/// Lower and upper regularized incomplete gamma functions, and the derivative of the lower one by
/// `a`. NaN where a <= 0 or x < 0, but 0 of the lower one at x = 0.
double igamma(double a, double x);
double igammac(double a, double x);
double igamma_grad_a(double a, double x);
/// Regularized incomplete beta function; NaN where a or b <= 0 or x outside [0, 1].
double betainc(double a, double b, double x);

/// exp(-|x|) I_n(x), for n = 0, 1.
double bessel_ie(int n, double x);
/// exp(x) K_n(x), for n = 0, 1; infinite where x <= 0.
double bessel_ke(int n, double x);
/// exp(-x^2) times the integral of exp(t^2) from 0 to x.
double dawson(double x);
/// Integrals of cos(pi t^2 / 2) and sin(pi t^2 / 2) from 0 to x.
double fresnel_cos(double x);
double fresnel_sin(double x);
/// -integral of log(t) / (t - 1) from 1 to x; NaN below 0.
double spence(double x);

}  // namespace thalweg::reference
