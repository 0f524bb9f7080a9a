#include "formats/function_cut.h"

namespace thalweg {
namespace {

constexpr size_t kSmallConstant = 1024;  // bytes of the node

bool is_small_constant(const WireNode& node) {
  return node.op() == "Const" && node.def.ByteSizeLong() <= kSmallConstant;
}

class Cut {
 public:
  Cut(const WireGraph& graph, const Boundary& boundary, Captures& captures, std::set<int>& copied)
      : graph_(graph), boundary_(boundary), captures_(captures), copied_(copied) {}

  // Wiring follows once all nodes are there: nothing here recurses, however long a chain is.
  FunctionBody run(const std::vector<Edge>& results, const std::vector<int>& effects) {
    for (const Edge& result : results) body_.results.push_back(copy(result));
    for (int effect : effects) body_.effects.push_back(copy(effect));
    while (!open_.empty()) {
      const int source = open_.back();
      open_.pop_back();
      const int target = copies_.at(source);
      for (const Edge& edge : graph_[source].inputs) {
        const Edge input = copy(edge);
        body_.graph[target].inputs.push_back(input);
      }
      for (int control : graph_[source].controls) {
        if (!boundary_.is_inside(control)) continue;
        const int node = copy(control);
        body_.graph[target].add_control(node);
      }
    }
    return std::move(body_);
  }

 private:
  Edge copy(const Edge& edge) {
    const Boundary::Origin origin = boundary_.origin(edge);
    if (!origin.captured) return {copy(origin.edge.node), origin.edge.output};
    if (is_small_constant(graph_[origin.edge.node])) {
      const auto [place, is_new] = constants_.try_emplace(origin.edge.node, 0);
      if (is_new) place->second = body_.graph.add_copy(graph_[origin.edge.node]);
      return {place->second, 0};
    }
    return {argument(captures_.index(origin.edge)), 0};
  }

  int copy(int node) {
    const auto [place, is_new] = copies_.try_emplace(node, 0);
    if (is_new) {
      place->second = body_.graph.add_copy(graph_[node]);
      open_.push_back(node);
      copied_.insert(node);
    }
    return place->second;
  }

  int argument(int index) {
    const auto place = static_cast<size_t>(index);
    if (body_.arguments.size() <= place) body_.arguments.resize(place + 1, -1);
    int& node = body_.arguments[place];
    if (node < 0) node = body_.graph.add("_Arg", str("arg", index), {});
    return node;
  }

  const WireGraph& graph_;
  const Boundary& boundary_;
  Captures& captures_;
  std::set<int>& copied_;
  FunctionBody body_;
  std::map<int, int> copies_;
  std::map<int, int> constants_;
  std::vector<int> open_;
};

}  // namespace

int Captures::index(Edge edge) {
  const auto [place, is_new] = places_.try_emplace(edge, static_cast<int>(edges_.size()));
  if (is_new) edges_.push_back(edge);
  return place->second;
}

FunctionBody cut_function(const WireGraph& graph, const std::vector<Edge>& results,
                          const std::vector<int>& effects, const Boundary& boundary,
                          Captures& captures, std::set<int>& copied) {
  return Cut(graph, boundary, captures, copied).run(results, effects);
}

}  // namespace thalweg
