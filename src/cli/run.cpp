// thalweg run MODEL --input NAME=VALUES
#include <ostream>

#include "cli/common_options.h"
#include "cli/paths.h"
#include "cli/tensor_text.h"
#include "cli/verbs.h"
#include "thalweg/base/file.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/tensor/npy.h"

namespace thalweg::cli {
namespace {

struct RunOptions {
  std::string model;
  std::optional<std::string> signature;
  std::optional<std::string> tags;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

std::pair<std::string, std::string> split_input(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(str("--input ", text, ": expected NAME=VALUES"));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Tensor input_value(const std::string& name, const std::string& text, DType dtype,
                   const Shape& shape) {
  if (text.ends_with(".npy")) return read_npy(text);
  try {
    return parse_tensor(text, dtype, shape);
  } catch (const UsageError& error) {
    throw UsageError(str("--input ", name, ": ", error.what()));
  }
}

NamedTensors run_signature(const RunOptions& options) {
  const std::string name = options.signature.value_or(std::string(kServingSignature));
  LoadOptions load{.signatures = {name}};
  if (options.tags) load.tags = split(*options.tags, ',');
  const auto model = LoadedModel::load(options.model, load);
  const Signature& signature = model->signature(name);
  NamedTensors inputs;
  for (const std::string& text : options.inputs) {
    const auto [key, values] = split_input(text);
    DType dtype = kFloat32;
    Shape shape = Shape::unknown();
    for (const SignatureTensor& input : signature.inputs) {
      if (input.key != key) continue;
      dtype = model->graph().output(input.tensor).dtype();
      shape = model->graph().output(input.tensor).shape();
    }
    if (inputs.contains(key)) throw UsageError(str("--input ", key, " is given twice"));
    inputs[key] = input_value(key, values, dtype, shape);
  }
  NamedTensors outputs = model->run(inputs, name);
  if (options.outputs.empty()) return outputs;
  NamedTensors chosen;
  for (const std::string& key : options.outputs) {
    const auto it = outputs.find(key);
    if (it == outputs.end()) {
      std::vector<std::string> known;
      for (const auto& [other, value] : outputs) known.push_back(other);
      throw UsageError(
          str("signature ", name, " has no output '", key, "'; it has: ", join(known, ", ")));
    }
    chosen[key] = it->second;
  }
  return chosen;
}

NamedTensors run_graph(const RunOptions& options) {
  if (!file_exists(options.model)) {
    throw not_found("'", options.model, "': there is no such file or folder");
  }
  check_regular_file(options.model);
  if (options.outputs.empty()) {
    throw UsageError(
        "a graph needs --output NAME: which node's value to print; thalweg show "
        "lists them");
  }
  if (options.signature) throw UsageError("a graph file has no signatures; give --output instead");
  std::vector<std::string> needed = options.outputs;
  for (const std::string& text : options.inputs) needed.push_back(split_input(text).first);
  const auto graph = read_graph(options.model, standard_ops(), {.outputs = needed});
  std::vector<Feed> feeds;
  for (const std::string& text : options.inputs) {
    const auto [name, values] = split_input(text);
    const Output tensor = graph->output(name);
    feeds.push_back({tensor, input_value(name, values, tensor.dtype(), tensor.shape())});
  }
  std::vector<Output> fetches;
  for (const std::string& name : options.outputs) fetches.push_back(graph->output(name));
  const std::vector<Tensor> values = Session(*graph).run(feeds, fetches);
  NamedTensors result;
  for (size_t i = 0; i < values.size(); ++i) result[options.outputs[i]] = values[i];
  return result;
}

}  // namespace

int run_run(const Verb& verb, const std::vector<std::string>& arguments, Console& console) {
  RunOptions run;
  CommonOptions common;
  Options options(verb);
  options.word("MODEL", run.model, "the folder of a SavedModel, or a graph file, .pb or .pbtxt");
  options.value("signature", "NAME", run.signature, "what to call (default: serving_default)");
  options.values("input", "NAME=VALUES", run.inputs,
                 "an input: x=1,2,3 or x='[[1,2],[3,4]]' or x=file.npy");
  options.values("output", "NAME", run.outputs, "what to print (default: all of the signature)");
  options.value("tags", "TAG,...", run.tags, "which graph of the model (default: serve)");
  common.declare(options);
  if (!options.parse(arguments)) {
    console.out << options.help();
    return kDone;
  }
  common.apply(console);
  const NamedTensors outputs = is_folder(run.model) ? run_signature(run) : run_graph(run);
  if (!common.json) {
    for (const auto& [name, value] : outputs) {
      console.out << name << "  " << value.to_string(1000000) << "\n";
    }
    return kDone;
  }
  Json json = {
      {"schema", kJsonSchema}, {"verb", "run"}, {"model", run.model}, {"outputs", Json::object()}};
  for (const auto& [name, value] : outputs) {
    Json entry = type_to_json(value.dtype(), value.shape());
    entry["value"] = to_json(value);
    json["outputs"][name] = std::move(entry);
  }
  console.out << dump(json, -1);
  return kDone;
}

}  // namespace thalweg::cli
