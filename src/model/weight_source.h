// Where restored variables come from: checkpoints, .npz and .safetensors files behind one face.
#pragma once

#include <memory>

#include "thalweg/model/restore.h"

namespace thalweg {

class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual std::string description() const = 0;  // "checkpoint 'model-200'"
  virtual std::vector<std::string> names() const = 0;
  /// The key under which the source holds what goes by `name`; empty when it does not.
  virtual std::optional<std::string> find_key(const std::string& name) const = 0;
  virtual BundleEntry entry(const std::string& key) const = 0;
  virtual Tensor read(const std::string& key) const = 0;
};

std::unique_ptr<WeightSource> checkpoint_source(const BundleReader& checkpoint);
/// By the ending of its name.
std::unique_ptr<WeightSource> file_source(const std::string& path);

/// As restore_variables.
RestoreReport restore_from(const WeightSource& source, const Graph& graph, VariableStore& store,
                           const RestoreOptions& options);

}  // namespace thalweg
