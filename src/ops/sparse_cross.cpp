// Crosses of categorical features, as wide models take them.
#include "ops/families.h"
#include "ops/sparse_rows.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/sparse.h"

namespace thalweg {
namespace {

// `indices`, `values` and `shapes` of N columns each, then the dense ones.
void check_columns(const ShapeContext& c) {
  const auto count = static_cast<int>(c.attr<int64_t>("N"));
  if (const auto types = c.attr<std::vector<DType>>("sparse_types").size();
      static_cast<int>(types) != count) {
    throw c.error("there are ", count, " sparse columns, and types for ", types);
  }
  for (int i = 0; i < count; ++i) {
    rows::check_sparse(c, i, count + i, 2 * count + i);
    if (const Shape shape = c.with_rank(2 * count + i, 1); !shape.is_compatible_with(Shape{2}))
      throw c.error("`shapes` of column ", i, " must have 2 entries, got shape ", shape);
  }
  const auto dense = static_cast<int>(c.attr<std::vector<DType>>("dense_types").size());
  for (int i = 0; i < dense; ++i) c.with_rank(3 * count + i, 2);
}

void set_cross_shapes(ShapeContext& c) {
  c.set_output(0, Shape{kUnknownDim, 2});
  c.set_output(1, Shape{kUnknownDim});
  c.set_output(2, Shape{2});
}

void cross_shape(ShapeContext& c) {
  check_columns(c);
  set_cross_shapes(c);
}

void cross_hashed_shape(ShapeContext& c) {
  check_columns(c);
  const int first = c.num_inputs() - 3;
  c.with_rank(first, 0);
  c.with_rank(first + 1, 0);
  if (const Shape salt = c.with_rank(first + 2, 1); !salt.is_compatible_with(Shape{2}))
    throw c.error("`salt` must have 2 entries, got shape ", salt);
  set_cross_shapes(c);
}

constexpr const char* kIndices =
    "indices: N * int64 | Where the entries of each sparse column lie, `[n, 2]`, row by row.";
constexpr const char* kValues = "values: sparse_types | The entries of each, `[n]`.";
constexpr const char* kShapes = "shapes: N * int64 | The dense shape of each, `[2]`.";
constexpr const char* kDense = "dense_inputs: dense_types | Dense columns, `[batch, features]`.";
constexpr const char* kOutIndices = "output_indices: int64 | Where the crosses lie, `[m, 2]`.";
constexpr const char* kOutShape = "output_shape: int64 | The dense shape, `[2]`.";
constexpr const char* kCount = "N: int >= 0 | How many sparse columns.";
constexpr const char* kSparseTypes =
    "sparse_types: list({int64, string}) >= 0 | Types of the sparse columns.";
constexpr const char* kDenseTypes =
    "dense_types: list({int64, string}) >= 0 | Types of the dense columns.";
constexpr std::string_view kNoGradient = "crosses are names or hashes";

constexpr OpDef kOps[] = {
    {.name = "SparseCross",
     .inputs = {kIndices, kValues, kShapes, kDense},
     .outputs = {kOutIndices, "output_values: out_type | The crosses, `[m]`.", kOutShape},
     .attrs = {kCount, "hashed_output: bool | Whether crosses are hashes, not names.",
               "num_buckets: int >= 0 | Hashes are taken modulo this; 0: modulo 2^63 - 1.",
               "hash_key: int | What the hash starts from.", kSparseTypes, kDenseTypes,
               "out_type: {int64, string} | int64 of hashes, string of names.",
               "internal_type: {int64, string} | Kept for graph files."},
     .doc = "For each row all combinations of one feature of every column, as hashes or as names "
            "joined by \"_X_\".",
     .shape = cross_shape,
     .no_gradient = kNoGradient},
    {.name = "SparseCrossV2",
     .inputs = {kIndices, kValues, kShapes, kDense, "sep: string | What joins names, a scalar."},
     .outputs = {kOutIndices, "output_values: string | The crosses, `[m]`.", kOutShape},
     .attrs = {kCount, kSparseTypes, kDenseTypes},
     .doc = "For each row all combinations of one feature of every column, as joined names.",
     .shape = cross_shape,
     .no_gradient = kNoGradient},
    {.name = "SparseCrossHashed",
     .inputs = {kIndices, kValues, kShapes, kDense,
                "num_buckets: int64 | Hashes are taken modulo this; 0: modulo 2^63 - 1.",
                "strong_hash: bool | Whether strings are hashed by SipHash, not by FarmHash.",
                "salt: int64 | The key of the strong hash, `[2]`."},
     .outputs = {kOutIndices, "output_values: int64 | The crosses, `[m]`.", kOutShape},
     .attrs = {kCount, kSparseTypes, kDenseTypes},
     .doc = "For each row all combinations of one feature of every column, as hashes.",
     .shape = cross_hashed_shape,
     .no_gradient = kNoGradient},
};

}  // namespace

std::span<const OpDef> sparse_cross_ops() { return kOps; }

namespace {

// The inputs and type attributes that all crosses begin with.
struct CrossInputs {
  explicit CrossInputs(const CrossColumns& columns) {
    std::vector<DType> sparse_types;
    std::vector<DType> dense_types;
    for (const SparseTensor& column : columns.sparse) inputs.push_back(column.indices);
    for (const SparseTensor& column : columns.sparse) {
      inputs.push_back(column.values);
      sparse_types.push_back(column.values.dtype());
    }
    for (const SparseTensor& column : columns.sparse) inputs.push_back(column.shape);
    for (const Output& column : columns.dense) {
      inputs.push_back(column);
      dense_types.push_back(column.dtype());
    }
    if (inputs.empty()) throw invalid_argument("a cross needs columns, but there are none");
    attrs = {{"N", static_cast<int64_t>(columns.sparse.size())},
             {"sparse_types", std::move(sparse_types)},
             {"dense_types", std::move(dense_types)}};
  }
  std::vector<Output> inputs;
  AttrMap attrs;
};

SparseTensor outputs_of(Node& node) { return {node.output(0), node.output(1), node.output(2)}; }

}  // namespace

SparseTensor sparse_cross(const CrossColumns& columns, const SparseCrossOptions& options) {
  CrossInputs cross(columns);
  cross.attrs.emplace("hashed_output", true);
  cross.attrs.emplace("num_buckets", options.num_buckets);
  cross.attrs.emplace("hash_key", options.hash_key);
  cross.attrs.emplace("out_type", kInt64);
  cross.attrs.emplace("internal_type", kInt64);
  Graph& graph = cross.inputs[0].graph();
  return outputs_of(graph.add("SparseCross", std::move(cross.inputs), std::move(cross.attrs),
                              {.name = options.name}));
}

SparseTensor sparse_cross_hashed(const CrossColumns& columns,
                                 const SparseCrossHashedOptions& options) {
  CrossInputs cross(columns);
  Graph& graph = cross.inputs[0].graph();
  cross.inputs.push_back(constant(graph, Tensor(options.num_buckets)));
  cross.inputs.push_back(constant(graph, Tensor(options.strong_hash)));
  cross.inputs.push_back(constant(graph, Tensor::of<int64_t>({options.salt[0], options.salt[1]})));
  return outputs_of(graph.add("SparseCrossHashed", std::move(cross.inputs), std::move(cross.attrs),
                              {.name = options.name}));
}

}  // namespace thalweg
