// thalweg run MODEL --input NAME=VALUES
#include <algorithm>
#include <ostream>
#include <set>

#include "cli/common_options.h"
#include "cli/paths.h"
#include "cli/run_inputs.h"
#include "cli/tensor_text.h"
#include "cli/verbs.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"
#include "thalweg/estimator/model_record.h"
#include "thalweg/formats/saved_model.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::cli {
namespace {

struct RunOptions {
  std::string model;
  std::optional<std::string> signature;
  std::optional<std::string> tags;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

std::vector<std::string> keys_of(const std::vector<SignatureTensor>& tensors) {
  std::vector<std::string> keys;
  for (const SignatureTensor& tensor : tensors) keys.push_back(tensor.key);
  return keys;
}

void check_known(const std::string& what, const std::string& name,
                 const std::vector<std::string>& known) {
  if (std::ranges::find(known, name) == known.end()) throw unknown_name(what, name, known);
}

const MetaGraph& chosen_graph(const SavedModelFile& file, const RunOptions& options) {
  const auto tags = options.tags ? split(*options.tags, ',') : std::vector<std::string>();
  try {
    return file.graph(tags);
  } catch (const Error& error) {
    if (error.code() == Code::kNotFound) throw UsageError(str("--tags: ", error.message()));
    throw;
  }
}

const Signature& chosen_signature(const MetaGraph& graph, const std::string& name) {
  std::vector<std::string> known;
  for (const Signature& signature : graph.signatures()) {
    if (signature.name == name) return signature;
    known.push_back(signature.name);
  }
  throw unknown_name("signature", name, known);
}

// The names are looked at before the weights are read.
NamedTensors run_signature(const RunOptions& options, const Console& console) {
  const std::string name = options.signature.value_or(std::string(kServingSignature));
  const std::vector<InputText> texts = split_inputs(options.inputs);
  check_model_files(options.model);
  if (is_model_folder(options.model) && !is_saved_model(options.model)) {
    throw invalid_argument(
        "'", options.model,
        "' is a model that fit has trained, and this calls a SavedModel; thalweg "
        "predict gives its predictions, and thalweg export writes it as a "
        "SavedModel");
  }
  const SavedModelFile file(options.model);
  const Signature signature = chosen_signature(chosen_graph(file, options), name);
  const std::string of = str(" of signature ", name);
  for (const InputText& text : texts) {
    check_known(str("input", of), text.name, keys_of(signature.inputs));
  }
  for (const std::string& key : options.outputs) {
    check_known(str("output", of), key, keys_of(signature.outputs));
  }
  for (const SignatureTensor& input : signature.inputs) {
    const bool is_given =
        std::ranges::any_of(texts, [&](const InputText& text) { return text.name == input.key; });
    if (is_given || input.default_value) continue;
    throw UsageError(str("signature ", name, " needs --input ", input.key, "=VALUES, ", input.dtype,
                         input.shape));
  }
  LoadOptions load{.signatures = {name}};
  if (options.tags) load.tags = split(*options.tags, ',');
  const auto model = LoadedModel::load(file, load);
  NamedTensors inputs;
  for (const InputText& text : texts) {
    for (const SignatureTensor& input : signature.inputs) {
      if (input.key != text.name) continue;
      const Output tensor = model->graph().output(input.tensor);
      inputs[input.key] = input_value(text, tensor.dtype(), tensor.shape(), console);
    }
  }
  NamedTensors outputs = model->run(inputs, name);
  if (options.outputs.empty()) return outputs;
  NamedTensors chosen;
  for (const std::string& key : options.outputs) chosen[key] = outputs.at(key);
  return chosen;
}

// A name on the command line that the graph does not have is wrong use.
template <class F>
auto by_name(F&& look) {
  try {
    return look();
  } catch (const Error& error) {
    const Code code = error.code();
    if (code == Code::kNotFound || code == Code::kOutOfRange) throw UsageError(error.message());
    throw;
  }
}

// Throws for a placeholder that `fetches` need and nothing feeds.
void check_fed(const std::vector<Feed>& feeds, const std::vector<Output>& fetches) {
  std::set<Output> fed;
  for (const Feed& feed : feeds) fed.insert(feed.tensor);
  std::set<const Node*> seen;
  std::vector<const Node*> open;
  const auto visit = [&](const Node* node) {
    if (seen.insert(node).second) open.push_back(node);
  };
  for (const Output& fetch : fetches) {
    if (!fed.contains(fetch)) visit(fetch.node());
  }
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    if (node.type() == "Placeholder") {
      throw UsageError(str("the graph needs --input ", node.name(), "=VALUES, ",
                           node.output_dtype(0), node.output_shape(0)));
    }
    for (const Output& input : node.inputs()) {
      if (!fed.contains(input)) visit(input.node());
    }
    for (const Node* control : node.control_inputs()) visit(control);
  }
}

NamedTensors run_graph(const RunOptions& options, const Console& console) {
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
  if (options.tags) throw UsageError("--tags is for SavedModels; a graph file holds one graph");
  const std::vector<InputText> texts = split_inputs(options.inputs);
  std::vector<std::string> needed = options.outputs;
  for (const InputText& text : texts) needed.push_back(text.name);
  const auto graph =
      by_name([&] { return read_graph(options.model, standard_ops(), {.outputs = needed}); });
  std::vector<Feed> feeds;
  for (const InputText& text : texts) {
    const Output tensor = by_name([&] { return graph->output(text.name); });
    feeds.push_back({tensor, input_value(text, tensor.dtype(), tensor.shape(), console)});
  }
  std::vector<Output> fetches;
  for (const std::string& name : options.outputs) {
    fetches.push_back(by_name([&] { return graph->output(name); }));
  }
  check_fed(feeds, fetches);
  const std::vector<Tensor> values = Session(*graph).run(feeds, fetches);
  NamedTensors result;
  for (size_t i = 0; i < values.size(); ++i) result[options.outputs[i]] = values[i];
  return result;
}

// What the library says to programs, for people at the command line.
NamedTensors run_model(const RunOptions& options, const Console& console) {
  try {
    return is_folder(options.model) ? run_signature(options, console) : run_graph(options, console);
  } catch (const Error& error) {
    const std::string& text = error.message();
    const size_t begin = text.find("variable `");
    const size_t end = text.find("` has no value yet");
    if (error.code() != Code::kFailedPrecondition || begin >= end || end == text.npos) throw;
    throw failed_precondition(
        "'", options.model, "' has no value for ", text.substr(begin, end + 1 - begin),
        is_folder(options.model)
            ? ": neither its checkpoint nor its initialisation gives one; save the model again "
              "with all its variables"
            : ": a graph file holds none; give the SavedModel that the graph is of, or a graph "
              "whose variables were made constants (frozen)");
  }
}

}  // namespace

int run_run(const Verb& verb, const std::vector<std::string>& arguments, Console& console) {
  RunOptions run;
  CommonOptions common;
  Options options(verb);
  options.word("MODEL", run.model, "the folder of a SavedModel, or a graph file, .pb or .pbtxt");
  options.value("signature", "NAME", run.signature, "what to call (default: serving_default)");
  options.values("input", "NAME=VALUES", run.inputs,
                 "an input: x=1,2,3, x='[[1,2],[3,4]]', x=file.npy or x=file.npz:array");
  options.values("output", "NAME", run.outputs, "what to print (default: all of the signature)");
  options.value("tags", "TAG,...", run.tags, "which graph of the model (default: serve)");
  common.declare(options);
  if (!options.parse(arguments)) {
    console.out << options.help();
    return kDone;
  }
  common.apply(console);
  const NamedTensors outputs = run_model(run, console);
  if (!common.json) {
    for (const auto& [name, value] : outputs) {
      console.print(str(printable(name), "  ", value.to_string(1000000), "\n"));
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
