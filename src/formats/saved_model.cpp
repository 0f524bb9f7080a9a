#include "thalweg/formats/saved_model.h"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/attr_proto.h"
#include "formats/graph_import.h"
#include "formats/message.h"
#include "formats/node_names.h"
#include "formats/restored_variables.h"
#include "formats/tensor_claims.h"
#include "formats/tensor_proto.h"
#include "proto/saved_model.pb.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"

namespace thalweg {
namespace {

constexpr std::string_view kBinaryFile = "saved_model.pb";
constexpr std::string_view kTextFile = "saved_model.pbtxt";
constexpr std::string_view kInitSignature = "__saved_model_init_op";
constexpr std::string_view kObjectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

SignatureTensor signature_tensor(const std::string& key, const tensorflow::TensorInfo& info,
                                 const RenamedNodes& renamed) {
  SignatureTensor result{.key = key, .tensor = new_name(info.name(), renamed)};
  try {
    result.dtype = type_from_proto(info.dtype());
    result.shape =
        info.has_tensor_shape() ? shape_from_proto(info.tensor_shape()) : Shape::unknown();
  } catch (const Error&) {
    result.shape = Shape::unknown();  // a type or rank that thalweg does not have; the graph tells
  }
  return result;
}

std::vector<SignatureTensor> signature_tensors(
    const google::protobuf::Map<std::string, tensorflow::TensorInfo>& infos,
    const RenamedNodes& renamed) {
  std::vector<SignatureTensor> result;
  for (const auto& [key, info] : infos) result.push_back(signature_tensor(key, info, renamed));
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  return result;
}

Signature signature(const std::string& name, const tensorflow::SignatureDef& def,
                    const RenamedNodes& renamed, TensorClaims& claims) {
  Signature result{.name = name,
                   .method = def.method_name(),
                   .inputs = signature_tensors(def.inputs(), renamed),
                   .outputs = signature_tensors(def.outputs(), renamed)};
  for (SignatureTensor& input : result.inputs) {
    const auto it = def.defaults().find(input.key);
    if (it == def.defaults().end()) continue;
    claims.count(it->second);
    input.default_value = tensor_from_proto(it->second);
  }
  return result;
}

std::string node_of(const std::string& tensor) { return tensor.substr(0, tensor.find(':')); }

std::string init_node_of(const tensorflow::MetaGraphDef& def) {
  const auto init = def.signature_def().find(std::string(kInitSignature));
  if (init != def.signature_def().end() && init->second.outputs_size() > 0) {
    return node_of(init->second.outputs().begin()->second.name());
  }
  for (const char* collection : {"saved_model_main_op", "legacy_init_op"}) {
    const auto it = def.collection_def().find(collection);
    if (it != def.collection_def().end() && it->second.node_list().value_size() > 0) {
      return node_of(it->second.node_list().value(0));
    }
  }
  return {};
}

std::vector<ModelAsset> assets_of(const tensorflow::MetaGraphDef& def,
                                  const RenamedNodes& renamed) {
  std::vector<ModelAsset> assets;
  for (const auto& asset : def.asset_file_def()) {
    // The name is a path inside the model's folder, whatever a file says.
    if (asset.filename().starts_with('/') || asset.filename().find("..") != std::string::npos) {
      throw data_loss("the model's asset '", asset.filename(), "' lies outside its folder");
    }
    assets.push_back({new_name(asset.tensor_info().name(), renamed), asset.filename()});
  }
  return assets;
}

std::string tag_list(const MetaGraph& graph) {
  return graph.tags().empty() ? "none" : join(graph.tags(), ",");
}

}  // namespace

struct MetaGraph::State {
  tensorflow::MetaGraphDef def;
  std::vector<std::string> tags;
  std::vector<Signature> signatures;
  std::vector<ModelAsset> assets;
  std::string init_node;
  std::map<std::string, Restored> restored;
};

const std::vector<std::string>& MetaGraph::tags() const { return state_->tags; }
const std::string& MetaGraph::tensorflow_version() const {
  return state_->def.meta_info_def().tensorflow_version();
}
std::string MetaGraph::writer() const {
  const std::string& git = state_->def.meta_info_def().tensorflow_git_version();
  if (git.starts_with("thalweg ")) return git;
  return tensorflow_version().empty() ? "not told" : "TensorFlow " + tensorflow_version();
}
const std::vector<Signature>& MetaGraph::signatures() const { return state_->signatures; }
const std::vector<ModelAsset>& MetaGraph::assets() const { return state_->assets; }
const std::string& MetaGraph::init_node() const { return state_->init_node; }
bool MetaGraph::has_objects() const { return state_->def.has_object_graph_def(); }
const std::map<std::string, MetaGraph::Restored>& MetaGraph::restored() const {
  return state_->restored;
}

GraphSummary MetaGraph::summarize(const OpRegistry& registry) const {
  return thalweg::summarize(state_->def.graph_def(), registry);
}

std::unique_ptr<Graph> MetaGraph::build(const OpRegistry& registry,
                                        const GraphImportOptions& options) const {
  return build_graph(state_->def.graph_def(), registry, options);
}

SavedModelFile::SavedModelFile(const std::string& folder) : folder_(folder) {
  const std::string binary = join_path(folder, kBinaryFile);
  const std::string text = join_path(folder, kTextFile);
  if (!file_exists(binary) && !file_exists(text)) {
    throw not_found("there is no SavedModel in '", folder, "': it holds neither ", kBinaryFile,
                    " nor ", kTextFile, "; give the folder of one version");
  }
  const std::string& path = file_exists(binary) ? binary : text;
  tensorflow::SavedModel model;
  const std::string content = read_file(path);
  const std::string what = str("SavedModel '", path, "'");
  if (path == binary) {
    parse_message(content, what, model);
  } else {
    parse_message_text(content, what, model);
  }
  if (model.saved_model_schema_version() > 1) {
    throw unimplemented(what, " has format ", model.saved_model_schema_version(),
                        ", thalweg reads format 1");
  }
  try {
    TensorClaims claims;
    for (auto& def : *model.mutable_meta_graphs()) {
      auto state = std::make_shared<MetaGraph::State>();
      state->def = std::move(def);
      const RenamedNodes renamed = make_names_legal(*state->def.mutable_graph_def());
      const auto& tags = state->def.meta_info_def().tags();
      state->tags.assign(tags.begin(), tags.end());
      for (const auto& [name, value] : state->def.signature_def()) {
        if (name.starts_with("__saved_model_")) continue;
        state->signatures.push_back(signature(name, value, renamed, claims));
      }
      std::sort(state->signatures.begin(), state->signatures.end(),
                [](const auto& a, const auto& b) { return a.name < b.name; });
      state->assets = assets_of(state->def, renamed);
      state->init_node = new_name(init_node_of(state->def), renamed);
      state->restored = restored_variables(state->def.graph_def());
      graphs_.emplace_back();
      graphs_.back().state_ = std::move(state);
    }
  } catch (Error& error) {
    error.add_context(what);
    throw;
  }
}

const MetaGraph& SavedModelFile::graph(const std::vector<std::string>& tags) const {
  std::vector<std::string> known;
  for (const MetaGraph& graph : graphs_) {
    const std::set<std::string> own(graph.tags().begin(), graph.tags().end());
    const bool fits = tags.empty() ? graphs_.size() == 1 || own == std::set<std::string>{"serve"}
                                   : own == std::set<std::string>(tags.begin(), tags.end());
    if (fits) return graph;
    known.push_back(str("[", tag_list(graph), "]"));
  }
  throw not_found("SavedModel '", folder_, "' has no graph with the tags [", join(tags, ","),
                  "]; it has ", known.empty() ? "none at all" : join(known, ", "));
}

std::string SavedModelFile::variables_prefix() const {
  return join_path(join_path(folder_, "variables"), "variables");
}

std::string SavedModelFile::asset_path(const ModelAsset& asset) const {
  return join_path(join_path(folder_, "assets"), asset.filename);
}

bool is_saved_model(const std::string& folder) {
  return file_exists(join_path(folder, kBinaryFile)) || file_exists(join_path(folder, kTextFile));
}

std::map<std::string, std::string> variable_keys(const BundleReader& checkpoint) {
  std::map<std::string, std::string> keys;
  if (!checkpoint.find(kObjectGraphKey)) return keys;
  const Tensor bytes = checkpoint.read(kObjectGraphKey);
  if (bytes.dtype() != kString || bytes.num_elements() != 1) return keys;
  tensorflow::TrackableObjectGraph objects;
  parse_message(bytes.data<std::string>()[0], "the checkpoint's object graph", objects);
  for (const auto& node : objects.nodes()) {
    for (const auto& attribute : node.attributes()) {
      if (!attribute.full_name().empty()) {
        keys.try_emplace(attribute.full_name(), attribute.checkpoint_key());
      }
    }
  }
  return keys;
}

}  // namespace thalweg
