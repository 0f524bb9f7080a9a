#include "thalweg/graph/op_registry.h"

#include "graph/op_parser.h"

namespace thalweg {

const AttrSchema* OpSchema::find_attr(std::string_view attr_name) const {
  for (const AttrSchema& attr : attrs) {
    if (attr.name == attr_name) return &attr;
  }
  return nullptr;
}

OpSchema parse_op(const OpDef& def) {
  OpSchema op;
  op.def = &def;
  op.name = def.name;
  try {
    if (def.name.empty()) throw invalid_argument("an op row has no name");
    for (std::string_view spec : def.attrs) op.attrs.push_back(parse_attr_spec(spec));
    for (std::string_view spec : def.inputs) op.inputs.push_back(parse_arg_spec(spec, op.attrs));
    for (std::string_view spec : def.outputs) op.outputs.push_back(parse_arg_spec(spec, op.attrs));
  } catch (Error& error) {
    error.add_context(str("op ", def.name));
    throw;
  }
  return op;
}

void OpRegistry::add(std::span<const OpDef> family) {
  for (const OpDef& def : family) {
    if (find(def.name) != nullptr) {
      throw already_exists("op ", def.name, " is registered already; give your op another name");
    }
    ops_.emplace(std::string(def.name), std::make_shared<const OpSchema>(parse_op(def)));
  }
}

const OpSchema* OpRegistry::find(std::string_view name) const {
  const auto it = ops_.find(name);
  return it == ops_.end() ? nullptr : it->second.get();
}

const OpSchema& OpRegistry::at(std::string_view name) const {
  if (const OpSchema* op = find(name)) return *op;
  const std::string hint = nearest(name, names());
  throw not_found("there is no op `", name, "`",
                  hint.empty() ? "" : str("; did you mean `", hint, "`?"),
                  hint.empty() ? "; `thalweg ops` lists all" : "");
}

std::vector<std::string> OpRegistry::names() const {
  std::vector<std::string> result;
  result.reserve(ops_.size());
  for (const auto& [name, op] : ops_) result.push_back(name);
  return result;
}

}  // namespace thalweg
