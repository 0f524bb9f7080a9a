// SavedModels of anybody's, loaded and run: initialisation, and each signature on zeros.
#include <cstdint>
#include <string>

#include "scratch.h"
#include "thalweg/base/error.h"
#include "thalweg/graph/function.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/ops/standard_ops.h"

namespace {

bool has_loops(const thalweg::Graph& graph) {
  for (int id = 0; id < graph.num_nodes(); ++id) {
    if (graph.node(id).type().find("While") != std::string_view::npos) return true;
  }
  return false;
}

// A loop may run for ever when its file says so.
bool may_not_end(const thalweg::MetaGraph& meta) {
  const auto graph = meta.build(thalweg::standard_ops());
  if (has_loops(*graph)) return true;
  for (const std::string& name : graph->functions().names()) {
    if (has_loops(*graph->functions().at(name).body)) return true;
  }
  return false;
}

thalweg::Tensor zeros(const thalweg::Output& output) {
  thalweg::Shape shape = output.shape().has_rank() ? output.shape() : thalweg::Shape{};
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == thalweg::kUnknownDim) shape.set_dim(i, 1);
    if (shape[i] > 64) throw thalweg::invalid_argument("too large an input");
  }
  if (shape.num_elements() > 4096) throw thalweg::invalid_argument("too large an input");
  if (output.dtype() == thalweg::kString) return thalweg::Tensor(thalweg::kString, shape);
  return thalweg::Tensor::zeros(thalweg::kFloat32, shape).cast(output.dtype());
}

void load_and_run(const std::string& folder) {
  const thalweg::SavedModelFile file(folder);
  for (const thalweg::MetaGraph& meta : file.graphs()) {
    if (may_not_end(meta)) return;
  }
  const auto model = thalweg::LoadedModel::load(folder);
  for (const thalweg::Signature& signature : model->signatures()) {
    try {
      thalweg::NamedTensors inputs;
      for (const auto& input : signature.inputs) {
        inputs[input.key] = zeros(model->graph().output(input.tensor));
      }
      model->run(inputs, signature.name);
    } catch (const thalweg::Error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const thalweg::ScratchModel model_file;
  if (!model_file.write(data, size)) return 0;
  try {
    load_and_run(model_file.folder());
  } catch (const thalweg::Error&) {
  }
  return 0;
}
