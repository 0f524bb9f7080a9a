// merge: common subexpressions. Two nodes of one op with the same attributes and inputs become one;
// random ops and changes of state never do, reads of a variable do while nothing writes it in
// between, through whatever handle or function.
#include <algorithm>
#include <map>

#include "passes/pass_list.h"
#include "thalweg/graph/function.h"
#include "thalweg/graph/resource_key.h"
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
        if (input.dtype() == kResource) change(*handle_origin(input));
      }
      // Functions may change what no input of the call names.
      if (!function_calls(node).empty()) {
        for (const auto& [handle, use] : effects_of(node).handles) {
          if (use.is_written) change(*handle);
        }
      }
    }
    if (!may_be_shared(node)) return copy(node, inputs);
    std::vector<std::vector<Output>>& candidates = known_[key_of(node, inputs)];
    for (const std::vector<Output>& outputs : candidates) {
      if (same_attributes(node, *outputs[0].node())) return outputs;
    }
    candidates.push_back(copy(node, inputs));
    return candidates.back();
  }

 private:
  using Key = std::pair<std::string, std::vector<std::pair<Output, int>>>;

  // What later reads give may differ from what earlier ones gave.
  void change(const Node& handle) {
    const std::string key = resource_key(handle);
    if (key.empty()) {
      ++epoch_;
    } else {
      ++versions_[key];
    }
  }

  bool may_be_shared(const Node& node) const {
    const bool pure = node.effect() == Effect::kNone || node.effect() == Effect::kReads;
    if (!pure || node.type() == "Placeholder" || is_pinned(node) || !node.control_inputs().empty())
      return false;
    if (function_calls(node).empty()) return true;
    // Whatever the op promises, the function may draw numbers or look at state that it names
    // itself.
    const FunctionEffects effects = effects_of(node);
    return effects.handles.empty() && !effects.draws_random && !effects.has_side_effects();
  }

  int version_of(const Output& input) const {
    if (input.dtype() != kResource) return 0;
    const auto version = versions_.find(resource_key(*handle_origin(input)));
    return version == versions_.end() ? 0 : version->second;
  }

  Key key_of(const Node& node, const std::vector<Output>& inputs) const {
    std::vector<std::pair<Output, int>> operands;
    bool reads = node.effect() == Effect::kReads;
    for (const Output& input : inputs) {
      operands.emplace_back(input, version_of(input));
      reads = reads || (input.dtype() == kResource && !function_calls(node).empty());
    }
    if (reads) operands.emplace_back(Output(), epoch_);
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
  std::map<std::string, int> versions_;  // of resources, by key: writes so far
  int epoch_ = 0;                        // writes so far that may have changed any resource
};

}  // namespace

PlanGraph merge(const PlanGraph& source, const PassContext&) { return Merge(source).run(); }

}  // namespace thalweg
