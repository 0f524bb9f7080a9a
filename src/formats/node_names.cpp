#include "formats/node_names.h"

#include <algorithm>
#include <cctype>

#include "thalweg/base/strings.h"

namespace thalweg {

NodeNames::NodeNames(const tensorflow::GraphDef& def) {
  for (const auto& node : def.node()) insert(node.name());
}

void NodeNames::insert(const std::string& name) {
  names_.insert(name);
  for (size_t at = name.find('/'); at != name.npos; at = name.find('/', at + 1)) {
    scopes_.insert(name.substr(0, at));
  }
}

std::string NodeNames::take(const std::string& name) {
  std::string free = name;
  for (int number = 1; names_.contains(free); ++number) free = str(name, "_", number);
  insert(free);
  return free;
}

std::string NodeNames::free_scope(const std::string& scope) const {
  std::string free = scope;
  for (int number = 1; names_.contains(free) || scopes_.contains(free); ++number) {
    free = str(scope, "_", number);
  }
  return free;
}

std::string legal_node_name(std::string_view name) {
  std::string legal;
  for (char c : name) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    const bool inner = c == '/' || c == '-' || c == '>';
    legal += word || (inner && !legal.empty()) ? c : '_';
  }
  return legal;
}

RenamedNodes make_names_legal(tensorflow::GraphDef& def) {
  RenamedNodes changed;
  for (const auto& node : def.node()) {
    if (!node.name().empty() && legal_node_name(node.name()) != node.name()) {
      changed.emplace(node.name(), std::string());
    }
  }
  if (changed.empty()) return changed;
  NodeNames names(def);
  for (auto& node : *def.mutable_node()) {
    if (const auto it = changed.find(node.name()); it != changed.end()) {
      if (it->second.empty()) it->second = names.take(legal_node_name(node.name()));
      node.set_name(it->second);
    }
  }
  rename_inputs(changed, def);
  return changed;
}

void rename_inputs(const RenamedNodes& renamed, tensorflow::GraphDef& def) {
  for (auto& node : *def.mutable_node()) {
    for (std::string& input : *node.mutable_input()) {
      input = input.starts_with('^') ? "^" + new_name(input.substr(1), renamed)
                                     : new_name(input, renamed);
    }
  }
}

std::string new_name(const std::string& name, const RenamedNodes& renamed) {
  const size_t end = std::min(name.find(':'), name.size());
  const auto it = renamed.find(name.substr(0, end));
  return it == renamed.end() ? name : it->second + name.substr(end);
}

}  // namespace thalweg
