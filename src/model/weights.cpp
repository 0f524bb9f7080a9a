#include "model/weight_source.h"
#include "thalweg/tensor/npy.h"
#include "thalweg/tensor/safetensors.h"

namespace thalweg {

void save_weights(const std::string& path, const VariableStore& store) {
  std::map<std::string, Tensor, std::less<>> values;
  for (const std::string& name : store.names()) values[name] = store.get(name);
  if (path.ends_with(".npz")) return write_npz(path, values);
  if (path.ends_with(".safetensors")) return write_safetensors(path, values);
  BundleWriter checkpoint(path);
  for (const auto& [name, value] : values) checkpoint.add(name, value);
  checkpoint.finish();
}

RestoreReport load_weights(const std::string& path, const Graph& graph, VariableStore& store,
                           const RestoreOptions& options) {
  return restore_from(*file_source(path), graph, store, options);
}

}  // namespace thalweg
