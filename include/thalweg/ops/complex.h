// Complex numbers from real ones, and back. Each function adds one node of the TensorFlow op that
// its comment names.
//
// A gradient by a complex number z is dL/dRe(z) + i dL/dIm(z), TensorFlow's convention.
#pragma once

#include "thalweg/graph/graph.h"

namespace thalweg {

/// real + i imag; the shapes are broadcast. float32 makes complex64, float64 complex128. Complex
Output make_complex(Output real, Output imag);
/// Real part; of a real tensor itself. Real
Output real(Output x);
/// Imaginary part; of a real tensor zeros. Imag
Output imag(Output x);
/// Complex conjugate; of a real tensor itself. Conj
Output conj(Output x);
/// Argument in [-pi, pi] of a complex tensor. Angle
Output angle(Output x);
/// Absolute value of a complex tensor. ComplexAbs
Output complex_abs(Output x);

}  // namespace thalweg
