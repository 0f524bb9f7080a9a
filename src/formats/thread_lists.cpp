#include "formats/thread_lists.h"

#include <algorithm>
#include <array>
#include <set>

#include "formats/gradient_arrays.h"
#include "formats/list_nodes.h"
#include "formats/list_threads.h"

namespace thalweg {
namespace {

using tensorflow::DataType;

bool makes_list(const WireNode& node) {
  return node.op() == "StackV2" || node.op() == "_GradientArray";
}

bool has_lists(const WireGraph& graph) {
  for (int id = 0; id < graph.size(); ++id) {
    const WireNode& node = graph[id];
    if (node.removed) continue;
    if (is_list_op(node.op()) || makes_list(node)) return true;
    // A loop inside may have made lists of this body's arguments.
    if (!is_while(node)) continue;
    const auto& types = node.def.attr().at("T").list().type();
    for (int i = 0; i < types.size() && i < static_cast<int>(node.inputs.size()); ++i) {
      const WireNode& source = graph[node.inputs[static_cast<size_t>(i)].node];
      if (types[i] == tensorflow::DT_VARIANT && source.type_attr("T") == tensorflow::DT_RESOURCE)
        return true;
    }
  }
  return false;
}

// A pop gives a list first and the item second; what a push passes on is its item.
void redirect_items(FunctionBody& body) {
  WireGraph& graph = body.graph;
  std::map<Edge, Edge> items;
  for (int id = 0; id < graph.size(); ++id) {
    const WireNode& node = graph[id];
    if (node.removed) continue;
    if (node.op() == "StackPopV2") items[{id, 0}] = {id, 1};
    if (node.op() == "StackPushV2" && node.inputs.size() == 2) items[{id, 0}] = node.inputs[1];
  }
  const auto redirect = [&](Edge& edge) {
    for (auto found = items.find(edge); found != items.end(); found = items.find(edge))
      edge = found->second;
  };
  for (int id = 0; id < graph.size(); ++id) {
    for (Edge& edge : graph[id].inputs) redirect(edge);
  }
  for (Edge& edge : body.results) redirect(edge);
}

// Goes through the ops of a body in their order.
class ListRewrite {
 public:
  explicit ListRewrite(FunctionBody& body) : body_(body), graph_(body.graph), threads_(graph_) {}

  std::map<size_t, Edge> run() {
    std::vector<int> late;  // what puts a list on another one waits until that list is complete
    for (int id : graph_.topological_order()) {
      if (is_while(node(id))) {
        thread_loop(id);
      } else if (node(id).op() == "StackPushV2" && threads_.has(threads_.origin(id, 1))) {
        late.push_back(id);
      } else if (is_list_op(node(id).op())) {
        convert(id);
      }
    }
    for (int id : late) {
      const Edge item = threads_.origin(id, 1);
      threads_.close(item);
      push(id, threads_.list(item), tensorflow::DT_VARIANT);
    }
    threads_.close_all();
    forget(late);
    make_lists();
    std::erase_if(body_.effects, [&](int id) { return converted_.count(id) != 0; });
    return last_lists();
  }

 private:
  WireNode& node(int id) { return graph_[id]; }

  void thread_loop(int id) {
    for (size_t i = 0; i < node(id).inputs.size(); ++i) {
      const Edge handle = threads_.origin(id, i);
      if (!threads_.has(handle)) continue;
      threads_.thread(id, handle, [&](Edge list) {
        node(id).inputs[i] = list;
        return Edge{id, static_cast<int>(i)};
      });
    }
  }

  void convert(int id) {
    converted_.insert(id);
    const std::string op = node(id).op();
    const Edge handle = threads_.origin(id, 0);
    if (op == "StackPushV2") {
      push(id, node_input(graph_, id, 1), node(id).type_attr("T"));
    } else if (op == "StackPopV2") {
      pop(id, handle);
    } else if (op == "StackCloseV2" || op == "TensorArrayCloseV3") {
      node(id).become("NoOp");
      node(id).inputs.clear();
    } else {
      convert_gradient_op(graph_, threads_, id, handle);
    }
  }

  void push(int id, Edge item, DataType type) {
    const Edge handle = threads_.origin(id, 0);
    converted_.insert(id);
    threads_.thread(id, handle, [&](Edge list) {
      ListNodes(graph_, id).become("TensorListPushBack", type, {list, item});
      return Edge{id, 0};
    });
  }

  void pop(int id, Edge handle) {
    const bool of_lists = node(id).type_attr("elem_type") == tensorflow::DT_RESOURCE;
    const DataType type = of_lists ? tensorflow::DT_VARIANT : node(id).type_attr("elem_type");
    threads_.thread(id, handle, [&](Edge list) {
      ListNodes nodes(graph_, id);
      nodes.become("TensorListPopBack", type, {list, nodes.any_shape()});
      return Edge{id, 0};
    });
  }

  // Nothing waits for what is done last.
  void forget(const std::vector<int>& late) {
    for (int id = 0; id < graph_.size(); ++id) {
      std::erase_if(node(id).controls, [&](int control) {
        return std::find(late.begin(), late.end(), control) != late.end();
      });
    }
  }

  void make_lists() {
    const int count = graph_.size();
    for (int id = 0; id < count; ++id) {
      if (node(id).removed || !makes_list(node(id))) continue;
      ListNodes nodes(graph_, id);
      const Edge size = node_input(graph_, id, 0);
      if (node(id).op() == "StackV2") {
        DataType type = node(id).type_attr("elem_type");
        if (type == tensorflow::DT_RESOURCE) type = tensorflow::DT_VARIANT;
        nodes.become("EmptyTensorList", type, {nodes.any_shape(), size});
      } else {
        nodes.become("TensorListReserve", node(id).type_attr("dtype"), {nodes.any_shape(), size});
      }
      node(id).set_type("shape_type", tensorflow::DT_INT32);
    }
  }

  std::map<size_t, Edge> last_lists() {
    std::map<size_t, Edge> last;
    for (size_t i = 0; i < body_.arguments.size(); ++i) {
      const Edge argument{body_.arguments[i], 0};
      if (argument.node >= 0 && threads_.has(argument)) last[i] = threads_.list(argument);
    }
    return last;
  }

  FunctionBody& body_;
  WireGraph& graph_;
  ListThreads threads_;
  std::set<int> converted_;
};

}  // namespace

bool is_list_op(std::string_view op) {
  static constexpr std::array<std::string_view, 11> kOps = {
      "StackPushV2",         "StackPopV2",         "StackCloseV2",         "TensorArrayWriteV3",
      "TensorArrayReadV3",   "TensorArraySplitV3", "TensorArrayScatterV3", "TensorArrayGatherV3",
      "TensorArrayConcatV3", "TensorArraySizeV3",  "TensorArrayCloseV3"};
  return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

std::map<size_t, Edge> thread_lists(FunctionBody& body) {
  if (!has_lists(body.graph)) return {};
  redirect_items(body);
  return ListRewrite(body).run();
}

}  // namespace thalweg
