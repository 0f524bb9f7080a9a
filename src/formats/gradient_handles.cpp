#include "formats/gradient_handles.h"

#include <string>
#include <utility>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

class GradientHandles {
 public:
  GradientHandles(WireGraph& graph, const TensorArrays& arrays, int count)
      : graph_(graph), arrays_(arrays), count_(count) {}

  void convert() {
    choose_roots();
    std::map<Edge, Edge> replaced;
    for (int id = 0; id < count_; ++id) {
      if (node(id).op() == "TensorArrayGradV3") replaced[{id, 0}] = gradient_handle(id);
    }
    describe_arrays();
    for (int id = 0; id < count_; ++id) {
      for (Edge& edge : node(id).inputs) {
        const auto found = replaced.find(edge);
        if (found != replaced.end()) edge = found->second;
        // Its other output is the flow that it takes.
        if (edge.output == 1 && replaced.count({edge.node, 0}) != 0) edge.output = 0;
      }
    }
    for (const auto& [edge, handle] : replaced) {
      const Edge flow = node(edge.node).inputs[1];
      const bool is_list = arrays_.flows().edges.count(flow) != 0;
      node(edge.node).become("Identity");
      node(edge.node).set_type("T", is_list ? tensorflow::DT_VARIANT : tensorflow::DT_FLOAT);
      node(edge.node).inputs = {flow};
    }
  }

 private:
  using NamedEdge = std::pair<Edge, std::string>;

  WireNode& node(int id) { return graph_[id]; }

  // Writes on the ops on gradients what they must know of the array.
  void describe_arrays() {
    for (int id = 0; id < count_; ++id) {
      if (!arrays_.is_of_gradients(node(id)) || !passing_op(node(id).op()).empty()) continue;
      const int gradient = arrays_.gradients().at(node(id).inputs[0]).node;
      const TensorArray& array = arrays_.of_gradient(node(gradient));
      auto& attrs = *node(id).def.mutable_attr();
      attrs["_grows"].set_b(array.grows);
      *attrs["_element_shape"].mutable_shape() = array.shape;
      attrs["_element_dtype"].set_type(array.element);
    }
  }

  Edge gradient_handle(int id) {
    arrays_.of_gradient(node(id));
    return twin(node(id).inputs[0], node(id).string_attr("source"));
  }

  // A handle may come from several stacks at once, but of each turn of a loop there is one array of
  // gradients: that is made beside one of the pops, which must not stand in a branch that others do
  // not stand in.
  void choose_roots() {
    for (int id = 0; id < count_; ++id) {
      if (node(id).op() != "TensorArrayGradV3") continue;
      arrays_.of_gradient(node(id));
      const Edge root = arrays_.handles().edges.at(node(id).inputs[0]);
      if (node(root.node).op() != "StackPopV2") continue;
      const Edge array = arrays_.handles().origin.at(root);
      const auto [chosen, is_new] =
          roots_.try_emplace({array, node(id).string_attr("source")}, root);
      if (is_new || node(node(root.node).inputs[0].node).op() == "Switch") continue;
      if (node(node(chosen->second.node).inputs[0].node).op() == "Switch") chosen->second = root;
    }
  }

  // The handle of the gradients beside a handle of the array, passed on as that is.
  Edge twin(Edge handle, const std::string& source) {
    const auto known = twins_.find({handle, source});
    if (known != twins_.end()) return known->second;
    const Edge root = arrays_.handles().edges.at(handle);
    const auto chosen = roots_.find({arrays_.handles().origin.at(root), source});
    Edge made;
    if (root != handle) {
      made = {pass_on(handle.node, source), handle.output};
    } else if (chosen != roots_.end() && chosen->second != root) {
      made = twin(chosen->second, source);
    } else {
      made = {graph_.add("_GradientArray", str(node(handle.node).name(), "/", source), {handle}),
              0};
      node(made.node).set_type("dtype", arrays_.of_root(root).element);
    }
    twins_[{handle, source}] = made;
    return made;
  }

  // A copy of a node that passes on a handle, for that of the gradients.
  int pass_on(int id, const std::string& source) {
    if (passing_op(node(id).op()) == "Merge") {
      throw unimplemented("node `", node(id).name(),
                          "` is a Merge and passes on the handle of a TensorArray that has a "
                          "gradient");
    }
    std::vector<Edge> inputs = node(id).inputs;
    inputs[0] = twin(inputs[0], source);
    const int copy = graph_.add(node(id).op(), str(node(id).name(), "/", source), inputs);
    node(copy).controls = node(id).controls;
    *node(copy).def.mutable_attr() = node(id).def.attr();
    node(copy).set_type("T", tensorflow::DT_RESOURCE);
    return copy;
  }

  WireGraph& graph_;
  const TensorArrays& arrays_;
  int count_;
  std::map<NamedEdge, Edge> roots_;  // by array and name of the gradients
  std::map<NamedEdge, Edge> twins_;  // by handle and name
};

}  // namespace

void convert_gradient_handles(WireGraph& graph, const TensorArrays& arrays, int count) {
  GradientHandles(graph, arrays, count).convert();
}

}  // namespace thalweg
