// Names that old graphs still hold: each is an op of today under the arguments of its first
// version.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/gather_gradient.h"
#include "ops/joined_shape.h"
#include "ops/known_values.h"
#include "ops/matrix_product.h"
#include "ops/row_count.h"
#include "ops/unary_rows.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/broadcast.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/linalg.h"

namespace thalweg {
namespace {

using Context = GradientContext;

void gather_shape(ShapeContext& c) {
  const Shape params = c.with_rank_at_least(0, 1);
  c.set_output(0, params.has_rank() ? c.input(1).concat(params.slice(1)) : Shape::unknown());
}

void concat_shape(ShapeContext& c) {
  c.with_rank(0, 0);
  c.set_output(0, joined_shape(c, 1, c.num_inputs(), 0));
}

void concat_gradient(Context& c) {
  std::vector<Output> inputs = {c.input(0)};
  for (int i = 1; i < c.num_inputs(); ++i) inputs.push_back(shape_of(c.input(i)));
  const Node& offsets = c.graph().add("ConcatOffset", inputs);
  for (int i = 1; i < c.num_inputs(); ++i)
    c.set(i, slice(c.grad(), offsets.output(i - 1), inputs[static_cast<size_t>(i)]));
}

void concat_offset_shape(ShapeContext& c) {
  c.with_rank(0, 0);
  for (int i = 1; i < c.num_inputs(); ++i) c.set_output(i - 1, c.with_rank(i, 1));
}

void reverse_shape(ShapeContext& c) {
  const Shape dims = c.with_rank(1, 1);
  const Shape& x = c.input(0);
  if (x.has_rank() && dims[0] != kUnknownDim && dims[0] != x.rank()) {
    throw c.error("`dims` has ", dims[0], " entries, expected one for each dimension of ", x);
  }
  c.set_output(0, x);
}

void top_k_shape(ShapeContext& c) {
  Shape x = c.with_rank_at_least(0, 1);
  const int64_t k = c.attr<int64_t>("k");
  if (x.has_rank()) {
    const int last = x.rank() - 1;
    if (x[last] != kUnknownDim && x[last] < k)
      throw c.error("`k` is ", k, ", but the last dimension of shape ", x, " has ", x[last]);
    x.set_dim(last, k);
  }
  c.set_output(0, x);
  c.set_output(1, x);
}

void bias_add_shape(ShapeContext& c) {
  const Shape value = c.with_rank_at_least(0, 2);
  const Shape bias = c.with_rank(1, 1);
  if (value.has_rank() && !Shape{value.dim(-1)}.is_compatible_with(bias)) {
    throw c.error("`bias` has shape ", bias, ", expected one entry for each of the last dimension ",
                  "of `value`, ", value);
  }
  c.set_output(0, value);
}

void accumulate_shape(ShapeContext& c) {
  rows::one_shape(c);
  const Shape& shape = c.attr<Shape>("shape");
  if (!shape.is_compatible_with(c.input(0)))
    throw c.error("attribute `shape` is ", shape, ", the inputs have ", c.input(0));
}

constexpr std::string_view kNoModulus = "the quotient jumps; FloorMod has a gradient";
constexpr const char* kModTypes =
    "T: {int32, int64, half, bfloat16, float, double} | Element type.";
constexpr const char* kAdjX = "adj_x: bool = false | Whether the matrices of x are transposed.";
constexpr const char* kAdjY = "adj_y: bool = false | Whether the matrices of y are transposed.";
constexpr const char* kGradX = "grad_x: bool = false | Kept for graph files.";
constexpr const char* kGradY = "grad_y: bool = false | Kept for graph files.";

constexpr OpDef modulus(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {"x: T | Left operand.", "y: T | Right operand; the shapes are broadcast."},
          .outputs = {"z: T | The broadcast shape."},
          .attrs = {kModTypes},
          .doc = doc,
          .shape = shape_functions::broadcast_inputs,
          .no_gradient = kNoModulus};
}

constexpr OpDef kOps[] = {
    modulus("Mod", "The rest of x / y cut towards zero: the sign of x. An integer y of 0 fails."),
    modulus("TruncateMod", "As Mod: x - y * truncate(x / y), which has the sign of x."),
    {.name = "BatchMatMul",
     .inputs = {"x: T | Matrices `[..., m, k]`.", "y: T | Matrices `[..., k, n]`."},
     .outputs = {"output: T | Their products, `[..., m, n]`."},
     .attrs = {"T: {bfloat16, half, float, double, int32, int64} | Element type.", kAdjX, kAdjY,
               kGradX, kGradY},
     .doc = "BatchMatMulV2 under its first name; batches of 1 are broadcast here too.",
     .shape = batch_matmul_shape,
     .gradient = batch_matmul_gradient},
    {.name = "BatchMatMulV3",
     .inputs = {"x: Ta | Matrices `[..., m, k]`.", "y: Tb | Matrices `[..., k, n]`."},
     .outputs = {"output: Tout | Their products, `[..., m, n]`, computed in this type."},
     .attrs = {"Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64} | Type of x.",
               "Tb: {bfloat16, half, float, double, uint8, int8, int16, int32, int64} | Type of y.",
               "Tout: {bfloat16, half, float, double, int16, int32, int64} | Type of the result.",
               kAdjX, kAdjY, kGradX, kGradY},
     .doc = "BatchMatMulV2 of operands that are first converted to the result's type.",
     .shape = batch_matmul_shape,
     .gradient = batch_matmul_gradient},
    {.name = "Gather",
     .inputs = {"params: Tparams | The table, `[rows, ...]`.",
                "indices: Tindices | Rows, each in [0, rows)."},
     .outputs = {"output: Tparams | Shape `indices + params[1:]`."},
     .attrs = {"validate_indices: bool = true | They always are.", "Tparams: type | Element type.",
               "Tindices: {int32, int64} | Type of the indices."},
     .doc = "GatherV2 along the first dimension.",
     .shape = gather_shape,
     .gradient =
         [](Context& c) {
           c.set(0, unsorted_segment_sum(c.grad(), c.input(1), row_count(c.input(0))));
         }},
    {.name = "Concat",
     .inputs = {"concat_dim: int32 | The dimension, in `[-rank, rank)`, a scalar.",
                "values: N * T | Tensors of one shape but for that dimension."},
     .outputs = {"output: T | The values one after the other."},
     .attrs = {"N: int >= 2 | How many.", "T: type | Element type."},
     .doc = "ConcatV2 with its axis in front.",
     .shape = concat_shape,
     .gradient = concat_gradient},
    {.name = "ConcatOffset",
     .inputs = {"concat_dim: int32 | The dimension, in `[-rank, rank)`, a scalar.",
                "shape: N * shape_type | Shapes of tensors that are joined, `[rank]` each."},
     .outputs = {"offset: N * shape_type | Where each begins in the whole, `[rank]`."},
     .attrs = {"N: int >= 2 | How many.",
               "shape_type: {int32, int64} = int32 | Type of the shapes."},
     .doc = "Where tensors that are joined along a dimension begin: what the gradient of Concat "
            "slices by.",
     .shape = concat_offset_shape,
     .no_gradient = "positions are integers"},
    {.name = "Reverse",
     .inputs = {"tensor: T | A tensor.",
                "dims: bool | Whether each dimension is reversed, `[rank]`."},
     .outputs = {"output: T | The shape of `tensor`."},
     .attrs =
         {"T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, "
          "float, double, string} | Element type."},
     .doc = "ReverseV2 with a flag for each dimension.",
     .shape = reverse_shape,
     .gradient =
         [](Context& c) {
           c.set(0, add_op("Reverse", {c.grad(), c.input(1)}));
         }},
    {.name = "TopK",
     .inputs = {"input: T | A tensor, not a scalar."},
     .outputs = {"values: T | The k largest along the last dimension.",
                 "indices: int32 | Where they were."},
     .attrs = {"k: int >= 0 | How many, at most the last dimension.",
               "sorted: bool = true | Whether the largest must come first (they always do).",
               "T: realnumbertype | Element type."},
     .doc = "TopKV2 with k as an attribute.",
     .shape = top_k_shape,
     .gradient = top_k_gradient},
    {.name = "BiasAddV1",
     .inputs = {"value: T | At least 2 dimensions.", "bias: T | `[channels]`."},
     .outputs = {"output: T | The shape of `value`."},
     .attrs = {"T: numbertype | Element type."},
     .doc = "Adds a bias along the last dimension.",
     .shape = bias_add_shape,
     .gradient =
         [](Context& c) {
           c.set(0, c.grad());
           c.set(1, add_op("BiasAddGrad", {c.grad()}));
         }},
    {.name = "AccumulateNV2",
     .inputs = {"inputs: N * T | Tensors of one shape."},
     .outputs = {"sum: T | Their shape."},
     .attrs = {"N: int >= 1 | How many.", "T: numbertype | Element type.",
               "shape: shape | Their shape."},
     .doc = "AddN with the shape told.",
     .shape = accumulate_shape,
     .gradient =
         [](Context& c) {
           for (int i = 0; i < c.num_inputs(); ++i) c.set(i, c.grad());
         }},
};

}  // namespace

std::span<const OpDef> legacy_ops() { return kOps; }

}  // namespace thalweg
