#include <map>
#include <string>

#include "formats/handle_flow.h"
#include "formats/rewrites.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using tensorflow::DataType;

// A TensorArray is a handle, which names it, and a flow, a float that every write gives anew and
// every read takes, so that reads come after writes. The flow's path through loops and branches is
// just the path of a list that is a value: it becomes the list, and the handle goes.
class TensorArrayRewrite {
 public:
  explicit TensorArrayRewrite(WireGraph& graph) : graph_(graph) {}

  void run() {
    if (!find_arrays()) return;
    for (const auto& [edge, source] : flows_) {
      if (edge != source) node(edge.node).set_type("T", tensorflow::DT_VARIANT);
    }
    const int count = graph_.size();
    for (int id = 0; id < count; ++id) convert(id);
    for (const auto& [id, array] : arrays_) make_list(id, array);
    for (int id = 0; id < graph_.size(); ++id) {
      for (Edge& edge : node(id).inputs) {
        if (edge.output == 1 && arrays_.count(edge.node) != 0) edge.output = 0;
      }
    }
    remove_handles(count);
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
    for (int id = 0; id < graph_.size(); ++id) {
      const std::string& op = node(id).op();
      if (op.starts_with("TensorArrayGrad") || op == "TensorArrayV2" || op == "TensorArray") {
        throw unimplemented("node `", node(id).name(), "` (", op,
                            ") is of a kind of TensorArray that is not supported; export the "
                            "graph for inference, with TensorFlow 1.0 or later");
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
      if (op == "TensorArrayWriteV3" || op == "TensorArrayScatterV3" ||
          op == "TensorArraySplitV3") {
        flows.push_back({id, 0});
      }
    }
    const auto passes = [](const WireNode& node) { return !passing_op(node.op()).empty(); };
    handles_ = follow(graph_, handles, passes);
    flows_ = follow(graph_, flows, passes);
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
    const auto found = handles_.find(node(id).inputs[0]);
    if (found == handles_.end() || flows_.count(node(id).inputs.back()) == 0) {
      throw unimplemented("node `", node(id).name(), "` (", node(id).op(),
                          "): its handle and flow do not come from a TensorArrayV3 of the graph");
    }
    return arrays_.at(found->second.node);
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

  void remove_handles(int count) {
    for (const auto& [edge, source] : handles_) {
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
  std::map<Edge, Edge> handles_;
  std::map<Edge, Edge> flows_;
};

}  // namespace

void convert_tensor_arrays(WireGraph& graph) { TensorArrayRewrite(graph).run(); }

}  // namespace thalweg
