#include "formats/endless_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "thalweg/base/strings.h"

namespace thalweg {
namespace {

// Deeper chains, which no program writes, are not followed.
constexpr size_t kDeepest = 1000;

struct Calls {
  std::set<std::string> always;   // whenever the caller runs
  std::set<std::string> perhaps;  // these, and branches, loop bodies, ...
};

template <class Nodes>
Calls calls_of(const Nodes& nodes, const std::set<std::string>& functions) {
  Calls calls;
  for (const auto& node : nodes) {
    const bool is_call = node.op() == "PartitionedCall" || node.op() == "StatefulPartitionedCall";
    if (functions.contains(node.op())) calls.always.insert(node.op());
    for (const auto& [name, value] : node.attr()) {
      if (value.has_func()) {
        (is_call ? calls.always : calls.perhaps).insert(value.func().name());
      }
      for (const auto& function : value.list().func()) calls.perhaps.insert(function.name());
    }
  }
  calls.perhaps.insert(calls.always.begin(), calls.always.end());
  return calls;
}

class Search {
 public:
  explicit Search(const std::map<std::string, Calls>& calls) : calls_(calls) {}

  // The circle that `name` leads into; `path` are its callers.
  std::string circle_from(const std::string& name, std::vector<std::string>& path) {
    const auto begin = std::ranges::find(path, name);
    if (begin != path.end()) {
      std::vector<std::string> circle(begin, path.end());
      circle.push_back(name);
      return join(circle, " -> ");
    }
    const auto found = calls_.find(name);
    if (found == calls_.end() || path.size() > kDeepest) return {};
    if (!done_.insert(name).second) return {};
    path.push_back(name);
    for (const std::string& next : found->second.always) {
      if (std::string circle = circle_from(next, path); !circle.empty()) return circle;
    }
    path.pop_back();
    return {};
  }

 private:
  const std::map<std::string, Calls>& calls_;
  std::set<std::string> done_;
};

}  // namespace

std::string find_endless_calls(const tensorflow::GraphDef& def) {
  std::set<std::string> functions;
  for (const auto& function : def.library().function()) {
    functions.insert(function.signature().name());
  }
  std::map<std::string, Calls> calls;
  for (const auto& function : def.library().function()) {
    calls[function.signature().name()] = calls_of(function.node_def(), functions);
  }
  // What the graph reaches, whatever the way.
  std::set<std::string> reached;
  const Calls of_graph = calls_of(def.node(), functions);
  std::vector<std::string> open(of_graph.perhaps.begin(), of_graph.perhaps.end());
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    const auto found = calls.find(name);
    if (found == calls.end() || !reached.insert(name).second) continue;
    open.insert(open.end(), found->second.perhaps.begin(), found->second.perhaps.end());
  }
  Search search(calls);
  for (const std::string& name : reached) {
    std::vector<std::string> path;
    if (std::string circle = search.circle_from(name, path); !circle.empty()) return circle;
  }
  return {};
}

}  // namespace thalweg
