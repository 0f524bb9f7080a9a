#include <map>
#include <string>

#include "formats/handle_flow.h"
#include "formats/rewrites.h"
#include "formats/stack_links.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using tensorflow::DataType;

// A TensorArray is a handle, which names it, and a flow, a float that every write gives anew and
// every read takes, so that reads come after writes. The flow's path through loops and branches is
// just the path of a list that is a value: it becomes the list, and the handle goes.
//
// An array of gradients has no such flow: its writes add up, in loops whose order only controls and
// a sum of flows tell. Its handle (of the array, and of a name) becomes that of a `_GradientArray`,
// made beside the array, and its ops stay for thread_lists(). Where there is one the handle of the
// array itself becomes its size.
class TensorArrayRewrite {
 public:
  explicit TensorArrayRewrite(WireGraph& graph) : graph_(graph), links_(graph) {}

  void run() {
    if (!find_arrays()) return;
    set_types(flows_, tensorflow::DT_VARIANT);
    const int count = graph_.size();
    for (int id = 0; id < count; ++id) {
      if (!is_of_gradients(id)) convert(id);
    }
    if (!gradients_.empty()) convert_gradients(count);
    if (!gradients_.empty()) set_types(handles_, tensorflow::DT_INT32);
    std::map<int, Edge> sizes;
    for (const auto& [id, array] : arrays_) {
      sizes[id] = node(id).inputs[0];
      make_list(id, array);
    }
    for (int id = 0; id < graph_.size(); ++id) {
      for (Edge& edge : node(id).inputs) {
        const auto size = sizes.find(edge.node);
        if (size == sizes.end()) continue;
        if (edge.output == 1) {
          edge.output = 0;
        } else if (!gradients_.empty()) {
          edge = size->second;
        }
      }
    }
    if (gradients_.empty()) remove_handles(count);
  }

 private:
  // What the nodes that use an array must know of it.
  struct Array {
    DataType element = tensorflow::DT_INVALID;
    tensorflow::TensorShapeProto shape;
    bool grows = false;
  };

  WireNode& node(int id) { return graph_[id]; }

  bool find_arrays() {
    std::vector<Edge> handles;
    std::vector<Edge> flows;
    std::vector<Edge> gradients;
    for (int id = 0; id < graph_.size(); ++id) {
      const std::string& op = node(id).op();
      if ((op.starts_with("TensorArrayGrad") && op != "TensorArrayGradV3") ||
          op == "TensorArrayV2" || op == "TensorArray") {
        throw unimplemented("node `", node(id).name(), "` (", op,
                            ") is of a kind of TensorArray that is not supported; export the "
                            "graph with TensorFlow 1.0 or later");
      }
      if (op == "TensorArrayGradV3") {
        expect_inputs(id, 2);
        gradients.push_back({id, 0});
      }
      if (op == "TensorArrayV3") {
        expect_inputs(id, 1);
        Array& array = arrays_[id];
        array.element = node(id).type_attr("dtype");
        array.shape = shape_attr(id, "element_shape");
        array.grows = node(id).bool_attr("dynamic_size");
        handles.push_back({id, 0});
        flows.push_back({id, 1});
      }
    }
    const auto passes = [](const WireNode& node) { return !passing_op(node.op()).empty(); };
    handles_ = follow_through_stacks(graph_, handles, passes, links_);
    gradients_ = follow(graph_, gradients, passes);
    for (int id = 0; id < graph_.size(); ++id) {
      const std::string& op = node(id).op();
      if (op != "TensorArrayWriteV3" && op != "TensorArrayScatterV3" && op != "TensorArraySplitV3")
        continue;
      if (!is_of_gradients(id)) flows.push_back({id, 0});
    }
    flows_ = follow_through_stacks(graph_, flows, passes, links_);
    if (arrays_.empty() && !gradients.empty()) {
      throw unimplemented("node `", node(gradients.front().node).name(),
                          "` (TensorArrayGradV3): its handle does not come from a TensorArrayV3 of "
                          "the graph");
    }
    return !arrays_.empty();
  }

  void expect_inputs(int id, size_t count) {
    if (node(id).inputs.size() == count) return;
    throw invalid_argument("node `", node(id).name(), "` (", node(id).op(), ") has ",
                           node(id).inputs.size(), " inputs, expected ", count);
  }

  tensorflow::TensorShapeProto shape_attr(int id, const char* name) {
    const auto found = node(id).def.attr().find(name);
    if (found != node(id).def.attr().end()) return found->second.shape();
    tensorflow::TensorShapeProto unknown;
    unknown.set_unknown_rank(true);
    return unknown;
  }

  // The array that a node uses: its handle comes first, its flow last.
  const Array& array_of(int id, size_t inputs) {
    expect_inputs(id, inputs);
    const auto found = handles_.edges.find(node(id).inputs[0]);
    if (found == handles_.edges.end() || flows_.edges.count(node(id).inputs.back()) == 0) {
      throw unimplemented("node `", node(id).name(), "` (", node(id).op(),
                          "): its handle and flow do not come from a TensorArrayV3 of the graph");
    }
    return arrays_.at(handles_.origin.at(found->second).node);
  }

  bool is_of_gradients(int id) {
    return !node(id).inputs.empty() && gradients_.count(node(id).inputs[0]) != 0;
  }

  // The type of what followed edges carry, on the nodes that pass it on and on the stacks.
  void set_types(const Followed& followed, DataType type) {
    for (const auto& [edge, source] : followed.edges) {
      WireNode& carrier = node(edge.node);
      if (edge != source) carrier.set_type("T", type);
    }
    for (int stack : links_.stacks()) {
      for (int push : links_.pushes(stack)) {
        if (followed.edges.count(node(push).inputs[1]) == 0) continue;
        node(push).set_type("T", type);
        node(stack).set_type("elem_type", type);
        for (int pop : links_.pops(stack)) node(pop).set_type("elem_type", type);
      }
    }
  }

  void convert(int id) {
    const std::string op = node(id).op();
    const std::vector<Edge> in = node(id).inputs;
    if (op == "TensorArrayWriteV3") {  // handle, index, value, flow
      const Array& array = array_of(id, 4);
      become(id, "TensorListSetItem", array, {in[3], in[1], in[2]});
      if (array.grows) {
        (*node(id).def.mutable_attr())["resize_if_index_out_of_bounds"].set_b(true);
      }
    } else if (op == "TensorArrayScatterV3") {  // handle, indices, value, flow
      const Array& array = array_of(id, 4);
      become(id, "TensorListScatterIntoExistingList", array, {in[3], in[2], in[1]});
    } else if (op == "TensorArraySplitV3") {  // handle, value, lengths, flow
      const Array& array = array_of(id, 4);
      const Edge shape = shape_constant(id, array.shape, in[1]);
      become(id, "TensorListSplit", array, {in[1], shape, in[2]});
      node(id).set_type("shape_type", tensorflow::DT_INT32);
    } else if (op == "TensorArrayReadV3") {  // handle, index, flow
      const Array& array = array_of(id, 3);
      const Edge shape = shape_constant(id, array.shape, in[2]);
      become(id, "TensorListGetItem", array, {in[2], in[1], shape});
    } else if (op == "TensorArrayGatherV3") {  // handle, indices, flow
      const Array& array = array_of(id, 3);
      const auto own_shape = shape_attr(id, "element_shape");
      const Edge shape =
          shape_constant(id, own_shape.unknown_rank() ? array.shape : own_shape, in[2]);
      become(id, "TensorListGather", array, {in[2], in[1], shape});
    } else if (op == "TensorArrayConcatV3") {  // handle, flow
      const Array& array = array_of(id, 2);
      tensorflow::TensorShapeProto unknown;
      unknown.set_unknown_rank(true);
      const Edge shape = shape_constant(id, unknown, in[1]);
      const Edge leading = constant(id, "leading_dims", tensorflow::DT_INT64, in[1]);
      (*node(leading.node).def.mutable_attr())["value"]
          .mutable_tensor()
          ->mutable_tensor_shape()
          ->add_dim()
          ->set_size(0);
      become(id, "TensorListConcatV2", array, {in[1], shape, leading});
      node(id).set_type("shape_type", tensorflow::DT_INT32);
    } else if (op == "TensorArraySizeV3") {  // handle, flow
      array_of(id, 2);
      node(id).become("TensorListLength");
      node(id).inputs = {in[1]};
    } else if (op == "TensorArrayCloseV3") {
      node(id).become("NoOp");
      node(id).inputs.clear();
    }
  }

  void become(int id, std::string_view op, const Array& array, std::vector<Edge> inputs) {
    node(id).become(op);
    node(id).set_type("element_dtype", array.element);
    node(id).inputs = std::move(inputs);
  }

  void make_list(int id, const Array& array) {
    const Edge size = node(id).inputs[0];
    const Edge shape = shape_constant(id, array.shape, size);
    become(id, "TensorListReserve", array, {shape, size});
    node(id).set_type("shape_type", tensorflow::DT_INT32);
  }

  // A constant beside node `id`: it runs in the same loop and branch, to which it is tied by the
  // node that gives `neighbour`.
  Edge constant(int id, const char* name, DataType type, Edge neighbour) {
    const int added = graph_.add("Const", str(node(id).name(), "/", name), {});
    node(added).set_type("dtype", type);
    auto& tensor = *(*node(added).def.mutable_attr())["value"].mutable_tensor();
    tensor.set_dtype(type);
    tensor.mutable_tensor_shape();
    if (node(neighbour.node).op() == "Const") {
      node(added).controls = node(neighbour.node).controls;
      return {added, 0};
    }
    if (node(neighbour.node).op() ==
        "Switch") {  // to wait for it would be to run in neither branch
      const int pivot = graph_.add("Identity", str(node(added).name(), "/pivot"), {neighbour});
      node(pivot).set_type("T", node(neighbour.node).type_attr("T"));
      neighbour = {pivot, 0};
    }
    node(added).add_control(neighbour.node);
    return {added, 0};
  }

  // TensorFlow's form of a shape as a tensor: -1 for a dimension that is not known, the scalar -1
  // for a shape that is not.
  Edge shape_constant(int id, const tensorflow::TensorShapeProto& shape, Edge neighbour) {
    const Edge result = constant(id, "element_shape", tensorflow::DT_INT32, neighbour);
    auto& tensor = *(*node(result.node).def.mutable_attr())["value"].mutable_tensor();
    if (shape.unknown_rank()) {
      tensor.add_int_val(-1);
      return result;
    }
    tensor.mutable_tensor_shape()->add_dim()->set_size(shape.dim_size());
    for (const auto& dim : shape.dim()) tensor.add_int_val(static_cast<int32_t>(dim.size()));
    return result;
  }

  void convert_gradients(int count) {
    std::map<Edge, Edge> replaced;
    choose_roots(count);
    for (int id = 0; id < count; ++id) {
      if (node(id).op() == "TensorArrayGradV3") replaced[{id, 0}] = gradient_handle(id);
    }
    for (int id = 0; id < count; ++id) {
      if (!is_of_gradients(id) || !passing_op(node(id).op()).empty()) continue;
      const int gradient = gradients_.at(node(id).inputs[0]).node;
      const Array& array = array_of_gradient(gradient);
      auto& attrs = *node(id).def.mutable_attr();
      attrs["_grows"].set_b(array.grows);
      *attrs["_element_shape"].mutable_shape() = array.shape;
      attrs["_element_dtype"].set_type(array.element);
    }
    for (int id = 0; id < count; ++id) {
      for (Edge& edge : node(id).inputs) {
        const auto found = replaced.find(edge);
        if (found != replaced.end()) edge = found->second;
        // Its other output is the flow that it takes.
        if (edge.output == 1 && replaced.count({edge.node, 0}) != 0) edge.output = 0;
      }
    }
    for (const auto& [edge, handle] : replaced) {
      const Edge flow = node(edge.node).inputs[1];
      node(edge.node).become("Identity");
      node(edge.node).set_type(
          "T", flows_.edges.count(flow) != 0 ? tensorflow::DT_VARIANT : tensorflow::DT_FLOAT);
      node(edge.node).inputs = {flow};
    }
  }

  const Array& array_of_gradient(int id) {
    const auto found = handles_.edges.find(node(id).inputs[0]);
    if (found == handles_.edges.end()) {
      throw unimplemented("node `", node(id).name(), "` (", node(id).op(),
                          "): its handle does not come from a TensorArrayV3 of the graph");
    }
    return arrays_.at(handles_.origin.at(found->second).node);
  }

  Edge gradient_handle(int id) {
    array_of_gradient(id);
    return twin(node(id).inputs[0], node(id).string_attr("source"));
  }

  // A handle may come from several stacks at once, but of each turn of a loop there is one array of
  // gradients: that is made beside one of the pops, which must not stand in a branch that others do
  // not stand in.
  void choose_roots(int count) {
    for (int id = 0; id < count; ++id) {
      if (node(id).op() != "TensorArrayGradV3") continue;
      array_of_gradient(id);
      const Edge root = handles_.edges.at(node(id).inputs[0]);
      if (node(root.node).op() != "StackPopV2") continue;
      const auto [chosen, is_new] =
          roots_.try_emplace({handles_.origin.at(root), node(id).string_attr("source")}, root);
      if (is_new || node(node(root.node).inputs[0].node).op() == "Switch") continue;
      if (node(node(chosen->second.node).inputs[0].node).op() == "Switch") chosen->second = root;
    }
  }

  // The handle of the gradients beside a handle of the array, passed on as that is.
  Edge twin(Edge handle, const std::string& source) {
    const auto known = twins_.find({handle, source});
    if (known != twins_.end()) return known->second;
    const Edge root = handles_.edges.at(handle);
    Edge made{-1, handle.output};
    const auto chosen = roots_.find({handles_.origin.at(root), source});
    if (root == handle && chosen != roots_.end() && chosen->second != root) {
      made = twin(chosen->second, source);
    } else if (root == handle) {
      const DataType element = arrays_.at(handles_.origin.at(root).node).element;
      made.node =
          graph_.add("_GradientArray", str(node(handle.node).name(), "/", source), {handle});
      node(made.node).set_type("dtype", element);
      made.output = 0;
    } else {
      if (passing_op(node(handle.node).op()) == "Merge") {
        throw unimplemented("node `", node(handle.node).name(),
                            "` is a Merge and passes on the handle of a TensorArray that has a "
                            "gradient");
      }
      std::vector<Edge> inputs = node(handle.node).inputs;
      inputs[0] = twin(inputs[0], source);
      made.node =
          graph_.add(node(handle.node).op(), str(node(handle.node).name(), "/", source), inputs);
      node(made.node).controls = node(handle.node).controls;
      *node(made.node).def.mutable_attr() = node(handle.node).def.attr();
      node(made.node).set_type("T", tensorflow::DT_RESOURCE);
    }
    twins_[{handle, source}] = made;
    return made;
  }

  void remove_handles(int count) {
    for (const auto& [edge, source] : handles_.edges) {
      if (edge != source) node(edge.node).removed = true;
    }
    for (int id = 0; id < count; ++id) {
      if (node(id).removed) continue;
      for (const Edge& edge : node(id).inputs) {
        if (!node(edge.node).removed) continue;
        throw unimplemented("node `", node(id).name(), "` (", node(id).op(),
                            ") takes the handle of a TensorArray, `", node(edge.node).name(), "`");
      }
      std::erase_if(node(id).controls, [&](int control) { return node(control).removed; });
    }
  }

  WireGraph& graph_;
  std::map<int, Array> arrays_;
  StackLinks links_;
  Followed handles_;
  Followed flows_;
  std::map<Edge, Edge> gradients_;  // handles of gradients, with the TensorArrayGradV3 behind
  std::map<std::pair<Edge, std::string>, Edge> roots_;  // by array and name of the gradients
  std::map<std::pair<Edge, std::string>, Edge> twins_;  // by handle and name
};

}  // namespace

void convert_tensor_arrays(WireGraph& graph) { TensorArrayRewrite(graph).run(); }

}  // namespace thalweg
