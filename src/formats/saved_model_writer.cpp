#include <set>

#include "formats/freeze.h"
#include "formats/init_nodes.h"
#include "formats/message.h"
#include "formats/node_export.h"
#include "formats/node_order.h"
#include "formats/saver_nodes.h"
#include "formats/tensor_proto.h"
#include "proto/saved_model.pb.h"
#include "thalweg/base/atomic_folder.h"
#include "thalweg/base/file.h"
#include "thalweg/base/version.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/formats/saved_model.h"

namespace thalweg {
namespace {

std::string tensor_name(const Output& tensor) {
  return str(tensor.node()->name(), ":", tensor.index());
}

void encode_tensors(const std::vector<std::pair<std::string, Output>>& tensors,
                    google::protobuf::Map<std::string, tensorflow::TensorInfo>& out) {
  for (const auto& [key, tensor] : tensors) {
    tensorflow::TensorInfo& info = out[key];
    info.set_name(tensor_name(tensor));
    info.set_dtype(to_proto(tensor.dtype()));
    to_proto(tensor.shape(), info.mutable_tensor_shape());
  }
}

// Every placeholder that the signature's outputs depend on must be one of its inputs.
void check_signature(const SignatureSpec& signature, const Graph& graph) {
  if (signature.outputs.empty()) {
    throw invalid_argument("signature `", signature.name, "` has no outputs");
  }
  std::set<const Node*> given;
  for (const auto& [key, input] : signature.inputs) {
    if (!input || &input.graph() != &graph || !input.node()->type().starts_with("Placeholder")) {
      throw invalid_argument("signature `", signature.name, "`: input `", key, "` is ",
                             input.name(), ", expected a placeholder of the graph");
    }
    given.insert(input.node());
  }
  std::vector<const Node*> open;
  std::set<const Node*> seen;
  const auto need = [&](const Node* node) {
    if (seen.insert(node).second) open.push_back(node);
  };
  for (const auto& [key, output] : signature.outputs) {
    if (!output || &output.graph() != &graph) {
      throw invalid_argument("signature `", signature.name, "`: output `", key,
                             "` is no tensor of the graph");
    }
    need(output.node());
  }
  while (!open.empty()) {
    const Node* const node = open.back();
    open.pop_back();
    if (node->type() == "Placeholder" && !given.contains(node)) {
      throw invalid_argument("signature `", signature.name, "` needs the placeholder `",
                             node->name(), "`, which is none of its inputs");
    }
    for (const Output& input : node->inputs()) need(input.node());
    for (const Node* control : node->control_inputs()) need(control);
  }
}

void check_ops(const NodeDefs& nodes) {
  for (const auto& node : nodes) {
    if (node.op().starts_with('_')) {
      throw unimplemented("TensorFlow has no op ", node.op(), " (node `", node.name(),
                          "`): it cannot stand in a SavedModel");
    }
  }
}

// Those that no optimizer is to train.
std::set<std::string> fixed_variables(const Graph& graph) {
  std::set<std::string> names;
  for (const Graph::VariableRecord& record : graph.variables()) {
    if (!record.trainable) names.insert(record.name);
  }
  return names;
}

void write_variables(const std::string& folder, const tensorflow::GraphDef& def,
                     const std::map<std::string, Tensor>& values) {
  std::set<std::string> names;
  for (const auto& node : def.node()) {
    if (node.op() == "VarHandleOp") names.insert(variable_of(node));
  }
  const std::string variables = join_path(folder, "variables");
  make_folders(variables);
  BundleWriter writer(join_path(variables, "variables"));
  for (const std::string& name : names) {
    const auto it = values.find(name);
    if (it == values.end()) {
      throw failed_precondition("variable `", name, "` has no value to be written");
    }
    writer.add(name, it->second);
  }
  writer.finish();
}

}  // namespace

void write_saved_model(const std::string& folder, const Graph& graph,
                       const std::vector<SignatureSpec>& signatures,
                       const std::map<std::string, Tensor>& values,
                       const SavedModelOptions& options) {
  if (signatures.empty()) throw invalid_argument("a SavedModel needs a signature");
  tensorflow::SavedModel model;
  model.set_saved_model_schema_version(1);
  tensorflow::MetaGraphDef& meta = *model.add_meta_graphs();
  auto& info = *meta.mutable_meta_info_def();
  for (const std::string& tag : options.tags) info.add_tags(tag);
  info.set_tensorflow_version("1.15.0");  // the newest that graphs of our version can be from
  info.set_tensorflow_git_version(str("thalweg ", kVersion));  // where TensorFlow names its commit
  info.set_stripped_default_attrs(true);

  std::vector<std::string> needed;
  for (const SignatureSpec& signature : signatures) {
    check_signature(signature, graph);
    auto [it, is_new] = meta.mutable_signature_def()->insert({signature.name, {}});
    if (!is_new) throw invalid_argument("there are two signatures `", signature.name, "`");
    it->second.set_method_name(signature.method);
    encode_tensors(signature.inputs, *it->second.mutable_inputs());
    encode_tensors(signature.outputs, *it->second.mutable_outputs());
    for (const auto* list : {&signature.inputs, &signature.outputs}) {
      for (const auto& [key, tensor] : *list) needed.push_back(tensor_name(tensor));
    }
  }
  check_initializers(options, graph);
  for (std::string& name : initializer_names(options)) needed.push_back(std::move(name));
  tensorflow::GraphDef& def = *meta.mutable_graph_def();
  encode_graph(graph, {}, def);
  keep_needed(needed, def);
  name_tables(def);
  if (!options.variables) freeze_variables(values, def);
  check_ops(def.node());
  for (const auto& function : def.library().function()) check_ops(function.node_def());

  AtomicFolder target(folder);
  bool has_variables = false;
  for (const auto& node : def.node()) has_variables = has_variables || node.op() == "VarHandleOp";
  if (has_variables) {
    write_variables(target.temporary(), def, values);
    add_saver(fixed_variables(graph), meta);
  }
  add_initializers(options, meta);
  write_assets(options.assets, target.temporary());
  write_file(join_path(target.temporary(), "saved_model.pb"),
             encode_message(model, "the SavedModel", "write it with variables"));
  target.commit();
}

}  // namespace thalweg
