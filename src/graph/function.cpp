#include "thalweg/graph/function.h"

namespace thalweg {

FunctionLibrary::FunctionLibrary() = default;
FunctionLibrary::~FunctionLibrary() = default;

const Function& FunctionLibrary::add(Function function) {
  if (function.body == nullptr) {
    throw invalid_argument("function `", function.name, "` has no body");
  }
  for (const auto* list : {&function.arguments, &function.results}) {
    for (const Output& output : *list) {
      if (!output || &output.graph() != function.body.get()) {
        throw invalid_argument("function `", function.name,
                               "`: ", output ? output.name() : "an empty output",
                               " is not a tensor of its body");
      }
    }
  }
  for (const Node* node : function.side_effects) {
    if (node == nullptr || &node->graph() != function.body.get()) {
      throw invalid_argument("function `", function.name, "`: side effect ",
                             node == nullptr ? "without a node" : node->name(),
                             " is not a node of its body");
    }
  }
  for (const Output& argument : function.arguments) {
    if (argument.node()->type() != "_Arg") {
      throw invalid_argument("function `", function.name, "`: argument ", argument.name(), " is a ",
                             argument.node()->type(), ", expected an _Arg");
    }
  }
  const std::lock_guard lock(mutex_);
  auto [it, is_new] = functions_.try_emplace(function.name);
  if (!is_new) throw already_exists("there is a function `", function.name, "` already");
  it->second = std::make_unique<Function>(std::move(function));
  return *it->second;
}

const Function* FunctionLibrary::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : it->second.get();
}

const Function& FunctionLibrary::at(std::string_view name) const {
  if (const Function* function = find(name)) return *function;
  const std::string hint = nearest(name, names());
  throw not_found("there is no function `", name, "` in the graph's library",
                  hint.empty() ? "" : str("; did you mean `", hint, "`?"));
}

std::string FunctionLibrary::unique_name(std::string_view base) const {
  std::string name(base);
  for (int i = 1; find(name) != nullptr; ++i) name = str(base, "_", i);
  return name;
}

std::vector<std::string> FunctionLibrary::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> result;
  for (const auto& [name, function] : functions_) result.push_back(name);
  return result;
}

}  // namespace thalweg
