#include "thalweg/model/loaded_model.h"

#include <optional>
#include <set>
#include <utility>

#include "model/frozen_graph.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

std::vector<Signature> chosen_signatures(const MetaGraph& meta,
                                         const std::vector<std::string>& wanted) {
  if (wanted.empty()) return meta.signatures();
  std::vector<Signature> result;
  for (const std::string& name : wanted) {
    std::vector<std::string> known;
    for (const Signature& signature : meta.signatures()) {
      known.push_back(signature.name);
      if (signature.name == name) result.push_back(signature);
    }
    if (!result.empty() && result.back().name == name) continue;
    throw not_found("the model has no signature `", name, "`; it has: ", join(known, ", "));
  }
  return result;
}

// Every node that signatures and initialisation name.
std::vector<std::string> needed_tensors(const MetaGraph& meta,
                                        const std::vector<Signature>& signatures) {
  std::vector<std::string> names;
  for (const Signature& signature : signatures) {
    for (const auto* list : {&signature.inputs, &signature.outputs}) {
      for (const SignatureTensor& tensor : *list) {
        if (tensor.tensor.empty()) {
          throw unimplemented(
              "signature `", signature.name, "`: `", tensor.key,
              "` is a sparse or composite tensor, which thalweg cannot take or give");
        }
        names.push_back(tensor.tensor);
      }
    }
  }
  if (!meta.init_node().empty()) names.push_back(meta.init_node());
  return names;
}

std::string input_list(const Signature& signature) {
  std::vector<std::string> keys;
  for (const SignatureTensor& input : signature.inputs) {
    keys.push_back(str("`", input.key, "` (", input.dtype, input.shape, ")"));
  }
  return keys.empty() ? "none" : join(keys, ", ");
}

}  // namespace

LoadedModel::LoadedModel(MetaGraph meta, bool freeze) : meta_(std::move(meta)), freeze_(freeze) {}

std::unique_ptr<LoadedModel> LoadedModel::load(const std::string& folder,
                                               const LoadOptions& options) {
  return load(SavedModelFile(folder), options);
}

std::unique_ptr<LoadedModel> LoadedModel::load(const SavedModelFile& file,
                                               const LoadOptions& options) {
  std::unique_ptr<LoadedModel> model(new LoadedModel(file.graph(options.tags), options.freeze));
  try {
    model->signatures_ = chosen_signatures(model->meta_, options.signatures);
    model->graph_ = model->meta_.build(
        standard_ops(), {.outputs = needed_tensors(model->meta_, model->signatures_)});
    model->session_ = std::make_unique<Session>(*model->graph_, options.session);
    model->restore(file);
    model->initialize(file);
  } catch (Error& error) {
    error.add_context(str("SavedModel '", file.folder(), "'"));
    throw;
  }
  return model;
}

void LoadedModel::restore(const SavedModelFile& file) {
  std::map<const Node*, std::string> handles;  // to the name that the file knows it by
  for (int id = 0; id < graph_->num_nodes(); ++id) {
    const Node& node = graph_->node(id);
    if (node.type() == "VarHandleOp") handles.emplace(&node, node.name());
  }
  if (handles.empty() || !checkpoint_exists(file.variables_prefix())) return;
  // Old variables are handles with a read beside them here; the read has the variable's name.
  for (const auto& [name, source] : meta_.restored()) {
    const Node* node = graph_->find(name);
    while (node != nullptr && node->type() != "VarHandleOp") {
      node = node->num_inputs() > 0 ? node->input(0).node() : nullptr;
    }
    if (node != nullptr) handles[node] = name;
  }
  const BundleReader checkpoint(file.variables_prefix());
  std::map<std::string, std::string> objects;
  if (meta_.has_objects()) objects = variable_keys(checkpoint);
  for (const auto& [handle, name] : handles) {
    const std::string variable = variable_name(*handle);
    MetaGraph::Restored source;
    if (const auto it = meta_.restored().find(name); it != meta_.restored().end()) {
      source = it->second;
    } else if (const auto object = objects.find(variable); object != objects.end()) {
      source.key = object->second;
    } else if (checkpoint.find(variable)) {
      source.key = variable;
    } else {
      continue;  // initialised otherwise; if not, the first read says so
    }
    Tensor value = read_slice(checkpoint, source.key, source.slice);
    const auto dtype = handle->attr<DType>("dtype");
    const auto& shape = handle->attr<Shape>("shape");
    if (value.dtype() != dtype || !value.shape().is_compatible_with(shape)) {
      throw invalid_argument("variable `", variable, "` is ", dtype, shape, ", but tensor `",
                             source.key, "` of checkpoint '", checkpoint.prefix(), "' is ",
                             value.dtype(), value.shape());
    }
    session_->variables().set(variable, std::move(value));
  }
}

void LoadedModel::initialize(const SavedModelFile& file) {
  if (meta_.init_node().empty()) return;
  Node* const init = graph_->find(meta_.init_node());
  if (init == nullptr) {
    throw not_found("the model's initialisation is the node `", meta_.init_node(),
                    "`, which its graph does not have");
  }
  std::vector<Feed> feeds;
  for (const ModelAsset& asset : meta_.assets()) {
    const std::string node = asset.tensor.substr(0, asset.tensor.find(':'));
    if (graph_->find(node) == nullptr) continue;
    const std::string path = file.asset_path(asset);
    if (!file_exists(path)) throw not_found("its asset '", path, "' is missing");
    feeds.push_back({graph_->output(asset.tensor), Tensor(path)});
  }
  session_->run(feeds, {}, {init});
}

const Signature& LoadedModel::signature(std::string_view name) const {
  std::vector<std::string> known;
  for (const Signature& signature : signatures_) {
    if (signature.name == name) return signature;
    known.push_back(signature.name);
  }
  const std::string hint = nearest(name, known);
  throw not_found(
      "the model has no signature `", name, "`",
      hint.empty() ? str("; it has: ", join(known, ", ")) : str("; did you mean `", hint, "`?"));
}

// What one signature writes, the others see.
LoadedModel::Served LoadedModel::serve(const Signature& signature) const {
  std::vector<Output> feeds, fetches;
  for (const SignatureTensor& input : signature.inputs)
    feeds.push_back(graph_->output(input.tensor));
  for (const SignatureTensor& output : signature.outputs)
    fetches.push_back(graph_->output(output.tensor));
  Served served;
  if (!freeze_) {
    served.callable = session_->make_callable(feeds, fetches);
    return served;
  }
  std::vector<Output> all;
  for (const Signature& each : signatures_) {
    for (const SignatureTensor& output : each.outputs) all.push_back(graph_->output(output.tensor));
  }
  const auto written = written_variables(*graph_, all);
  std::map<std::string, Tensor, std::less<>> values;
  for (const std::string& name : session_->variables().names()) {
    if (!written.contains(name)) values[name] = session_->variables().share(name);
  }
  SessionOptions options = session_->options();
  PlanGraph frozen = frozen_graph(*graph_, feeds, fetches, values, options);
  served.graph = std::move(frozen.graph);
  served.session = std::make_unique<Session>(*served.graph, std::move(options));
  served.callable = served.session->make_callable(frozen.feeds, frozen.fetches, frozen.targets);
  return served;
}

const Callable& LoadedModel::callable(const Signature& signature) const {
  const std::lock_guard lock(served_mutex_);
  auto it = served_.find(signature.name);
  if (it == served_.end()) it = served_.emplace(signature.name, serve(signature)).first;
  return it->second.callable;
}

NamedTensors LoadedModel::run(const NamedTensors& inputs, std::string_view name) const {
  const Signature& chosen = signature(name);
  std::vector<Tensor> feeds;
  std::set<std::string_view> known;
  for (const SignatureTensor& input : chosen.inputs) {
    known.insert(input.key);
    const auto given = inputs.find(input.key);
    if (given == inputs.end() && !input.default_value) {
      throw invalid_argument("signature `", name, "` needs the input `", input.key,
                             "`; its inputs: ", input_list(chosen));
    }
    const Tensor& value = given == inputs.end() ? *input.default_value : given->second;
    const Output tensor = graph_->output(input.tensor);
    if (value.dtype() != tensor.dtype() || !value.shape().is_compatible_with(tensor.shape())) {
      throw invalid_argument("signature `", name, "`: input `", input.key, "` is ", tensor.dtype(),
                             tensor.shape(), ", got ", value.dtype(), value.shape());
    }
    feeds.push_back(value);
  }
  for (const auto& [key, value] : inputs) {
    if (known.contains(key)) continue;
    throw invalid_argument("signature `", name, "` has no input `", key,
                           "`; its inputs: ", input_list(chosen));
  }
  const std::vector<Tensor> values = callable(chosen)(feeds);
  NamedTensors result;
  for (size_t i = 0; i < values.size(); ++i) result[chosen.outputs[i].key] = values[i];
  return result;
}

}  // namespace thalweg
