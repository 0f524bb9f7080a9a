// Records that hold named features (tf.train.Example), read into tensors.
#include "thalweg/ops/parsing.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "ops/output_shapes.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

constexpr char kNoNumbers[] = "its input is text";

using Types = std::vector<DType>;
using Shapes = std::vector<Shape>;

size_t count_types(const ShapeContext& c, const char* attr) { return c.attr<Types>(attr).size(); }

void check_count(const ShapeContext& c, size_t got, size_t wanted, const char* what) {
  if (got != wanted) throw c.error(what, " are ", got, ", but there are types for ", wanted);
}

// Sparse features of `rank` dimensions, then dense ones behind `batch`.
void add_features(ShapeContext& c, OutputShapes& out, const Shape& batch, size_t num_sparse) {
  const size_t num_dense = count_types(c, "Tdense");
  const auto& shapes = c.attr<Shapes>("dense_shapes");
  check_count(c, count_types(c, "sparse_types"), num_sparse, "sparse types");
  check_count(c, shapes.size(), num_dense, "`dense_shapes`");
  const bool batched = batch.rank() != 0;
  const int64_t rank = batch.has_rank() ? (batched ? 2 : 1) : kUnknownDim;
  out.add_sparse(rank, num_sparse);
  for (size_t i = 0; i < num_dense; ++i) {
    if (!shapes[i].has_rank()) throw c.error("dense shape ", i, " has no rank");
    for (int d = 1; d < shapes[i].rank(); ++d) {
      if (shapes[i][d] == kUnknownDim)
        throw c.error("dense shape ", i, " is ", shapes[i],
                      "; only its first dimension may be unknown");
    }
    out.add(batch.concat(shapes[i]));
  }
}

void parse_example_shape(ShapeContext& c) {
  const Shape serialized = c.with_rank(0, 1);
  c.with_rank(1, 1);
  OutputShapes out(c);
  add_features(c, out, serialized, static_cast<size_t>(c.attr<int64_t>("Nsparse")));
}

void parse_example_v2_shape(ShapeContext& c) {
  const Shape& serialized = c.input(0);
  if (serialized.rank() > 1)
    throw c.error("serialized must be a scalar or a vector, got ", serialized);
  for (int i = 2; i < 5; ++i) c.with_rank(i, 1);
  OutputShapes out(c);
  add_features(c, out, serialized, static_cast<size_t>(c.attr<int64_t>("num_sparse")));
  const size_t num_ragged = count_types(c, "ragged_value_types");
  check_count(c, count_types(c, "ragged_split_types"), num_ragged, "`ragged_split_types`");
  out.add(Shape{kUnknownDim}, num_ragged);
  out.add(Shape{serialized.rank() == 1 ? add_dims(serialized[0], 1) : kUnknownDim}, num_ragged);
}

void parse_single_shape(ShapeContext& c) {
  if (c.input(0).has_rank()) c.with_rank(0, 0);
  check_count(c, c.attr<std::vector<std::string>>("sparse_keys").size(),
              count_types(c, "sparse_types"), "sparse keys");
  check_count(c, c.attr<std::vector<std::string>>("dense_keys").size(), count_types(c, "Tdense"),
              "dense keys");
  OutputShapes out(c);
  add_features(c, out, Shape{}, count_types(c, "sparse_types"));
}

constexpr char kDenseTypes[] =
    "Tdense: list({float, int64, string}) >= 0 | Types of the dense features.";
constexpr char kSparseTypes[] =
    "sparse_types: list({float, int64, string}) >= 0 | Types of the sparse features.";
constexpr char kDenseShapes[] =
    "dense_shapes: list(shape) >= 0 | Shape of each dense feature in one example; the first "
    "dimension may be unknown: then rows are padded to the longest.";
constexpr char kDefaults[] =
    "dense_defaults: Tdense | For each dense feature its value where it is missing, or an empty "
    "vector: then it must be there. Of unknown length: one element, the padding.";
constexpr char kDense[] = "dense_values: Tdense | `[batch, ...]` each.";

constexpr OpDef kParsingOps[] = {
    {.name = "ParseExample",
     .inputs = {"serialized: string | `[batch]`: tf.train.Example messages.",
                "names: string | `[batch]` names for messages, or empty.",
                "sparse_keys: Nsparse * string | Scalars.",
                "dense_keys: Ndense * string | Scalars.", kDefaults},
     .outputs = {"sparse_indices: Nsparse * int64 | `[n, 2]` each.",
                 "sparse_values: sparse_types | `[n]` each.",
                 "sparse_shapes: Nsparse * int64 | `[2]` each: batch and most values.", kDense},
     .attrs = {"Nsparse: int >= 0 | Number of sparse features.",
               "Ndense: int >= 0 | Number of dense features.", kSparseTypes, kDenseTypes,
               kDenseShapes},
     .doc =
         "Reads a batch of Examples into dense tensors and sparse matrices. Of a feature that is "
         "given twice the last value counts.",
     .shape = parse_example_shape,
     .no_gradient = kNoNumbers},
    {.name = "ParseExampleV2",
     .inputs = {"serialized: string | `[batch]`, or a scalar: then nothing has a batch dimension.",
                "names: string | `[batch]` names for messages, or empty.",
                "sparse_keys: string | `[sparse features]`.",
                "dense_keys: string | `[dense features]`.",
                "ragged_keys: string | `[ragged features]`.", kDefaults},
     .outputs = {"sparse_indices: num_sparse * int64 | `[n, 2]` each.",
                 "sparse_values: sparse_types | `[n]` each.",
                 "sparse_shapes: num_sparse * int64 | `[2]` each: batch and most values.", kDense,
                 "ragged_values: ragged_value_types | `[n]` each.",
                 "ragged_row_splits: ragged_split_types | `[batch + 1]` each."},
     .attrs = {kDenseTypes, "num_sparse: int >= 0 | Number of sparse features.", kSparseTypes,
               "ragged_value_types: list({float, int64, string}) >= 0 | Types of the ragged "
               "features.",
               "ragged_split_types: list({int32, int64}) >= 0 | Types of their row splits.",
               kDenseShapes},
     .doc = "ParseExample that reads ragged features too.",
     .shape = parse_example_v2_shape,
     .no_gradient = kNoNumbers},
    {.name = "ParseSingleExample",
     .inputs = {"serialized: string | A scalar: one tf.train.Example message.", kDefaults},
     .outputs = {"sparse_indices: num_sparse * int64 | `[n, 1]` each.",
                 "sparse_values: sparse_types | `[n]` each.",
                 "sparse_shapes: num_sparse * int64 | `[1]` each: the number of values.",
                 "dense_values: Tdense | Of their dense shapes."},
     .attrs = {"num_sparse: int >= 0 | Number of sparse features.",
               "sparse_keys: list(string) >= 0 | Their names.",
               "dense_keys: list(string) >= 0 | Names of the dense features.", kSparseTypes,
               kDenseTypes, kDenseShapes},
     .doc = "ParseExample of one message.",
     .shape = parse_single_shape,
     .no_gradient = kNoNumbers},
};

Output text_constant(Graph& graph, const std::vector<std::string>& texts) {
  const Tensor value =
      Tensor::from(std::span<const std::string>(texts), Shape{static_cast<int64_t>(texts.size())});
  return graph.add("Const", {}, {{"dtype", kString}, {"value", value}}).output();
}

}  // namespace

std::span<const OpDef> parsing_ops() { return kParsingOps; }

ParsedExamples parse_example(const Output& serialized, const std::vector<DenseFeature>& dense,
                             const std::vector<SparseFeature>& sparse,
                             const std::vector<SparseFeature>& ragged,
                             const ParseOptions& options) {
  Graph& graph = serialized.graph();
  const auto keys = [](const auto& features) {
    std::vector<std::string> names;
    for (const auto& feature : features) names.push_back(feature.key);
    return names;
  };
  const auto types = [](const auto& features) {
    Types result;
    for (const auto& feature : features) result.push_back(feature.dtype);
    return result;
  };
  std::vector<Output> inputs{serialized, text_constant(graph, {}),
                             text_constant(graph, keys(sparse)), text_constant(graph, keys(dense)),
                             text_constant(graph, keys(ragged))};
  Shapes shapes;
  for (const DenseFeature& feature : dense) {
    const bool padded = feature.shape.rank() > 0 && feature.shape[0] == kUnknownDim;
    Tensor otherwise = feature.default_value;
    if (!otherwise.is_valid())
      otherwise = Tensor::zeros(feature.dtype, padded ? Shape{} : Shape{0});
    inputs.push_back(
        graph.add("Const", {}, {{"dtype", feature.dtype}, {"value", otherwise}}).output());
    shapes.push_back(feature.shape);
  }
  Node& node = graph.add("ParseExampleV2", inputs,
                         {{"Tdense", types(dense)},
                          {"num_sparse", static_cast<int64_t>(sparse.size())},
                          {"sparse_types", types(sparse)},
                          {"ragged_value_types", types(ragged)},
                          {"ragged_split_types", Types(ragged.size(), kInt64)},
                          {"dense_shapes", shapes}},
                         {.name = options.name});
  ParsedExamples result;
  const auto at = [&](size_t i) { return node.output(static_cast<int>(i)); };
  const size_t s = sparse.size();
  for (size_t i = 0; i < s; ++i) result.sparse.push_back({at(i), at(s + i), at(2 * s + i)});
  for (size_t i = 0; i < dense.size(); ++i) result.dense.push_back(at(3 * s + i));
  const size_t r = 3 * s + dense.size();
  for (size_t i = 0; i < ragged.size(); ++i)
    result.ragged.push_back({at(r + i), at(r + ragged.size() + i)});
  return result;
}

}  // namespace thalweg
