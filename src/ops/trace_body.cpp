#include "ops/trace_body.h"

#include <algorithm>

#include "ops/handle.h"
#include "thalweg/graph/body_graph.h"

namespace thalweg {
namespace {

// Constants that decide shapes, axes and counts are worth knowing inside; numbers stay arguments,
// since gradients may be asked for them.
bool is_copied(const Node& node) {
  if (node.type() != "Const") return false;
  const DType dtype = node.output_dtype(0);
  return is_integer(dtype) || dtype == kBool || dtype == kString;
}

}  // namespace

Output add_argument(Graph& body, DType dtype, const Shape& shape, int index,
                    const std::string& name) {
  const RootScope root(body);
  AttrMap attrs = {{"T", dtype}, {"index", static_cast<int64_t>(index)}};
  attrs["_output_shapes"] = std::vector<Shape>{shape};
  return body.add("_Arg", {}, std::move(attrs), {.name = name}).output();
}

Output add_argument(Graph& body, const Output& like, const Shape& shape, int index,
                    const std::string& name) {
  if (like.dtype() != kResource) return add_argument(body, like.dtype(), shape, index, name);
  const RootScope root(body);
  AttrMap attrs = {{"T", kResource}, {"index", static_cast<int64_t>(index)}};
  if (const DType held = handle_dtype(like); held != kInvalid) {
    attrs["_handle_dtypes"] = std::vector<DType>{held};
    attrs["_handle_shapes"] = std::vector<Shape>{handle_shape(like)};
  }
  return body.add("_Arg", {}, std::move(attrs), {.name = name}).output();
}

BodyTrace::BodyTrace(Graph& outer, std::vector<Output>& captures)
    : outer_(outer.innermost()), captures_(captures), body_(body_graph(outer_)) {
  body_->set_seed(outer_.seed());
}

Output BodyTrace::argument(DType dtype, const Shape& shape, const std::string& name) {
  arguments_.push_back(
      add_argument(*body_, dtype, shape, static_cast<int>(arguments_.size()), name));
  return arguments_.back();
}

Output BodyTrace::captured(size_t i) {
  while (captured_.size() <= i) {
    const Output& outside = captures_[captured_.size()];
    std::string name = outside.node()->name();
    name = name.substr(name.rfind('/') + 1);
    captured_.push_back(add_argument(*body_, outside, outside.shape(),
                                     static_cast<int>(arguments_.size() + captured_.size()), name));
  }
  return captured_[i];
}

Output BodyTrace::capture(const Output& outside) {
  if (is_copied(*outside.node())) {
    Output& copy = constants_[outside];
    if (!copy) {
      const RootScope root(*body_);
      copy = body_->add("Const", {}, outside.node()->attrs(), {.name = outside.node()->name()})
                 .output();
    }
    return copy;
  }
  const auto known = std::find(captures_.begin(), captures_.end(), outside);
  const auto index = static_cast<size_t>(known - captures_.begin());
  if (known == captures_.end()) captures_.push_back(outside);
  return captured(index);
}

void BodyTrace::trace(const std::function<std::vector<Output>(const std::vector<Output>&)>& f) {
  const BodyScope scope(outer_, *body_, [this](const Output& outside) { return capture(outside); });
  try {
    results_ = f(arguments_);
  } catch (const std::bad_function_call&) {
    throw invalid_argument("a callable is empty, a std::function that holds nothing; or it ",
                           "calls such a one");
  }
  for (Output& result : results_) {
    if (!result) throw invalid_argument("a result is an empty Output");
    if (&result.graph() != body_.get()) result = capture(result);
  }
  outer_controls_ = scope.outer_controls();
}

const Function& BodyTrace::finish(const std::string& name, bool pass_on) {
  if (!captures_.empty()) captured(captures_.size() - 1);
  Function function{.name = outer_.functions().unique_name(name)};
  function.arguments = arguments_;
  function.arguments.insert(function.arguments.end(), captured_.begin(), captured_.end());
  function.results = results_;
  if (pass_on) function.results.insert(function.results.end(), captured_.begin(), captured_.end());
  for (const Output& argument : function.arguments)
    function.argument_names.push_back(argument.node()->name());
  for (size_t r = 0; r < function.results.size(); ++r)
    function.result_names.push_back(str("result_", r));
  function.side_effects = side_effects_of(*body_);
  function.body = std::move(body_);
  return outer_.functions().add(std::move(function));
}

std::vector<Node*> side_effects_of(const Graph& body) {
  std::vector<Node*> result;
  for (int id = 0; id < body.num_nodes(); ++id) {
    if (has_side_effects(body.node(id))) result.push_back(&body.node(id));
  }
  return result;
}

bool is_stateful(const Function& function) {
  const FunctionEffects effects = effects_of(function);
  return effects.draws_random || effects.is_ordered || !effects.handles.empty() ||
         std::any_of(effects.arguments.begin(), effects.arguments.end(),
                     [](const ResourceUse& use) { return use.is_read || use.is_written; });
}

}  // namespace thalweg
