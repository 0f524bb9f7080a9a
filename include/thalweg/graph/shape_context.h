// What a shape function sees of a node, and the checks that most of them share.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// Lives for one call of a shape function.
class ShapeContext {
 public:
  explicit ShapeContext(const Node& node, std::vector<Shape>& outputs)
      : node_(node), outputs_(outputs) {}

  const Node& node() const { return node_; }
  int num_inputs() const { return node_.num_inputs(); }
  int num_outputs() const { return node_.num_outputs(); }
  const Shape& input(int i) const { return node_.input(i).shape(); }
  DType input_dtype(int i) const { return node_.input(i).dtype(); }
  template <class T>
  const T& attr(std::string_view name) const {
    return node_.attr<T>(name);
  }

  /// The input's value when it is a constant already now (a Const node).
  std::optional<Tensor> constant(int i) const;
  /// An integer vector input (a target shape, a permutation, ...) as far as it is known: values of
  /// constants, and dimensions taken from Shape, Pack, ConcatV2, StridedSlice, GatherV2 of known
  /// shapes; kUnknownDim elsewhere. Empty optional when not even its length is known. Mind that a
  /// constant -1 looks the same as unknown.
  std::optional<std::vector<int64_t>> constant_ints(int i) const;
  /// The shape that an integer vector input describes; of unknown rank when nothing is known.
  Shape constant_shape(int i) const;
  /// A scalar integer input, if known.
  std::optional<int64_t> constant_int(int i) const;

  void set_output(int i, Shape shape) { outputs_[static_cast<size_t>(i)] = std::move(shape); }

  /// The input's shape, known to have `rank` dimensions from now on. Throws invalid_argument naming
  /// the argument.
  Shape with_rank(int i, int rank) const;
  Shape with_rank_at_least(int i, int rank) const;
  /// An error with the node, this op's argument name and its shape in front.
  template <class... Args>
  Error error(const Args&... args) const {
    return error_text(str(args...));
  }
  /// The argument name of flat input `i`, for messages.
  std::string input_name(int i) const;

 private:
  Error error_text(std::string message) const;
  const Node& node_;
  std::vector<Shape>& outputs_;
};

/// Axis in [-rank, rank) made non-negative. Throws invalid_argument.
int normalize_axis(const ShapeContext& context, int64_t axis, int rank);

namespace shape_functions {
/// Output 0 has the shape of input 0.
void same_as_input(ShapeContext& context);
/// Output 0 broadcasts inputs 0 and 1.
void broadcast_inputs(ShapeContext& context);
/// All outputs are scalars.
void scalar(ShapeContext& context);
/// Nothing can be told before running.
void unknown(ShapeContext& context);
/// No outputs, or none with a shape to set.
void none(ShapeContext& context);
}  // namespace shape_functions

}  // namespace thalweg
