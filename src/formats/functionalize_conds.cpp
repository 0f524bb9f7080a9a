#include <algorithm>
#include <map>
#include <optional>

#include "formats/branch_contexts.h"
#include "formats/function_cut.h"
#include "formats/lone_effects.h"
#include "formats/merge_groups.h"
#include "formats/rewrites.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using tensorflow::DataType;

// "cond/Merge" -> "cond".
std::string scope_of(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? "cond" : name.substr(0, slash);
}

// Branches inside others first: an inner If is a node of the outer branch then.
class CondRewrite {
 public:
  CondRewrite(FunctionBody& body, FunctionWriter& functions, const OpFacts& facts)
      : body_(body),
        graph_(body.graph),
        functions_(functions),
        facts_(facts),
        contexts_(body.graph) {}

  void run() {
    // By predicate and surrounding branches: what one If may hold.
    std::map<std::pair<Context, Edge>, std::vector<int>> groups;
    size_t deepest = 0;
    for (int id = 0; id < graph_.size(); ++id) deepest = std::max(deepest, contexts_.of(id).size());
    for (const auto& [id, choice] : contexts_.merges()) {
      choices_[id] = choice;
      groups[{contexts_.of(id), choice.predicate}].push_back(id);
    }
    for (size_t depth = deepest + 1; depth-- > 0;) {
      for (const auto& [key, merges] : groups) {
        if (key.first.size() == depth) add_ifs(key.second, merges);
      }
      for (const LoneEffects& effects :
           find_lone_effects(graph_, contexts_, facts_, copied_, depth + 1)) {
        add_lone_if(effects);
      }
    }
    remove_branches();
  }

 private:
  WireNode& node(int id) { return graph_[id]; }

  // One If for all Merges of a predicate, but none whose branch needs what another one gave.
  void add_ifs(Edge predicate, std::vector<int> merges) {
    while (!merges.empty()) add_if(predicate, take_independent(graph_, merges));
  }

  // What one If is made of while it is cut out.
  struct Draft {
    Edge predicate;
    Context context;
    Captures captures;
    std::map<Edge, DataType> types;
    std::set<int> waits;  // nodes outside that one inside waits for
  };

  Boundary::Origin origin(Edge edge, const Side& side, Draft& draft) {
    DataType type = tensorflow::DT_INVALID;
    while (node(edge.node).op() == "Switch" &&
           contexts_.predicate(node(edge.node)) == side.predicate) {
      type = node(edge.node).type_attr("T");
      edge = node(edge.node).inputs[0];
    }
    if (contexts_.holds(edge.node, side)) return {edge, false};
    if (type == tensorflow::DT_INVALID) type = facts_.output_type(node(edge.node), edge.output);
    if (type == tensorflow::DT_INVALID) {
      throw unimplemented("node `", node(edge.node).name(), "` (", node(edge.node).op(),
                          ") is read in a branch, and the type of its output ", edge.output,
                          " is not known");
    }
    draft.types[edge] = type;
    return {edge, true};
  }

  FunctionBody cut(const std::vector<Edge>& results, const std::vector<int>& effects,
                   const Side& side, Draft& draft) {
    const Boundary boundary{.origin = [&](Edge edge) { return origin(edge, side, draft); },
                            .is_inside =
                                [&](int id) {
                                  const bool inside = contexts_.holds(id, side);
                                  if (!inside) draft.waits.insert(id);
                                  return inside;
                                }};
    std::set<int> copied;
    FunctionBody function =
        cut_function(graph_, results, effects, boundary, draft.captures, copied);
    for (int id : copied) {
      if (copied_.insert(id).second || !facts_.has_effect(node(id))) continue;
      throw unimplemented("node `", node(id).name(), "` (", node(id).op(),
                          ") has an effect, and more than one conditional needs it");
    }
    return function;
  }

  int finish(Draft& draft, FunctionBody taken, FunctionBody other, const std::string& scope,
             const std::vector<DataType>& results) {
    std::vector<DataType> types;
    for (const Edge& edge : draft.captures.edges()) types.push_back(draft.types.at(edge));
    for (FunctionBody* branch : {&taken, &other}) {
      set_argument_types(*branch, types);
      simplify(*branch, facts_);
    }
    const auto captured = drop_unused_arguments(taken, other, 0, draft.captures.edges());
    const bool stateful = is_stateful(taken, facts_) || is_stateful(other, facts_);

    std::vector<Edge> inputs = {draft.predicate};
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    const int id = graph_.add(stateful ? "If" : "StatelessIf", scope + "/If", inputs);
    contexts_.set(id, draft.context);
    for (int wait : draft.waits) add_wait(id, wait);

    auto& attrs = *node(id).def.mutable_attr();
    attrs["Tcond"].set_type(tensorflow::DT_BOOL);
    auto& tin = *attrs["Tin"].mutable_list();
    auto& tout = *attrs["Tout"].mutable_list();
    types.clear();
    for (const Edge& edge : captured) {
      types.push_back(draft.types.at(edge));
      tin.add_type(types.back());
    }
    for (DataType type : results) tout.add_type(type);
    attrs["then_branch"].mutable_func()->set_name(
        functions_.add(std::move(taken), scope + "_true", types, results));
    attrs["else_branch"].mutable_func()->set_name(
        functions_.add(std::move(other), scope + "_false", types, results));
    return id;
  }

  // To wait for a Switch is to wait for what it passes on.
  void add_wait(int id, int wait) {
    while (node(wait).op() == "Switch") wait = node(wait).inputs[0].node;
    node(id).add_control(wait);
  }

  void add_if(Edge predicate, const std::vector<int>& merges) {
    Draft draft{.predicate = predicate, .context = contexts_.of(merges.front())};
    std::vector<DataType> types;
    std::vector<int> outputs;  // the Merges that are outputs of the If
    FunctionBody branches[2];
    std::map<int, Edge> passed;
    for (int merge : merges) {
      if (const auto edge = passed_on(merge, draft)) {
        passed[merge] = *edge;
      } else {
        outputs.push_back(merge);
        types.push_back(node(merge).type_attr("T"));
      }
    }
    for (bool taken : {false, true}) {
      const Side side{predicate, taken};
      std::vector<Edge> results;
      std::vector<int> effects;
      for (int merge : outputs) results.push_back(input_of(merge, taken));
      for (int merge : merges) {
        if (passed.count(merge) != 0) add_effect(input_of(merge, taken).node, side, effects);
        for (int control : node(merge).controls) add_effect(control, side, effects);
      }
      branches[taken ? 1 : 0] = cut(results, effects, side, draft);
    }
    const int id = finish(draft, std::move(branches[1]), std::move(branches[0]),
                          scope_of(node(merges.front()).name()), types);
    for (size_t i = 0; i < outputs.size(); ++i) {
      become_identity(outputs[i], {id, static_cast<int>(i)}, predicate);
    }
    for (const auto& [merge, edge] : passed) {
      become_identity(merge, edge, predicate);
      node(merge).add_control(id);
    }
  }

  Edge input_of(int merge, bool taken) {
    const int true_input = choices_.at(merge).true_input;
    return node(merge).inputs[static_cast<size_t>(taken ? true_input : 1 - true_input)];
  }

  void add_effect(int id, const Side& side, std::vector<int>& effects) const {
    if (contexts_.holds(id, side)) effects.push_back(id);
  }

  // The handle that both branches pass on: the Merge is that handle, and no If need return one.
  std::optional<Edge> passed_on(int merge, Draft& draft) {
    if (node(merge).type_attr("T") != tensorflow::DT_RESOURCE) return std::nullopt;
    Edge ends[2];
    for (bool taken : {false, true}) {
      Edge edge = input_of(merge, taken);
      Boundary::Origin source = origin(edge, {draft.predicate, taken}, draft);
      while (!source.captured && node(source.edge.node).op() == "Identity" &&
             node(source.edge.node).inputs.size() == 1) {
        source = origin(node(source.edge.node).inputs[0], {draft.predicate, taken}, draft);
      }
      if (!source.captured) return std::nullopt;
      ends[taken ? 1 : 0] = source.edge;
    }
    return ends[0] == ends[1] ? std::optional(ends[0]) : std::nullopt;
  }

  void become_identity(int merge, Edge value, Edge predicate) {
    replace_value_index(merge, predicate);
    const DataType type = node(merge).type_attr("T");
    std::erase_if(node(merge).controls, [&](int control) {
      return contexts_.holds(control, {predicate, true}) ||
             contexts_.holds(control, {predicate, false});
    });
    node(merge).become("Identity");
    node(merge).set_type("T", type);
    node(merge).inputs = {value};
  }

  // Output 1 of a Merge, the number of the input that came, from the predicate.
  void replace_value_index(int merge, Edge predicate) {
    std::vector<Edge*> readers;
    for (int id = 0; id < graph_.size(); ++id) {
      for (Edge& edge : node(id).inputs) {
        if (edge == Edge{merge, 1}) readers.push_back(&edge);
      }
    }
    for (Edge& edge : body_.results) {
      if (edge == Edge{merge, 1}) readers.push_back(&edge);
    }
    if (readers.empty()) return;
    Edge condition = predicate;
    if (choices_.at(merge).true_input == 0) {
      const int inverse = graph_.add("LogicalNot", node(merge).name() + "/LogicalNot", {predicate});
      contexts_.set(inverse, contexts_.of(merge));
      condition = {inverse, 0};
    }
    const int index = graph_.add("Cast", node(merge).name() + "/value_index", {condition});
    node(index).set_type("SrcT", tensorflow::DT_BOOL);
    node(index).set_type("DstT", tensorflow::DT_INT32);
    contexts_.set(index, contexts_.of(merge));
    for (Edge* reader : readers) *reader = {index, 0};
  }

  void add_lone_if(const LoneEffects& effects) {
    Draft draft{.predicate = effects.side.predicate, .context = effects.context};
    FunctionBody with = cut({}, effects.last, effects.side, draft);
    FunctionBody without;
    const std::string scope = scope_of(node(effects.last.front()).name());
    const int id = effects.side.taken
                       ? finish(draft, std::move(with), std::move(without), scope, {})
                       : finish(draft, std::move(without), std::move(with), scope, {});
    // Who runs the graph may name these nodes.
    for (int last : effects.last) {
      node(last).become("NoOp");
      node(last).inputs.clear();
      node(last).controls = {id};
      contexts_.set(last, effects.context);
      copied_.erase(last);
    }
  }

  void remove_branches() {
    for (const Edge& result : body_.results) {
      if (contexts_.of(result.node).empty() && node(result.node).op() != "Switch") continue;
      throw unimplemented("node `", node(result.node).name(),
                          "` is needed outside, but runs in one branch only and no Merge joins it "
                          "with the other");
    }
    for (int id = 0; id < graph_.size(); ++id) {
      if (!contexts_.of(id).empty() || node(id).op() == "Switch") node(id).removed = true;
    }
    for (int id = 0; id < graph_.size(); ++id) {
      if (node(id).removed) continue;
      std::vector<int> controls;
      controls.swap(node(id).controls);
      for (int control : controls) add_wait(id, control);
    }
  }

  FunctionBody& body_;
  WireGraph& graph_;
  FunctionWriter& functions_;
  const OpFacts& facts_;
  BranchContexts contexts_;
  std::map<int, MergeChoice> choices_;
  std::set<int> copied_;  // nodes that some branch has
};

}  // namespace

void functionalize_conds(FunctionBody& body, FunctionWriter& functions, const OpFacts& facts) {
  for (int id = 0; id < body.graph.size(); ++id) {
    const WireNode& node = body.graph[id];
    if (node.removed || (node.op() != "Switch" && node.op() != "Merge")) continue;
    CondRewrite(body, functions, facts).run();
    return;
  }
}

}  // namespace thalweg
