// Reference kernels of the fused ops: the ops they stand for, one after the other. That is their
// definition.
#include <cstring>
#include <functional>
#include <map>

#include "kernels/families.h"
#include "thalweg/kernels/evaluate.h"

namespace thalweg {
namespace {

// A small graph in place of one node; run op by op on reference kernels.
class Composition {
 public:
  using Build = std::function<std::vector<Output>(Graph& graph, const std::vector<Output>& inputs)>;

  Composition(const KernelRequest& request, const Build& build)
      : graph_(std::make_shared<Graph>(request.node.graph().registry())) {
    for (const TensorSpec& input : request.inputs) {
      if (input.dtype == kResource) {
        // The handle's declared dtype is that of the update; its shape is the variable's.
        inputs_.push_back(
            graph_
                ->add("VarHandleOp", {}, {{"dtype", value_dtype(request)}, {"shape", input.shape}})
                .output());
      } else if (input.constant != nullptr) {
        inputs_.push_back(
            graph_->add("Const", {}, {{"dtype", input.dtype}, {"value", *input.constant}})
                .output());
      } else {
        inputs_.push_back(
            graph_->add("Placeholder", {}, {{"dtype", input.dtype}, {"shape", input.shape}})
                .output());
      }
    }
    first_ = graph_->num_nodes();
    outputs_ = build(*graph_, inputs_);
  }

  void operator()(KernelContext& context) const {
    std::map<Output, Tensor> values;
    std::map<Output, VariableState*> variables;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const int index = static_cast<int>(i);
      if (inputs_[i].dtype() == kResource) {
        variables[inputs_[i]] = &context.variable(index);
      } else {
        const Output& input = inputs_[i];
        auto* data = const_cast<void*>(context.input_pointer(index));
        const size_t bytes =
            static_cast<size_t>(input.shape().num_elements()) * element_size(input.dtype());
        values[input] = Tensor::share(input.dtype(), input.shape(), Buffer::wrap(data, bytes, {}));
      }
    }
    for (int id = first_; id < graph_->num_nodes(); ++id) {
      const Node& node = graph_->node(id);
      std::vector<Tensor> arguments;
      std::vector<Resource*> states;
      for (const Output& input : node.inputs()) {
        arguments.push_back(input.dtype() == kResource ? Tensor() : values.at(input));
        states.push_back(input.dtype() == kResource ? variables.at(input) : nullptr);
      }
      std::vector<Tensor> results =
          evaluate(node, arguments, reference_kernels(), {.resources = states});
      for (size_t i = 0; i < results.size(); ++i)
        values[node.output(static_cast<int>(i))] = std::move(results[i]);
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const Tensor& result = values.at(outputs_[i]);
      std::memcpy(context.output_pointer(static_cast<int>(i)), result.raw(), result.byte_size());
    }
  }

 private:
  static DType value_dtype(const KernelRequest& request) {
    for (const TensorSpec& input : request.inputs) {
      if (is_floating(input.dtype)) return input.dtype;
    }
    throw internal_error(request.node, " has no floating-point input");
  }

  std::shared_ptr<Graph> graph_;
  std::vector<Output> inputs_;
  std::vector<Output> outputs_;
  int first_ = 0;
};

// The attributes of `node` that the op `name` has too.
AttrMap shared_attrs(const Node& node, std::string_view name) {
  AttrMap attrs;
  for (const AttrSchema& attr : node.graph().registry().at(name).attrs) {
    const AttrValue* value = node.find_attr(attr.name);
    if (value != nullptr && attr.kind == attr_kind(*value)) attrs.emplace(attr.name, *value);
  }
  return attrs;
}

Output add_epilogue(const Node& node, Output x, const std::vector<Output>& inputs) {
  for (const std::string& op : node.attr<std::vector<std::string>>("fused_ops")) {
    std::vector<Output> operands = {x};
    if (op == "BiasAdd") operands.push_back(inputs[2]);
    x = x.graph().add(op, operands, shared_attrs(node, op)).output();
  }
  return x;
}

template <const char* kOp>
KernelPtr make_with_epilogue(const KernelRequest& request) {
  const Node& node = request.node;
  return make_kernel(Composition(request, [&node](Graph& graph, const std::vector<Output>& inputs) {
    const Output x = graph.add(kOp, {inputs[0], inputs[1]}, shared_attrs(node, kOp)).output();
    return std::vector<Output>{add_epilogue(node, x, inputs)};
  }));
}

KernelPtr make_matmul_bias_grad(const KernelRequest& request) {
  return make_kernel(Composition(request, [](Graph& graph, const std::vector<Output>& inputs) {
    return std::vector<Output>{graph.add("MatMul", inputs, {{"transpose_a", true}}).output(),
                               graph.add("BiasAddGrad", {inputs[1]}).output()};
  }));
}

KernelPtr make_filter_bias_grad(const KernelRequest& request) {
  const Node& node = request.node;
  return make_kernel(Composition(request, [&node](Graph& graph, const std::vector<Output>& inputs) {
    return std::vector<Output>{
        graph.add("Conv2DBackpropFilter", inputs, shared_attrs(node, "Conv2DBackpropFilter"))
            .output(),
        graph.add("BiasAddGrad", {inputs[2]}, shared_attrs(node, "BiasAddGrad")).output()};
  }));
}

// _MulAdd stands in no graph of its own: Mul, then AddV2.
Output add_instruction(Graph& graph, const std::string& op, const std::vector<Output>& operands,
                       float alpha) {
  if (op == "_MulAdd") {
    return graph.add("AddV2", {graph.add("Mul", {operands[0], operands[1]}).output(), operands[2]})
        .output();
  }
  AttrMap attrs;
  if (graph.registry().at(op).find_attr("alpha") != nullptr) attrs.emplace("alpha", alpha);
  return graph.add(op, operands, std::move(attrs)).output();
}

KernelPtr make_elementwise(const KernelRequest& request) {
  const Node& node = request.node;
  return make_kernel(Composition(request, [&node](Graph& graph, const std::vector<Output>& inputs) {
    const auto& ops = node.attr<std::vector<std::string>>("ops");
    const auto& operands = node.attr<std::vector<int64_t>>("operands");
    const auto& alphas = node.attr<std::vector<float>>("alphas");
    std::vector<Output> values = inputs;
    for (size_t i = 0; i < ops.size(); ++i) {
      std::vector<Output> arguments;
      for (size_t k = 0; k < 3; ++k) {
        if (operands[3 * i + k] >= 0)
          arguments.push_back(values[static_cast<size_t>(operands[3 * i + k])]);
      }
      values.push_back(add_instruction(graph, ops[i], arguments, alphas[i]));
    }
    return std::vector<Output>{values.back()};
  }));
}

KernelPtr make_resource_apply(const KernelRequest& request) {
  const Node& node = request.node;
  return make_kernel(Composition(request, [&node](Graph& graph, const std::vector<Output>& inputs) {
    const auto& op = node.attr<std::string>("op");
    const auto updates = static_cast<size_t>(node.attr<int64_t>("num_updates"));
    const size_t count = inputs.size() / updates;
    for (size_t i = 0; i < updates; ++i) {
      const auto begin = inputs.begin() + static_cast<std::ptrdiff_t>(i * count);
      graph.add(op, {begin, begin + static_cast<std::ptrdiff_t>(count)}, shared_attrs(node, op));
    }
    return std::vector<Output>();
  }));
}

constexpr char kMatMul[] = "MatMul";
constexpr char kConv2D[] = "Conv2D";
constexpr char kDepthwise[] = "DepthwiseConv2dNative";

constexpr KernelDef kFusedKernels[] = {
    {"_FusedMatMul", "reference", make_with_epilogue<kMatMul>},
    {"_FusedConv2D", "reference", make_with_epilogue<kConv2D>},
    {"_FusedDepthwiseConv2dNative", "reference", make_with_epilogue<kDepthwise>},
    {"_MatMulBiasGrad", "reference", make_matmul_bias_grad},
    {"_Conv2DBackpropFilterBias", "reference", make_filter_bias_grad},
    {"_FusedElementwise", "reference", make_elementwise},
    {"_FusedResourceApply", "reference", make_resource_apply},
};

}  // namespace

std::span<const KernelDef> reference_fused_kernels() { return kFusedKernels; }

}  // namespace thalweg
