#include "cli/show_files.h"

#include <ostream>

#include "cli/paths.h"
#include "cli/tensor_text.h"
#include "cli/text.h"
#include "cli/what_is.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"
#include "thalweg/estimator/model_record.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/formats/checkpoint_state.h"
#include "thalweg/formats/saved_model.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::cli {
namespace {

// "model-200.index" and "model-200.data-00000-of-00001" name the checkpoint as well.
std::string checkpoint_prefix(const std::string& path) {
  if (path.ends_with(".index")) return path.substr(0, path.size() - 6);
  if (const size_t data = path.rfind(".data-"); data != std::string::npos && file_exists(path)) {
    return path.substr(0, data);
  }
  return path;
}

bool is_graph_file(const std::string& path) {
  return file_exists(path) && (path.ends_with(".pb") || path.ends_with(".pbtxt"));
}

// The files of an old checkpoint in several parts, which is refused with its reason.
bool has_old_shards(const std::string& path) {
  const std::string first = std::string(base_name(path)) + "-00000-of-";
  for (const std::string& name : list_folder(folder_name(path))) {
    if (name.starts_with(first)) return true;
  }
  return false;
}

Json tensors_to_json(const std::vector<SignatureTensor>& tensors) {
  Json json = Json::object();
  for (const SignatureTensor& tensor : tensors) {
    Json entry = type_to_json(tensor.dtype, tensor.shape);
    entry["tensor"] = tensor.tensor;
    json[tensor.key] = std::move(entry);
  }
  return json;
}

Json summary_to_json(const GraphSummary& summary) {
  Json json = {{"nodes", summary.nodes},
               {"functions", summary.functions},
               {"constant_bytes", summary.constant_bytes},
               {"producer", summary.producer},
               {"min_consumer", summary.min_consumer},
               {"ops", Json::object()},
               {"unknown_ops", Json::array()},
               {"runs", summary.problem.empty()}};
  for (const GraphSummary::Op& op : summary.ops) {
    json["ops"][op.name] = op.count;
    if (!op.known) json["unknown_ops"].push_back(op.name);
  }
  if (!summary.problem.empty()) json["problem"] = summary.problem;
  return json;
}

std::string summary_text(const GraphSummary& summary) {
  std::string text = str("Graph        ", counted(summary.nodes, "node"), ", ",
                         counted(summary.functions, "function"), ", constants of ",
                         grouped(summary.constant_bytes), " bytes");
  if (summary.producer > 0) append(text, str(", graph version ", summary.producer));
  std::vector<std::vector<std::string>> rows = {{"op", "nodes", ""}};
  for (const GraphSummary::Op& op : summary.ops) {
    rows.push_back({op.name, grouped(op.count), op.known ? "" : "not known to thalweg"});
  }
  append(text,
         str("\nRuns         ", summary.problem.empty() ? "yes, all of it" : "not all of it: ",
             printable(summary.problem), "\n\n", aligned(rows)));
  return text;
}

void add_tensors(std::string_view title, const std::vector<SignatureTensor>& tensors,
                 std::vector<std::vector<std::string>>& rows) {
  for (const SignatureTensor& tensor : tensors) {
    rows.push_back(
        {str("  ", title, " ", tensor.key), str(tensor.dtype, tensor.shape), tensor.tensor});
  }
}

void show_saved_model(const ShowFile& wanted, Console& console) {
  const SavedModelFile file(wanted.path);
  Json graphs = Json::array();
  std::string text;
  for (const MetaGraph& graph : file.graphs()) {
    const GraphSummary summary = graph.summarize(standard_ops());
    if (wanted.json) {
      Json json = {{"tags", graph.tags()},
                   {"written_by", graph.writer()},
                   {"tensorflow_version", graph.tensorflow_version()},
                   {"signatures", Json::object()}};
      for (const Signature& signature : graph.signatures()) {
        json["signatures"][signature.name] = {{"method", signature.method},
                                              {"inputs", tensors_to_json(signature.inputs)},
                                              {"outputs", tensors_to_json(signature.outputs)}};
      }
      for (const ModelAsset& asset : graph.assets()) json["assets"].push_back(asset.filename);
      json["graph"] = summary_to_json(summary);
      graphs.push_back(std::move(json));
      continue;
    }
    append(text, str("SavedModel   ", wanted.path, "\nTags         ", join(graph.tags(), ", "),
                     "\nWritten by   ", graph.writer(), "\n"));
    for (const ModelAsset& asset : graph.assets()) {
      append(text, str("Asset        ", printable(asset.filename), "\n"));
    }
    for (const Signature& signature : graph.signatures()) {
      append(text, str("\nSignature ", printable(signature.name), " (", printable(signature.method),
                       ")\n"));
      std::vector<std::vector<std::string>> rows;
      add_tensors("input ", signature.inputs, rows);
      add_tensors("output", signature.outputs, rows);
      append(text, aligned(rows));
    }
    append(text, str("\n", summary_text(summary), "\n"));
  }
  if (wanted.json) {
    console.out << dump({{"schema", kJsonSchema},
                         {"verb", "show"},
                         {"saved_model", wanted.path},
                         {"graphs", graphs}});
  } else {
    console.print(text);
  }
}

void show_graph(const ShowFile& wanted, Console& console) {
  GraphSummary summary;
  try {
    summary = summarize_graph(read_file(wanted.path), standard_ops());
    if (summary.nodes == 0) throw data_loss("it holds no nodes");
  } catch (Error& error) {
    error.add_context(wanted.path);
    if (base_name(wanted.path).starts_with("saved_model.")) {
      throw invalid_argument("'", wanted.path, "' belongs to a SavedModel; give its folder, '",
                             folder_name(wanted.path), "'");
    }
    throw;
  }
  if (wanted.json) {
    Json json = {{"schema", kJsonSchema},     {"verb", "show"},
                 {"graph_file", wanted.path}, {"placeholders", Json::object()},
                 {"outputs", summary.sinks},  {"graph", summary_to_json(summary)}};
    for (const auto& placeholder : summary.placeholders) {
      json["placeholders"][placeholder.name] = type_to_json(placeholder.dtype, placeholder.shape);
    }
    console.out << dump(json);
    return;
  }
  std::string text;
  for (const auto& placeholder : summary.placeholders) {
    append(text, str("Input        ", printable(placeholder.name), "  ", placeholder.dtype,
                     placeholder.shape, "\n"));
  }
  for (const std::string& sink : summary.sinks)
    append(text, str("Output       ", printable(sink), "\n"));
  console.print(text + summary_text(summary));
}

void show_checkpoint(const ShowFile& wanted, Console& console) {
  const BundleReader reader(checkpoint_prefix(wanted.path));
  if (wanted.tensor) {
    if (!reader.find(*wanted.tensor)) {
      const std::string hint = nearest(*wanted.tensor, reader.names());
      throw UsageError(
          str("checkpoint '", reader.prefix(), "' has no tensor '", *wanted.tensor,
              hint.empty() ? "'; thalweg show lists them" : str("'; did you mean '", hint, "'?")));
    }
    const Tensor value = reader.read(*wanted.tensor);
    if (wanted.json) {
      Json json = {{"schema", kJsonSchema},
                   {"verb", "show"},
                   {"checkpoint", reader.prefix()},
                   {"tensor", *wanted.tensor}};
      json.update(type_to_json(value.dtype(), value.shape()));
      json["value"] = to_json(value);
      console.out << dump(json, -1);
    } else {
      console.print(value.to_string(1000000) + "\n");
    }
    return;
  }
  int64_t elements = 0;
  Json tensors = Json::object();
  std::vector<std::vector<std::string>> rows = {{"tensor", "dtype", "shape", "elements"}};
  for (const std::string& name : reader.names()) {
    const BundleEntry entry = *reader.find(name);
    elements += entry.shape.num_elements();
    if (wanted.json) {
      tensors[name] = type_to_json(entry.dtype, entry.shape);
    } else {
      rows.push_back(
          {name, str(entry.dtype), str(entry.shape), grouped(entry.shape.num_elements())});
    }
  }
  if (wanted.json) {
    console.out << dump({{"schema", kJsonSchema},
                         {"verb", "show"},
                         {"checkpoint", reader.prefix()},
                         {"elements", elements},
                         {"tensors", tensors}});
  } else {
    console.print(str("Checkpoint   ", reader.prefix(), "\n\n", aligned(rows), "\n",
                      counted(static_cast<int64_t>(reader.names().size()), "tensor"), ", ",
                      counted(elements, "element"), "\n"));
  }
}

}  // namespace

bool is_file_of_others(const std::string& path) {
  if (is_folder(path)) return is_saved_model(path);
  return is_graph_file(path) || file_exists(path) || checkpoint_exists(checkpoint_prefix(path)) ||
         has_old_shards(path);
}

void show_model_tensor(const std::string& folder, const ShowFile& wanted, Console& console) {
  const std::string weights = read_model_record(folder).weights;
  const auto newest = latest_checkpoint(folder);
  if (weights.empty() && !newest) {
    throw failed_precondition("the model in '", folder,
                              "' has no weights: its training saved no checkpoint; train it again");
  }
  ShowFile checkpoint = wanted;
  checkpoint.path = weights.empty() ? *newest : join_path(folder, weights);
  show_checkpoint(checkpoint, console);
}

void show_file(const ShowFile& wanted, Console& console) {
  check_regular_file(wanted.path);
  const bool is_graph = is_graph_file(wanted.path);
  if (wanted.tensor && (is_folder(wanted.path) || is_graph)) {
    throw UsageError(
        str("--tensor prints a tensor of a model or checkpoint; '", wanted.path, "' is ",
            is_graph ? "a graph"
                     : str("a SavedModel: give '", join_path(wanted.path, "variables/variables"),
                           "', if it has one")));
  }
  if (is_folder(wanted.path)) {
    show_saved_model(wanted, console);
  } else if (is_graph) {
    show_graph(wanted, console);
  } else {
    const std::string prefix = checkpoint_prefix(wanted.path);
    const bool is_checkpoint = checkpoint_exists(prefix) || has_old_shards(prefix);
    if (!is_checkpoint && is_known_otherwise(wanted.path)) refuse_to_show(wanted.path);
    show_checkpoint(wanted, console);
  }
}

}  // namespace thalweg::cli
