#include "thalweg/graph/graph.h"

namespace thalweg {

namespace {

Node& node_of(const Output& output) {
  if (output) return *output.node();
  throw invalid_argument(
      "an empty Output is in use: a tensor was default-constructed, or a gradient is missing");
}

// One made by hand may name an output that its node does not have.
Node& node_with(const Output& output) {
  Node& node = node_of(output);
  if (output.index() < 0 || output.index() >= node.num_outputs()) node.output(output.index());
  return node;
}

}  // namespace

Graph& Output::graph() const { return node_of(*this).graph(); }

DType Output::dtype() const { return node_with(*this).output_dtype(index_); }

const Shape& Output::shape() const { return node_with(*this).output_shape(index_); }

std::string Output::name() const {
  return node_ == nullptr ? "<nothing>" : str(node_->name(), ":", index_);
}

// Nothing first; then by graph, so that tensors of different graphs are never taken for one.
bool operator<(const Output& a, const Output& b) {
  if (a.node_ == b.node_) return a.index_ < b.index_;
  if (a.node_ == nullptr || b.node_ == nullptr) return a.node_ == nullptr;
  const uint64_t left = a.node_->graph().id();
  const uint64_t right = b.node_->graph().id();
  return left != right ? left < right : a.node_->id() < b.node_->id();
}

Output Node::output(int i) const {
  if (i < 0 || i >= num_outputs()) {
    throw out_of_range(*this, " has ", num_outputs(), " outputs; output ", i, " was asked for");
  }
  return Output(const_cast<Node*>(this), i);
}

const AttrValue* Node::find_attr(std::string_view name) const {
  const auto it = attrs_.find(name);
  return it == attrs_.end() ? nullptr : &it->second;
}

void Node::bad_attr(std::string_view name) const {
  const AttrValue* value = find_attr(name);
  throw internal_error(
      *this, ": attribute `", name, "` ",
      value == nullptr ? std::string("is missing") : str("is of kind ", attr_kind(*value)));
}

std::pair<int, int> Node::input_range(std::string_view argument) const {
  int begin = 0;
  for (const ArgSchema& arg : op_->inputs) {
    int count = 1;
    if (!arg.number_attr.empty()) {
      count = static_cast<int>(attr<int64_t>(arg.number_attr));
    } else if (!arg.type_list_attr.empty()) {
      count = static_cast<int>(attr<std::vector<DType>>(arg.type_list_attr).size());
    }
    if (arg.name == argument) return {begin, begin + count};
    begin += count;
  }
  throw internal_error(*this, " has no argument `", argument, "`");
}

std::string Node::to_string() const { return str(type(), " node `", name_, "`"); }

}  // namespace thalweg
