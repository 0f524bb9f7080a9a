// First values of variables.
//
// An initializer is a value with a short text ("he_normal", "uniform(-0.1, 0.1)"), so that layers
// can be written to files. The numbers are a function of the graph's seed and the variable's name
// alone: the same program starts from the same weights, on any machine and number of threads, and
// a layer added elsewhere in the network changes none of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// How a variable starts. A value; immutable.
class Initializer {
 public:
  /// Reads the text form: a name, with arguments in parentheses where it takes any. Throws
  /// invalid_argument with the nearest name, or with what arguments are wanted.
  Initializer(std::string_view text);  // NOLINT: `.x = "he_normal"`
  Initializer(const char* text) : Initializer(std::string_view(text)) {}  // NOLINT

  /// The value of a variable of this shape (fully defined) and name, as nodes of `graph` under the
  /// current scope. `dtype` is floating; throws invalid_argument.
  Output operator()(Graph& graph, const Shape& shape, DType dtype, std::string_view variable) const;

  /// What the constructor reads.
  std::string to_string() const;
  friend bool operator==(const Initializer&, const Initializer&) = default;

 private:
  std::string name_;
  std::vector<double> arguments_;
};

/// The numbers of inputs and outputs of one unit: of a matrix its rows and columns, of a filter
/// `[..., in, out]` each times the cells of the window. TensorFlow's _compute_fans.
struct Fans {
  double in = 1;
  double out = 1;
};
Fans compute_fans(const Shape& shape);

namespace initializers {

Initializer zeros();
Initializer ones();
Initializer constant(double value);
/// Uniform in [low, high).
Initializer uniform(double low, double high);
Initializer normal(double mean, double standard_deviation);
/// Normal with values beyond two standard deviations drawn again.
Initializer truncated_normal(double mean, double standard_deviation);

// Variance v by the shape; uniform: in (-sqrt(3 v), sqrt(3 v)); normal: truncated normal whose
// variance after truncation is v.
Initializer glorot_uniform();  ///< v = 2 / (in + out). Glorot and Bengio 2010, eq. 16
Initializer glorot_normal();
Initializer he_uniform();  ///< v = 2 / in, for relu. He et al. 2015, arXiv:1502.01852, eq. 10
Initializer he_normal();
Initializer lecun_uniform();  ///< v = 1 / in, for selu. LeCun et al. 1998
Initializer lecun_normal();

/// `gain` times a matrix with orthonormal columns or rows, whichever are fewer; filters count as
/// `[..., out]` flattened to a matrix. Saxe et al. 2014, arXiv:1312.6120. At least two dimensions.
Initializer orthogonal(double gain = 1);

}  // namespace initializers
}  // namespace thalweg
