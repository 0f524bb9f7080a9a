// fuse_elementwise: a tree of element-wise ops becomes one loop over cache-sized tiles; what lies
// between is never written to memory.
#include <algorithm>
#include <map>
#include <set>

#include "passes/pass_list.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

// More would not fit the tile buffers of the kernel into the first-level cache.
constexpr size_t kMaxInstructions = 24;
constexpr size_t kMaxArguments = 12;

const std::set<std::string_view>& fusible_ops() {
  static const std::set<std::string_view> ops = {"Neg",          "Abs",         "Sign",
                                                 "Exp",          "Expm1",       "Log",
                                                 "Log1p",        "Sqrt",        "Rsqrt",
                                                 "Square",       "Reciprocal",  "Tanh",
                                                 "Sigmoid",      "Erf",         "Floor",
                                                 "Ceil",         "Relu",        "Relu6",
                                                 "LeakyRelu",    "Elu",         "Selu",
                                                 "Softplus",     "Softsign",    "AddV2",
                                                 "Add",          "Sub",         "Mul",
                                                 "RealDiv",      "Div",         "DivNoNan",
                                                 "Maximum",      "Minimum",     "SquaredDifference",
                                                 "ReluGrad",     "Relu6Grad",   "LeakyReluGrad",
                                                 "EluGrad",      "SeluGrad",    "SoftplusGrad",
                                                 "SoftsignGrad", "SigmoidGrad", "TanhGrad",
                                                 "SqrtGrad",     "RsqrtGrad",   "ReciprocalGrad",
                                                 "Erfc"};
  return ops;
}

// A bias on rows is a sum. On images it is left alone: there it may come in blocks of channels.
bool is_row_bias(const Node& node) {
  return node.type() == "BiasAdd" && node.output_shape(0).rank() < 4 &&
         node.attr<std::string>("data_format") == "NHWC";
}

bool is_fusible(const Node& node) {
  return (fusible_ops().contains(node.type()) || is_row_bias(node)) &&
         node.output_dtype(0) == kFloat32 && node.output_shape(0).is_fully_defined() &&
         node.control_inputs().empty();
}

// An operand the kernel can index: of the whole shape, one value, or repeated along leading
// dimensions.
bool is_simple_operand(const Shape& operand, const Shape& whole) {
  if (!operand.is_fully_defined()) return false;
  if (operand == whole || operand.num_elements() == 1) return true;
  const int skip = whole.rank() - operand.rank();
  return skip >= 0 && operand == whole.slice(skip);
}

class FuseElementwise : public Rewriter {
 public:
  explicit FuseElementwise(const PlanGraph& source) : Rewriter(source) {
    const Graph& graph = *source.graph;
    for (int id = graph.num_nodes() - 1; id >= 0; --id) {
      const Node& node = graph.node(id);
      if (!is_fusible(node) || swallowed_.contains(&node) ||
          !operands_fit(node, node.output_shape(0)))
        continue;
      std::set<const Node*> group = grow(node);
      if (group.size() < 2) continue;
      for (const Node* member : group) {
        if (member != &node) swallowed_.insert(member);
      }
      groups_[&node] = std::move(group);
    }
  }

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    if (swallowed_.contains(&node)) return {};
    const auto it = groups_.find(&node);
    if (it == groups_.end()) return copy(node, inputs);

    const auto by_id = [](const Node* a, const Node* b) { return a->id() < b->id(); };
    std::vector<const Node*> members(it->second.begin(), it->second.end());
    std::sort(members.begin(), members.end(), by_id);
    const std::vector<Output> args = arguments(members);
    const auto index_of = [&](const Output& operand) -> int64_t {
      const auto member = std::find(members.begin(), members.end(), operand.node());
      if (member != members.end())
        return static_cast<int64_t>(args.size()) + (member - members.begin());
      return std::find(args.begin(), args.end(), operand) - args.begin();
    };
    std::vector<std::string> ops;
    std::vector<int64_t> operands;
    std::vector<float> alphas;
    for (const Node* member : members) {
      ops.emplace_back(is_row_bias(*member) ? "AddV2" : member->type());
      for (int k = 0; k < 3; ++k)
        operands.push_back(k < member->num_inputs() ? index_of(member->input(k)) : -1);
      const AttrValue* alpha = member->find_attr("alpha");
      alphas.push_back(alpha == nullptr ? 0.0f : std::get<float>(*alpha));
    }
    std::vector<Output> mapped_args;
    for (const Output& arg : args) mapped_args.push_back(mapped(arg));
    return {replace(node, "_FusedElementwise", std::move(mapped_args),
                    {{"ops", std::move(ops)},
                     {"operands", std::move(operands)},
                     {"alphas", std::move(alphas)}})
                .output()};
  }

 private:
  static bool operands_fit(const Node& node, const Shape& whole) {
    return std::all_of(node.inputs().begin(), node.inputs().end(), [&](const Output& input) {
      return is_simple_operand(input.shape(), whole);
    });
  }

  static std::vector<Output> arguments(const std::vector<const Node*>& members) {
    std::vector<Output> args;
    for (const Node* member : members) {
      for (const Output& input : member->inputs()) {
        const bool inside =
            std::find(members.begin(), members.end(), input.node()) != members.end();
        if (!inside && std::find(args.begin(), args.end(), input) == args.end())
          args.push_back(input);
      }
    }
    return args;
  }

  // `root` and all producers that only the group reads, newest first, so that consumers are known
  // before producers.
  std::set<const Node*> grow(const Node& root) const {
    const Shape& whole = root.output_shape(0);
    std::set<const Node*> group = {&root};
    const auto newer = [](const Node* a, const Node* b) { return a->id() > b->id(); };
    std::set<const Node*, decltype(newer)> open(newer);
    const auto offer = [&](const Node& node) {
      for (const Output& input : node.inputs()) open.insert(input.node());
    };
    offer(root);
    while (!open.empty() && group.size() < kMaxInstructions) {
      const Node* node = *open.begin();
      open.erase(open.begin());
      if (!joins(*node, whole, group)) continue;
      group.insert(node);
      if (arguments({group.begin(), group.end()}).size() > kMaxArguments) {
        group.erase(node);
        continue;
      }
      offer(*node);
    }
    return group;
  }

  bool joins(const Node& node, const Shape& whole, const std::set<const Node*>& group) const {
    if (!is_fusible(node) || swallowed_.contains(&node) || groups_.contains(&node) ||
        is_pinned(node) || !(node.output_shape(0) == whole) || is_fetched(node.output()) ||
        !operands_fit(node, whole)) {
      return false;
    }
    const auto& users = consumers(node.output());
    return std::all_of(users.begin(), users.end(),
                       [&](const Node* user) { return group.contains(user); });
  }

  std::set<const Node*> swallowed_;
  std::map<const Node*, std::set<const Node*>> groups_;  // by root
};

}  // namespace

PlanGraph fuse_elementwise(const PlanGraph& source, const PassContext&) {
  return FuseElementwise(source).run();
}

}  // namespace thalweg
