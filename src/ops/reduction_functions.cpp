// The builder functions of thalweg/ops/reduction.h.
#include <numeric>

#include "ops/add_op.h"
#include "ops/int_constant.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/reduction.h"

namespace thalweg {
namespace {

Output reduce(std::string_view op, Output x, const Axes& axes, const ReduceOptions& options) {
  if (!x) throw invalid_argument(op, ": its input is an Output of no graph");
  return add_op(op, {x, axes.materialize(x)}, {{"keep_dims", options.keep_dims}}, options.name);
}

// An axis as the scalar that these ops want.
Output axis_scalar(Output x, int64_t axis) {
  if (!x) throw invalid_argument("its input is an Output of no graph");
  return int_constant(x.graph(), axis);
}

Output position(std::string_view op, Output x, int64_t axis, const ArgOptions& options) {
  return add_op(op, {x, axis_scalar(x, axis)}, {{"output_type", options.output_type}},
                options.name);
}

Output accumulate(std::string_view op, Output x, Output axis, const CumulativeOptions& options) {
  return add_op(op, {x, axis}, {{"exclusive", options.exclusive}, {"reverse", options.reverse}},
                options.name);
}

}  // namespace

Output Axes::materialize(Output x) const {
  if (output_) return output_;
  if (!all_) return IntVector(list_).in(x.graph());
  if (!x.shape().has_rank()) {
    return range(constant(x.graph(), int32_t{0}), rank_of(x), constant(x.graph(), int32_t{1}));
  }
  std::vector<int64_t> axes(static_cast<size_t>(x.shape().rank()));
  std::iota(axes.begin(), axes.end(), 0);
  return IntVector(std::move(axes)).in(x.graph());
}

Output reduce_sum(Output x, const Axes& axes, const ReduceOptions& options) {
  return reduce("Sum", x, axes, options);
}
Output reduce_mean(Output x, const Axes& axes, const ReduceOptions& options) {
  return reduce("Mean", x, axes, options);
}
Output reduce_prod(Output x, const Axes& axes, const ReduceOptions& options) {
  return reduce("Prod", x, axes, options);
}
Output reduce_max(Output x, const Axes& axes, const ReduceOptions& options) {
  return reduce("Max", x, axes, options);
}
Output reduce_min(Output x, const Axes& axes, const ReduceOptions& options) {
  return reduce("Min", x, axes, options);
}
Output reduce_any(Output x, const Axes& axes, const ReduceOptions& options) {
  return reduce("Any", x, axes, options);
}
Output reduce_all(Output x, const Axes& axes, const ReduceOptions& options) {
  return reduce("All", x, axes, options);
}

Output argmax(Output x, int64_t axis, const ArgOptions& options) {
  return position("ArgMax", x, axis, options);
}
Output argmin(Output x, int64_t axis, const ArgOptions& options) {
  return position("ArgMin", x, axis, options);
}

Output cumsum(Output x, int64_t axis, const CumulativeOptions& options) {
  return accumulate("Cumsum", x, axis_scalar(x, axis), options);
}
Output cumsum(Output x, Output axis, const CumulativeOptions& options) {
  return accumulate("Cumsum", x, axis, options);
}
Output cumprod(Output x, int64_t axis, const CumulativeOptions& options) {
  return accumulate("Cumprod", x, axis_scalar(x, axis), options);
}
Output cumprod(Output x, Output axis, const CumulativeOptions& options) {
  return accumulate("Cumprod", x, axis, options);
}

}  // namespace thalweg
