#include "formats/op_facts.h"

#include <algorithm>
#include <array>

#include "thalweg/base/strings.h"

namespace thalweg {
namespace {

using tensorflow::DataType;

// An argument as both OpSchema and OpDef describe it.
struct Argument {
  std::string name;
  DataType type = tensorflow::DT_INVALID;
  std::string type_attr;
  std::string type_list_attr;
  std::string number_attr;
};

const tensorflow::AttrValue* find(const WireNode& node, const std::string& attr) {
  const auto found = node.def.attr().find(attr);
  return found == node.def.attr().end() ? nullptr : &found->second;
}

std::vector<Argument> outputs_of(const OpSchema& schema) {
  std::vector<Argument> result;
  for (const ArgSchema& arg : schema.outputs) {
    result.push_back({arg.name, static_cast<DataType>(arg.dtype), arg.type_attr, arg.type_list_attr,
                      arg.number_attr});
  }
  return result;
}

std::vector<Argument> outputs_of(const tensorflow::OpDef& signature) {
  std::vector<Argument> result;
  for (const auto& arg : signature.output_arg()) {
    result.push_back(
        {arg.name(), arg.type(), arg.type_attr(), arg.type_list_attr(), arg.number_attr()});
  }
  return result;
}

int length(const Argument& argument, const WireNode& node) {
  const std::string& attr =
      argument.type_list_attr.empty() ? argument.number_attr : argument.type_list_attr;
  if (attr.empty()) return 1;
  const auto* value = find(node, attr);
  if (value == nullptr) return 0;
  if (!argument.type_list_attr.empty()) return value->list().type_size();
  // The importer says what is wrong with such a number.
  constexpr int64_t kMost = int64_t{1} << 30;
  return static_cast<int>(std::clamp<int64_t>(value->i(), 0, kMost));
}

// The argument that flat output `k` belongs to, and its place in it.
std::pair<const Argument*, int> locate(const std::vector<Argument>& arguments, const WireNode& node,
                                       int k) {
  for (const Argument& argument : arguments) {
    const int n = length(argument, node);
    if (k < n) return {&argument, k};
    k -= n;
  }
  return {nullptr, k};
}

DataType type_of(const Argument& argument, int place, const WireNode& node) {
  if (argument.type != tensorflow::DT_INVALID) return argument.type;
  if (!argument.type_attr.empty()) return node.type_attr(argument.type_attr);
  const auto* value = find(node, argument.type_list_attr);
  if (value == nullptr || place >= value->list().type_size()) return tensorflow::DT_INVALID;
  return value->list().type(place);
}

// Calls do what the functions called do, and by TensorFlow's naming these have effects.
constexpr std::array kCalls = {std::string_view("If"), std::string_view("Case"),
                               std::string_view("While"),
                               std::string_view("StatefulPartitionedCall")};
constexpr std::array kPureCalls = {std::string_view("StatelessIf"),
                                   std::string_view("StatelessCase"),
                                   std::string_view("StatelessWhile"),
                                   std::string_view("PartitionedCall"), std::string_view("_Arg")};
// Control flow of TensorFlow 1, while it still stands in the graph.
constexpr std::array kWiring = {std::string_view("Switch"),        std::string_view("Merge"),
                                std::string_view("Enter"),         std::string_view("Exit"),
                                std::string_view("NextIteration"), std::string_view("LoopCond")};

template <class Names>
bool holds(const Names& names, std::string_view op) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

}  // namespace

const tensorflow::FunctionDef* OpFacts::find_function(const std::string& name) const {
  for (; indexed_ < library_.function_size(); ++indexed_) {
    index_.emplace(library_.function(indexed_).signature().name(), indexed_);
  }
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &library_.function(it->second);
}

std::string OpFacts::output_name(const WireNode& node, int k) const {
  std::vector<Argument> arguments;
  if (const OpSchema* schema = ops_.find(node.op())) {
    arguments = outputs_of(*schema);
  } else if (const auto* function = find_function(node.op())) {
    arguments = outputs_of(function->signature());
  }
  const auto [argument, place] = locate(arguments, node, k);
  if (argument == nullptr) return str("output:", k);
  return str(argument->name, ":", place);
}

DataType OpFacts::output_type(const WireNode& node, int k) const {
  if (holds(kWiring, node.op()) || node.op() == "_Arg") return node.type_attr("T");
  std::vector<Argument> arguments;
  if (const OpSchema* schema = ops_.find(node.op())) {
    arguments = outputs_of(*schema);
  } else if (const auto* function = find_function(node.op())) {
    arguments = outputs_of(function->signature());
  }
  const auto [argument, place] = locate(arguments, node, k);
  return argument == nullptr ? tensorflow::DT_INVALID : type_of(*argument, place, node);
}

bool OpFacts::has_effect(const WireNode& node) const {
  if (holds(kCalls, node.op())) return true;
  if (holds(kPureCalls, node.op()) || holds(kWiring, node.op())) return false;
  if (const OpSchema* schema = ops_.find(node.op())) {
    return schema->def->effect == Effect::kWrites || schema->def->effect == Effect::kOrdered;
  }
  const auto* function = find_function(node.op());
  return function == nullptr || function->signature().is_stateful();
}

bool OpFacts::is_stateful(const WireNode& node) const {
  if (has_effect(node)) return true;
  if (holds(kPureCalls, node.op()) || holds(kWiring, node.op())) return false;
  const OpSchema* schema = ops_.find(node.op());
  return schema != nullptr && schema->def->effect != Effect::kNone;
}

}  // namespace thalweg
