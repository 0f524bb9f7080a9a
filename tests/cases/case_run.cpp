#include "cases/case_run.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "thalweg/ops/standard_ops.h"

namespace thalweg::testing {
namespace {

// Thrown by a kernel that stands behind the one under test: that one declined.
struct Declined {};

KernelPtr decline(const KernelRequest&) { throw Declined(); }

bool same_element(double expected, double actual, double tolerance, double scale) {
  if (expected == actual || (std::isnan(expected) && std::isnan(actual))) return true;
  return std::isfinite(expected) &&
         std::abs(actual - expected) <= tolerance * (scale + std::abs(expected));
}

// Distance of neighbours near 1: a kernel may round the last bit otherwise.
double resolution(DType dtype) {
  if (dtype == kBFloat16) return 1.0 / 128;
  if (dtype == kFloat16) return 1.0 / 1024;
  return 0;
}

std::string element_text(const Tensor& tensor, int64_t i) {
  return str("element ", i, " of ", tensor.to_string(32));
}

}  // namespace

Output variable_input(Graph& graph, DType dtype, const Shape& shape) {
  return graph.add("VarHandleOp", {}, {{"dtype", dtype}, {"shape", shape}}).output();
}

Output known_input(Graph& graph, const CaseTensor& input) {
  if (input.is_variable) return variable_input(graph, input.value.dtype(), input.value.shape());
  return graph.add("Const", {}, {{"dtype", input.value.dtype()}, {"value", input.value}}).output();
}

Node& add_case(Graph& graph, const Case& c, const InputSource& source) {
  std::vector<Output> inputs;
  for (const CaseTensor& input : c.inputs) inputs.push_back(source(graph, input));
  return graph.add(c.op, std::move(inputs), c.attrs);
}

CaseVariables::CaseVariables(const Case& c) {
  for (const CaseTensor& input : c.inputs) {
    states_.push_back(nullptr);
    if (input.is_variable) {
      states_.back() = std::make_unique<VariableState>();
      VariableState& state = *states_.back();
      state.name = input.name;
      state.dtype = input.value.dtype();
      state.shape = input.value.shape();
      state.initialized = input.is_initialized;
      if (input.is_initialized) {
        state.value_shape = input.value.shape();
        state.buffer = input.value.clone().buffer();
      }
    }
    pointers_.push_back(states_.back().get());
  }
}

Tensor CaseVariables::value(size_t i) const {
  const VariableState& state = *pointers_[i];
  if (!state.initialized) throw failed_precondition("variable `", state.name, "` has no value");
  return Tensor::share(state.dtype, state.value_shape, state.buffer).clone();
}

CaseResult run_case(const Case& c, const Node& node, const KernelDef& kernel) {
  const KernelDef only[] = {kernel, {kernel.op, "none", decline}};
  KernelRegistry kernels;
  kernels.add(only);
  const CaseVariables variables(c);
  std::vector<Tensor> inputs;
  for (const CaseTensor& input : c.inputs)
    inputs.push_back(input.is_variable ? Tensor() : input.value);
  CaseResult result;
  try {
    const std::vector<Resource*> resources(variables.states().begin(), variables.states().end());
    result.outputs = evaluate(node, inputs, kernels, {.resources = resources});
  } catch (const Declined&) {
    return result;
  }
  result.accepted = true;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (c.inputs[i].is_variable && variables.states()[i]->initialized) {
      result.variables.push_back({c.inputs[i].name, variables.value(i)});
    }
  }
  return result;
}

const KernelDef* reference_kernel(std::string_view op) {
  const std::span<const KernelDef> kernels = reference_kernels().find(op);
  return kernels.empty() ? nullptr : &kernels.back();
}

std::string difference(const Tensor& expected, const Tensor& actual, double tolerance,
                       double scale) {
  if (!actual.is_valid()) return "there is no value";
  if (expected.dtype() != actual.dtype())
    return str("dtype is ", actual.dtype(), ", expected ", expected.dtype());
  if (!(expected.shape() == actual.shape()))
    return str("shape is ", actual.shape(), ", expected ", expected.shape());
  if (is_complex(expected.dtype())) {
    // Real and imaginary parts side by side.
    const DType part = expected.dtype() == kComplex64 ? kFloat32 : kFloat64;
    const Shape parts = expected.shape().concat(Shape{2});
    return difference(Tensor::share(part, parts, expected.clone().buffer()),
                      Tensor::share(part, parts, actual.clone().buffer()), tolerance, scale);
  }
  if (!is_floating(expected.dtype())) {
    for (int64_t i = 0; i < expected.num_elements(); ++i) {
      const bool same = visit_element(expected.dtype(), [&]<class T>(TypeTag<T>) {
        return expected.data<T>()[static_cast<size_t>(i)] ==
               actual.data<T>()[static_cast<size_t>(i)];
      });
      if (!same) return str(element_text(actual, i), " differs, expected ", expected.to_string(32));
    }
    return {};
  }
  if (tolerance > 0) tolerance = std::max(tolerance, resolution(expected.dtype()));
  for (int64_t i = 0; i < expected.num_elements(); ++i) {
    if (!same_element(expected.at(i), actual.at(i), tolerance, scale)) {
      return str(element_text(actual, i), " is ", actual.at(i), ", expected ", expected.at(i),
                 " within ", tolerance);
    }
  }
  return {};
}

std::vector<std::pair<const CaseTensor*, const CaseTensor*>> expected_variables(
    const Case& c, const CaseResult& result) {
  std::vector<std::pair<const CaseTensor*, const CaseTensor*>> pairs;
  std::map<std::string, size_t> seen;
  for (const CaseTensor& expected : c.variables) {
    size_t skip = seen[expected.name]++;
    const auto it = std::find_if(
        result.variables.begin(), result.variables.end(),
        [&](const CaseTensor& actual) { return actual.name == expected.name && skip-- == 0; });
    pairs.emplace_back(&expected, it == result.variables.end() ? nullptr : &*it);
  }
  return pairs;
}

std::pair<int, int> output_range(const Node& node, std::string_view name) {
  int begin = 0;
  for (const ArgSchema& arg : node.op().outputs) {
    int count = 1;
    if (!arg.number_attr.empty()) count = static_cast<int>(node.attr<int64_t>(arg.number_attr));
    if (!arg.type_list_attr.empty())
      count = static_cast<int>(node.attr<std::vector<DType>>(arg.type_list_attr).size());
    if (arg.name == name) return {begin, begin + count};
    begin += count;
  }
  throw not_found(node, " has no output `", name, "`");
}

std::vector<std::pair<int, const CaseTensor*>> expected_outputs(const Case& c, const Node& node) {
  std::vector<std::pair<int, const CaseTensor*>> result;
  std::string last;
  int next = 0;
  int end = 0;
  for (const CaseTensor& output : c.outputs) {
    if (output.name != last) {
      if (next != end) break;
      std::tie(next, end) = output_range(node, output.name);
      last = output.name;
    }
    if (next == end)
      throw invalid_argument("more values for output `", output.name, "` than it has");
    result.emplace_back(next++, &output);
  }
  if (next != end) throw invalid_argument("fewer values for output `", last, "` than it has");
  return result;
}

}  // namespace thalweg::testing
