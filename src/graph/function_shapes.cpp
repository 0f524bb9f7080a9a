// The shapes of a function's results for arguments of known shapes: its body is built once more,
// for shape inference alone, when the body by itself does not tell.
#include "thalweg/graph/function_shapes.h"

#include <algorithm>

namespace thalweg {
namespace {

// Bodies that call functions that call functions: deeper ones keep the shapes they were built with.
constexpr int kMaxDepth = 32;
thread_local int depth = 0;
// Answers that are remembered; the shapes of what is fed may go on changing for ever.
constexpr size_t kMaxRemembered = 4096;

std::vector<Shape> shapes_of(const std::vector<Output>& outputs) {
  std::vector<Shape> shapes;
  for (const Output& output : outputs) shapes.push_back(output.shape());
  return shapes;
}

bool tells_more(const Shape& given, const Shape& known) {
  if (!given.has_rank()) return false;
  if (!known.has_rank()) return true;
  for (int i = 0; i < std::min(given.rank(), known.rank()); ++i) {
    if (known[i] == kUnknownDim && given[i] != kUnknownDim) return true;
  }
  return false;
}

// Nodes of the body that the results need.
std::vector<bool> needed_nodes(const Function& function) {
  const Graph& body = *function.body;
  std::vector<bool> needed(static_cast<size_t>(body.num_nodes()), false);
  for (const Output& result : function.results)
    needed[static_cast<size_t>(result.node()->id())] = true;
  for (int id = body.num_nodes() - 1; id >= 0; --id) {
    if (!needed[static_cast<size_t>(id)]) continue;
    for (const Output& input : body.node(id).inputs())
      needed[static_cast<size_t>(input.node()->id())] = true;
  }
  return needed;
}

}  // namespace

ShapedBody with_shapes(const Function& function, std::span<const Shape> arguments,
                       std::span<const Shape> item_shapes) {
  const Graph& body = *function.body;
  ShapedBody shaped{.graph = std::make_unique<Graph>(body.registry(), body.shared_functions())};
  std::map<const Node*, Node*> copies;
  for (size_t a = 0; a < function.arguments.size(); ++a) {
    const Node& argument = *function.arguments[a].node();
    AttrMap attrs = argument.attrs();
    const Shape& known = function.arguments[a].shape();
    if (arguments[a].is_compatible_with(known)) {
      attrs["_output_shapes"] = std::vector<Shape>{arguments[a].merge(known)};
    }
    if (a < item_shapes.size() && item_shapes[a].has_rank()) attrs["_item_shape"] = item_shapes[a];
    copies[&argument] =
        &shaped.graph->add(argument.type(), {}, std::move(attrs), {.name = argument.name()});
    shaped.arguments.push_back(copies[&argument]->output());
  }
  const std::vector<bool> needed = needed_nodes(function);
  for (int id = 0; id < body.num_nodes(); ++id) {
    const Node& node = body.node(id);
    if (!needed[static_cast<size_t>(id)] || copies.contains(&node)) continue;
    std::vector<Output> inputs;
    for (const Output& input : node.inputs())
      inputs.push_back(copies.at(input.node())->output(input.index()));
    copies[&node] =
        &shaped.graph->add(node.type(), std::move(inputs), node.attrs(), {.name = node.name()});
  }
  for (const Output& result : function.results)
    shaped.results.push_back(copies.at(result.node())->output(result.index()));
  return shaped;
}

std::vector<Shape> FunctionLibrary::result_shapes(const Function& function,
                                                  std::span<const Shape> arguments) const {
  std::vector<Shape> known = shapes_of(function.results);
  if (arguments.size() != function.arguments.size()) return known;
  const bool open =
      std::any_of(function.results.begin(), function.results.end(), [](const Output& result) {
        return !holds_objects(result.dtype()) && result.dtype() != kResource &&
               !result.shape().is_fully_defined();
      });
  bool more = false;
  std::string key = function.name;
  for (size_t a = 0; a < arguments.size(); ++a) {
    more = more || tells_more(arguments[a], function.arguments[a].shape());
    append(key, arguments[a].to_string());
  }
  if (!open || !more || depth >= kMaxDepth) return known;
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = shapes_.find(key); it != shapes_.end()) return it->second;
  }
  struct Deeper {
    Deeper() { ++depth; }
    ~Deeper() { --depth; }
  } deeper;
  std::vector<Shape> shapes = shapes_of(with_shapes(function, arguments).results);
  const std::lock_guard lock(mutex_);
  if (shapes_.size() >= kMaxRemembered) shapes_.clear();
  return shapes_.emplace(std::move(key), std::move(shapes)).first->second;
}

}  // namespace thalweg
