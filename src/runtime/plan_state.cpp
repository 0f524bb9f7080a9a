// The part of building a plan that concerns state: the variables, tables and queues that it
// reaches, itself or through functions, and in which order it reads and writes them.
#include <algorithm>

#include "runtime/plan_builder.h"
#include "thalweg/graph/resource_key.h"
#include "thalweg/ops/state.h"

namespace thalweg {

bool is_view(const Node& node) {
  static constexpr std::string_view kViews[] = {
      "Identity",   "StopGradient", "PreventGradient",       "Reshape",
      "ExpandDims", "Squeeze",      "PlaceholderWithDefault"};
  return std::find(std::begin(kViews), std::end(kViews), node.type()) != std::end(kViews);
}

bool makes_handle(const Node& node) {
  return node.type() != "VarHandleOp" && !resource_key(node).empty();
}

PlanBuilder::PlanBuilder(Plan& plan, const KernelRegistry& kernels)
    : plan_(plan), kernels_(kernels) {
  const Graph& graph = *plan.graph_.graph;
  for (int id = 0; plan.functions_ != nullptr && id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    if (!function_calls(node).empty()) effects_.emplace(&node, effects_of(node));
  }
}

void PlanBuilder::declare_variables() {
  const Graph& graph = *plan_.graph_.graph;
  // The plan of a function is built during a run, which holds the lock and has declared all.
  std::unique_lock lock(plan_.store_->mutex_, std::defer_lock);
  if (!plan_.is_called_) lock.lock();
  for (int id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    if (makes_handle(node)) declare_handle(node);
    if (node.type() == "VarHandleOp") declare_variable(node);
  }
  for (const auto& [node, effects] : effects_) {
    for (const auto& [handle, use] : effects.handles) {
      if (handle->type() == "VarHandleOp") {
        pinned_plain_.insert(declare_variable(*handle));
      } else if (makes_handle(*handle)) {
        find_or_make_handle(*handle);
      }
    }
  }
}

// Several nodes may stand for one variable.
int PlanBuilder::declare_variable(const Node& node) {
  VariableState& state = plan_.store_->declare(variable_key(node), node.attr<DType>("dtype"),
                                               node.attr<Shape>("shape"));
  const auto [it, is_new] =
      index_of_state_.emplace(&state, static_cast<int>(plan_.variables_.size()));
  if (is_new) plan_.variables_.push_back({.state = &state});
  // The plan that calls this one has brought its variables into plain layout.
  if (plan_.is_called_) pinned_plain_.insert(it->second);
  variable_index_[&node] = it->second;
  return it->second;
}

void PlanBuilder::declare_handle(const Node& node) {
  handle_index_[&node] = static_cast<int>(plan_.handles_.size());
  plan_.handles_.push_back(find_or_make_handle(node));
}

// A table, a queue: the session keeps it under the op, the container and the name.
std::shared_ptr<Resource> PlanBuilder::find_or_make_handle(const Node& node) {
  const std::string key = resource_key(node);
  auto& resource = plan_.store_->resources_[key];
  if (resource == nullptr) {
    const TensorSpec output{.dtype = kResource, .shape = Shape{}};
    const KernelPtr kernel = kernels_.make({node, {}, std::span(&output, 1)});
    const auto* const maker = dynamic_cast<const HandleKernel*>(kernel.get());
    THALWEG_CHECK(maker != nullptr, node, " yields a handle, but its kernel makes no resource");
    resource = maker->create();
    const AttrValue* shared = node.find_attr("shared_name");
    const bool is_named = shared != nullptr && !std::get<std::string>(*shared).empty();
    resource->name = is_named ? std::get<std::string>(*shared) : node.name();
  }
  return resource;
}

bool PlanBuilder::is_variable(const Output& resource) const {
  return resource.dtype() == kResource && variable_index_.contains(handle_origin(resource));
}

int PlanBuilder::variable_of(const Output& handle) const {
  const Node* node = handle_origin(handle);
  const auto it = variable_index_.find(node);
  THALWEG_CHECK(it != variable_index_.end(), *node, " yields a resource but is no variable handle");
  return it->second;
}

// A read may share the variable's memory unless its value, or a view of it, is still used when the
// variable changes.
void PlanBuilder::find_hazards() {
  const Graph& graph = *plan_.graph_.graph;
  std::vector<int> last_use(static_cast<size_t>(graph.num_nodes()), -1);
  for (const Output& fetch : plan_.graph_.fetches) {
    last_use[static_cast<size_t>(fetch.node()->id())] = graph.num_nodes();
  }
  for (int id = graph.num_nodes() - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    const int use = is_view(node) ? std::max(last_use[static_cast<size_t>(id)], id) : id;
    for (const Output& input : node.inputs()) {
      int& last = last_use[static_cast<size_t>(input.node()->id())];
      last = std::max(last, use);
    }
  }
  std::vector<std::vector<int>> writes(plan_.variables_.size());
  std::vector<bool> seen(plan_.variables_.size(), false);
  const auto is_written = [&](int variable, int id) {
    plan_.variables_[static_cast<size_t>(variable)].is_written = true;
    plan_.writes_variables_ = true;
    writes[static_cast<size_t>(variable)].push_back(id);
    seen[static_cast<size_t>(variable)] = true;
  };
  for (int id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    if (const auto calls = effects_.find(&node); calls != effects_.end()) {
      const FunctionEffects& effects = calls->second;
      for (int i = 0; i < node.num_inputs(); ++i) {
        if (is_variable(node.input(i)) && effects.arguments[static_cast<size_t>(i)].is_written)
          is_written(variable_of(node.input(i)), id);
      }
      for (const auto& [handle, use] : effects.handles) {
        if (use.is_written && variable_index_.contains(handle))
          is_written(variable_index_.at(handle), id);
      }
      plan_.draws_random_ = plan_.draws_random_ || effects.draws_random;
      continue;
    }
    for (const Output& input : node.inputs()) {
      if (!is_variable(input)) continue;
      const int variable = variable_of(input);
      if (node.effect() == Effect::kWrites) {
        is_written(variable, id);
      } else if (node.type() == "ReadVariableOp" && !seen[static_cast<size_t>(variable)]) {
        plan_.variables_[static_cast<size_t>(variable)].must_be_set = true;
      }
      seen[static_cast<size_t>(variable)] = true;
    }
    if (node.effect() == Effect::kRandom) plan_.draws_random_ = true;
  }
  for (int id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    if (node.type() != "ReadVariableOp") continue;
    const auto& later = writes[static_cast<size_t>(variable_of(node.input(0)))];
    if (std::any_of(later.begin(), later.end(), [&](int write) {
          return write > id && write <= last_use[static_cast<size_t>(id)];
        })) {
      copied_reads_.insert(&node);
    }
  }
}

bool PlanBuilder::may_alias(const Node& read) const {
  return read.output_shape(0).is_fully_defined() && !holds_objects(read.output_dtype(0)) &&
         !copied_reads_.contains(&read);
}

}  // namespace thalweg
