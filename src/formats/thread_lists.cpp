#include "formats/thread_lists.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "formats/branch_contexts.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using tensorflow::DataType;

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

class ListThreads {
 public:
  explicit ListThreads(FunctionBody& body) : body_(body), graph_(body.graph), contexts_(graph_) {}

  std::map<size_t, Edge> run() {
    find_handles();
    std::vector<int> late;  // what puts a list on another one waits until that list is complete
    for (int id : graph_.topological_order()) {
      if (is_loop(id)) {
        thread_loop(id);
      } else if (node(id).op() == "StackPushV2" && handles_.count(input(id, 1)) != 0) {
        late.push_back(id);
      } else {
        convert(id);
      }
    }
    for (int id : late) {
      const Edge item = input(id, 1);
      close(current_.at(item), 0);
      push(id, take(item), tensorflow::DT_VARIANT);
    }
    for (auto& [handle, thread] : current_) close(thread, 0);
    forget(late);
    make_lists();
    std::map<size_t, Edge> last;
    for (size_t i = 0; i < body_.arguments.size(); ++i) {
      const auto found = current_.find({body_.arguments[i], 0});
      if (body_.arguments[i] >= 0 && found != current_.end()) last[i] = found->second.list;
    }
    std::erase_if(body_.effects, [&](int id) { return converted_.count(id) != 0; });
    return last;
  }

 private:
  // The list behind a handle, so far, and the branches that it is in.
  struct Thread {
    Edge list;
    std::vector<std::pair<int, Side>> open;  // with the Switch into each
  };

  WireNode& node(int id) { return graph_[id]; }
  bool is_loop(int id) { return node(id).op() == "While" || node(id).op() == "StatelessWhile"; }

  Edge input(int id, size_t i) {
    if (i < node(id).inputs.size()) return root(node(id).inputs[i]);
    throw invalid_argument("node `", node(id).name(), "` (", node(id).op(), ") has ",
                           node(id).inputs.size(), " inputs, expected more than ", i);
  }

  // What a handle is, seen through what passes it on.
  Edge root(Edge edge) {
    while ((node(edge.node).op() == "Identity" || node(edge.node).op() == "Switch") &&
           !node(edge.node).inputs.empty()) {
      edge = node(edge.node).inputs[0];
    }
    return edge;
  }

  void find_handles() {
    std::set<Edge> used;
    for (int id = 0; id < graph_.size(); ++id) {
      if (node(id).removed) continue;
      if (is_list_op(node(id).op())) used.insert(input(id, 0));
      if (!is_loop(id)) continue;
      const auto& types = node(id).def.attr().at("T").list().type();
      for (size_t i = 0; i < node(id).inputs.size(); ++i) {
        if (types[static_cast<int>(i)] == tensorflow::DT_VARIANT) used.insert(input(id, i));
      }
    }
    for (const Edge& edge : used) {
      const WireNode& source = node(edge.node);
      const bool is_handle =
          source.op() == "StackV2" || source.op() == "_GradientArray" ||
          (source.op() == "_Arg" && source.type_attr("T") == tensorflow::DT_RESOURCE) ||
          (source.op() == "StackPopV2" && source.type_attr("elem_type") == tensorflow::DT_RESOURCE);
      if (is_handle) handles_.insert(edge);
    }
    // Stacks that no op here uses may still lie on others.
    for (int id = 0; id < graph_.size(); ++id) {
      if (node(id).removed) continue;
      if (node(id).op() == "StackV2" || node(id).op() == "_GradientArray") handles_.insert({id, 0});
    }
    for (const Edge& edge : handles_) current_[edge].list = edge;
    for (int id = 0; id < graph_.size(); ++id) {
      if (!node(id).removed && node(id).op() == "Identity" && handles_.count(root({id, 0})) != 0)
        node(id).set_type("T", tensorflow::DT_VARIANT);
    }
  }

  // The list behind a handle.
  Edge take(Edge handle) {
    const auto found = current_.find(handle);
    if (found != current_.end()) return found->second.list;
    const WireNode& source = node(handle.node);
    throw unimplemented("node `", source.name(), "` (", source.op(),
                        ") gives the handle of a stack or a TensorArray, but is no StackV2 and no "
                        "TensorArrayV3");
  }

  // The branches in which an op runs and the maker of its list does not, outermost first.
  std::vector<Side> sides(int id, Edge handle) {
    std::vector<Side> result;
    for (const Side& side : contexts_.of(id)) {
      if (!contexts_.holds(handle.node, side)) result.push_back(side);
    }
    std::stable_sort(result.begin(), result.end(),
                     [&](const Side& a, const Side& b) { return depth(a) < depth(b); });
    return result;
  }
  size_t depth(const Side& side) { return contexts_.of(side.predicate.node).size(); }

  // Calls `change` with the list, in the branches in which node `id` runs; it gives the list after.
  template <class Change>
  void thread(int id, Edge handle, Change&& change) {
    take(handle);
    Thread& thread = current_.at(handle);
    const std::vector<Side> wanted = sides(id, handle);
    size_t common = 0;
    while (common < wanted.size() && common < thread.open.size() &&
           thread.open[common].second == wanted[common]) {
      ++common;
    }
    close(thread, common);
    for (size_t i = common; i < wanted.size(); ++i) {
      const int added = add("Switch", id, {thread.list, wanted[i].predicate});
      node(added).set_type("T", tensorflow::DT_VARIANT);
      thread.open.push_back({added, wanted[i]});
      thread.list = {added, wanted[i].taken ? 1 : 0};
    }
    thread.list = change(thread.list);
  }

  // Brings the list out of all branches but the outermost `depth`.
  void close(Thread& thread, size_t depth) {
    while (thread.open.size() > depth) {
      const auto [opened, side] = thread.open.back();
      thread.open.pop_back();
      const Edge other{opened, side.taken ? 0 : 1};
      const Edge list = thread.list;
      const int merge =
          add("Merge", opened, {side.taken ? other : list, side.taken ? list : other});
      node(merge).set_type("T", tensorflow::DT_VARIANT);
      (*node(merge).def.mutable_attr())["N"].set_i(2);
      thread.list = {merge, 0};
    }
  }

  void thread_loop(int id) {
    for (size_t i = 0; i < node(id).inputs.size(); ++i) {
      const Edge handle = input(id, i);
      if (current_.count(handle) == 0) continue;
      thread(id, handle, [&](Edge list) {
        node(id).inputs[i] = list;
        return Edge{id, static_cast<int>(i)};
      });
    }
  }

  void convert(int id) {
    const std::string op = node(id).op();
    if (!is_list_op(op)) return;
    converted_.insert(id);
    const Edge handle = input(id, 0);
    if (op == "StackPushV2") {
      push(id, input_edge(id, 1), node(id).type_attr("T"));
    } else if (op == "StackPopV2") {
      const bool of_lists = node(id).type_attr("elem_type") == tensorflow::DT_RESOURCE;
      const DataType type = of_lists ? tensorflow::DT_VARIANT : node(id).type_attr("elem_type");
      thread(id, handle, [&](Edge list) {
        become(id, "TensorListPopBack", type, {list, any_shape(id)});
        return Edge{id, 0};
      });
    } else if (op == "StackCloseV2" || op == "TensorArrayCloseV3") {
      node(id).become("NoOp");
      node(id).inputs.clear();
    } else {
      convert_gradient(id, op, handle);
    }
  }

  Edge input_edge(int id, size_t i) {
    input(id, i);
    return node(id).inputs[i];
  }

  void push(int id, Edge item, DataType type) {
    const Edge handle = input(id, 0);
    converted_.insert(id);
    thread(id, handle, [&](Edge list) {
      become(id, "TensorListPushBack", type, {list, item});
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

  // Gradients of one place add up.
  void convert_gradient(int id, const std::string& op, Edge handle) {
    const tensorflow::AttrValue shape_attr = node(id).def.attr().at("_element_shape");
    const DataType type = node(id).def.attr().at("_element_dtype").type();
    const bool grows = node(id).bool_attr("_grows");
    const auto sum = [&](Edge a, Edge b) { return give("AddV2", id, {a, b}, {{"T", type}}); };
    if (op == "TensorArrayWriteV3") {  // handle, index, value, flow
      const Edge index = input_edge(id, 1);
      const Edge value = input_edge(id, 2);
      thread(id, handle, [&](Edge list) {
        if (grows) list = lengthen(id, list, after(id, index));
        const Edge shape = shape_of(id, value, type);
        const Edge old =
            give("TensorListGetItem", id, {list, index, shape}, {{"element_dtype", type}});
        return give("TensorListSetItem", id, {list, index, sum(old, value)},
                    {{"element_dtype", type}});
      });
      be_flow(id);
    } else if (op == "TensorArrayScatterV3") {  // handle, indices, value, flow
      const Edge indices = input_edge(id, 1);
      const Edge value = input_edge(id, 2);
      thread(id, handle, [&](Edge list) {
        if (grows) list = lengthen(id, list, after(id, largest(id, indices)));
        const Edge shape = row_shape(id, value, type);
        const Edge old =
            give("TensorListGather", id, {list, indices, shape}, {{"element_dtype", type}});
        return give("TensorListScatterIntoExistingList", id, {list, sum(old, value), indices},
                    {{"element_dtype", type}});
      });
      be_flow(id);
    } else if (op == "TensorArraySplitV3") {  // handle, value, lengths, flow
      const Edge value = input_edge(id, 1);
      const Edge lengths = input_edge(id, 2);
      thread(id, handle, [&](Edge list) {
        if (grows) {
          const Edge count =
              give("Size", id, {lengths},
                   {{"T", tensorflow::DT_INT64}, {"out_type", tensorflow::DT_INT32}});
          list = lengthen(id, list, count);
        }
        const Edge pieces = give("TensorListSplit", id, {value, any_shape(id), lengths},
                                 {{"element_dtype", type}, {"shape_type", tensorflow::DT_INT32}});
        const Edge both = give("AddN", id, {list, pieces}, {{"T", tensorflow::DT_VARIANT}});
        (*node(both.node).def.mutable_attr())["N"].set_i(2);
        return both;
      });
      be_flow(id);
    } else if (op == "TensorArrayReadV3") {  // handle, index, flow
      const Edge index = input_edge(id, 1);
      thread(id, handle, [&](Edge list) {
        if (grows) list = lengthen(id, list, after(id, index));
        become(id, "TensorListGetItem", type,
               {list, index, shape_constant(id, shape_attr.shape())});
        return list;
      });
    } else if (op == "TensorArrayGatherV3") {  // handle, indices, flow
      const Edge indices = input_edge(id, 1);
      thread(id, handle, [&](Edge list) {
        if (grows) list = lengthen(id, list, after(id, largest(id, indices)));
        become(id, "TensorListGather", type,
               {list, indices, shape_constant(id, shape_attr.shape())});
        return list;
      });
    } else if (op == "TensorArrayConcatV3") {  // handle, flow
      thread(id, handle, [&](Edge list) {
        const Edge none = ints(id, {}, tensorflow::DT_INT64);
        become(id, "TensorListConcatV2", type, {list, any_shape(id), none});
        node(id).set_type("shape_type", tensorflow::DT_INT32);
        return list;
      });
    } else {  // TensorArraySizeV3: handle, flow
      thread(id, handle, [&](Edge list) {
        node(id).become("TensorListLength");
        node(id).inputs = {list};
        return list;
      });
    }
  }

  // What the flow out of a write was read for is order, which the list gives now. It still comes in
  // the write's branch only.
  void be_flow(int id) {
    const int zero = graph_.add("Const", node(id).name() + "/flow", {});
    node(zero).set_type("dtype", tensorflow::DT_FLOAT);
    auto& tensor = *(*node(zero).def.mutable_attr())["value"].mutable_tensor();
    tensor.set_dtype(tensorflow::DT_FLOAT);
    tensor.mutable_tensor_shape();
    tensor.add_float_val(0);
    for (size_t i = 1; i < node(id).inputs.size(); ++i) {
      const Edge edge = node(id).inputs[i];
      if (node(edge.node).op() == "_Arg") continue;
      if (node(edge.node).op() != "Switch") {
        node(zero).add_control(edge.node);
        continue;
      }
      const int pivot = add("Identity", zero, {edge});
      node(pivot).set_type("T", node(edge.node).type_attr("T"));
      node(zero).add_control(pivot);
    }
    node(id).become("Identity");
    node(id).set_type("T", tensorflow::DT_FLOAT);
    node(id).inputs = {{zero, 0}};
  }

  void become(int id, std::string_view op, DataType type, std::vector<Edge> inputs) {
    node(id).become(op);
    node(id).set_type("element_dtype", type);
    node(id).inputs = std::move(inputs);
  }

  int add(std::string_view op, int beside, std::vector<Edge> inputs) {
    return graph_.add(op, str(node(beside).name(), "/", op), std::move(inputs));
  }

  Edge give(std::string_view op, int beside, std::vector<Edge> inputs,
            const std::vector<std::pair<const char*, DataType>>& types) {
    const int added = add(op, beside, std::move(inputs));
    for (const auto& [name, type] : types) node(added).set_type(name, type);
    return {added, 0};
  }

  Edge ints(int beside, const std::vector<int64_t>& values, DataType type, bool scalar = false) {
    const int added = add("Const", beside, {});
    node(added).set_type("dtype", type);
    auto& tensor = *(*node(added).def.mutable_attr())["value"].mutable_tensor();
    tensor.set_dtype(type);
    auto& shape = *tensor.mutable_tensor_shape();
    if (!scalar) shape.add_dim()->set_size(static_cast<int64_t>(values.size()));
    for (int64_t value : values) {
      if (type == tensorflow::DT_INT32) tensor.add_int_val(static_cast<int32_t>(value));
      if (type == tensorflow::DT_INT64) tensor.add_int64_val(value);
    }
    return {added, 0};
  }
  Edge any_shape(int beside) { return ints(beside, {-1}, tensorflow::DT_INT32, true); }
  Edge vector(int beside, std::vector<int64_t> values) {
    return ints(beside, values, tensorflow::DT_INT32);
  }

  Edge shape_constant(int beside, const tensorflow::TensorShapeProto& shape) {
    if (shape.unknown_rank()) return any_shape(beside);
    std::vector<int64_t> dims;
    for (const auto& dim : shape.dim()) dims.push_back(dim.size());
    return vector(beside, std::move(dims));
  }

  Edge shape_of(int beside, Edge value, DataType type) {
    return give("Shape", beside, {value}, {{"T", type}, {"out_type", tensorflow::DT_INT32}});
  }

  // value's shape without its first dimension.
  Edge row_shape(int beside, Edge value, DataType type) {
    const Edge one = vector(beside, {1});
    const Edge rest =
        give("StridedSlice", beside, {shape_of(beside, value, type), one, vector(beside, {0}), one},
             {{"T", tensorflow::DT_INT32}, {"Index", tensorflow::DT_INT32}});
    (*node(rest.node).def.mutable_attr())["end_mask"].set_i(1);
    return rest;
  }

  Edge largest(int beside, Edge indices) {
    return give("Max", beside, {indices, vector(beside, {0})},
                {{"T", tensorflow::DT_INT32}, {"Tidx", tensorflow::DT_INT32}});
  }
  Edge after(int beside, Edge index) {
    const Edge one = ints(beside, {1}, tensorflow::DT_INT32, true);
    return give("AddV2", beside, {index, one}, {{"T", tensorflow::DT_INT32}});
  }

  // The list with at least `count` items.
  Edge lengthen(int beside, Edge list, Edge count) {
    const Edge length = give("TensorListLength", beside, {list}, {});
    const Edge larger = give("Maximum", beside, {length, count}, {{"T", tensorflow::DT_INT32}});
    return give("TensorListResize", beside, {list, larger}, {});
  }

  void make_lists() {
    const int count = graph_.size();
    for (int id = 0; id < count; ++id) {
      if (node(id).removed) continue;
      if (node(id).op() == "StackV2") {
        DataType type = node(id).type_attr("elem_type");
        if (type == tensorflow::DT_RESOURCE) type = tensorflow::DT_VARIANT;
        const Edge size = input_edge(id, 0);
        become(id, "EmptyTensorList", type, {any_shape(id), size});
        node(id).set_type("shape_type", tensorflow::DT_INT32);
      } else if (node(id).op() == "_GradientArray") {
        const Edge size = input_edge(id, 0);
        become(id, "TensorListReserve", node(id).type_attr("dtype"), {any_shape(id), size});
        node(id).set_type("shape_type", tensorflow::DT_INT32);
      }
    }
  }

  FunctionBody& body_;
  WireGraph& graph_;
  BranchContexts contexts_;
  std::set<Edge> handles_;
  std::map<Edge, Thread> current_;  // by handle
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

namespace {

bool has_lists(const WireGraph& graph) {
  for (int id = 0; id < graph.size(); ++id) {
    const WireNode& node = graph[id];
    if (node.removed) continue;
    if (is_list_op(node.op()) || node.op() == "StackV2" || node.op() == "_GradientArray")
      return true;
    // A loop inside may have made lists of this body's arguments.
    if (node.op() != "While" && node.op() != "StatelessWhile") continue;
    const auto& types = node.def.attr().at("T").list().type();
    for (int i = 0; i < types.size() && i < static_cast<int>(node.inputs.size()); ++i) {
      const WireNode& source = graph[node.inputs[static_cast<size_t>(i)].node];
      if (types[i] == tensorflow::DT_VARIANT && source.type_attr("T") == tensorflow::DT_RESOURCE)
        return true;
    }
  }
  return false;
}

}  // namespace

std::map<size_t, Edge> thread_lists(FunctionBody& body) {
  if (!has_lists(body.graph)) return {};
  redirect_items(body);
  return ListThreads(body).run();
}

}  // namespace thalweg
