#include "thalweg/estimator/feature_network.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "estimator/columns/transform_state.h"
#include "thalweg/base/error.h"
#include "thalweg/nn/embedding_bag.h"
#include "thalweg/nn/initializers.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using Kind = ColumnKind;
using Place = Transform::Place;

// The prepared tensors of a batch by what they hold.
class Prepared {
 public:
  Prepared(const Transform& transform, const PreparedBatch& batch)
      : transform_(transform), batch_(batch) {
    const PreparedSpec& spec = transform.prepared();
    const size_t expected = static_cast<size_t>(!spec.numbers.empty()) +
                            static_cast<size_t>(!spec.ids.empty()) + 2 * spec.bags.size();
    if (batch.size() != expected) {
      throw invalid_argument("the transform prepares ", expected, " tensors, got ", batch.size());
    }
  }

  Graph& graph() const { return batch_[0].graph(); }
  /// These columns of the numbers, [batch, columns].
  Output numbers(const std::vector<int64_t>& columns) const {
    const Output all = batch_[0];
    const auto count = static_cast<int64_t>(columns.size());
    bool run = true;  // side by side
    for (int64_t i = 0; i < count; ++i) run &= columns[static_cast<size_t>(i)] == columns[0] + i;
    if (run && count == static_cast<int64_t>(transform_.prepared().numbers.size())) return all;
    if (run) return slice(all, {0, columns[0]}, {-1, count});
    return gather(all, constant(graph(), Tensor::from<int64_t>(columns, {count})), {.axis = 1});
  }
  /// Ids [batch, width], with weights unless all count 1.
  std::pair<Output, Output> ids(const Place& place) const {
    const bool has_numbers = !transform_.prepared().numbers.empty();
    const auto i = static_cast<size_t>(place.indices[0]);
    if (place.kind == Place::Kind::kIds) {
      return {slice(batch_[has_numbers ? 1 : 0], {0, place.indices[0]}, {-1, 1}), Output()};
    }
    const size_t first =
        static_cast<size_t>(has_numbers) + static_cast<size_t>(!transform_.prepared().ids.empty());
    return {batch_[first + 2 * i], batch_[first + 2 * i + 1]};
  }

 private:
  const Transform& transform_;
  const PreparedBatch& batch_;
};

// Sorted by key, each once.
std::vector<FeatureColumn> in_order(const std::vector<FeatureColumn>& columns,
                                    std::string_view function) {
  if (columns.empty()) throw invalid_argument(function, "(): there are no columns");
  std::vector<FeatureColumn> result;
  for (const FeatureColumn& column : columns) {
    if (std::ranges::find(result, column) == result.end()) result.push_back(column);
  }
  std::ranges::stable_sort(result, {}, &FeatureColumn::key);
  for (size_t i = 1; i < result.size(); ++i) {
    if (result[i].key() == result[i - 1].key()) {
      throw invalid_argument(function, "(): two different columns are named ",
                             shown(result[i].key()));
    }
  }
  return result;
}

// Finds the variable in its graph, or makes it.
template <class Make>
Variable shared_variable(const Transform& transform, Graph& graph, const std::string& name,
                         const Shape& shape, Make make) {
  const Transform::State& state = transform.state();
  const std::lock_guard lock(state.variables_mutex);
  const auto found = state.variables.find({graph.id(), name});
  if (found != state.variables.end()) {
    if (!(found->second.shape() == shape)) {
      throw invalid_argument("variable `", name, "` is ", found->second.shape(), " already, not ",
                             shape);
    }
    return found->second;
  }
  const RootScope root(graph);
  const Variable variable = make();
  state.variables.emplace(std::make_pair(graph.id(), name), variable);
  return variable;
}

Variable weights(const Transform& transform, Graph& graph, const std::string& name,
                 const Shape& shape, const Initializer& initializer,
                 const Regularizer& regularizer = {}) {
  return shared_variable(transform, graph, name, shape, [&] {
    const size_t slash = name.rfind('/');
    const Variable variable(graph, initializer(graph, shape, kFloat32, name), {.name = name});
    if (regularizer) {
      const NameScope scope(graph, name.substr(0, slash) + "/Regularizer");
      graph.collect(kRegularizationLosses, *regularizer(variable).node());
    }
    return variable;
  });
}

// How often each id occurs in its row: [batch, buckets]. One cell more takes what has no id.
Output counts(Output ids, Output weights, int64_t buckets) {
  Graph& graph = ids.graph();
  if (!weights) return one_hot(squeeze(ids, {1}), buckets);
  const Output is_there = logical_and(greater_equal(ids, 0), greater(weights, 0));
  const Output cells = select(is_there, ids, constant(graph, buckets));
  const Output batch = strided_slice(shape_of(ids, kInt64), {0}, {1}, {1}, {.shrink_axis_mask = 1});
  const Output rows =
      expand_dims(range(constant(graph, int64_t{0}), batch, constant(graph, int64_t{1})), 1) +
      zeros_like(cells);
  const Output sums = scatter_nd(pack({rows, cells}, 2), relu(weights),
                                 pack({batch, constant(graph, buckets + 1)}));
  return slice(sums, {0, 0}, {-1, buckets});
}

Variable embedding_table(const Transform& transform, const FeatureColumn& column, Graph& graph,
                         const Place& place) {
  const ColumnDef& def = column.def();
  const std::string name =
      str("input_layer/", node_name(def.shared.empty() ? column.key() : def.shared), "/weights");
  const double deviation = def.embedding.deviation > 0
                               ? def.embedding.deviation
                               : 1 / std::sqrt(static_cast<double>(def.dimension));
  return weights(transform, graph, name, {place.buckets, def.dimension},
                 initializers::truncated_normal(0, deviation));
}

}  // namespace

Output input_layer(const Transform& transform, const std::vector<FeatureColumn>& columns,
                   const PreparedBatch& batch) {
  const Prepared prepared(transform, batch);
  std::vector<Output> parts;
  std::vector<int64_t> numbers;  // that stand next to each other in the order of keys
  const auto flush = [&] {
    if (!numbers.empty()) parts.push_back(prepared.numbers(numbers));
    numbers.clear();
  };
  for (const FeatureColumn& column : in_order(columns, "input_layer")) {
    if (column.is_categorical()) {
      throw invalid_argument("input_layer(): ", shown(column.key()),
                             " gives categories, but a network takes numbers: put it into "
                             "indicator() or embedding()");
    }
    const Place place = transform.place(column);
    if (place.kind == Place::Kind::kNumbers) {
      numbers.insert(numbers.end(), place.indices.begin(), place.indices.end());
      continue;
    }
    flush();
    const auto [ids, factors] = prepared.ids(place);
    if (column.def().kind == Kind::kEmbedding) {
      const Variable table = embedding_table(transform, column, prepared.graph(), place);
      parts.push_back(embedding_bag(table, ids, factors, column.def().embedding.combiner));
    } else {
      parts.push_back(counts(ids, factors, place.buckets));
    }
  }
  flush();
  return concat(parts, 1);
}

Sequence sequence_layer(const Transform& transform, const FeatureColumn& column,
                        const PreparedBatch& batch) {
  const Prepared prepared(transform, batch);
  const ColumnDef& def = column.def();
  const bool has_category = def.kind == Kind::kEmbedding || def.kind == Kind::kIndicator;
  const ColumnDef* category = has_category ? &def.category().def() : nullptr;
  if (category == nullptr || (category->kind != Kind::kList && category->kind != Kind::kText) ||
      (category->kind == Kind::kText && category->text.tf_idf)) {
    throw invalid_argument("sequence_layer(): ", shown(column.key()),
                           " has no values in their order, expected embedding() or indicator() of "
                           "a list(), or of a text() without tf_idf");
  }
  const Place place = transform.place(column);
  const Output ids = prepared.ids(place).first;
  const Output is_there = greater_equal(ids, 0);
  const Output lengths = reduce_sum(cast(is_there, kInt64), 1);
  if (def.kind == Kind::kIndicator) return {one_hot(ids, place.buckets), lengths};
  const Variable table = embedding_table(transform, column, prepared.graph(), place);
  const Output known = select(is_there, ids, zeros_like(ids));
  return {
      resource_gather(table.handle(), known, kFloat32) * expand_dims(cast(is_there, kFloat32), 2),
      lengths};
}

Output linear_model(const Transform& transform, const std::vector<FeatureColumn>& columns,
                    const PreparedBatch& batch, int64_t units, const Regularizer& regularizer) {
  const Prepared prepared(transform, batch);
  Graph& graph = prepared.graph();
  const auto zeros_of = [&](const std::string& name, const Shape& shape,
                            const Regularizer& penalty) {
    return weights(transform, graph, name, shape, initializers::zeros(), penalty);
  };
  std::vector<int64_t> numbers;
  std::vector<Output> number_weights, sums;
  for (const FeatureColumn& column : in_order(columns, "linear_model")) {
    if (column.def().kind == Kind::kEmbedding) {
      throw invalid_argument("linear_model(): ", shown(column.key()),
                             " is an embedding, which a linear model does not learn: give it the "
                             "category itself");
    }
    const Place place = transform.place(column);
    const bool is_number = place.kind == Place::Kind::kNumbers;
    const int64_t inputs = is_number ? static_cast<int64_t>(place.indices.size()) : place.buckets;
    const Variable variable =
        zeros_of(str("linear/", node_name(column.key()), "/weights"), {inputs, units}, regularizer);
    if (is_number) {
      numbers.insert(numbers.end(), place.indices.begin(), place.indices.end());
      number_weights.push_back(variable);
    } else {
      const auto [ids, factors] = prepared.ids(place);
      sums.push_back(embedding_bag(variable, ids, factors, Combiner::kSum));
    }
  }
  if (!numbers.empty()) {
    sums.push_back(matmul(prepared.numbers(numbers), concat(number_weights, 0)));
  }
  return add_n(sums) + zeros_of("linear/bias", {units}, {});
}

}  // namespace thalweg
