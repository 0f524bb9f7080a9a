// Records that hold sequences of features (tf.train.SequenceExample), read into tensors.
#include "ops/families.h"
#include "ops/output_shapes.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr char kNoNumbers[] = "its input is text";

using Types = std::vector<DType>;
using Shapes = std::vector<Shape>;

const Shapes& checked_shapes(const ShapeContext& c, const char* types, const char* shapes) {
  const auto& list = c.attr<Shapes>(shapes);
  if (list.size() != c.attr<Types>(types).size()) {
    throw c.error("attribute `", shapes, "` has ", list.size(), " shapes for ",
                  c.attr<Types>(types).size(), " types");
  }
  for (const Shape& shape : list) {
    if (!shape.is_fully_defined()) throw c.error("attribute `", shapes, "` holds ", shape);
  }
  return list;
}

// A number, or keys in an attribute or a vector input, that say again how many types there are.
void check_count(const ShapeContext& c, const char* types, const char* count) {
  const auto wanted = static_cast<int64_t>(c.attr<Types>(types).size());
  const auto check = [&](int64_t got) {
    if (got == wanted) return;
    throw c.error("`", count, "` tells of ", got, " features, attribute `", types, "` of ", wanted);
  };
  if (const AttrValue* attr = c.node().find_attr(count)) {
    if (const auto* number = std::get_if<int64_t>(attr)) return check(*number);
    if (const auto* other = std::get_if<Types>(attr))
      return check(static_cast<int64_t>(other->size()));
    return check(static_cast<int64_t>(std::get<std::vector<std::string>>(*attr).size()));
  }
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.input_name(i) != count) continue;
    if (const Shape keys = c.with_rank(i, 1); keys[0] != kUnknownDim) check(keys[0]);
  }
}

void check_counts(const ShapeContext& c, bool v2) {
  check_count(c, "context_sparse_types", "Ncontext_sparse");
  check_count(c, "context_sparse_types", "context_sparse_keys");
  check_count(c, "Tcontext_dense", "context_dense_keys");
  check_count(c, "feature_list_sparse_types", "Nfeature_list_sparse");
  check_count(c, "feature_list_sparse_types", "feature_list_sparse_keys");
  check_count(c, "feature_list_dense_types", "Nfeature_list_dense");
  check_count(c, "feature_list_dense_types", "feature_list_dense_keys");
  if (!v2) return check_count(c, "Tcontext_dense", "Ncontext_dense");
  check_count(c, "context_ragged_value_types", "context_ragged_keys");
  check_count(c, "context_ragged_value_types", "context_ragged_split_types");
  check_count(c, "feature_list_ragged_value_types", "feature_list_ragged_keys");
  check_count(c, "feature_list_ragged_value_types", "feature_list_ragged_split_types");
}

void sequence_shape(ShapeContext& c) {
  const bool v2 = c.node().find_attr("context_ragged_value_types") != nullptr;
  check_counts(c, v2);
  const Shape batch = c.with_rank(0, 1);
  const Shape splits{batch[0] == kUnknownDim ? kUnknownDim : batch[0] + 1};
  OutputShapes out(c);
  out.add_sparse(2, c.attr<Types>("context_sparse_types").size());
  for (const Shape& shape : checked_shapes(c, "Tcontext_dense", "context_dense_shapes"))
    out.add(batch.concat(shape));
  if (v2) {
    out.add(Shape{kUnknownDim}, c.attr<Types>("context_ragged_value_types").size());
    out.add(splits, c.attr<Types>("context_ragged_split_types").size());
  }
  out.add_sparse(3, c.attr<Types>("feature_list_sparse_types").size());
  const Shapes& dense = checked_shapes(c, "feature_list_dense_types", "feature_list_dense_shapes");
  for (const Shape& shape : dense) out.add(batch.concat(Shape{kUnknownDim}).concat(shape));
  out.add(batch, dense.size());
  if (v2) {
    out.add(Shape{kUnknownDim}, c.attr<Types>("feature_list_ragged_value_types").size());
    out.add(splits, c.attr<Types>("feature_list_ragged_split_types").size());
    out.add(Shape{kUnknownDim}, c.attr<Types>("feature_list_ragged_split_types").size());
  }
}

constexpr char kSerialized[] = "serialized: string | `[batch]`: tf.train.SequenceExample messages.";
constexpr char kNames[] = "debug_name: string | `[batch]` names for messages, or empty.";
constexpr char kDefaults[] =
    "context_dense_defaults: Tcontext_dense | For each dense feature of the context its value "
    "where "
    "it is missing, or an empty vector: then it must be there.";
constexpr char kContextIndices[] =
    "context_sparse_indices: Ncontext_sparse * int64 | `[n, 2]` each.";
constexpr char kContextValues[] = "context_sparse_values: context_sparse_types | `[n]` each.";
constexpr char kContextShapes[] = "context_sparse_shapes: Ncontext_sparse * int64 | `[2]` each.";
constexpr char kContextDense[] = "context_dense_values: Tcontext_dense | `[batch, ...]` each.";
constexpr char kListIndices[] =
    "feature_list_sparse_indices: Nfeature_list_sparse * int64 | `[n, 3]` each: example, step, "
    "place.";
constexpr char kListValues[] =
    "feature_list_sparse_values: feature_list_sparse_types | `[n]` each.";
constexpr char kListShapes[] =
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64 | `[3]` each: batch, most steps, "
    "most "
    "values.";
constexpr char kListDense[] =
    "feature_list_dense_values: feature_list_dense_types | `[batch, steps, ...]` each, zero past "
    "the end.";
constexpr char kListLengths[] =
    "feature_list_dense_lengths: Nfeature_list_dense * int64 | `[batch]` each: steps.";
constexpr char kNumContextSparse[] =
    "Ncontext_sparse: int >= 0 = 0 | Number of sparse features of the context.";
constexpr char kNumListSparse[] =
    "Nfeature_list_sparse: int >= 0 = 0 | Number of sparse feature lists.";
constexpr char kNumListDense[] =
    "Nfeature_list_dense: int >= 0 = 0 | Number of dense feature lists.";
constexpr char kContextSparseTypes[] =
    "context_sparse_types: list({float, int64, string}) >= 0 = [] | Their types.";
constexpr char kContextDenseTypes[] =
    "Tcontext_dense: list({float, int64, string}) >= 0 = [] | Types of the context's dense "
    "features.";
constexpr char kListDenseTypes[] =
    "feature_list_dense_types: list({float, int64, string}) >= 0 = [] | Their types.";
constexpr char kListSparseTypes[] =
    "feature_list_sparse_types: list({float, int64, string}) >= 0 = [] | Their types.";
constexpr char kContextDenseShapes[] =
    "context_dense_shapes: list(shape) >= 0 = [] | Shapes of the context's dense features.";
constexpr char kListDenseShapes[] =
    "feature_list_dense_shapes: list(shape) >= 0 = [] | Shape of each dense feature list in one "
    "step.";

constexpr OpDef kSequenceOps[] = {
    {.name = "ParseSequenceExample",
     .inputs = {kSerialized, kNames, kDefaults},
     .outputs = {kContextIndices, kContextValues, kContextShapes, kContextDense, kListIndices,
                 kListValues, kListShapes, kListDense, kListLengths},
     .attrs = {"feature_list_dense_missing_assumed_empty: list(string) >= 0 | Dense feature lists "
               "that may be missing.",
               "context_sparse_keys: list(string) >= 0 | Sparse features of the context.",
               "context_dense_keys: list(string) >= 0 | Dense features of the context.",
               "feature_list_sparse_keys: list(string) >= 0 | Sparse feature lists.",
               "feature_list_dense_keys: list(string) >= 0 | Dense feature lists.",
               kNumContextSparse,
               "Ncontext_dense: int >= 0 = 0 | Number of dense features of the context.",
               kNumListSparse, kNumListDense, kContextSparseTypes, kContextDenseTypes,
               kListDenseTypes, kContextDenseShapes, kListSparseTypes, kListDenseShapes},
     .doc = "Reads a batch of SequenceExamples: features of the whole example, and lists that have "
            "one feature a step.",
     .shape = sequence_shape,
     .no_gradient = kNoNumbers},
    {.name = "ParseSequenceExampleV2",
     .inputs = {kSerialized, kNames, "context_sparse_keys: string | A vector.",
                "context_dense_keys: string | A vector.", "context_ragged_keys: string | A vector.",
                "feature_list_sparse_keys: string | A vector.",
                "feature_list_dense_keys: string | A vector.",
                "feature_list_ragged_keys: string | A vector.",
                "feature_list_dense_missing_assumed_empty: bool | For each dense feature list "
                "whether it may be missing.",
                kDefaults},
     .outputs = {kContextIndices, kContextValues, kContextShapes, kContextDense,
                 "context_ragged_values: context_ragged_value_types | `[n]` each.",
                 "context_ragged_row_splits: context_ragged_split_types | `[batch + 1]` each.",
                 kListIndices, kListValues, kListShapes, kListDense, kListLengths,
                 "feature_list_ragged_values: feature_list_ragged_value_types | `[n]` each.",
                 "feature_list_ragged_outer_splits: feature_list_ragged_split_types | "
                 "`[batch + 1]` each: steps.",
                 "feature_list_ragged_inner_splits: feature_list_ragged_split_types | "
                 "`[steps + 1]` each: values."},
     .attrs = {kNumContextSparse, kContextDenseTypes, kContextSparseTypes,
               "context_ragged_value_types: list({float, int64, string}) >= 0 = [] | Types of the "
               "context's ragged features.",
               "context_ragged_split_types: list({int32, int64}) >= 0 = [] | Types of their row "
               "splits.",
               kContextDenseShapes, kNumListSparse, kNumListDense, kListDenseTypes,
               kListSparseTypes,
               "feature_list_ragged_value_types: list({float, int64, string}) >= 0 = [] | Types of "
               "the ragged feature lists.",
               "feature_list_ragged_split_types: list({int32, int64}) >= 0 = [] | Types of their "
               "splits.",
               kListDenseShapes},
     .doc = "ParseSequenceExample that reads ragged features too.",
     .shape = sequence_shape,
     .no_gradient = kNoNumbers},
};

}  // namespace

std::span<const OpDef> sequence_ops() { return kSequenceOps; }

}  // namespace thalweg
