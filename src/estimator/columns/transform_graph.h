// Stage 1 of a transform as nodes of a graph, of TensorFlow's own ops alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "estimator/columns/transform_state.h"
#include "thalweg/graph/graph.h"

namespace thalweg {

/// Several values a row, in their order: value i belongs to row rows[i], which rise.
struct RowValues {
  Output rows;    // int64 [n]
  Output values;  // string [n]
  Output cut;     // int64 [batch]: how many further ones were left out
};

/// Several ids a row, side by side: int64 [batch, width], -1 behind; float32 [batch, width].
struct Bag {
  Output ids;
  Output weights;
};

/// Adds what is asked for, each once. `raw` in the order of the state's inputs, [batch] each.
class StageGraph {
 public:
  StageGraph(Graph& graph, const Transform::State& state, const std::vector<Output>& raw,
             std::vector<Node*>* initializers);

  Graph& graph() { return graph_; }
  const Transform::State& state() const { return state_; }
  /// int64 scalar.
  Output batch();

  /// Of table columns that are not float: [batch].
  Output text(const std::string& column);
  Output is_empty(const std::string& column);
  /// float32 [batch], less the input's offset; NaN where missing.
  Output number(const std::string& column);

  /// In numbers_graph.cpp: float32 [batch, N].
  Output numbers();
  /// In date_graph.cpp: the parts of a date, [batch] each.
  std::vector<Output> date(const FeatureColumn& column);

  /// In category_graph.cpp: int64 [batch], -1 where there is none.
  Output ids(const FeatureColumn& category);
  Bag bag(const FeatureColumn& category);
  /// A vocabulary's place of each string, of any shape; -1 where it has none.
  Output look_up(const FeatureColumn& category, Output values);
  /// Values side by side; `nothing` behind.
  Output side_by_side(Output rows, Output values, double nothing);

  /// In text_graph.cpp: the words, or runs of words, of a text(); the values of a list().
  RowValues words(const FeatureColumn& text);
  RowValues list_values(const FeatureColumn& list);
  Bag text_bag(const FeatureColumn& text);

  /// The prepared tensors, in their order.
  std::vector<Output> outputs();

 private:
  Output crossed_ids(const FeatureColumn& cross);
  Output crossed_lists(const FeatureColumn& cross, Output& rows);
  RowValues split(Output texts, const std::string& separator, int64_t most);
  Output single(const FeatureColumn& category);

  Graph& graph_;
  const Transform::State& state_;
  std::vector<Output> raw_;
  std::vector<Node*>* initializers_;
  Output batch_;
  std::map<std::string, Output> empty_, numbers_;  // by column of the table
  std::map<std::string, Output> ids_;              // by fit_key()
  std::map<std::string, RowValues> values_;        // too
};

}  // namespace thalweg
