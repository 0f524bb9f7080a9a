// merge: common subexpressions. Two nodes of one op with the same attributes and inputs become one;
// random ops and changes of state never do, reads of a variable do while nothing writes it in
// between.
#include <algorithm>
#include <map>

#include "passes/pass_list.h"
#include "thalweg/graph/function.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

class Merge : public Rewriter {
 public:
  explicit Merge(const PlanGraph& source) : Rewriter(source) {}

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    if (node.effect() == Effect::kWrites) {
      for (const Output& input : inputs) {
        if (input.dtype() != kResource) continue;
        ++versions_[input];
        // Another handle of the same name is the same table or queue.
        if (input.node()->type() != "VarHandleOp") ++epoch_;
      }
      // Functions may change what no input of the call names.
      if (!function_calls(node).empty() && !effects_of(node).handles.empty()) ++epoch_;
    }
    const bool pure = node.effect() == Effect::kNone || node.effect() == Effect::kReads;
    if (!pure || node.type() == "Placeholder" || is_pinned(node) ||
        !node.control_inputs().empty()) {
      return copy(node, inputs);
    }
    std::vector<std::vector<Output>>& candidates = known_[key_of(node, inputs)];
    for (const std::vector<Output>& outputs : candidates) {
      if (same_attributes(node, *outputs[0].node())) return outputs;
    }
    candidates.push_back(copy(node, inputs));
    return candidates.back();
  }

 private:
  using Key = std::pair<std::string, std::vector<std::pair<Output, int>>>;

  Key key_of(const Node& node, const std::vector<Output>& inputs) const {
    std::vector<std::pair<Output, int>> operands;
    for (const Output& input : inputs) {
      const auto version = versions_.find(input);
      operands.emplace_back(input, version == versions_.end() ? 0 : version->second);
    }
    if (node.effect() == Effect::kReads) operands.emplace_back(Output(), epoch_);
    if (node.op().def->commutative) std::sort(operands.begin(), operands.end());
    return {str(node.type(), '@', node.device()), std::move(operands)};
  }

  static bool same_attributes(const Node& a, const Node& b) {
    return std::equal(a.attrs().begin(), a.attrs().end(), b.attrs().begin(), b.attrs().end(),
                      [](const auto& x, const auto& y) {
                        return x.first == y.first && same_attr(x.second, y.second);
                      });
  }

  std::map<Key, std::vector<std::vector<Output>>> known_;
  std::map<Output, int> versions_;  // of resources: writes so far
  int epoch_ = 0;                   // calls so far that may have changed any resource
};

}  // namespace

PlanGraph merge(const PlanGraph& source, const PassContext&) { return Merge(source).run(); }

}  // namespace thalweg
