#include "formats/list_threads.h"

#include <algorithm>
#include <set>

#include "formats/list_nodes.h"
#include "formats/thread_lists.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

// Whether such an edge is the handle of a list.
bool gives_handle(const WireNode& source) {
  return source.op() == "StackV2" || source.op() == "_GradientArray" ||
         (source.op() == "_Arg" && source.type_attr("T") == tensorflow::DT_RESOURCE) ||
         (source.op() == "StackPopV2" && source.type_attr("elem_type") == tensorflow::DT_RESOURCE);
}

}  // namespace

bool is_while(const WireNode& node) {
  return node.op() == "While" || node.op() == "StatelessWhile";
}

ListThreads::ListThreads(WireGraph& graph) : graph_(graph), contexts_(graph) { find_handles(); }

Edge ListThreads::root(Edge edge) const {
  const auto passes = [](const WireNode& node) {
    return (node.op() == "Identity" || node.op() == "Switch") && !node.inputs.empty();
  };
  while (passes(graph_[edge.node])) edge = graph_[edge.node].inputs[0];
  return edge;
}

Edge ListThreads::origin(int id, size_t i) const { return root(node_input(graph_, id, i)); }

// What the ops on lists and the loops take.
std::vector<Edge> ListThreads::used_edges() const {
  std::set<Edge> used;
  for (int id = 0; id < graph_.size(); ++id) {
    const WireNode& node = graph_[id];
    if (node.removed) continue;
    if (is_list_op(node.op())) used.insert(origin(id, 0));
    if (!is_while(node)) continue;
    const auto& types = node.def.attr().at("T").list().type();
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (types[static_cast<int>(i)] == tensorflow::DT_VARIANT) used.insert(origin(id, i));
    }
  }
  return {used.begin(), used.end()};
}

void ListThreads::find_handles() {
  for (const Edge& edge : used_edges()) {
    if (gives_handle(graph_[edge.node])) threads_[edge].list = edge;
  }
  // Stacks that no op here uses may still lie on others.
  for (int id = 0; id < graph_.size(); ++id) {
    const WireNode& node = graph_[id];
    if (node.removed) continue;
    if (node.op() == "StackV2" || node.op() == "_GradientArray") threads_[{id, 0}].list = {id, 0};
  }
  for (int id = 0; id < graph_.size(); ++id) {
    WireNode& node = graph_[id];
    if (!node.removed && node.op() == "Identity" && has(root({id, 0})))
      node.set_type("T", tensorflow::DT_VARIANT);
  }
}

Edge ListThreads::list(Edge handle) const {
  const auto found = threads_.find(handle);
  if (found != threads_.end()) return found->second.list;
  const WireNode& source = graph_[handle.node];
  throw unimplemented("node `", source.name(), "` (", source.op(),
                      ") gives the handle of a stack or a TensorArray, but is no StackV2 and no "
                      "TensorArrayV3");
}

// The branches in which an op runs and the maker of its list does not, outermost first.
std::vector<Side> ListThreads::sides(int id, Edge handle) const {
  std::vector<Side> result;
  for (const Side& side : contexts_.of(id)) {
    if (!contexts_.holds(handle.node, side)) result.push_back(side);
  }
  std::stable_sort(result.begin(), result.end(),
                   [&](const Side& a, const Side& b) { return depth(a) < depth(b); });
  return result;
}

void ListThreads::thread(int id, Edge handle, const std::function<Edge(Edge list)>& change) {
  list(handle);  // refuses what is none
  Thread& thread = threads_.at(handle);
  const std::vector<Side> wanted = sides(id, handle);
  size_t common = 0;
  while (common < wanted.size() && common < thread.open.size() &&
         thread.open[common].second == wanted[common]) {
    ++common;
  }
  close(thread, common);
  for (size_t i = common; i < wanted.size(); ++i) {
    const int added = ListNodes(graph_, id).add("Switch", {thread.list, wanted[i].predicate});
    graph_[added].set_type("T", tensorflow::DT_VARIANT);
    thread.open.push_back({added, wanted[i]});
    thread.list = {added, wanted[i].taken ? 1 : 0};
  }
  thread.list = change(thread.list);
}

// Brings the list out of all branches but the outermost `depth`.
void ListThreads::close(Thread& thread, size_t depth) {
  while (thread.open.size() > depth) {
    const auto [opened, side] = thread.open.back();
    thread.open.pop_back();
    const Edge other{opened, side.taken ? 0 : 1};
    const Edge list = thread.list;
    const int merge = ListNodes(graph_, opened)
                          .add("Merge", {side.taken ? other : list, side.taken ? list : other});
    graph_[merge].set_type("T", tensorflow::DT_VARIANT);
    (*graph_[merge].def.mutable_attr())["N"].set_i(2);
    thread.list = {merge, 0};
  }
}

void ListThreads::close_all() {
  for (auto& [handle, thread] : threads_) close(thread, 0);
}

}  // namespace thalweg
