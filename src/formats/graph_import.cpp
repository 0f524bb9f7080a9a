#include "formats/graph_import.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "formats/attr_proto.h"
#include "formats/endless_calls.h"
#include "formats/function_import.h"
#include "formats/function_instances.h"
#include "formats/functionalize.h"
#include "formats/message.h"
#include "formats/node_import.h"
#include "formats/node_names.h"
#include "formats/tensor_proto.h"
#include "thalweg/base/file.h"

namespace thalweg {
namespace {

tensorflow::GraphDef parse_content(std::string_view content) {
  tensorflow::GraphDef def;
  if (looks_like_text(content)) {
    parse_message_text(content, "the graph", def);
  } else {
    parse_message(content, "the graph", def);
  }
  return def;
}

// Old graphs wrote an unknown shape as that of a scalar.
void forget_scalar_shapes(tensorflow::GraphDef& def) {
  constexpr int kLastOfThem = 21;
  if (def.versions().producer() > kLastOfThem) return;
  for (auto& node : *def.mutable_node()) {
    if (node.op() != "Placeholder") continue;
    const auto shape = node.attr().find("shape");
    if (shape != node.attr().end() && shape->second.shape().dim_size() == 0) {
      node.mutable_attr()->erase("shape");
    }
  }
}

void count_nodes(const NodeDefs& nodes, std::string_view place, const std::set<std::string>& calls,
                 std::map<std::string, GraphSummary::Op>& ops, GraphSummary& summary) {
  for (const auto& node : nodes) {
    if (node.op() == "Const") {
      const auto value = node.attr().find("value");
      if (value != node.attr().end()) {
        summary.constant_bytes += static_cast<int64_t>(value->second.tensor().ByteSizeLong());
      }
    }
    if (calls.contains(node.op())) continue;
    GraphSummary::Op& op = ops[node.op()];
    if (op.count++ == 0) op.example = str(node.name(), place);
  }
}

void find_ends(const tensorflow::GraphDef& def, const OpRegistry& registry, GraphSummary& summary) {
  std::set<std::string, std::less<>> read;
  for (const auto& node : def.node()) {
    for (const std::string& input : node.input()) {
      const InputName name = parse_input_name(input);
      if (!name.is_control) read.emplace(name.node);
    }
  }
  for (const auto& node : def.node()) {
    if (node.op() == "Placeholder" || node.op() == "PlaceholderWithDefault" ||
        node.op() == "PlaceholderV2") {
      GraphSummary::Placeholder placeholder{.name = node.name()};
      try {
        const auto dtype = node.attr().find("dtype");
        if (dtype != node.attr().end()) placeholder.dtype = type_from_proto(dtype->second.type());
        const auto shape = node.attr().find("shape");
        placeholder.shape =
            shape == node.attr().end() ? Shape::unknown() : shape_from_proto(shape->second.shape());
      } catch (const Error&) {
        placeholder.shape = Shape::unknown();
      }
      summary.placeholders.push_back(std::move(placeholder));
    }
    const OpSchema* const op = registry.find(node.op());
    const bool has_outputs = op == nullptr || !op->outputs.empty();
    if (has_outputs && !read.contains(node.name()) && node.op() != "Const") {
      summary.sinks.push_back(node.name());
    }
  }
}

}  // namespace

void check_versions(const tensorflow::GraphDef& def) {
  const auto& versions = def.versions();
  if (versions.min_consumer() > kGraphConsumer) {
    throw failed_precondition("the graph needs a reader of version ", versions.min_consumer(),
                              " or later, thalweg understands version ", kGraphConsumer,
                              "; export it with an older TensorFlow");
  }
  for (int bad : versions.bad_consumers()) {
    if (bad == kGraphConsumer) {
      throw failed_precondition("the graph says that readers of version ", bad,
                                ", as thalweg is, read it wrongly; export it again");
    }
  }
}

std::unique_ptr<Graph> build_graph(tensorflow::GraphDef def, const OpRegistry& registry,
                                   const GraphImportOptions& options) {
  check_versions(def);
  const auto renamed = make_names_legal(def);
  std::vector<std::string> outputs;
  for (const std::string& output : options.outputs) outputs.push_back(new_name(output, renamed));
  if (!outputs.empty()) keep_needed(outputs, def);
  forget_scalar_shapes(def);
  functionalize(def, registry, outputs);
  ImportProblems problems;
  instantiate_functions(def, problems);
  AttrImporter attrs(problems);
  auto graph = std::make_unique<Graph>(registry);
  const std::set<std::string> broken = import_functions(def.library(), *graph, attrs, problems);
  NodeImporter nodes(*graph, attrs, problems, broken, "");
  nodes.add_all(def.node());
  problems.throw_if_any();
  return graph;
}

GraphSummary summarize(tensorflow::GraphDef def, const OpRegistry& registry) {
  GraphSummary summary;
  summary.nodes = def.node_size();
  summary.functions = def.library().function_size();
  summary.producer = def.versions().producer();
  summary.min_consumer = def.versions().min_consumer();
  std::set<std::string> calls;
  for (const auto& function : def.library().function()) calls.insert(function.signature().name());
  std::map<std::string, GraphSummary::Op> ops;
  count_nodes(def.node(), "", calls, ops, summary);
  for (const auto& function : def.library().function()) {
    count_nodes(function.node_def(), str(" in ", function.signature().name()), calls, ops, summary);
  }
  find_ends(def, registry, summary);
  const std::string endless = find_endless_calls(def);
  // Ops that the conversion of old graphs removes need no row.
  std::set<std::string> left;
  try {
    tensorflow::GraphDef converted = def;
    functionalize(converted, registry);
    for (const auto& node : converted.node()) left.insert(node.op());
    for (const auto& function : converted.library().function()) {
      for (const auto& node : function.node_def()) left.insert(node.op());
    }
  } catch (const Error&) {
    for (const auto& [name, op] : ops) left.insert(name);
  }
  for (auto& [name, op] : ops) {
    op.name = name;
    op.known = registry.find(name) != nullptr || !left.contains(name);
    summary.ops.push_back(std::move(op));
  }
  try {
    build_graph(std::move(def), registry, {});
  } catch (const Error& error) {
    summary.problem = error.message();
  }
  if (summary.problem.empty() && !endless.empty()) {
    summary.problem = str("functions call themselves without end: ", endless,
                          "; a call that ends stands in a branch of an If");
  }
  return summary;
}

std::unique_ptr<Graph> parse_graph(std::string_view bytes, const OpRegistry& registry,
                                   const GraphImportOptions& options) {
  tensorflow::GraphDef def;
  parse_message(bytes, "the graph", def);
  return build_graph(std::move(def), registry, options);
}

std::unique_ptr<Graph> parse_graph_text(std::string_view text, const OpRegistry& registry,
                                        const GraphImportOptions& options) {
  tensorflow::GraphDef def;
  parse_message_text(text, "the graph", def);
  return build_graph(std::move(def), registry, options);
}

std::unique_ptr<Graph> read_graph(const std::string& path, const OpRegistry& registry,
                                  const GraphImportOptions& options) {
  const std::string content = read_file(path);
  try {
    return build_graph(parse_content(content), registry, options);
  } catch (Error& error) {
    error.add_context(str("graph '", path, "'"));
    throw;
  }
}

GraphSummary summarize_graph(std::string_view content, const OpRegistry& registry) {
  return summarize(parse_content(content), registry);
}

}  // namespace thalweg
