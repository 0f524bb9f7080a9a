// inline: the body of a function in the place of a plain call, so that every other pass sees
// through it. An If or Case whose choice is known becomes a call of the branch.
#include <algorithm>

#include "passes/pass_list.h"
#include "passes/subgraph_copy.h"
#include "thalweg/base/philox.h"
#include "thalweg/graph/function.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

// The function that is sure to be called; null when the node does something else.
const std::string* callee_of(const Node& node) {
  const std::string_view type = node.type();
  if (type == "PartitionedCall" || type == "StatefulPartitionedCall")
    return &node.attr<FunctionName>("f").name;
  const bool is_if = type == "If" || type == "StatelessIf";
  if (!is_if && type != "Case" && type != "StatelessCase") return nullptr;
  const Tensor* choice = constant_value(node.input(0));
  if (choice == nullptr) return nullptr;
  if (is_if) {
    if (choice->rank() == 0 && choice->dtype() == kString) return nullptr;
    const bool taken = choice->rank() != 0 ? choice->num_elements() > 0 : choice->at(0) != 0;
    return &node.attr<FunctionName>(taken ? "then_branch" : "else_branch").name;
  }
  const auto& branches = node.attr<std::vector<FunctionName>>("branches");
  const auto last = static_cast<int64_t>(branches.size()) - 1;
  const auto index = static_cast<int64_t>(choice->at(0));
  return &branches[static_cast<size_t>(index < 0 ? last : std::min(index, last))].name;
}

bool is_call(const Node& node) { return callee_of(node) != nullptr; }

// Functions that call others twice each would grow to 2^n nodes. Calls beyond this size of the
// graph stay calls: their functions are planned by themselves, once for each.
constexpr int64_t kMaxNodes = int64_t{1} << 16;

// How many nodes the body of a function becomes with those that it is sure to call in it.
class BodySizes {
 public:
  explicit BodySizes(const FunctionLibrary& functions) : functions_(functions) {}

  int64_t of(const std::string& name) {
    // What calls itself counts as nothing until it is known.
    const auto [it, is_new] = sizes_.try_emplace(name, 0);
    if (!is_new) return it->second;
    const Graph& body = *functions_.at(name).body;
    int64_t size = body.num_nodes();
    for (int id = 0; id < body.num_nodes(); ++id) {
      if (const std::string* callee = callee_of(body.node(id)))
        size = std::min(size + of(*callee), kMaxNodes + 1);
    }
    return sizes_[name] = size;
  }

 private:
  const FunctionLibrary& functions_;
  std::map<std::string, int64_t> sizes_;
};

class Inline : public Rewriter {
 public:
  explicit Inline(const PlanGraph& source)
      : Rewriter(source),
        sizes_(source.graph->functions()),
        room_(kMaxNodes - source.graph->num_nodes()) {}

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    if (!is_call(node)) return copy(node, inputs);
    const int64_t size = sizes_.of(*callee_of(node));
    if (size > room_) return copy(node, inputs);
    room_ -= size;
    std::vector<Node*> effects;
    std::vector<Output> results = expand(node, inputs, node.name(), effects);
    const std::vector<Node*> before = mapped_controls(node);
    if (!effects.empty() || !before.empty() || is_pinned(node)) {
      // Stands for the call where others wait for it, and holds what must run.
      std::vector<Node*> controls = effects;
      controls.insert(controls.end(), before.begin(), before.end());
      Node& done =
          target().add("NoOp", {}, {}, {.name = node.name() + "/done", .control_inputs = controls});
      stand_for(node, done);
      add_target(done);
    }
    return results;
  }

 private:
  // What the call gives; what must run beside goes to `effects`.
  std::vector<Output> expand(const Node& call, const std::vector<Output>& inputs,
                             const std::string& path, std::vector<Node*>& effects) {
    const std::string& name = *callee_of(call);
    const Function& function = target().functions().at(name);
    // No branch lies between a call and what is expanded here: meeting a function again would
    // never end.
    if (std::find(chain_.begin(), chain_.end(), &function) != chain_.end()) {
      throw resource_exhausted("function `", name, "` calls itself without end (in ", path,
                               "); put the call into a branch of an If");
    }
    chain_.push_back(&function);
    const auto first = static_cast<size_t>(function_calls(call).front().first_argument);
    std::map<Output, Output> given;
    for (size_t a = 0; a < function.arguments.size(); ++a)
      given[function.arguments[a]] = inputs.at(first + a);
    SubgraphCopy body(*function.body, std::move(given));
    body.run(function.results, function.side_effects,
             [&](const Node& node, std::vector<Output> node_inputs, std::vector<Node*> controls) {
               return add_inner(node, std::move(node_inputs), std::move(controls), path, effects);
             });
    std::vector<Output> results;
    for (const Output& result : function.results) results.push_back(body.output(result));
    for (const Node* node : function.side_effects) {
      if (Node* copied = body.node(*node)) effects.push_back(copied);
    }
    chain_.pop_back();
    return results;
  }

  SubgraphCopy::Copied add_inner(const Node& node, std::vector<Output> inputs,
                                 std::vector<Node*> controls, const std::string& path,
                                 std::vector<Node*>& effects) {
    const std::string name = str(path, "/", node.name());
    if (node.type() == "Placeholder") {
      throw invalid_argument("placeholder `", name, "` stands in the body of a function, where ",
                             "nothing can feed it; make it an argument");
    }
    SubgraphCopy::Copied copied;
    if (is_call(node)) {
      copied.outputs = expand(node, inputs, name, effects);
      if (!copied.outputs.empty() && copied.outputs[0]) copied.node = copied.outputs[0].node();
      if (!effects.empty()) copied.node = effects.back();
      return copied;
    }
    AttrMap attrs = node.attrs();
    attrs.erase(std::string(kExtends));
    if (node.num_outputs() > 0 && node.num_inputs() == 0 && node.output_dtype(0) == kResource) {
      // State goes by the name in the function, wherever that is called.
      const auto shared = attrs.find("shared_name");
      if (shared != attrs.end() && std::get<std::string>(shared->second).empty())
        shared->second = node.name();
    }
    if (node.effect() == Effect::kRandom && attrs.contains("seed2")) {
      // Each call draws numbers of its own.
      const auto seed = static_cast<uint64_t>(node.attr<int64_t>("seed2"));
      attrs["seed2"] = static_cast<int64_t>(mix_seed(seed, path));
    }
    copied.node = &target().add(
        node.type(), std::move(inputs), std::move(attrs),
        {.name = name, .device = node.device(), .control_inputs = std::move(controls)});
    for (int i = 0; i < copied.node->num_outputs(); ++i)
      copied.outputs.push_back(copied.node->output(i));
    return copied;
  }

  BodySizes sizes_;
  int64_t room_;                        // nodes that may still be added
  std::vector<const Function*> chain_;  // under expansion
};

}  // namespace

PlanGraph inline_calls(const PlanGraph& source, const PassContext&) { return Inline(source).run(); }

PlanGraph take_branches(const PlanGraph& source, const PassContext& context) {
  const Graph& graph = *source.graph;
  bool any = false;
  for (int id = 0; id < graph.num_nodes() && !any; ++id) any = is_call(graph.node(id));
  if (!any) return Rewriter(source).run();
  return fold(inline_calls(source, context), context);
}

}  // namespace thalweg
