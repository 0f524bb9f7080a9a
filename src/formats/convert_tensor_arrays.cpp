#include <map>
#include <string>

#include "formats/gradient_handles.h"
#include "formats/rewrites.h"
#include "formats/tensor_arrays.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using tensorflow::DataType;

// The flow's path through loops and branches is just the path of a list that is a value: it becomes
// the list, and the handle goes.
//
// An array of gradients has no such flow: its writes add up, in loops whose order only controls and
// a sum of flows tell. Its handle (of the array, and of a name) becomes that of a `_GradientArray`,
// made beside the array, and its ops stay for thread_lists(). Where there is one the handle of the
// array itself becomes its size.
class TensorArrayRewrite {
 public:
  explicit TensorArrayRewrite(WireGraph& graph) : graph_(graph), arrays_(graph) {}

  void run() {
    if (arrays_.all().empty()) return;
    const bool has_gradients = !arrays_.gradients().empty();
    arrays_.set_types(graph_, arrays_.flows(), tensorflow::DT_VARIANT);
    const int count = graph_.size();
    for (int id = 0; id < count; ++id) {
      if (!arrays_.is_of_gradients(node(id))) convert(id);
    }
    if (has_gradients) {
      convert_gradient_handles(graph_, arrays_, count);
      arrays_.set_types(graph_, arrays_.handles(), tensorflow::DT_INT32);
    }
    make_lists(has_gradients);
    if (!has_gradients) remove_handles(count);
  }

 private:
  WireNode& node(int id) { return graph_[id]; }

  void convert(int id) {
    const std::string op = node(id).op();
    const std::vector<Edge> in = node(id).inputs;
    if (op == "TensorArrayWriteV3") {  // handle, index, value, flow
      const TensorArray& array = arrays_.of(node(id), 4);
      become(id, "TensorListSetItem", array, {in[3], in[1], in[2]});
      if (array.grows) {
        (*node(id).def.mutable_attr())["resize_if_index_out_of_bounds"].set_b(true);
      }
    } else if (op == "TensorArrayScatterV3") {  // handle, indices, value, flow
      const TensorArray& array = arrays_.of(node(id), 4);
      become(id, "TensorListScatterIntoExistingList", array, {in[3], in[2], in[1]});
    } else if (op == "TensorArraySplitV3") {  // handle, value, lengths, flow
      const TensorArray& array = arrays_.of(node(id), 4);
      const Edge shape = shape_constant(id, array.shape, in[1]);
      become(id, "TensorListSplit", array, {in[1], shape, in[2]});
      node(id).set_type("shape_type", tensorflow::DT_INT32);
    } else if (op == "TensorArrayReadV3") {  // handle, index, flow
      const TensorArray& array = arrays_.of(node(id), 3);
      const Edge shape = shape_constant(id, array.shape, in[2]);
      become(id, "TensorListGetItem", array, {in[2], in[1], shape});
    } else if (op == "TensorArrayGatherV3") {  // handle, indices, flow
      const TensorArray& array = arrays_.of(node(id), 3);
      const auto own_shape = shape_attr(node(id), "element_shape");
      const Edge shape =
          shape_constant(id, own_shape.unknown_rank() ? array.shape : own_shape, in[2]);
      become(id, "TensorListGather", array, {in[2], in[1], shape});
    } else if (op == "TensorArrayConcatV3") {  // handle, flow
      const TensorArray& array = arrays_.of(node(id), 2);
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
      arrays_.of(node(id), 2);
      node(id).become("TensorListLength");
      node(id).inputs = {in[1]};
    } else if (op == "TensorArrayCloseV3") {
      node(id).become("NoOp");
      node(id).inputs.clear();
    }
  }

  void become(int id, std::string_view op, const TensorArray& array, std::vector<Edge> inputs) {
    node(id).become(op);
    node(id).set_type("element_dtype", array.element);
    node(id).inputs = std::move(inputs);
  }

  // The arrays themselves. What read a flow reads the list; what read a handle, where it is left,
  // the size.
  void make_lists(bool has_gradients) {
    std::map<int, Edge> sizes;
    for (const auto& [id, array] : arrays_.all()) {
      const Edge size = node(id).inputs[0];
      sizes[id] = size;
      const Edge shape = shape_constant(id, array.shape, size);
      become(id, "TensorListReserve", array, {shape, size});
      node(id).set_type("shape_type", tensorflow::DT_INT32);
    }
    for (int id = 0; id < graph_.size(); ++id) {
      for (Edge& edge : node(id).inputs) {
        const auto size = sizes.find(edge.node);
        if (size == sizes.end()) continue;
        if (edge.output == 1) {
          edge.output = 0;
        } else if (has_gradients) {
          edge = size->second;
        }
      }
    }
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
    if (node(neighbour.node).op() == "Switch") {
      // To wait for it would be to run in neither branch.
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
    for (const auto& [edge, source] : arrays_.handles().edges) {
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
  TensorArrays arrays_;
};

}  // namespace

void convert_tensor_arrays(WireGraph& graph) { TensorArrayRewrite(graph).run(); }

}  // namespace thalweg
