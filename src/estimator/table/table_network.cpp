#include "estimator/table/table_network.h"

#include <algorithm>
#include <set>

#include "estimator/json_text.h"
#include "estimator/trees/tree_features.h"
#include "thalweg/nn/activations.h"
#include "thalweg/nn/layers.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

constexpr char kBaselineBias[] = "baseline/bias";

// As TensorFlow's DNN estimators: dense, dropout, batch normalisation, layer by layer.
Layer hidden_layers(const std::vector<int64_t>& units, const std::string& activation,
                    double dropout, bool batch_norm, int64_t outputs) {
  std::vector<Layer> layers;
  for (size_t i = 0; i < units.size(); ++i) {
    layers.push_back(
        Dense({.units = units[i], .activation = activation, .name = str("hidden_", i)}));
    if (dropout > 0) layers.push_back(Dropout({.rate = dropout, .name = str("dropout_", i)}));
    if (batch_norm) layers.push_back(BatchNorm({.momentum = 0.9, .name = str("norm_", i)}));
  }
  layers.push_back(Dense({.units = outputs, .name = "logits"}));
  return Sequential(std::move(layers), {.name = "dnn"});
}

// What stands in front of every row: a row of the bias alone.
Output constant_logits(const Output& rows, int64_t outputs) {
  Graph& graph = rows.graph();
  Output bias;
  if (const Graph::VariableRecord* found = graph.find_variable(kBaselineBias)) {
    bias = read_variable(found->handle->output(), kFloat32);
  } else {
    const RootScope root(graph);
    bias = Variable(graph, Tensor::zeros(kFloat32, {outputs}), {.name = kBaselineBias}).read();
  }
  return reshape(zeros_like(rows), {-1, 1}) + bias;
}

TreeShape shape_of_trees(const std::string& structure) {
  return tree_shape_from_json(json_at(parse_json(structure), "shape"));
}

/// One overload a family.
struct Maker {
  const Transform& transform;
  const Head& head;
  const std::string& structure;
  TreeForm form;

  using Inputs = std::vector<Output>;

  TableNetwork operator()(const Baseline&) const {
    return [outputs = head.outputs()](const Inputs& inputs, Mode) {
      return constant_logits(inputs[0], outputs);
    };
  }
  TableNetwork operator()(const Linear& m) const {
    return [m, transform = transform, outputs = head.outputs()](const Inputs& inputs, Mode) {
      return linear_model(transform, m.columns, inputs, outputs);
    };
  }
  TableNetwork operator()(const Dnn& m) const {
    const Layer layers =
        hidden_layers(m.hidden_units, m.activation, m.dropout, m.batch_norm, head.outputs());
    return [m, layers, transform = transform](const Inputs& inputs, Mode mode) {
      return layers(input_layer(transform, m.columns, inputs), mode);
    };
  }
  TableNetwork operator()(const WideDeep& m) const {
    const int64_t outputs = head.outputs();
    const Layer layers =
        hidden_layers(m.hidden_units, m.activation, m.dropout, m.batch_norm, outputs);
    return [m, layers, transform = transform, outputs](const Inputs& inputs, Mode mode) {
      return linear_model(transform, m.linear_columns, inputs, outputs) +
             layers(input_layer(transform, m.dnn_columns, inputs), mode);
    };
  }
  TableNetwork operator()(const BoostedTrees&) const { return trees(); }
  TableNetwork operator()(const Forest&) const { return trees(); }
  TableNetwork operator()(const Custom& m) const {
    return [m, transform = transform, outputs = head.outputs()](const Inputs& inputs, Mode mode) {
      return m.logits(
          {.transform = transform, .prepared = inputs, .mode = mode, .outputs = outputs});
    };
  }

  TableNetwork trees() const {
    return [transform = transform, shape = shape_of_trees(structure), form = form](
               const Inputs& inputs, Mode) {
      const Output features = tree_features(transform.prepared(), inputs);
      return tree_logits(features, tree_variables(features.graph(), shape), shape, form);
    };
  }
};

void check_hidden(const std::vector<int64_t>& units, const std::string& activation,
                  double dropout) {
  // Throws for units and activations that cannot be.
  hidden_layers(units, activation, 0, false, 1);
  if (!(dropout >= 0 && dropout < 1)) {
    throw invalid_argument("dropout is ", dropout,
                           ", expected a share of the units: 0 or more and less than 1");
  }
}

void check_penalty(std::string_view name, double value) {
  if (value >= 0) return;
  throw invalid_argument(name, " is ", value, ", expected 0 or more");
}

}  // namespace

std::vector<FeatureColumn> columns_of(const TableModel& model) {
  std::vector<FeatureColumn> all;
  std::visit(
      [&](const auto& m) {
        using M = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<M, WideDeep>) {
          all = m.linear_columns;
          all.insert(all.end(), m.dnn_columns.begin(), m.dnn_columns.end());
        } else if constexpr (!std::is_same_v<M, Baseline>) {
          all = m.columns;
        }
      },
      model);
  std::vector<FeatureColumn> result;
  for (const FeatureColumn& column : all) {
    if (std::ranges::find(result, column) == result.end()) result.push_back(column);
  }
  return result;
}

bool is_trees(const TableModel& model) {
  return std::holds_alternative<BoostedTrees>(model) || std::holds_alternative<Forest>(model);
}

bool learns_own_units(const TableModel& model) {
  const auto* linear = std::get_if<Linear>(&model);
  return is_trees(model) || std::holds_alternative<Baseline>(model) ||
         (linear != nullptr && linear->solver != LinearSolver::kFtrl);
}

void check_model(const TableModel& model) {
  if (columns_of(model).empty() && !std::holds_alternative<Baseline>(model)) {
    throw invalid_argument("a model of the family ", family_of(model),
                           " needs feature columns, but has none");
  }
  if (const auto* linear = std::get_if<Linear>(&model)) {
    check_penalty("l1", linear->l1);
    check_penalty("l2", linear->l2);
    check_penalty("learning_rate", linear->learning_rate);
    check_penalty("tolerance", linear->tolerance);
  }
  if (const auto* dnn = std::get_if<Dnn>(&model)) {
    check_hidden(dnn->hidden_units, dnn->activation, dnn->dropout);
  }
  if (const auto* both = std::get_if<WideDeep>(&model)) {
    check_hidden(both->hidden_units, both->activation, both->dropout);
    if (both->linear_columns.empty() || both->dnn_columns.empty()) {
      throw invalid_argument("a wide and deep model needs columns for both its parts, but its ",
                             both->linear_columns.empty() ? "linear" : "deep",
                             " part has none; use ",
                             both->linear_columns.empty() ? "Dnn" : "Linear");
    }
  }
  if (const auto* custom = std::get_if<Custom>(&model); custom != nullptr && !custom->logits) {
    throw invalid_argument("a custom model needs its function `logits`, but that is empty");
  }
  if (!learns_own_units(model)) table_optimizers(model, 1, 1);  // throws for names and rates
}

TableNetwork make_network(const TableModel& model, const Transform& transform, const Head& head,
                          const std::string& structure, TreeForm form) {
  return std::visit(Maker{transform, head, structure, form}, model);
}

data::Spec network_inputs(const Transform& transform) {
  data::Spec spec = transform.prepared().components();
  if (spec.empty()) spec.push_back({"rows", kFloat32, {}});
  return spec;
}

ModelParts table_parts(const TableModel& model, const Transform& transform, const Head& head,
                       const std::string& structure) {
  ModelParts parts;
  parts.inputs = network_inputs(transform);
  parts.network = make_network(model, transform, head, structure);
  parts.weighted = true;
  return parts;
}

}  // namespace thalweg
