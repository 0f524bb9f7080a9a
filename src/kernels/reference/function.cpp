// Calls of functions, branches and loops, on top of whoever runs functions.
#include <algorithm>
#include <cstring>

#include "kernels/families.h"
#include "thalweg/graph/function.h"
#include "thalweg/kernels/function_runner.h"
#include "thalweg/tensor/variant.h"

namespace thalweg {
namespace {

// Values that one run slot keeps, so that a call writes where the last one did.
struct CallState final : KernelState {
  std::vector<Tensor> arguments;
  std::vector<Tensor> results;
  std::vector<Tensor> condition = std::vector<Tensor>(1);
  std::vector<Tensor> held;  // lists that no iteration may take over
};

FunctionRunner& runner(const KernelRequest& request) {
  if (request.functions == nullptr) {
    throw failed_precondition(request.node.type(),
                              " calls functions, which only a session can run");
  }
  return *request.functions;
}

// How `function` is used by the node: its handles stand fast, so that its plan knows them.
FunctionUse use_of(const KernelRequest& request, const std::string& function, int first_argument,
                   std::vector<int> results) {
  FunctionUse use{.name = function, .results = std::move(results)};
  for (int i = first_argument; i < request.node.num_inputs(); ++i) {
    const Node* handle = nullptr;
    if (request.node.input(i).dtype() == kResource) {
      handle = handle_origin(request.node.input(i));
      if (handle->num_inputs() != 0) {
        throw unimplemented("argument ", i - first_argument, " of function `", function,
                            "` is a handle that ", *handle,
                            " chooses at run time; hand in the handle of one variable or table");
      }
    }
    use.handles.push_back(handle);
  }
  return use;
}

// The outputs of a node that are values, and one tensor for each.
struct Outputs {
  std::vector<int> index;
  std::vector<TensorSpec> specs;
};

Outputs value_outputs(const KernelRequest& request) {
  Outputs outputs;
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    if (request.outputs[i].dtype == kResource && !request.outputs[i].unused) {
      throw unimplemented("output ", i, " is a handle; a function that gives back a handle cannot ",
                          "be run by itself: use the handle that was handed in");
    }
    if (request.outputs[i].unused) continue;
    outputs.index.push_back(static_cast<int>(i));
    outputs.specs.push_back(request.outputs[i]);
  }
  return outputs;
}

// Hands a result on, which may be moved from.
void give(KernelContext& context, int output, const TensorSpec& spec, Tensor& value) {
  if (!spec.shape.is_fully_defined()) return context.set_output(output, std::move(value));
  if (!(value.shape() == spec.shape)) {
    throw internal_error("output ", output, " was planned as ", spec.dtype, spec.shape,
                         ", but its function gave ", value.dtype(), value.shape());
  }
  if (spec.dtype == kString) {
    std::ranges::copy(value.data<std::string>(), context.output<std::string>(output));
  } else if (spec.dtype == kVariant) {
    const auto from = value.data<Variant>();
    Variant* to = context.output<Variant>(output);
    for (size_t e = 0; e < from.size(); ++e) {
      to[e] = value.owns_buffer_alone() ? std::move(const_cast<Variant&>(from[e])) : from[e];
    }
  } else if (value.byte_size() != 0) {
    std::memcpy(context.output_pointer(output), value.raw(), value.byte_size());
  }
}

// Input i for a call that may take lists over: one that is still needed is copied.
Tensor argument(KernelContext& context, int i) {
  Tensor tensor = context.input_tensor(i);
  const bool keep = tensor.dtype() == kVariant && !context.is_last_use(i);
  return keep ? tensor.clone() : tensor;
}

void call_function(const PreparedFunction& function, int first_argument, const Outputs& outputs,
                   int num_inputs, KernelContext& context) {
  auto& state = *static_cast<CallState*>(context.state());
  state.arguments.clear();
  for (int i = first_argument; i < num_inputs; ++i) state.arguments.push_back(argument(context, i));
  state.results.resize(outputs.index.size());
  function.call(state.arguments, state.results, context, true);
  state.arguments.clear();
  for (size_t r = 0; r < outputs.index.size(); ++r)
    give(context, outputs.index[r], outputs.specs[r], state.results[r]);
}

// TensorFlow's idea of truth.
bool is_true(const Tensor& value) {
  if (value.rank() != 0) return value.num_elements() > 0;
  if (value.dtype() == kBool) return value.data<bool>()[0];
  if (value.dtype() == kString) return !value.data<std::string>()[0].empty();
  if (is_numeric(value.dtype())) return value.at(0) != 0;
  throw invalid_argument("a ", value.dtype(), " is neither true nor false; compare it");
}

/// One of several functions; which one, `choose` reads from input 0.
class BranchKernel final : public Kernel {
 public:
  BranchKernel(const KernelRequest& request, const std::vector<std::string>& branches, int first,
               bool is_case)
      : outputs_(value_outputs(request)),
        first_(first),
        inputs_(request.node.num_inputs()),
        is_case_(is_case) {
    for (const std::string& branch : branches) {
      branches_.push_back(&runner(request).prepare(use_of(request, branch, first, outputs_.index)));
    }
  }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<CallState>(); }
  void compute(KernelContext& context) const override {
    call_function(*branches_[choose(context)], first_, outputs_, inputs_, context);
  }

 private:
  size_t choose(const KernelContext& context) const {
    if (first_ == 0) return 0;
    if (!is_case_) return is_true(context.input_tensor(0)) ? 0 : 1;
    const int32_t index = *context.input<int32_t>(0);
    const size_t last = branches_.size() - 1;
    return index < 0 ? last : std::min(static_cast<size_t>(index), last);
  }

  std::vector<const PreparedFunction*> branches_;
  Outputs outputs_;
  int first_;
  int inputs_;
  bool is_case_;
};

class WhileKernel final : public Kernel {
 public:
  explicit WhileKernel(const KernelRequest& request) {
    const Node& node = request.node;
    const auto& body = node.attr<FunctionName>("body").name;
    const Function& function = node.graph().functions().at(body);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const auto slot = static_cast<size_t>(i);
      const Output& result = function.results[slot];
      const bool same = follow(result) == function.arguments[slot];
      if (node.input(i).dtype() == kResource) {
        if (handle_origin(result) != function.arguments[slot].node()) {
          throw unimplemented("loop variable ", i, " of body `", body,
                              "` is a handle, and the body gives back another one than it got; a "
                              "loop works on one variable or table throughout");
        }
      } else if (!same) {
        variables_.push_back(i);
      } else if (node.input(i).dtype() == kVariant) {
        lists_.push_back(i);
      }
      specs_.push_back(request.outputs[slot]);
    }
    const auto& cond = node.attr<FunctionName>("cond").name;
    cond_ = &runner(request).prepare(use_of(request, cond, 0, {0}));
    body_ = &runner(request).prepare(use_of(request, body, 0, variables_));
  }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<CallState>(); }

  void compute(KernelContext& context) const override {
    auto& state = *static_cast<CallState*>(context.state());
    begin(context, state);
    while (true) {
      cond_->call(state.arguments, state.condition, context);
      if (!is_true(state.condition[0])) break;
      body_->call(state.arguments, state.results, context, true);
      for (size_t v = 0; v < variables_.size(); ++v)
        std::swap(state.arguments[static_cast<size_t>(variables_[v])], state.results[v]);
    }
    end(context, state);
  }

 private:
  static Output follow(Output output) {
    while (output.node()->type() == "Identity") output = output.node()->input(0);
    return output;
  }

  // What no iteration changes is read where it lies; loop variables get memory of their own, which
  // is kept from run to run.
  void begin(KernelContext& context, CallState& state) const {
    state.arguments.resize(specs_.size());
    state.results.resize(variables_.size());
    size_t v = 0;
    for (size_t i = 0; i < specs_.size(); ++i) {
      const int input = static_cast<int>(i);
      Tensor& target = state.arguments[i];
      if (specs_[i].dtype == kResource) continue;
      if (v == variables_.size() || variables_[v] != input) {
        target = context.input_tensor(input);
        continue;
      }
      ++v;
      Tensor value = context.input_tensor(input);
      if (value.dtype() == kVariant && context.is_last_use(input)) {
        // Two holders of one list would make each iteration copy it.
        Tensor moved(kVariant, value.shape());
        for (int64_t e = 0; e < value.num_elements(); ++e) {
          moved.mutable_data<Variant>()[static_cast<size_t>(e)] =
              std::move(const_cast<Variant*>(value.data<Variant>().data())[e]);
        }
        target = std::move(moved);
      } else if (!holds_objects(value.dtype()) && target.is_valid() &&
                 target.shape() == value.shape() && target.owns_buffer_alone()) {
        std::memcpy(target.mutable_raw(), value.raw(), value.byte_size());
      } else {
        target = value.clone();
      }
    }
    state.held.clear();
    for (int list : lists_) state.held.push_back(context.input_tensor(list).clone());
  }

  void end(KernelContext& context, CallState& state) const {
    size_t v = 0;
    for (size_t i = 0; i < specs_.size(); ++i) {
      if (specs_[i].dtype == kResource) continue;
      const bool is_variable = v < variables_.size() && variables_[v] == static_cast<int>(i);
      Tensor& value = state.arguments[i];
      if (is_variable) ++v;
      if (!specs_[i].unused) {
        // What no iteration changed lies in memory of the plan.
        if (!is_variable && !specs_[i].shape.is_fully_defined()) value = value.clone();
        give(context, static_cast<int>(i), specs_[i], value);
      } else if (value.dtype() == kVariant) {
        value = Tensor();
      }
      if (!is_variable) value = Tensor();
    }
    state.held.clear();
    for (Tensor& value : state.results) {
      if (value.dtype() == kVariant) value = Tensor();
    }
  }

  std::vector<TensorSpec> specs_;
  std::vector<int> variables_;  // those that the body changes
  std::vector<int> lists_;      // those that it does not, but could take over
  const PreparedFunction* cond_ = nullptr;
  const PreparedFunction* body_ = nullptr;
};

KernelPtr make_argument(const KernelRequest& request) {
  return make_kernel([node = request.node.to_string()](KernelContext&) {
    throw failed_precondition(node, " is an argument that no caller gives");
  });
}

KernelPtr make_call(const KernelRequest& request) {
  return std::make_unique<BranchKernel>(
      request, std::vector<std::string>{request.node.attr<FunctionName>("f").name}, 0, false);
}

KernelPtr make_if(const KernelRequest& request) {
  return std::make_unique<BranchKernel>(
      request,
      std::vector<std::string>{request.node.attr<FunctionName>("then_branch").name,
                               request.node.attr<FunctionName>("else_branch").name},
      1, false);
}

KernelPtr make_case(const KernelRequest& request) {
  std::vector<std::string> names;
  for (const FunctionName& branch : request.node.attr<std::vector<FunctionName>>("branches"))
    names.push_back(branch.name);
  return std::make_unique<BranchKernel>(request, names, 1, true);
}

KernelPtr make_while(const KernelRequest& request) {
  return std::make_unique<WhileKernel>(request);
}

constexpr KernelDef kKernels[] = {
    {"_Arg", "reference", make_argument},
    {"PartitionedCall", "reference", make_call},
    {"StatefulPartitionedCall", "reference", make_call},
    {"If", "reference", make_if},
    {"StatelessIf", "reference", make_if},
    {"Case", "reference", make_case},
    {"StatelessCase", "reference", make_case},
    {"While", "reference", make_while},
    {"StatelessWhile", "reference", make_while},
};

}  // namespace

std::span<const KernelDef> reference_function_kernels() { return kKernels; }

}  // namespace thalweg
