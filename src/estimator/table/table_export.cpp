// TableEstimator::export_saved_model: from raw columns to predictions in one graph.
//
// The graph is built twice, with the same variables: once from the columns as they are, once from
// serialised Examples, which hold them by name. A signature can only be fed by placeholders, so one
// graph that parses or is fed would need both.
#include <limits>

#include "estimator/table/table_state.h"
#include "thalweg/formats/saved_model.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/parsing.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using NamedOutputs = std::vector<std::pair<std::string, Output>>;

class Exporter {
 public:
  explicit Exporter(const TableEstimator::State& state)
      : state_(state),
        graph_(standard_ops()),
        network_(make_network(state.family, *state.transform, *state.head,
                              state.record.table->structure, TreeForm::kStock)) {}

  SignatureSpec by_columns() {
    SignatureSpec signature;
    std::vector<Output> raw;
    for (const RawInput& input : inputs()) {
      raw.push_back(
          placeholder(graph_, input.dtype, {kUnknownDim}, {.name = to_node_name(input.column)}));
      signature.inputs.emplace_back(input.column, raw.back());
    }
    if (raw.empty()) {
      raw.push_back(placeholder(graph_, kFloat32, {kUnknownDim}, {.name = "rows"}));
      signature.inputs.emplace_back("rows", raw.back());
    }
    signature.outputs = outputs(raw);
    return signature;
  }

  SignatureSpec by_examples() {
    const Output serialized =
        placeholder(graph_, kString, {kUnknownDim}, {.name = "input_example_tensor"});
    const NameScope scope(graph_, "examples");
    std::vector<Output> raw;
    if (inputs().empty()) {
      raw.push_back(cast(shape_like(serialized), kFloat32));
    } else {
      raw = parsed(serialized);
    }
    SignatureSpec signature;
    signature.name = "examples";
    signature.inputs.emplace_back("inputs", serialized);
    signature.outputs = outputs(raw);
    return signature;
  }

  void write(const std::string& folder, bool variables) {
    const std::vector<SignatureSpec> signatures = {by_columns(), by_examples()};
    std::map<std::string, Tensor> values;
    for (const Graph::VariableRecord& variable : graph_.variables()) {
      values[variable.name] = state_.variables->get(variable.name);
    }
    SavedModelOptions options{.variables = variables};
    options.initializers.assign(initializers_.begin(), initializers_.end());
    write_saved_model(folder, graph_, signatures, values, options);
  }

 private:
  const std::vector<RawInput>& inputs() const { return state_.transform->inputs(); }

  // Zeros, one an Example.
  Output shape_like(const Output& serialized) {
    return zeros_like(cast(equal_to_itself(serialized), kInt32));
  }
  static Output equal_to_itself(const Output& x) { return equal(x, x); }

  // Missing features are missing values. What is wide (float64) comes as float32, as Examples hold
  // no wider numbers.
  std::vector<Output> parsed(const Output& serialized) {
    std::vector<DenseFeature> features;
    for (const RawInput& input : inputs()) {
      const bool is_text = input.dtype == kString;
      features.push_back({.key = input.column,
                          .dtype = is_text ? kString : kFloat32,
                          .shape = {},
                          .default_value = is_text
                                               ? Tensor(std::string())
                                               : Tensor(std::numeric_limits<float>::quiet_NaN())});
    }
    std::vector<Output> raw = parse_example(serialized, features).dense;
    for (size_t i = 0; i < raw.size(); ++i) raw[i] = cast(raw[i], inputs()[i].dtype);
    return raw;
  }

  NamedOutputs outputs(const std::vector<Output>& raw) {
    std::vector<Output> prepared = raw;
    if (!inputs().empty()) {
      std::vector<Node*> nodes;
      prepared = state_.transform->build(graph_, raw, &nodes);
      initializers_.insert(initializers_.end(), nodes.begin(), nodes.end());
    }
    const Output logits = network_(prepared, Mode::kPredicting);
    const Output predictions = state_.head->predictions(logits);
    const HeadKind kind = state_.spec.kind;
    if (kind == HeadKind::kClassification) {
      const Output ids = argmax(predictions, 1);
      const std::vector<std::string> names = state_.head->prediction_names();
      const Output classes = constant(graph_, Tensor::from(std::span<const std::string>(names),
                                                           {static_cast<int64_t>(names.size())}));
      return {{"probabilities", identity(predictions)},
              {"class_ids", identity(ids)},
              {"classes", gather(classes, ids)},
              {"logits", identity(logits)}};
    }
    if (kind == HeadKind::kMultiLabel) {
      return {{"probabilities", identity(predictions)}, {"logits", identity(logits)}};
    }
    return {{"predictions", identity(predictions)}};
  }

  const TableEstimator::State& state_;
  Graph graph_;
  TableNetwork network_;
  std::vector<Node*> initializers_;
};

}  // namespace

void TableEstimator::export_saved_model(const std::string& folder, bool variables) const {
  state_->ready();
  Exporter(*state_).write(folder, variables);
}

}  // namespace thalweg
