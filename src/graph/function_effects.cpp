// What running a function does to resources and to the outside, found by looking through its body
// and the bodies that it calls.
#include <set>

#include "thalweg/graph/function.h"

namespace thalweg {
namespace {

// The functions on the way to where the search stands, and what was found in those it has left: a
// function that is called from many places is looked through once. A function inside a recursion
// is remembered without the handles made in those that it leads back to, but whoever asked for the
// whole gets them from there.
struct Search {
  std::set<const Function*> active;
  std::map<const Function*, FunctionEffects> finished;
};

void unite(ResourceUse& use, const ResourceUse& more) {
  use.is_read = use.is_read || more.is_read;
  use.is_written = use.is_written || more.is_written;
}

FunctionEffects effects_of_function(const Function& function, Search& search);

// Effects with `arguments` by input of the node.
FunctionEffects effects_of_node(const Node& node, Search& search) {
  FunctionEffects result;
  result.arguments.resize(static_cast<size_t>(node.num_inputs()));
  const std::vector<FunctionCall> calls = function_calls(node);
  if (calls.empty()) {
    result.draws_random = node.effect() == Effect::kRandom;
    result.is_ordered = node.effect() == Effect::kOrdered;
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (node.input(i).dtype() != kResource) continue;
      ResourceUse& use = result.arguments[static_cast<size_t>(i)];
      use.is_read = node.effect() == Effect::kReads;
      use.is_written = node.effect() == Effect::kWrites;
    }
    return result;
  }
  for (const FunctionCall& call : calls) {
    const Function* const callee = node.graph().functions().find(*call.name);
    if (callee == nullptr) {
      // Still being built: it calls itself. The op tells whether it has effects.
      if (node.effect() == Effect::kNone) continue;
      result.is_ordered = result.draws_random = true;
      for (int i = 0; i < node.num_inputs(); ++i) {
        const bool is_handle = node.input(i).dtype() == kResource;
        result.arguments[static_cast<size_t>(i)] = {.is_read = is_handle, .is_written = is_handle};
      }
      continue;
    }
    const FunctionEffects inner = effects_of_function(*callee, search);
    result.draws_random = result.draws_random || inner.draws_random;
    result.is_ordered = result.is_ordered || inner.is_ordered;
    for (const auto& [handle, use] : inner.handles) unite(result.handles[handle], use);
    for (size_t a = 0; a < inner.arguments.size(); ++a) {
      const size_t input = static_cast<size_t>(call.first_argument) + a;
      if (input < result.arguments.size()) unite(result.arguments[input], inner.arguments[a]);
    }
  }
  return result;
}

FunctionEffects effects_of_function(const Function& function, Search& search) {
  if (const auto it = search.finished.find(&function); it != search.finished.end())
    return it->second;
  FunctionEffects result;
  result.arguments.resize(function.arguments.size());
  if (!search.active.insert(&function).second) {
    // It calls itself: what this call does is found where it began, but perhaps to other handles.
    for (size_t a = 0; a < result.arguments.size(); ++a) {
      const bool is_handle = function.arguments[a].dtype() == kResource;
      result.arguments[a] = {.is_read = is_handle, .is_written = is_handle};
    }
    return result;
  }
  std::map<const Node*, size_t> argument_index;
  for (size_t a = 0; a < function.arguments.size(); ++a)
    argument_index[function.arguments[a].node()] = a;
  const Graph& body = *function.body;
  for (int id = 0; id < body.num_nodes(); ++id) {
    const Node& node = body.node(id);
    if (node.num_inputs() == 0 && node.num_outputs() > 0 && node.output_dtype(0) == kResource &&
        !argument_index.contains(&node)) {
      result.handles.try_emplace(&node);
    }
    const FunctionEffects effects = effects_of_node(node, search);
    result.draws_random = result.draws_random || effects.draws_random;
    result.is_ordered = result.is_ordered || effects.is_ordered;
    for (const auto& [handle, use] : effects.handles) unite(result.handles[handle], use);
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (node.input(i).dtype() != kResource) continue;
      const Node* origin = handle_origin(node.input(i));
      const auto argument = argument_index.find(origin);
      const ResourceUse& use = effects.arguments[static_cast<size_t>(i)];
      if (argument != argument_index.end()) {
        unite(result.arguments[argument->second], use);
      } else {
        unite(result.handles[origin], use);
      }
    }
  }
  search.active.erase(&function);
  search.finished.emplace(&function, result);
  return result;
}

}  // namespace

std::vector<FunctionCall> function_calls(const Node& node) {
  std::vector<FunctionCall> calls;
  const auto first = [&] {
    for (const ArgSchema& arg : node.op().inputs) {
      if (!arg.type_list_attr.empty()) return node.input_range(arg.name).first;
    }
    return 0;
  };
  for (const auto& [name, value] : node.attrs()) {
    if (name.starts_with('_')) continue;  // annotations name functions that others call
    if (const auto* function = std::get_if<FunctionName>(&value)) {
      if (!function->name.empty()) calls.push_back({&function->name, first()});
    } else if (const auto* list = std::get_if<std::vector<FunctionName>>(&value)) {
      for (const FunctionName& function : *list) calls.push_back({&function.name, first()});
    }
  }
  return calls;
}

bool FunctionEffects::has_side_effects() const {
  if (is_ordered) return true;
  for (const ResourceUse& use : arguments) {
    if (use.is_written) return true;
  }
  for (const auto& [handle, use] : handles) {
    if (use.is_written) return true;
  }
  return false;
}

FunctionEffects effects_of(const Function& function) {
  Search search;
  return effects_of_function(function, search);
}

FunctionEffects effects_of(const Node& node) {
  Search search;
  return effects_of_node(node, search);
}

bool has_side_effects(const Node& node) {
  if (node.effect() != Effect::kWrites && node.effect() != Effect::kOrdered) return false;
  return function_calls(node).empty() || effects_of(node).has_side_effects();
}

const Node* handle_origin(const Output& resource) {
  const Node* node = resource.node();
  int index = resource.index();
  while (true) {
    if (node->type() == "Identity") {
      index = node->input(0).index();
      node = node->input(0).node();
    } else if ((node->type() == "While" || node->type() == "StatelessWhile") &&
               index < node->num_inputs()) {
      // A loop hands its handles on.
      const Output& input = node->input(index);
      index = input.index();
      node = input.node();
    } else {
      return node;
    }
  }
}

}  // namespace thalweg
