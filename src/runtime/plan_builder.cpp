#include "runtime/plan_builder.h"

#include <algorithm>
#include <cstdint>

#include "runtime/plan_functions.h"

namespace thalweg {
namespace {

// A view that does not change the shape works on any layout.
bool keeps_layout(const Node& node) { return node.output_shape(0) == node.input(0).shape(); }

bool is_static(const Output& output) {
  return output.dtype() == kResource || output.shape().is_fully_defined();
}

// Throws resource_exhausted where the number of bytes is beyond any memory.
size_t bytes_of(const PlanValue& value) {
  if (value.layout != nullptr) return value.layout->size_bytes();
  size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(value.shape.num_elements()),
                             element_size(value.dtype), &bytes) ||
      bytes > PTRDIFF_MAX) {
    throw resource_exhausted("cannot allocate a ", value.dtype, value.shape,
                             ": its bytes are beyond what memory can be addressed");
  }
  return bytes;
}

}  // namespace

std::shared_ptr<Plan> Plan::build(PlanGraph graph, const KernelRegistry& kernels,
                                  std::shared_ptr<VariableStore> store,
                                  const BuildOptions& options) {
  std::shared_ptr<Plan> plan(new Plan);
  plan->is_called_ = options.functions != nullptr;
  const Graph& nodes = *graph.graph;
  for (int id = 0; id < nodes.num_nodes() && plan->functions_ == nullptr; ++id) {
    if (function_calls(nodes.node(id)).empty()) continue;
    if (options.functions == nullptr) {
      plan->own_functions_ = std::make_unique<PlanFunctions>(nodes.shared_functions(), kernels,
                                                             store, options.disabled_passes);
    }
    plan->functions_ = plan->is_called_ ? options.functions : plan->own_functions_.get();
  }
  plan->graph_ = std::move(graph);
  plan->kernels_ = &kernels;
  plan->store_ = std::move(store);
  PlanBuilder(*plan, kernels).build();
  return plan;
}

void PlanBuilder::build() {
  declare_variables();
  find_hazards();
  for (int id = 0; id < plan_.graph_.graph->num_nodes(); ++id) {
    for (const Output& input : plan_.graph_.graph->node(id).inputs()) used_.insert(input);
  }
  for (const Output& fetch : plan_.graph_.fetches) used_.insert(fetch);
  // Each repetition has settled at least one variable's layout for good, so this ends.
  while (!select_round()) {
  }
  find_last_uses();
  plan_memory_of_steps();
  lay_out_arguments();
}

// One walk over the graph. False when a variable's layout changed on the way: walk again.
bool PlanBuilder::select_round() {
  changed_ = false;
  value_map_.clear();
  conversions_.clear();
  plan_.values_.clear();
  plan_.steps_.clear();
  plan_.constants_.clear();
  plan_.feeds_.clear();
  plan_.slots_.clear();
  plan_.storages_.clear();
  plan_.fetches_.clear();
  for (const Output& feed : plan_.graph_.feeds) {
    PlanValue value{.dtype = feed.dtype(), .shape = feed.shape(), .source = Source::kFeed};
    value.index = static_cast<int>(plan_.feeds_.size());
    plan_.feeds_.push_back(value);
    value_map_[feed] = new_value(value);
  }
  const Graph& graph = *plan_.graph_.graph;
  for (int id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    try {
      add_node(node);
    } catch (Error& error) {
      error.add_context(node.to_string());
      throw;
    }
  }
  add_fetches();
  return !changed_;
}

void PlanBuilder::add_node(const Node& node) {
  if (node.type() == "Placeholder") return;  // a feed; in the map already
  if (node.type() == "Const") return add_constant(node);
  if (node.type() == "NoOp") return;
  if (node.type() == "VarHandleOp") {
    value_map_[node.output()] = new_value({.dtype = kResource,
                                           .shape = node.attr<Shape>("shape"),
                                           .source = Source::kResource,
                                           .index = variable_index_.at(&node)});
    return;
  }
  if (makes_handle(node)) {
    value_map_[node.output()] = new_value(
        {.dtype = kResource, .source = Source::kHandle, .index = handle_index_.at(&node)});
    return;
  }
  if (node.type() == "ReadVariableOp" && may_alias(node)) {
    const int variable = variable_of(node.input(0));
    value_map_[node.output()] =
        new_value({.dtype = node.output_dtype(0),
                   .shape = node.output_shape(0),
                   .layout = plan_.variables_[static_cast<size_t>(variable)].layout,
                   .source = Source::kVariable,
                   .index = variable});
    return;
  }
  const bool all_static = std::all_of(node.inputs().begin(), node.inputs().end(), is_static);
  if (is_view(node) && all_static && is_static(node.output())) return add_view(node);
  if (!all_static) return add_dynamic(node);
  add_kernel(node);
}

void PlanBuilder::add_constant(const Node& node) {
  const Tensor& tensor = node.attr<Tensor>("value");
  value_map_[node.output()] = new_value({.dtype = tensor.dtype(),
                                         .shape = tensor.shape(),
                                         .source = Source::kConstant,
                                         .index = static_cast<int>(plan_.constants_.size())});
  plan_.constants_.push_back(tensor);
}

void PlanBuilder::add_view(const Node& node) {
  int input = value_of(node.input(0));
  if (!keeps_layout(node)) input = converted(input, nullptr, node);
  PlanValue view = plan_.values_[static_cast<size_t>(input)];
  view.shape = node.output_shape(0);
  value_map_[node.output()] = new_value(view);
}

// Prepared at run time, once shapes are known; works on plain tensors.
void PlanBuilder::add_dynamic(const Node& node) {
  PlanStep step{.node = &node, .provider = "dynamic"};
  for (const Output& input : node.inputs()) {
    const int value = value_of(input);
    if (is_variable(input)) {
      settle_resource(plan_.values_[static_cast<size_t>(value)].index, nullptr);
      if (node.effect() == Effect::kWrites)
        step.writes.push_back(plan_.values_[static_cast<size_t>(value)].index);
      step.inputs.push_back(value);
    } else if (input.dtype() == kResource) {
      step.inputs.push_back(value);
    } else {
      step.inputs.push_back(converted(value, nullptr, node));
    }
  }
  for (int i = 0; i < node.num_outputs(); ++i)
    step.outputs.push_back(output_value(node, i, nullptr));
  add_inner_writes(node, step);
  plan_.steps_.push_back(std::move(step));
}

// Variables whose handles are made inside the functions that the node calls.
void PlanBuilder::add_inner_writes(const Node& node, PlanStep& step) const {
  const auto calls = effects_.find(&node);
  if (calls == effects_.end()) return;
  for (const auto& [handle, use] : calls->second.handles) {
    if (use.is_written && variable_index_.contains(handle))
      step.writes.push_back(variable_index_.at(handle));
  }
}

void PlanBuilder::add_kernel(const Node& node) {
  std::vector<TensorSpec> inputs;
  for (const Output& input : node.inputs()) {
    const PlanValue& value = plan_.values_[static_cast<size_t>(value_of(input))];
    TensorSpec spec{.dtype = value.dtype, .shape = value.shape, .layout = value.layout};
    if (value.source == Source::kConstant)
      spec.constant = &plan_.constants_[static_cast<size_t>(value.index)];
    if (value.source == Source::kVariable || value.source == Source::kResource) {
      const LayoutPtr& layout = plan_.variables_[static_cast<size_t>(value.index)].layout;
      if (value.source == Source::kResource) spec.layout = layout;
      spec.flexible = layout == nullptr && !pinned_plain_.contains(value.index);
    }
    inputs.push_back(std::move(spec));
  }
  std::vector<TensorSpec> outputs;
  for (int i = 0; i < node.num_outputs(); ++i) {
    outputs.push_back({.dtype = node.output_dtype(i),
                       .shape = node.output_shape(i),
                       .unused = !used_.contains(node.output(i))});
  }

  PlanStep step{.node = &node};
  step.kernel = kernels_.make({node, inputs, outputs, plan_.functions_}, &step.provider);
  const KernelTraits& traits = step.kernel->traits();
  for (int i = 0; i < node.num_inputs(); ++i) {
    const auto slot = static_cast<size_t>(i);
    const LayoutPtr wanted =
        slot < traits.input_layouts.size() ? traits.input_layouts[slot] : nullptr;
    const int value = value_of(node.input(i));
    const PlanValue& plan_value = plan_.values_[static_cast<size_t>(value)];
    if (plan_value.source == Source::kResource) {
      settle_resource(plan_value.index, wanted);
      if (node.effect() == Effect::kWrites) step.writes.push_back(plan_value.index);
      step.inputs.push_back(value);
      continue;
    }
    if (plan_value.source == Source::kHandle) {
      step.inputs.push_back(value);
      continue;
    }
    if (inputs[slot].flexible && wanted != nullptr) {
      // The variable takes the layout of the first kernel that cares.
      plan_.variables_[static_cast<size_t>(plan_value.index)].layout = wanted;
      changed_ = true;
    }
    step.inputs.push_back(converted(value, wanted, node));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    const auto slot = static_cast<size_t>(i);
    step.outputs.push_back(output_value(
        node, i, slot < traits.output_layouts.size() ? traits.output_layouts[slot] : nullptr));
  }
  if (traits.scratch_bytes > 0) step.scratch = storage_for(traits.scratch_bytes);
  add_inner_writes(node, step);
  plan_.steps_.push_back(std::move(step));
}

// A kernel works on a variable in place and wants it in this layout.
void PlanBuilder::settle_resource(int variable, const LayoutPtr& wanted) {
  PlanVariable& entry = plan_.variables_[static_cast<size_t>(variable)];
  if (same_layout(entry.layout, wanted)) {
    if (wanted == nullptr) pinned_plain_.insert(variable);
    return;
  }
  if (entry.layout == nullptr && !pinned_plain_.contains(variable)) {
    entry.layout = wanted;
  } else {
    entry.layout = nullptr;
    pinned_plain_.insert(variable);
  }
  changed_ = true;
}

int PlanBuilder::converted(int value, const LayoutPtr& layout, const Node& node) {
  const PlanValue source = plan_.values_[static_cast<size_t>(value)];
  if (same_layout(source.layout, layout)) return value;
  const auto key = std::pair(value, layout == nullptr ? std::string() : layout->to_string());
  if (const auto it = conversions_.find(key); it != conversions_.end()) {
    if (same_layout(plan_.values_[static_cast<size_t>(it->second)].layout, layout))
      return it->second;
  }
  PlanValue target{.dtype = source.dtype, .shape = source.shape, .layout = layout};
  if (source.source == Source::kConstant) {
    Tensor bytes(kUInt8, Shape{static_cast<int64_t>(layout->size_bytes())});
    convert_layout(source.dtype, source.shape, source.layout,
                   plan_.constants_[static_cast<size_t>(source.index)].raw(), layout,
                   bytes.mutable_raw());
    target.source = Source::kConstant;
    target.index = static_cast<int>(plan_.constants_.size());
    plan_.constants_.push_back(std::move(bytes));
    return conversions_[key] = new_value(std::move(target));
  }
  target.index = storage_for(bytes_of(target));
  const int result = new_value(std::move(target));
  PlanStep step{.node = &node,
                .provider = "layout",
                .inputs = {value},
                .outputs = {result},
                .is_conversion = true};
  step.kernel = make_layout_conversion(source.dtype, source.shape, source.layout, layout);
  plan_.steps_.push_back(std::move(step));
  return conversions_[key] = result;
}

int PlanBuilder::new_value(PlanValue value) {
  plan_.values_.push_back(std::move(value));
  return static_cast<int>(plan_.values_.size()) - 1;
}

int PlanBuilder::storage_for(size_t bytes) {
  plan_.storages_.push_back({.bytes = bytes});
  return static_cast<int>(plan_.storages_.size()) - 1;
}

int PlanBuilder::output_value(const Node& node, int i, const LayoutPtr& layout) {
  PlanValue value{.dtype = node.output_dtype(i), .shape = node.output_shape(i), .layout = layout};
  if (holds_objects(value.dtype) || !value.shape.is_fully_defined()) {
    value.source = Source::kSlot;
    value.index = static_cast<int>(plan_.slots_.size());
    plan_.slots_.push_back(value);
  } else {
    value.index = storage_for(bytes_of(value));
  }
  return value_map_[node.output(i)] = new_value(std::move(value));
}

void PlanBuilder::add_fetches() {
  for (const Output& fetch : plan_.graph_.fetches) {
    if (fetch.dtype() == kResource) {
      throw invalid_argument("fetch ", fetch.name(), " is a handle; fetch its value instead");
    }
    plan_.fetches_.push_back(converted(value_of(fetch), nullptr, *fetch.node()));
  }
}

}  // namespace thalweg
