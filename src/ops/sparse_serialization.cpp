// Sparse tensors as rows of three messages, so that a batch of them is one dense tensor.
#include "ops/families.h"
#include "ops/sparse_rows.h"

namespace thalweg {
namespace {

void serialize_shape(ShapeContext& c) {
  rows::check_sparse(c, 0, 1, 2);
  c.set_output(0, Shape{3});
}

void serialize_many_shape(ShapeContext& c) {
  rows::check_sparse(c, 0, 1, 2);
  c.set_output(0, Shape{kUnknownDim, 3});
}

void set_sparse(ShapeContext& c) {
  c.set_output(0, Shape::unknown_of_rank(2));
  c.set_output(1, Shape::unknown_of_rank(1));
  c.set_output(2, Shape::unknown_of_rank(1));
}

void check_columns(const ShapeContext& c, const Shape& rows) {
  if (!rows.has_rank()) return;
  const int64_t columns = rows[rows.rank() - 1];
  if (columns != kUnknownDim && columns != 3) {
    throw c.error("`serialized_sparse` must have 3 columns (indices, values, shape), got shape ",
                  rows);
  }
}

void deserialize_shape(ShapeContext& c) {
  check_columns(c, c.with_rank_at_least(0, 1));
  set_sparse(c);
}

void deserialize_many_shape(ShapeContext& c) {
  check_columns(c, c.with_rank(0, 2));
  set_sparse(c);
}

constexpr char kNoGradient[] = "messages are no numbers";
constexpr char kIndices[] = "sparse_indices: int64 | Where the entries lie, `[n, rank]`.";
constexpr char kShape[] = "sparse_shape: int64 | The dense shape, `[rank]`.";
constexpr char kOutType[] =
    "out_type: {string, variant} = string | Serialised TensorProtos, or the tensors themselves.";
constexpr char kGivenValues[] = "sparse_values: T | The entries, `[n]`.";
constexpr char kFoundValues[] = "sparse_values: dtype | The entries, `[n]`.";
constexpr char kDType[] = "dtype: type | Type of the entries, which must be the messages'.";

constexpr OpDef kOps[] = {
    {.name = "SerializeSparse",
     .inputs = {kIndices, kGivenValues, kShape},
     .outputs = {"serialized_sparse: out_type | `[3]`: indices, values, shape."},
     .attrs = {rows::kSparseAny, kOutType},
     .doc = "A sparse tensor as three messages.",
     .shape = serialize_shape,
     .no_gradient = kNoGradient},
    {.name = "SerializeManySparse",
     .inputs = {kIndices, kGivenValues, kShape},
     .outputs = {"serialized_sparse: out_type | `[shape[0], 3]`."},
     .attrs = {rows::kSparseAny, kOutType},
     .doc = "The slices of a sparse tensor along dimension 0, each as three messages. The entries "
            "must be in order of their first index.",
     .shape = serialize_many_shape,
     .no_gradient = kNoGradient},
    {.name = "DeserializeSparse",
     .inputs = {"serialized_sparse: Tserialized | `[..., 3]`: indices, values, shape."},
     .outputs = {kIndices, kFoundValues, kShape},
     .attrs = {kDType, "Tserialized: {string, variant} = string | What the messages are."},
     .doc = "The sparse tensor of rows of messages; the dimensions before the last come first in "
            "its shape, and each other is the largest of any row.",
     .shape = deserialize_shape,
     .no_gradient = kNoGradient},
    {.name = "DeserializeManySparse",
     .inputs = {"serialized_sparse: string | `[batch, 3]`: indices, values, shape."},
     .outputs = {kIndices, kFoundValues, kShape},
     .attrs = {kDType},
     .doc = "DeserializeSparse of a batch of serialised TensorProtos.",
     .shape = deserialize_many_shape,
     .no_gradient = kNoGradient},
};

}  // namespace

std::span<const OpDef> sparse_serialization_ops() { return kOps; }

}  // namespace thalweg
