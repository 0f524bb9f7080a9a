#include "formats/init_nodes.h"

#include <set>

#include "formats/node_names.h"
#include "formats/tensor_proto.h"
#include "thalweg/base/file.h"

namespace thalweg {
namespace {

constexpr char kMainOp[] = "saved_model_main_op";  // the collection that loaders look in

// All nodes that `node` needs, itself included.
std::set<const Node*> needs_of(const Node* node) {
  std::set<const Node*> seen = {node};
  std::vector<const Node*> open = {node};
  const auto need = [&](const Node* other) {
    if (seen.insert(other).second) open.push_back(other);
  };
  while (!open.empty()) {
    const Node* const next = open.back();
    open.pop_back();
    for (const Output& input : next->inputs()) need(input.node());
    for (const Node* control : next->control_inputs()) need(control);
  }
  return seen;
}

void check_asset(const AssetSpec& asset, const Graph& graph, std::set<std::string>& names) {
  const Output& tensor = asset.tensor;
  const bool fits = tensor && &tensor.graph() == &graph && tensor.dtype() == kString &&
                    tensor.shape().is_compatible_with(Shape{}) &&
                    (tensor.node()->type() == "Const" || tensor.node()->type() == "Placeholder");
  if (!fits) {
    throw invalid_argument(
        "the asset '", asset.path, "' goes to ",
        tensor ? str(tensor.name(), " (", tensor.dtype(), tensor.shape(), ")") : "no tensor",
        ", expected a constant or a placeholder of the graph, a string scalar");
  }
  if (!names.insert(base_name(asset.path)).second) {
    throw invalid_argument("two assets are named '", base_name(asset.path),
                           "'; they lie in one folder, so give one of them another name");
  }
}

}  // namespace

void check_initializers(const SavedModelOptions& options, const Graph& graph) {
  std::set<std::string> names;
  std::set<const Node*> given;
  for (const AssetSpec& asset : options.assets) {
    check_asset(asset, graph, names);
    given.insert(asset.tensor.node());
  }
  for (const Node* node : options.initializers) {
    if (node == nullptr || &node->graph() != &graph)
      throw invalid_argument("an initializer of the model is no node of its graph");
    for (const Node* needed : needs_of(node)) {
      if (needed->type() != "Placeholder" || given.contains(needed)) continue;
      throw invalid_argument("the initializer `", node->name(), "` needs the placeholder `",
                             needed->name(),
                             "`, which is no asset: nothing is fed when a model is ", "loaded");
    }
  }
}

std::vector<std::string> initializer_names(const SavedModelOptions& options) {
  std::vector<std::string> names;
  for (const Node* node : options.initializers) names.emplace_back(node->name());
  return names;
}

void add_initializers(const SavedModelOptions& options, tensorflow::MetaGraphDef& meta) {
  if (options.initializers.empty()) return;
  tensorflow::GraphDef& def = *meta.mutable_graph_def();
  const std::string name = NodeNames(def).take("init_all_tables");
  std::set<std::string> there;
  for (const auto& node : def.node()) there.insert(node.name());
  tensorflow::NodeDef& init = *def.add_node();
  init.set_name(name);
  init.set_op("NoOp");
  for (const std::string& initializer : initializer_names(options))
    init.add_input("^" + initializer);

  // Not as the signature __saved_model_init_op, in which loaders look as well: TensorFlow 2 shows
  // that to callers among the others, and it fails when it is called, as no asset is fed then.
  (*meta.mutable_collection_def())[kMainOp].mutable_node_list()->add_value(name);

  for (const AssetSpec& asset : options.assets) {
    if (!there.contains(std::string(asset.tensor.node()->name()))) continue;  // nothing reads it
    tensorflow::AssetFileDef file;
    file.mutable_tensor_info()->set_name(str(asset.tensor.node()->name(), ":0"));
    file.mutable_tensor_info()->set_dtype(tensorflow::DT_STRING);
    file.mutable_tensor_info()->mutable_tensor_shape();
    file.set_filename(base_name(asset.path));
    *meta.add_asset_file_def() = file;
    (*meta.mutable_collection_def())["saved_model_assets"]
        .mutable_any_list()
        ->add_value()
        ->PackFrom(file);
  }
}

void write_assets(const std::vector<AssetSpec>& assets, const std::string& folder) {
  if (assets.empty()) return;
  const std::string target = join_path(folder, "assets");
  make_folders(target);
  for (const AssetSpec& asset : assets)
    write_file(join_path(target, base_name(asset.path)), read_file(asset.path));
}

void name_tables(tensorflow::GraphDef& def) {
  for (auto& node : *def.mutable_node()) {
    if (!node.op().ends_with("HashTableV2") && !node.op().ends_with("HashTableOfTensorsV2"))
      continue;
    std::string& name = *(*node.mutable_attr())["shared_name"].mutable_s();
    if (name.empty()) name = node.name();
  }
}

}  // namespace thalweg
