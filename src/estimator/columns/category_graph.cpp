// Ids of stage 1.
#include <limits>

#include "estimator/columns/transform_graph.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/numeric.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/string.h"
#include "thalweg/ops/table.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using Kind = ColumnKind;

// TensorFlow's _DEFAULT_HASH_KEY.
constexpr int64_t kHashKey = 0xDECAFCAFFE;

Output none(Graph& graph) { return constant(graph, int64_t{-1}); }

// A column of the op that crosses: dense [batch, 1], or sparse.
struct CrossInputs {
  std::vector<Output> indices, values, shapes, dense;
};

Node& add_cross(Graph& graph, const CrossInputs& inputs, int64_t buckets) {
  std::vector<Output> all;
  for (const auto* list : {&inputs.indices, &inputs.values, &inputs.shapes, &inputs.dense}) {
    all.insert(all.end(), list->begin(), list->end());
  }
  const auto types = [](const std::vector<Output>& values) {
    std::vector<DType> result;
    for (const Output& value : values) result.push_back(value.dtype());
    return result;
  };
  return graph.add("SparseCross", std::move(all),
                   {{"N", static_cast<int64_t>(inputs.indices.size())},
                    {"hashed_output", true},
                    {"num_buckets", buckets},
                    {"hash_key", kHashKey},
                    {"sparse_types", types(inputs.values)},
                    {"dense_types", types(inputs.dense)},
                    {"out_type", kInt64},
                    {"internal_type", kInt64}});
}

}  // namespace

Output StageGraph::look_up(const FeatureColumn& category, Output values) {
  const std::vector<std::string>& words = state_.fit(category).vocabulary;
  const auto count = static_cast<int64_t>(words.size());
  const std::string name = node_name(category.key());
  const Output table = hash_table(graph_, kString, kInt64, {.name = name + "_table"});
  Tensor places(kInt64, {count});
  auto place = places.mutable_data<int64_t>();
  for (int64_t i = 0; i < count; ++i) place[static_cast<size_t>(i)] = i;
  Node& filled = initialize_table(
      table, constant(graph_, Tensor::from<std::string>(words, {count}), {.name = name + "_keys"}),
      constant(graph_, places, {.name = name + "_values"}));
  if (initializers_ != nullptr) initializers_->push_back(&filled);
  return lookup_table_find(table, values, none(graph_));
}

Output StageGraph::single(const FeatureColumn& category) {
  const ColumnDef& def = category.def();
  switch (def.kind) {
    case Kind::kBucketized: {
      const FittedInput& input = state_.input(def.column);
      std::vector<float> boundaries;
      for (const double boundary : state_.fit(category).boundaries) {
        boundaries.push_back(static_cast<float>(boundary - input.offset));
      }
      const Output x = number(def.column);
      return select(is_nan(x), none(graph_), cast(bucketize(x, boundaries), kInt64));
    }
    case Kind::kVocabulary:
    case Kind::kVocabularyFile: {
      const Output words = text(def.column);
      const Output found = look_up(category, words);
      const auto known = static_cast<int64_t>(state_.fit(category).vocabulary.size());
      const int64_t others = def.vocabulary.oov_buckets;
      if (others == 0) return found;
      Output other = constant(graph_, known);
      if (others > 1) other = string_to_hash_bucket_fast(words, others) + other;
      const Output ids = select(less(found, 0), other, found);
      return select(is_empty(def.column), none(graph_), ids);
    }
    case Kind::kHashed:
      return select(is_empty(def.column), none(graph_),
                    string_to_hash_bucket_fast(text(def.column), def.buckets));
    case Kind::kIdentity: {
      const Output empty = is_empty(def.column);
      const Output ids =
          string_to_number(select(empty, constant(graph_, Tensor("-1")), text(def.column)), kInt64);
      const Output fits =
          logical_and(greater_equal(ids, 0), less(ids, constant(graph_, def.buckets)));
      const Output known =
          select(fits, ids, constant(graph_, def.otherwise ? *def.otherwise : int64_t{-1}));
      return select(empty, none(graph_), known);
    }
    case Kind::kCrossed: return crossed_ids(category);
    default: throw internal_error(def.kind, " has no single id");
  }
}

Output StageGraph::ids(const FeatureColumn& category) {
  Output& made = ids_[fit_key(category)];
  if (!made) made = single(category);
  return made;
}

// All parts have one value a row, so the cross has one too, and row r's stands at r.
Output StageGraph::crossed_ids(const FeatureColumn& cross) {
  CrossInputs inputs;
  Output missing;
  for (const FeatureColumn& part : cross.def().parts) {
    const ColumnDef& def = part.def();
    const bool by_id = def.kind == Kind::kBucketized || def.kind == Kind::kIdentity;
    const Output value = by_id ? ids(part) : text(def.column);
    const Output lacks = by_id ? less(value, 0) : is_empty(def.column);
    missing = missing ? logical_or(missing, lacks) : lacks;
    inputs.dense.push_back(expand_dims(value, 1));
  }
  const Output hashes = add_cross(graph_, inputs, cross.def().buckets).output(1);
  return select(missing, none(graph_), hashes);
}

// Parts with several values: the op takes them all sparse, which keeps their order.
Output StageGraph::crossed_lists(const FeatureColumn& cross, Output& rows) {
  CrossInputs inputs;
  for (const FeatureColumn& part : cross.def().parts) {
    const ColumnDef& def = part.def();
    Output part_rows, values;
    if (def.kind == Kind::kText || def.kind == Kind::kList) {
      const RowValues several = def.kind == Kind::kText ? words(part) : list_values(part);
      part_rows = several.rows;
      values = several.values;
    } else {
      const bool by_id = def.kind == Kind::kBucketized || def.kind == Kind::kIdentity;
      values = by_id ? ids(part) : text(def.column);
      const Output there = by_id ? greater_equal(values, 0) : logical_not(is_empty(def.column));
      part_rows = squeeze(where(there), {1});
      values = gather(values, part_rows);
    }
    // Only the row of each value is looked at.
    inputs.indices.push_back(pack({part_rows, zeros_like(part_rows)}, 1));
    inputs.values.push_back(values);
    inputs.shapes.push_back(pack({batch(), batch()}));
  }
  Node& node = add_cross(graph_, inputs, cross.def().buckets);
  rows = squeeze(slice(node.output(0), {0, 0}, {-1, 1}), {1});
  return node.output(1);
}

Output StageGraph::side_by_side(Output rows, Output values, double nothing) {
  // The widest row, but at least 1: a batch without any value is a column of nothings.
  const Output ones = ones_like(rows);
  const Output counts = unsorted_segment_sum(ones, rows, batch());
  const Output width =
      maximum(reduce_max(concat({counts, constant(graph_, Tensor::of<int64_t>({1}))}, 0)), 1);
  const Output shape = pack({none(graph_), width});
  return graph_
      .add("RaggedTensorToTensor", {shape, values, scalar_like(values, nothing), batch(), rows},
           {{"row_partition_types", std::vector<std::string>{"FIRST_DIM_SIZE", "VALUE_ROWIDS"}}})
      .output();
}

Bag StageGraph::bag(const FeatureColumn& category) {
  const ColumnDef& def = category.def();
  if (def.kind == Kind::kText) return text_bag(category);
  if (def.kind == Kind::kWeighted) {
    const FeatureColumn& weighted = def.category();
    if (weighted.def().kind != Kind::kList) {
      const Output weight = number(def.column);
      return {expand_dims(ids(weighted), 1),
              expand_dims(select(is_nan(weight), constant(graph_, 0.0f), weight), 1)};
    }
    Bag made = bag(weighted);
    const RowValues weights =
        split(text(def.column), weighted.def().list.separator, weighted.def().list.most_values);
    made.weights = side_by_side(weights.rows, string_to_number(weights.values), 0);
    return made;
  }
  Output rows, found;
  if (def.kind == Kind::kCrossed) {
    found = crossed_lists(category, rows);
  } else {
    const RowValues several = list_values(category);
    rows = several.rows;
    if (def.list.hash_buckets > 0) {
      found = string_to_hash_bucket_fast(several.values, def.list.hash_buckets);
    } else {
      found = look_up(category, several.values);
      const auto known = static_cast<int64_t>(state_.fit(category).vocabulary.size());
      found = select(less(found, 0), constant(graph_, known), found);
    }
  }
  const Output side = side_by_side(rows, found, -1);
  return {side, cast(greater_equal(side, 0), kFloat32)};
}

}  // namespace thalweg
