#include <algorithm>
#include <map>

#include "formats/function_cut.h"
#include "formats/loop_frames.h"
#include "formats/loop_parts.h"
#include "formats/rewrites.h"
#include "formats/thread_lists.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using tensorflow::DataType;

// Turns one frame without frames inside into a While node of the frame around it.
// The Merge stands for the variable in both functions: what the condition needs from it is one
// function, what the NextIterations need the other.
class LoopRewrite {
 public:
  LoopRewrite(WireGraph& graph, LoopFrames& frames, int frame)
      : graph_(graph),
        frames_(frames),
        frame_(frames.frames[static_cast<size_t>(frame)]),
        number_(frame),
        enters_(frame_.enters.begin(), frame_.enters.end()),
        parts_(find_loop_parts(graph, frame_)) {
    for (const LoopVariable& variable : parts_.variables) captures_.index({variable.merge, 0});
  }

  void run(FunctionWriter& functions, const OpFacts& facts) {
    std::set<int> in_condition;
    std::set<int> in_body;
    FunctionBody condition = cut(condition_results(), effects(false), in_condition);
    FunctionBody body = cut(next_values(), effects(true), in_body);
    refuse_double_effects(in_condition, in_body, facts);

    set_argument_types(body, types_of(captures_.edges()));
    for (const auto& [argument, last] : thread_lists(body)) {
      lists_[captures_.edges()[argument]] = body.results.size();
      body.results.push_back(last);
    }
    for (FunctionBody* function : {&condition, &body}) {
      set_argument_types(*function, types_of(captures_.edges()));
      functionalize_conds(*function, functions, facts);
      simplify(*function, facts);
    }
    const std::vector<Edge> captured =
        drop_unused_arguments(condition, body, parts_.variables.size(), captures_.edges());
    add_while(std::move(condition), std::move(body), captured, functions, facts);
  }

 private:
  WireNode& node(int id) { return graph_[id]; }
  bool runs_inside(int id) const {
    return frames_.frame_of[static_cast<size_t>(id)] == number_ && graph_[id].op() != "Exit";
  }
  bool enters_here(int id) const { return enters_.count(id) != 0; }
  std::string here() const { return str(" of the loop `", frame_.name, "`"); }

  bool is_loop_switch(int id) const {
    const WireNode& node = graph_[id];
    return node.op() == "Switch" && node.inputs.size() == 2 &&
           node.inputs[1].node == parts_.condition;
  }

  // The variable or invariant that an edge is, seen through the loop's Switches.
  Boundary::Origin origin(Edge edge) {
    for (int steps = 0; is_loop_switch(edge.node) || edge.node == parts_.condition; ++steps) {
      const WireNode& source = graph_[edge.node];
      if (edge.node != parts_.condition && edge.output != 1) {
        throw unimplemented("node `", source.name(), "`", here(),
                            " gives the value after the loop to a node inside it; only Exit may "
                            "take that");
      }
      refuse_circle(steps, edge.node);
      edge = source.inputs[0];
    }
    const WireNode* source = &graph_[edge.node];
    if (parts_.variable_of.count(edge.node) != 0) {
      if (edge.output == 0) return {edge, true};
      throw unimplemented("node `", source->name(), "`", here(), ": its value_index is read");
    }
    if (enters_here(edge.node)) {
      if (!source->bool_attr("is_constant")) {
        throw unimplemented("node `", source->name(), "`", here(),
                            " is no constant, but is read by others than its Merge");
      }
      const Edge outside = only_input(graph_, edge.node);
      invariant_types_[outside] = source->type_attr("T");
      return {outside, true};
    }
    if (source->op() == "NextIteration" || source->op() == "Exit") {
      throw invalid_argument("node `", source->name(), "` (", source->op(), ")", here(),
                             " is read inside the loop");
    }
    return {edge, false};
  }

  void refuse_circle(int steps, int id) const {
    if (steps <= graph_.size()) return;
    throw invalid_argument("node `", graph_[id].name(), "`", here(), " is its own input");
  }

  bool is_inside(int id) const {
    return runs_inside(id) && id != parts_.condition && !is_loop_switch(id) &&
           parts_.variable_of.count(id) == 0 && graph_[id].op() != "NextIteration";
  }

  FunctionBody cut(const std::vector<Edge>& results, const std::vector<int>& effects,
                   std::set<int>& copied) {
    const Boundary boundary{.origin = [this](Edge edge) { return origin(edge); },
                            .is_inside = [this](int id) { return is_inside(id); }};
    return cut_function(graph_, results, effects, boundary, captures_, copied);
  }

  std::vector<Edge> condition_results() { return {only_input(graph_, parts_.condition)}; }

  std::vector<Edge> next_values() {
    std::vector<Edge> results;
    for (const LoopVariable& variable : parts_.variables)
      results.push_back(only_input(graph_, variable.next));
    return results;
  }

  // What the loop's own nodes wait for: NextIterations in the body, the others before it.
  std::vector<int> effects(bool of_body) const {
    std::vector<int> result;
    for (int id : frame_.nodes) {
      const bool is_next = graph_[id].op() == "NextIteration";
      const bool is_own = is_next || id == parts_.condition || is_loop_switch(id) ||
                          parts_.variable_of.count(id) != 0 || graph_[id].op() == "Exit";
      if (!is_own || is_next != of_body) continue;
      for (int control : graph_[id].controls) {
        if (is_inside(control)) result.push_back(control);
      }
    }
    if (!of_body) return result;
    for (int id : frame_.nodes) {
      if (!graph_[id].removed && is_list_op(graph_[id].op()) && is_inside(id)) result.push_back(id);
    }
    return result;
  }

  void refuse_double_effects(const std::set<int>& condition, const std::set<int>& body,
                             const OpFacts& facts) const {
    for (int id : condition) {
      if (body.count(id) == 0 || !facts.has_effect(graph_[id])) continue;
      throw unimplemented("node `", graph_[id].name(), "` (", graph_[id].op(), ")", here(),
                          " has an effect and is needed by both condition and body");
    }
  }

  std::vector<DataType> types_of(const std::vector<Edge>& captured) const {
    std::vector<DataType> types;
    for (const Edge& edge : captured) {
      const bool is_variable = parts_.variable_of.count(edge.node) != 0;
      if (lists_.count(edge) != 0) {
        types.push_back(tensorflow::DT_VARIANT);
        continue;
      }
      types.push_back(is_variable ? graph_[edge.node].type_attr("T") : invariant_types_.at(edge));
    }
    return types;
  }

  void add_while(FunctionBody condition, FunctionBody body, const std::vector<Edge>& captured,
                 FunctionWriter& functions, const OpFacts& facts) {
    // An invariant comes out of the body as it went in, but for lists that the body changes.
    std::vector<int>& arguments = body.arguments;
    const std::vector<Edge> results = body.results;
    body.results.resize(parts_.variables.size());
    for (size_t i = parts_.variables.size(); i < captured.size(); ++i) {
      const auto list = lists_.find(captured[i]);
      if (list != lists_.end()) {
        body.results.push_back(results[list->second]);
        continue;
      }
      if (arguments[i] < 0) arguments[i] = body.graph.add("_Arg", str("arg", i), {});
      body.results.push_back({arguments[i], 0});
    }
    std::vector<Edge> inputs;
    for (const Edge& edge : captured) {
      const auto variable = parts_.variable_of.find(edge.node);
      inputs.push_back(variable == parts_.variable_of.end()
                           ? edge
                           : parts_.variables[static_cast<size_t>(variable->second)].initial);
    }
    const std::string base = base_name();
    const bool stateful = is_stateful(condition, facts) || is_stateful(body, facts);
    const std::vector<DataType> types = types_of(captured);
    const int loop = graph_.add(stateful ? "While" : "StatelessWhile", base + "/While", inputs);
    frames_.frame_of.push_back(frame_.parent);
    frames_.frames[static_cast<size_t>(frame_.parent)].nodes.push_back(loop);

    auto& attrs = *node(loop).def.mutable_attr();
    for (DataType type : types) attrs["T"].mutable_list()->add_type(type);
    attrs["cond"].mutable_func()->set_name(
        functions.add(std::move(condition), base + "_cond", types, {tensorflow::DT_BOOL}));
    attrs["body"].mutable_func()->set_name(
        functions.add(std::move(body), base + "_body", types, types));
    for (int enter : frame_.enters) {
      for (int control : node(enter).controls) node(loop).add_control(control);
    }
    replace_exits(loop);
    remove_frame();
  }

  std::string base_name() const {
    const std::string& name = graph_[parts_.condition].name();
    const size_t slash = name.rfind('/');
    return slash == std::string::npos ? "loop" : name.substr(0, slash);
  }

  void replace_exits(int loop) {
    for (int id : frame_.nodes) {
      if (node(id).op() != "Exit") continue;
      Edge edge = only_input(graph_, id);
      for (int steps = 0; node(edge.node).op() == "Identity" && runs_inside(edge.node); ++steps) {
        refuse_circle(steps, edge.node);
        edge = only_input(graph_, edge.node);
      }
      if (!is_loop_switch(edge.node) || edge.output != 0) {
        throw unimplemented("node `", node(id).name(), "` is an Exit", here(),
                            " that takes something else than the first output of a Switch by the "
                            "loop's condition");
      }
      const Boundary::Origin source = origin(node(edge.node).inputs[0]);
      if (!source.captured) {
        throw unimplemented("node `", node(id).name(), "` takes a value out", here(),
                            " that is no loop variable");
      }
      const DataType type = node(id).type_attr("T");
      const auto variable = parts_.variable_of.find(source.edge.node);
      node(id).become("Identity");
      node(id).set_type("T", type);
      node(id).controls = {loop};
      node(id).inputs = {variable == parts_.variable_of.end() ? source.edge
                                                              : Edge{loop, variable->second}};
      if (variable != parts_.variable_of.end()) node(id).controls.clear();
      frames_.frame_of[static_cast<size_t>(id)] = frame_.parent;
      exits_.push_back(id);
    }
  }

  void remove_frame() {
    auto& outside = frames_.frames[static_cast<size_t>(frame_.parent)].nodes;
    outside.insert(outside.end(), exits_.begin(), exits_.end());
    for (int id : frame_.enters) node(id).removed = true;
    for (int id : frame_.nodes) {
      if (frames_.frame_of[static_cast<size_t>(id)] == number_) node(id).removed = true;
    }
  }

  WireGraph& graph_;
  LoopFrames& frames_;
  LoopFrame& frame_;
  int number_;
  std::set<int> enters_;
  LoopParts parts_;
  std::map<Edge, DataType> invariant_types_;
  Captures captures_;
  std::map<Edge, size_t> lists_;  // captured handles that are lists now, with the body's result
  std::vector<int> exits_;
};

}  // namespace

void functionalize_loops(WireGraph& graph, FunctionWriter& functions, const OpFacts& facts) {
  bool any = false;
  for (int id = 0; id < graph.size(); ++id) any = any || graph[id].op() == "Enter";
  if (!any) return;
  LoopFrames frames = find_loop_frames(graph);
  // Inner loops first: they are nodes of the outer ones then.
  std::vector<int> order;
  for (size_t i = 1; i < frames.frames.size(); ++i) order.push_back(static_cast<int>(i));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return frames.frames[static_cast<size_t>(a)].depth >
           frames.frames[static_cast<size_t>(b)].depth;
  });
  for (int frame : order) LoopRewrite(graph, frames, frame).run(functions, facts);
}

}  // namespace thalweg
