#include "formats/gradient_arrays.h"

#include "formats/list_nodes.h"

namespace thalweg {
namespace {

using tensorflow::DataType;

// One op on an array of gradients.
class GradientOp {
 public:
  GradientOp(WireGraph& graph, ListThreads& threads, int id, Edge handle)
      : graph_(graph),
        threads_(threads),
        id_(id),
        handle_(handle),
        nodes_(graph, id),
        shape_(node().def.attr().at("_element_shape").shape()),
        type_(node().def.attr().at("_element_dtype").type()),
        grows_(node().bool_attr("_grows")) {}

  void convert() {
    const std::string op = node().op();
    if (op == "TensorArrayWriteV3") {
      write();
    } else if (op == "TensorArrayScatterV3") {
      scatter();
    } else if (op == "TensorArraySplitV3") {
      split();
    } else if (op == "TensorArrayReadV3") {
      read();
    } else if (op == "TensorArrayGatherV3") {
      gather();
    } else if (op == "TensorArrayConcatV3") {
      concat();
    } else {  // TensorArraySizeV3
      thread([&](Edge list) {
        node().become("TensorListLength");
        node().inputs = {list};
        return list;
      });
    }
  }

 private:
  WireNode& node() { return graph_[id_]; }
  Edge input(size_t i) const { return node_input(graph_, id_, i); }
  void thread(const std::function<Edge(Edge)>& change) { threads_.thread(id_, handle_, change); }
  Edge sum(Edge a, Edge b) { return nodes_.give("AddV2", {a, b}, {{"T", type_}}); }

  void write() {  // handle, index, value, flow
    const Edge index = input(1);
    const Edge value = input(2);
    thread([&](Edge list) {
      if (grows_) list = nodes_.lengthen(list, nodes_.after(index));
      const Edge shape = nodes_.shape_of(value, type_);
      const Edge old =
          nodes_.give("TensorListGetItem", {list, index, shape}, {{"element_dtype", type_}});
      return nodes_.give("TensorListSetItem", {list, index, sum(old, value)},
                         {{"element_dtype", type_}});
    });
    be_flow();
  }

  void scatter() {  // handle, indices, value, flow
    const Edge indices = input(1);
    const Edge value = input(2);
    thread([&](Edge list) {
      if (grows_) list = nodes_.lengthen(list, nodes_.after(nodes_.largest(indices)));
      const Edge shape = nodes_.row_shape(value, type_);
      const Edge old =
          nodes_.give("TensorListGather", {list, indices, shape}, {{"element_dtype", type_}});
      return nodes_.give("TensorListScatterIntoExistingList", {list, sum(old, value), indices},
                         {{"element_dtype", type_}});
    });
    be_flow();
  }

  void split() {  // handle, value, lengths, flow
    const Edge value = input(1);
    const Edge lengths = input(2);
    thread([&](Edge list) {
      if (grows_) {
        const Edge count = nodes_.give(
            "Size", {lengths}, {{"T", tensorflow::DT_INT64}, {"out_type", tensorflow::DT_INT32}});
        list = nodes_.lengthen(list, count);
      }
      const Edge pieces =
          nodes_.give("TensorListSplit", {value, nodes_.any_shape(), lengths},
                      {{"element_dtype", type_}, {"shape_type", tensorflow::DT_INT32}});
      const Edge both = nodes_.give("AddN", {list, pieces}, {{"T", tensorflow::DT_VARIANT}});
      (*graph_[both.node].def.mutable_attr())["N"].set_i(2);
      return both;
    });
    be_flow();
  }

  void read() {  // handle, index, flow
    const Edge index = input(1);
    thread([&](Edge list) {
      if (grows_) list = nodes_.lengthen(list, nodes_.after(index));
      nodes_.become("TensorListGetItem", type_, {list, index, nodes_.shape_constant(shape_)});
      return list;
    });
  }

  void gather() {  // handle, indices, flow
    const Edge indices = input(1);
    thread([&](Edge list) {
      if (grows_) list = nodes_.lengthen(list, nodes_.after(nodes_.largest(indices)));
      nodes_.become("TensorListGather", type_, {list, indices, nodes_.shape_constant(shape_)});
      return list;
    });
  }

  void concat() {  // handle, flow
    thread([&](Edge list) {
      const Edge none = nodes_.ints({}, tensorflow::DT_INT64);
      nodes_.become("TensorListConcatV2", type_, {list, nodes_.any_shape(), none});
      node().set_type("shape_type", tensorflow::DT_INT32);
      return list;
    });
  }

  // What the flow out of a write was read for is order, which the list gives now. It still comes in
  // the write's branch only.
  void be_flow() {
    const int zero = graph_.add("Const", node().name() + "/flow", {});
    graph_[zero].set_type("dtype", tensorflow::DT_FLOAT);
    auto& tensor = *(*graph_[zero].def.mutable_attr())["value"].mutable_tensor();
    tensor.set_dtype(tensorflow::DT_FLOAT);
    tensor.mutable_tensor_shape();
    tensor.add_float_val(0);
    for (size_t i = 1; i < node().inputs.size(); ++i) {
      const Edge edge = node().inputs[i];
      const WireNode& source = graph_[edge.node];
      if (source.op() == "_Arg") continue;
      if (source.op() != "Switch") {
        graph_[zero].add_control(edge.node);
        continue;
      }
      const Edge pivot =
          ListNodes(graph_, zero).give("Identity", {edge}, {{"T", source.type_attr("T")}});
      graph_[zero].add_control(pivot.node);
    }
    node().become("Identity");
    node().set_type("T", tensorflow::DT_FLOAT);
    node().inputs = {{zero, 0}};
  }

  WireGraph& graph_;
  ListThreads& threads_;
  int id_;
  Edge handle_;
  ListNodes nodes_;
  tensorflow::TensorShapeProto shape_;
  DataType type_;
  bool grows_;
};

}  // namespace

void convert_gradient_op(WireGraph& graph, ListThreads& threads, int id, Edge handle) {
  GradientOp(graph, threads, id, handle).convert();
}

}  // namespace thalweg
