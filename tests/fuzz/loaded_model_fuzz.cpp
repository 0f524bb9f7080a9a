// SavedModels of anybody's, loaded and run: initialisation, and each signature on zeros.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "thalweg/base/error.h"
#include "thalweg/graph/function.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/ops/standard_ops.h"

namespace {

// A folder with the one file that is read; gone at the end.
struct Folder {
  Folder() { ::mkdir(path.c_str(), 0700); }
  ~Folder() {
    ::unlink(file.c_str());
    ::rmdir(path.c_str());
  }
  const std::string path = "/tmp/thalweg-fuzz-load-" + std::to_string(::getpid());
  const std::string file = path + "/saved_model.pb";
};

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
  static const Folder folder;
  std::FILE* const file = std::fopen(folder.file.c_str(), "wb");
  if (file == nullptr) return 0;
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  try {
    load_and_run(folder.path);
  } catch (const thalweg::Error&) {
  }
  return 0;
}
