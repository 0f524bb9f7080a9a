#include "thalweg/graph/graph.h"

#include <algorithm>
#include <atomic>

#include "graph/node_builder.h"
#include "thalweg/graph/function.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

// [A-Za-z0-9.][A-Za-z0-9_./>-]*; a leading underscore is ours (private nodes made by passes).
bool is_legal_name(std::string_view name) {
  if (name.empty()) return false;
  const auto word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
  };
  if (!word(name[0]) && name[0] != '_') return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return word(c) || c == '_' || c == '/' || c == '-' || c == '>';
  });
}

}  // namespace

Graph::Graph(const OpRegistry& registry, std::shared_ptr<FunctionLibrary> functions)
    : registry_(&registry),
      functions_(functions != nullptr ? std::move(functions)
                                      : std::make_shared<FunctionLibrary>()) {
  static std::atomic<uint64_t> last_id{0};
  id_ = ++last_id;
}
Graph::~Graph() = default;

Node* Graph::find(std::string_view name) const {
  const auto it = by_name_.find(std::string(name));
  return it == by_name_.end() ? nullptr : it->second;
}

Output Graph::output(std::string_view name) const {
  std::string_view node_name = name;
  int index = 0;
  if (const size_t colon = name.rfind(':'); colon != std::string_view::npos) {
    const std::string_view digits = name.substr(colon + 1);
    if (!digits.empty() && digits.size() < 6 &&
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      node_name = name.substr(0, colon);
      for (char c : digits) index = index * 10 + (c - '0');
    }
  }
  if (Node* node = find(node_name)) return node->output(index);
  std::vector<std::string> names;
  for (const auto& node : nodes_) names.push_back(node->name());
  const std::string hint = nearest(node_name, names);
  throw not_found("the graph has no node `", node_name, "`",
                  hint.empty() ? "" : str("; did you mean `", hint, "`?"));
}

std::string Graph::unique_name(std::string_view base) {
  if (body_ != nullptr) return body_->unique_name(base);
  if (!is_legal_name(base)) {
    throw invalid_argument(
        "`", base,
        "` is no legal node name: letters, digits and `.` first, then also `_`, `/`, `-`, `>`");
  }
  // A name taken by a scope counts as well, so that a node never hides a scope of the same name.
  std::string name = scope_ + std::string(base);
  int& count = name_counts_[name];
  const std::string stem = name;
  // One added under its full name was not counted.
  const bool is_free = count == 0 && !by_name_.contains(name);
  count = std::max(count, 1);
  if (is_free) return name;
  do {
    name = str(stem, "_", count++);
  } while (by_name_.contains(name) || name_counts_.contains(name));
  name_counts_.emplace(name, 1);
  return name;
}

Node& Graph::add(std::string_view op_name, std::vector<Output> inputs, AttrMap attrs,
                 NodeOptions options) {
  if (body_ != nullptr) {
    return body_->add(op_name, std::move(inputs), std::move(attrs), std::move(options));
  }
  const OpSchema& op = registry_->at(op_name);
  if (capture_) {
    for (Output& input : inputs) {
      if (input && &input.graph() != this) input = capture_(input);
    }
    std::erase_if(options.control_inputs, [this](Node* node) {
      if (node == nullptr || &node->graph() == this) return false;
      outer_controls_.push_back(node);
      return true;
    });
  }
  auto node = std::make_unique<Node>();
  node->graph_ = this;
  node->op_ = &op;
  node->id_ = num_nodes();
  // The name is only taken once all checks have passed; messages before that use what was asked
  // for.
  const std::string base =
      options.name.empty() ? op.name.substr(op.name.find_first_not_of('_')) : options.name;
  node->name_ = options.full_name ? base : scope_ + base;
  node->device_ = options.device.empty() ? device_ : options.device;
  try {
    for (const Output& input : inputs) {
      if (!input) throw invalid_argument("input ", &input - inputs.data(), " is an empty Output");
      if (&input.graph() != this)
        throw invalid_argument("input ", input.name(), " belongs to another graph");
    }
    node->attrs_ = complete_attrs(op, inputs, std::move(attrs));
    node->output_dtypes_ = output_dtypes(op, node->attrs_);
    node->inputs_ = std::move(inputs);
    node->control_inputs_ = std::move(options.control_inputs);
    for (Node* dependency : control_) node->control_inputs_.push_back(dependency);
    for (const Node* control : node->control_inputs_) {
      if (control == nullptr) throw invalid_argument("a control input is no node");
      if (&control->graph() != this)
        throw invalid_argument("control input `", control->name(), "` belongs to another graph");
    }
    std::sort(node->control_inputs_.begin(), node->control_inputs_.end(),
              [](const Node* a, const Node* b) { return a->id() < b->id(); });
    node->control_inputs_.erase(
        std::unique(node->control_inputs_.begin(), node->control_inputs_.end()),
        node->control_inputs_.end());
    node->output_shapes_.assign(node->output_dtypes_.size(), Shape::unknown());
    if (op.def->shape != nullptr) {
      ShapeContext context(*node, node->output_shapes_);
      op.def->shape(context);
    }
    if (!options.full_name) node->name_ = unique_name(base);
    if (by_name_.contains(node->name_)) throw already_exists("the graph has a node of this name");
  } catch (Error& error) {
    error.add_context(node->to_string());
    throw;
  }
  Node& result = *node;
  by_name_.emplace(result.name_, &result);
  nodes_.push_back(std::move(node));
  return result;
}

void Graph::add_variable(VariableRecord record) {
  if (body_ != nullptr) {
    throw failed_precondition("variable `", record.name,
                              "` is made inside the body of a function, which would make it anew "
                              "with each call; make it before, and use it inside");
  }
  variables_.push_back(std::move(record));
}

const Graph::VariableRecord* Graph::find_variable(std::string_view name) const {
  for (const VariableRecord& record : variables_) {
    if (record.name == name) return &record;
  }
  return nullptr;
}

std::vector<Node*> Graph::collected(std::string_view collection) const {
  const auto it = collections_.find(std::string(collection));
  return it == collections_.end() ? std::vector<Node*>() : it->second;
}

std::string Graph::to_string() const {
  std::string text;
  for (const auto& node : nodes_) {
    append(text, node->name());
    append(text, " = ");
    append(text, node->type());
    text += '(';
    for (int i = 0; i < node->num_inputs(); ++i) {
      if (i != 0) text += ", ";
      append(text, node->input(i).name());
    }
    for (const Node* control : node->control_inputs()) append(text, str(" ^", control->name()));
    text += ')';
    for (const auto& [name, value] : node->attrs()) {
      if (name != "T") append(text, str(" ", name, "=", thalweg::to_string(value)));
    }
    text += " ->";
    for (int i = 0; i < node->num_outputs(); ++i) {
      append(text, str(" ", node->output_dtype(i), node->output_shape(i)));
    }
    text += '\n';
  }
  return text;
}

}  // namespace thalweg
