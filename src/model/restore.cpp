#include "thalweg/model/restore.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "model/frozen_graph.h"
#include "model/weight_source.h"

namespace thalweg {
namespace {

constexpr size_t kMostNamed = 20;

struct Wanted {
  DType dtype = DType::kInvalid;
  Shape shape;
};

// The variables of a graph by the key of their state.
std::map<std::string, Wanted> variables_of(const Graph& graph) {
  std::map<std::string, Wanted> variables;
  for (int id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    if (node.type() != "VarHandleOp") continue;
    variables[variable_name(node)] = {node.attr<DType>("dtype"), node.attr<Shape>("shape")};
  }
  return variables;
}

// The name in the checkpoint's world that the map gives a variable; empty when it leaves it out.
std::optional<std::string> mapped_name(const AssignmentMap& map, const std::string& variable) {
  if (map.empty()) return variable;
  const auto scope = [](const std::string& name) { return name == "/" ? std::string() : name; };
  for (const auto& [from, to] : map) {
    if (to == variable) return from;
  }
  for (const auto& [from, to] : map) {
    const bool is_scope = to.empty() || to.ends_with('/');
    if (is_scope && variable.starts_with(scope(to))) {
      return scope(from) + variable.substr(scope(to).size());
    }
  }
  return std::nullopt;
}

void list(std::string& text, std::string_view title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::vector<std::string> first(names.begin(), names.begin() + std::min(names.size(), kMostNamed));
  if (names.size() > first.size())
    first.push_back(str("and ", names.size() - first.size(), " more"));
  append(text, str("; ", title, ": ", join(first, ", ")));
}

}  // namespace

std::string RestoreReport::to_string() const {
  std::string text =
      str(restored.size(), " of ", restored.size() + missing.size() + mismatched.size(),
          " variables restored");
  list(text, "missing in the checkpoint", missing);
  list(text, "of another dtype or shape", mismatched);
  list(text, "not used", unused);
  return text;
}

RestoreReport restore_variables(const BundleReader& checkpoint, const Graph& graph,
                                VariableStore& store, const RestoreOptions& options) {
  return restore_from(*checkpoint_source(checkpoint), graph, store, options);
}

RestoreReport restore_from(const WeightSource& source, const Graph& graph, VariableStore& store,
                           const RestoreOptions& options) {
  RestoreReport report;
  std::map<std::string, std::string> keys;  // by variable
  std::set<std::string> used;
  for (const auto& [variable, wanted] : variables_of(graph)) {
    const std::optional<std::string> name = mapped_name(options.assignment, variable);
    if (!name) continue;
    const std::optional<std::string> key = source.find_key(*name);
    if (!key) {
      report.missing.push_back(variable);
      continue;
    }
    const BundleEntry entry = source.entry(*key);
    if (entry.dtype != wanted.dtype || !entry.shape.is_compatible_with(wanted.shape)) {
      report.mismatched.push_back(str(variable, ": ", wanted.dtype, wanted.shape, " here, ",
                                      entry.dtype, entry.shape, " in the checkpoint"));
      continue;
    }
    keys[variable] = *key;
    used.insert(*key);
    report.restored.push_back(variable);
  }
  for (const std::string& name : source.names()) {
    if (!used.contains(name) && name != "_CHECKPOINTABLE_OBJECT_GRAPH")
      report.unused.push_back(name);
  }
  if (!options.partial && !report.complete()) {
    throw failed_precondition(source.description(), " does not fit this graph: ", report,
                              "; map the names, or restore partially");
  }
  // All values first: a damaged checkpoint changes nothing.
  std::map<std::string, Tensor> values;
  for (const auto& [variable, key] : keys) values[variable] = source.read(key);
  for (const auto& [variable, value] : values) store.set(variable, value);
  return report;
}

}  // namespace thalweg
