// Variables from checkpoints of others: all of a model's, or some of them under other names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thalweg/formats/checkpoint.h"
#include "thalweg/graph/graph.h"
#include "thalweg/runtime/variable_store.h"

namespace thalweg {

/// How names in the checkpoint become names of variables, as TensorFlow's assignment map: exact
/// names, or scopes, which end in "/" (`{"bert/", "encoder/"}`; "" or "/" is the root).
using AssignmentMap = std::vector<std::pair<std::string, std::string>>;

/// What became of a restore.
struct RestoreReport {
  std::vector<std::string> restored;  // variables, sorted
  std::vector<std::string> missing;   // variables that the checkpoint has nothing for
  /// Variables whose dtype or shape differs: "w: float32[3,2] here, float32[2,3] in the
  /// checkpoint".
  std::vector<std::string> mismatched;
  std::vector<std::string> unused;  // tensors of the checkpoint that no variable took
  bool complete() const { return missing.empty() && mismatched.empty(); }
  /// For people: counts, then the names.
  std::string to_string() const;
};

struct RestoreOptions {
  /// Empty: every variable by its own name.
  AssignmentMap assignment = {};
  /// Leave variables as they are where the checkpoint has none or another shape for them.
  bool partial = false;
};

/// Gives the variables of `graph` their values of `checkpoint`; a checkpoint of TensorFlow 2
/// objects is also known by the names that its variables had in their program. Without `partial`
/// nothing is changed when a variable is missing or does not fit: throws failed_precondition with
/// the report.
RestoreReport restore_variables(const BundleReader& checkpoint, const Graph& graph,
                                VariableStore& store, const RestoreOptions& options = {});

/// The same from a file, told by its ending: .npz, .safetensors, else the prefix of a checkpoint.
RestoreReport load_weights(const std::string& path, const Graph& graph, VariableStore& store,
                           const RestoreOptions& options = {});
/// Writes all variables that have a value, running statistics and optimizer slots included, to a
/// file of the kind that its ending tells. Throws what write_npz, write_safetensors and
/// BundleWriter throw.
void save_weights(const std::string& path, const VariableStore& store);

}  // namespace thalweg
