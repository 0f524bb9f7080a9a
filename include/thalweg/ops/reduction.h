// Reductions over axes, positions of extremes, and running sums.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// Which axes to reduce: all (the default, and `{}`), a list, one, or the value of an integer
/// vector. Negative axes count from the end; one given twice or out of range is invalid_argument.
/// An empty vector reduces nothing.
class Axes {
 public:
  static Axes all() { return Axes(); }
  Axes() = default;
  Axes(std::initializer_list<int64_t> axes) : all_(false), list_(axes) {}
  Axes(std::vector<int64_t> axes)
      : all_(false), list_(std::move(axes)) {}       // NOLINT: implicit by design
  Axes(int64_t axis) : all_(false), list_{axis} {}   // NOLINT
  Axes(int axis) : all_(false), list_{axis} {}       // NOLINT
  Axes(Output axes) : all_(false), output_(axes) {}  // NOLINT

  /// The int32 or int64 vector for the op: the given Output, or a new constant (for all axes of an
  /// `x` of unknown rank: the nodes that count them).
  Output materialize(Output x) const;

 private:
  bool all_ = true;
  std::vector<int64_t> list_;
  Output output_;
};

struct ReduceOptions {
  bool keep_dims = false;  ///< keep reduced dimensions, with size 1
  std::string name = {};
};

/// Sum; 0 over nothing. Floats of less than 64 bits are summed in more precision. Sum
Output reduce_sum(Output x, const Axes& axes = {}, const ReduceOptions& options = {});
/// Mean; NaN over nothing. The mean of integers is cut towards zero. Mean
Output reduce_mean(Output x, const Axes& axes = {}, const ReduceOptions& options = {});
/// Product; 1 over nothing. Its gradient is right also where factors are zero. Prod
Output reduce_prod(Output x, const Axes& axes = {}, const ReduceOptions& options = {});
/// Largest element; NaN when there is one; the lowest value of the dtype (-inf) over nothing. Equal
/// maxima share the gradient in equal parts, which sum to the gradient that came in. Max
Output reduce_max(Output x, const Axes& axes = {}, const ReduceOptions& options = {});
/// Smallest element, likewise. Min
Output reduce_min(Output x, const Axes& axes = {}, const ReduceOptions& options = {});
/// Whether any is true; false over nothing. `x` is bool. Any
Output reduce_any(Output x, const Axes& axes = {}, const ReduceOptions& options = {});
/// Whether all are true; true over nothing. `x` is bool. All
Output reduce_all(Output x, const Axes& axes = {}, const ReduceOptions& options = {});

struct ArgOptions {
  DType output_type = kInt64;  ///< or kInt32
  std::string name = {};
};
/// Index of the largest element along `axis`, the first of equal ones; that dimension goes away.
/// NaNs are passed over (0 when there is nothing else). The axis must not be empty. ArgMax
Output argmax(Output x, int64_t axis, const ArgOptions& options = {});
/// Index of the smallest element, likewise. ArgMin
Output argmin(Output x, int64_t axis, const ArgOptions& options = {});

struct CumulativeOptions {
  bool exclusive =
      false;  ///< element i gets the sum of those before it, the first gets 0 (of cumprod: 1)
  bool reverse = false;  ///< from the end to the start
  std::string name = {};
};
/// Running sum along `axis`; the shape of `x`. Cumsum
Output cumsum(Output x, int64_t axis = 0, const CumulativeOptions& options = {});
Output cumsum(Output x, Output axis, const CumulativeOptions& options = {});
/// Running product, likewise. Cumprod
Output cumprod(Output x, int64_t axis = 0, const CumulativeOptions& options = {});
Output cumprod(Output x, Output axis, const CumulativeOptions& options = {});

}  // namespace thalweg
