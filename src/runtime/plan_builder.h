// From an optimised graph to the steps of a plan: choice of kernels and layouts, views, memory.
#pragma once

#include <map>
#include <set>

#include "runtime/plan.h"
#include "thalweg/graph/function.h"

namespace thalweg {

/// Whether the node gives its input's elements under another shape.
bool is_view(const Node& node);
/// Whether it makes the handle of a table or a queue.
bool makes_handle(const Node& node);

/// Builds one plan. The choice of layouts may need several rounds: a kernel that needs a variable
/// plain is only met after another has asked for its own layout; then the round is repeated with
/// what was learned.
class PlanBuilder {
 public:
  PlanBuilder(Plan& plan, const KernelRegistry& kernels);
  void build();

 private:
  void declare_variables();
  int declare_variable(const Node& node);
  void declare_handle(const Node& node);
  std::shared_ptr<Resource> find_or_make_handle(const Node& node);
  void find_hazards();
  bool select_round();
  void add_node(const Node& node);
  void add_constant(const Node& node);
  void add_view(const Node& node);
  void add_dynamic(const Node& node);
  void add_kernel(const Node& node);
  void add_inner_writes(const Node& node, PlanStep& step) const;
  void settle_resource(int variable, const LayoutPtr& wanted);
  int converted(int value, const LayoutPtr& layout, const Node& node);
  int new_value(PlanValue value);
  int output_value(const Node& node, int i, const LayoutPtr& layout);
  int storage_for(size_t bytes);
  bool is_variable(const Output& resource) const;
  int variable_of(const Output& handle) const;
  bool may_alias(const Node& read) const;
  int value_of(const Output& output) const { return value_map_.at(output); }
  void add_fetches();
  void find_last_uses();
  void plan_memory_of_steps();
  void share_in_place(std::vector<int>& owner);
  void lay_out_arguments();

  Plan& plan_;
  const KernelRegistry& kernels_;
  std::map<const Node*, int> variable_index_;  // by VarHandleOp
  std::map<VariableState*, int> index_of_state_;
  // What nodes that call functions do in them, to handles that are made inside included.
  std::map<const Node*, FunctionEffects> effects_;
  std::map<const Node*, int> handle_index_;  // by the node that makes the handle
  std::set<Output> used_;                    // outputs that somebody reads
  std::set<const Node*> copied_reads_;       // reads whose value must survive a later write
  std::set<int> pinned_plain_;               // variables that must stay plain
  bool changed_ = false;                     // a variable's layout changed in this round
  std::map<Output, int> value_map_;
  std::map<std::pair<int, std::string>, int> conversions_;
};

}  // namespace thalweg
