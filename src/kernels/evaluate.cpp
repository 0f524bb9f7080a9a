#include "thalweg/kernels/evaluate.h"

#include <new>
#include <stdexcept>

#include "thalweg/base/log.h"
#include "thalweg/graph/function.h"

namespace thalweg {
namespace {

// Holds the pointers of one computation on tensors that are all at hand.
class TensorContext final : public KernelContext {
 public:
  TensorContext(std::vector<const void*> pointers, std::span<const Tensor> inputs,
                std::vector<Tensor>& outputs, const EvaluateOptions& options)
      : input_pointers_(std::move(pointers)),
        inputs_given_(inputs),
        tensors_(outputs),
        options_(options) {
    for (Tensor& output : tensors_)
      output_pointers_.push_back(output.is_valid() ? output.mutable_raw() : nullptr);
    inputs_ = input_pointers_.data();
    outputs_ = output_pointers_.data();
  }

  void set_work(void* scratch, KernelState* state) {
    scratch_ = scratch;
    state_ = state;
  }
  void set_output(int i, Tensor value) override {
    tensors_[static_cast<size_t>(i)] = std::move(value);
  }
  Tensor input_tensor(int i) const override { return inputs_given_[static_cast<size_t>(i)]; }
  RunScope* run_scope() const override {
    return options_.caller == nullptr ? nullptr : options_.caller->run_scope();
  }
  uint64_t random_run() const override { return options_.random_run; }
  void print(std::string_view text) override {
    if (options_.caller != nullptr) return options_.caller->print(text);
    log(LogLevel::kInfo, "print", text);
  }

 private:
  std::vector<const void*> input_pointers_;
  std::vector<void*> output_pointers_;
  std::span<const Tensor> inputs_given_;
  std::vector<Tensor>& tensors_;
  const EvaluateOptions& options_;
};

// The op that made the handle of a table or a queue again: shape functions look at its attributes.
Output isolate_handle(Graph& graph, const Output& handle) {
  const Node& origin = *handle_origin(handle);
  if (origin.num_inputs() != 0) {
    throw unimplemented(handle.name(), " is a handle that ", origin,
                        " chooses at run time; use the handle of one variable or table");
  }
  return graph.add(origin.type(), {}, origin.attrs()).output();
}

// What the standard library has no memory for, or no size that counts it.
// A graph that holds one node with its inputs as constants, so that shape inference sees their
// values.
Node& isolate(Graph& graph, const Node& node, std::span<const Tensor> inputs,
              const EvaluateOptions& options) {
  std::vector<Output> arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_valid()) {
      arguments.push_back(graph
                              .add("Const", {},
                                   {{"dtype", inputs[i].dtype()}, {"value", inputs[i]}},
                                   {.name = str("input", i)})
                              .output());
      continue;
    }
    THALWEG_CHECK(i < options.resources.size() && options.resources[i] != nullptr, "input ", i,
                  " has no value");
    const auto* const state = dynamic_cast<const VariableState*>(options.resources[i]);
    if (state == nullptr) {
      arguments.push_back(isolate_handle(graph, node.input(static_cast<int>(i))));
      continue;
    }
    const VariableState& variable = *state;
    arguments.push_back(
        graph
            .add("VarHandleOp", {},
                 {{"dtype", variable.dtype},
                  {"shape", variable.initialized ? variable.value_shape : variable.shape},
                  {"shared_name", variable.name}},
                 {.name = str("input", i)})
            .output());
  }
  return graph.add(node.type(), std::move(arguments), node.attrs(), {.name = "node"});
}

}  // namespace

std::vector<Tensor> evaluate(const Node& node, std::span<const Tensor> inputs,
                             const KernelRegistry& kernels, const EvaluateOptions& options) {
  try {
    Graph graph(node.graph().registry(), node.graph().shared_functions());
    const Node& isolated = isolate(graph, node, inputs, options);

    std::vector<TensorSpec> input_specs;
    std::vector<const void*> pointers;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].is_valid()) {
        input_specs.push_back(
            {.dtype = inputs[i].dtype(), .shape = inputs[i].shape(), .constant = &inputs[i]});
        pointers.push_back(inputs[i].raw());
      } else {
        Resource* const resource = options.resources[i];
        const auto* const variable = dynamic_cast<const VariableState*>(resource);
        Shape shape;
        if (variable != nullptr) {
          shape = variable->initialized ? variable->value_shape : variable->shape;
        }
        input_specs.push_back({.dtype = kResource, .shape = shape});
        pointers.push_back(resource);
      }
    }
    std::vector<TensorSpec> output_specs;
    std::vector<Tensor> outputs;
    for (int i = 0; i < isolated.num_outputs(); ++i) {
      const DType dtype = isolated.output_dtype(i);
      const Shape& shape = isolated.output_shape(i);
      output_specs.push_back({.dtype = dtype, .shape = shape});
      outputs.push_back(shape.is_fully_defined() && dtype != kResource ? Tensor(dtype, shape)
                                                                       : Tensor());
    }

    const KernelPtr kernel = kernels.make({isolated, input_specs, output_specs, options.functions});
    const KernelTraits& traits = kernel->traits();
    // Kernels with layouts of their own: convert at both ends.
    std::vector<std::shared_ptr<Buffer>> converted;
    for (size_t i = 0; i < traits.input_layouts.size(); ++i) {
      if (traits.input_layouts[i] == nullptr || !inputs[i].is_valid()) continue;
      converted.push_back(Buffer::allocate(traits.input_layouts[i]->size_bytes()));
      convert_layout(inputs[i].dtype(), inputs[i].shape(), nullptr, pointers[i],
                     traits.input_layouts[i], converted.back()->data());
      pointers[i] = converted.back()->data();
    }
    std::vector<Tensor> plain_outputs;
    for (size_t i = 0; i < traits.output_layouts.size(); ++i) {
      if (traits.output_layouts[i] == nullptr) continue;
      plain_outputs.resize(outputs.size());
      plain_outputs[i] = outputs[i];
      const auto bytes = static_cast<int64_t>(traits.output_layouts[i]->size_bytes());
      outputs[i] = Tensor(kUInt8, Shape{bytes});
    }

    TensorContext context(std::move(pointers), inputs, outputs, options);
    const auto scratch = Buffer::allocate(std::max<size_t>(traits.scratch_bytes, 1));
    const auto state = kernel->make_state();
    context.set_work(scratch->data(), state.get());
    kernel->compute(context);

    for (size_t i = 0; i < plain_outputs.size(); ++i) {
      if (!plain_outputs[i].is_valid()) continue;
      const Tensor blocked = std::move(outputs[i]);
      outputs[i] = std::move(plain_outputs[i]);
      convert_layout(outputs[i].dtype(), outputs[i].shape(), traits.output_layouts[i],
                     blocked.raw(), nullptr, outputs[i].mutable_raw());
    }
    return outputs;
  } catch (Error& error) {
    error.add_context(node.to_string());
    throw;
  } catch (...) {
    rethrow_as_error(node);
  }
}

void rethrow_as_error(const Node& node) {
  const auto too_large = [&] {
    return resource_exhausted(node, ": out of memory; smaller inputs or batches need less");
  };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw too_large();
  } catch (const std::length_error&) {
    throw too_large();
  } catch (const std::out_of_range&) {
    throw invalid_argument(node, ": an input has fewer entries than it needs");
  }
}

}  // namespace thalweg
