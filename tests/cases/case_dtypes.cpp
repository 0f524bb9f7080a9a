#include "cases/case_dtypes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cases/case_run.h"
#include "cases/case_runner.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::testing {
namespace {

const ArgSchema* find_arg(const std::vector<ArgSchema>& args, const std::string& name) {
  const auto it = std::find_if(args.begin(), args.end(),
                               [&](const ArgSchema& arg) { return arg.name == name; });
  return it == args.end() ? nullptr : &*it;
}

// The type attribute of the first floating tensor that has one.
std::string first_type(const std::vector<CaseTensor>& tensors, const std::vector<ArgSchema>& args) {
  for (const CaseTensor& tensor : tensors) {
    const ArgSchema* arg = find_arg(args, tensor.name);
    if (arg != nullptr && !arg->type_attr.empty() && is_floating(tensor.value.dtype()))
      return arg->type_attr;
  }
  return {};
}

template <class F>
void visit_quantized(DType dtype, F&& f) {
  switch (dtype) {
    case kQInt8: return f(TypeTag<QInt8>{});
    case kQUInt8: return f(TypeTag<QUInt8>{});
    case kQInt16: return f(TypeTag<QInt16>{});
    case kQUInt16: return f(TypeTag<QUInt16>{});
    case kQInt32: return f(TypeTag<QInt32>{});
    default: throw internal_error(dtype, " is not quantized");
  }
}

Tensor cast_quantized(const Tensor& tensor, DType to) {
  Tensor result(to, tensor.shape());
  visit_quantized(tensor.dtype(), [&]<class From>(TypeTag<From>) {
    visit_quantized(to, [&]<class To>(TypeTag<To>) {
      const auto from = tensor.data<From>();
      const auto out = result.mutable_data<To>();
      for (size_t i = 0; i < out.size(); ++i)
        out[i] = To{static_cast<decltype(To::value)>(from[i].value)};
    });
  });
  return result;
}

// Numbers keep their values; strings, which have none, are empty.
Tensor cast_value(const Tensor& tensor, DType to) {
  if (tensor.dtype() == to) return tensor;
  const auto is_number = [](DType t) { return is_numeric(t) || is_complex(t) || t == kBool; };
  if (is_quantized(tensor.dtype()) && is_quantized(to)) return cast_quantized(tensor, to);
  if (!is_number(tensor.dtype()) || !is_number(to)) return Tensor::zeros(to, tensor.shape());
  return tensor.cast(to);
}

bool has_floating_variable(const Case& c) {
  return std::any_of(c.inputs.begin(), c.inputs.end(), [](const CaseTensor& input) {
    return input.is_variable && is_floating(input.value.dtype());
  });
}

void cast_arguments(std::vector<CaseTensor>& tensors, const std::vector<ArgSchema>& args,
                    const std::string& attr, DType to) {
  for (CaseTensor& tensor : tensors) {
    const ArgSchema* arg = find_arg(args, tensor.name);
    if (arg != nullptr && arg->type_attr == attr) tensor.value = cast_value(tensor.value, to);
  }
}

// Which variables an attribute types is not written in a row; these two do in every row that has
// both.
void cast_variables(std::vector<CaseTensor>& tensors, const std::string& attr, DType to) {
  if (attr != "T" && attr != "dtype") return;
  for (CaseTensor& tensor : tensors) {
    if (tensor.is_variable) tensor.value = cast_value(tensor.value, to);
  }
}

// Whether casting to `dtype` keeps every value.
bool keeps_values(const std::vector<CaseTensor>& tensors, DType dtype) {
  for (const CaseTensor& tensor : tensors) {
    if (!is_floating(tensor.value.dtype())) continue;
    const Tensor cast = tensor.value.cast(dtype);
    for (int64_t i = 0; i < cast.num_elements(); ++i) {
      if (cast.at(i) != tensor.value.at(i)) return false;
    }
  }
  return true;
}

bool is_whole_in(const Case& c, DType dtype) {
  return keeps_values(c.inputs, dtype) && keeps_values(c.outputs, dtype) &&
         keeps_values(c.variables, dtype);
}

double largest(const Tensor& tensor) {
  double result = 0;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (std::isfinite(tensor.at(i))) result = std::max(result, std::abs(tensor.at(i)));
  }
  return result;
}

// Runs `c` on each kernel that accepts and compares with the values it holds; `loose`: relative to
// the largest of them.
void expect_case(const Case& c, bool loose, DType dtype) {
  Graph graph(standard_ops());
  const Node& node = add_case(graph, c);
  for (const KernelDef& kernel : standard_kernels().find(c.op)) {
    const std::string who = str(kernel.provider, " in ", dtype);
    const CaseResult result = run_case(c, node, kernel);
    if (!result.accepted) {
      if (kernel.provider == "reference") ADD_FAILURE() << who << ": declined";
      continue;
    }
    const auto expect = [&](const CaseTensor& expected, const Tensor& actual) {
      const bool is_loose = loose && is_floating(expected.value.dtype());
      const double scale = is_loose ? largest(expected.value) : 1;
      const std::string wrong = difference(expected.value, actual, c.tolerance, scale);
      if (!wrong.empty()) ADD_FAILURE() << who << ": `" << expected.name << "`: " << wrong;
    };
    for (const auto& [i, expected] : expected_outputs(c, node)) {
      expect(*expected, result.outputs[static_cast<size_t>(i)]);
    }
    for (const auto& [expected, actual] : expected_variables(c, result)) {
      expect(*expected, actual == nullptr ? Tensor() : actual->value);
    }
  }
}

// In a narrow type the inputs are rounded first, and a kernel is measured by what the reference
// makes of the rounded ones in the case's own type.
void check_narrow(const Case& c, const OpSchema& op, const std::string& attr, DType dtype) {
  Case narrow = in_dtype(c, op, attr, dtype);
  const Case rounded = in_dtype(narrow, op, attr, main_dtype(c, op, attr));
  Graph graph(standard_ops());
  const Node& node = add_case(graph, rounded);
  const CaseResult oracle = run_case(rounded, node, *reference_kernel(c.op));
  size_t next = 0;
  for (const auto& [i, unused] : expected_outputs(rounded, node)) {
    Tensor& expected = narrow.outputs[next++].value;
    const Tensor& wide = oracle.outputs[static_cast<size_t>(i)];
    expected = expected.dtype() == wide.dtype() ? wide : wide.cast(expected.dtype());
  }
  next = 0;
  for (const auto& [unused, wide] : expected_variables(rounded, oracle)) {
    Tensor& expected = narrow.variables[next++].value;
    if (wide != nullptr) expected = wide->value.cast(expected.dtype());
  }
  narrow.tolerance = dtype == kBFloat16 ? 1.0 / 64 : 1.0 / 512;
  expect_case(narrow, true, dtype);
}

}  // namespace

std::string main_type(const Case& c, const OpSchema& op) {
  const std::string attr = first_type(c.inputs, op.inputs);
  return attr.empty() && has_floating_variable(c) ? first_type(c.outputs, op.outputs) : attr;
}

DType main_dtype(const Case& c, const OpSchema& op, const std::string& attr) {
  for (const CaseTensor& input : c.inputs) {
    const ArgSchema* arg = find_arg(op.inputs, input.name);
    if (arg != nullptr && arg->type_attr == attr) return input.value.dtype();
  }
  for (const CaseTensor& output : c.outputs) {
    const ArgSchema* arg = find_arg(op.outputs, output.name);
    if (arg != nullptr && arg->type_attr == attr) return output.value.dtype();
  }
  return kInvalid;
}

bool allows(const OpSchema& op, const std::string& attr, DType dtype) {
  const std::vector<DType>& types = op.find_attr(attr)->allowed_types;
  return types.empty() || std::find(types.begin(), types.end(), dtype) != types.end();
}

Case in_dtype(const Case& c, const OpSchema& op, const std::string& attr, DType dtype) {
  Case result = c;
  cast_arguments(result.inputs, op.inputs, attr, dtype);
  cast_arguments(result.outputs, op.outputs, attr, dtype);
  cast_variables(result.inputs, attr, dtype);
  cast_variables(result.variables, attr, dtype);
  result.attrs.insert_or_assign(attr, dtype);
  for (auto& [name, value] : result.attrs) {
    if (Tensor* tensor = std::get_if<Tensor>(&value)) *tensor = cast_value(*tensor, dtype);
  }
  return result;
}

Case in_double(const Case& c, const OpSchema& op) {
  Case result = c;
  // A type attribute at a time, until none is left that is floating and narrower.
  for (std::string attr = main_type(c, op); !attr.empty();) {
    if (!allows(op, attr, kFloat64)) return c;
    result = in_dtype(result, op, attr, kFloat64);
    attr.clear();
    for (const auto* tensors : {&result.inputs, &result.outputs}) {
      for (const CaseTensor& tensor : *tensors) {
        const ArgSchema* arg =
            find_arg(tensors == &result.inputs ? op.inputs : op.outputs, tensor.name);
        const DType dtype = tensor.value.dtype();
        if (arg != nullptr && is_floating(dtype) && dtype != kFloat64) attr = arg->type_attr;
        if (attr.empty() && is_floating(dtype) && dtype != kFloat64 && !tensor.is_variable)
          return c;
      }
    }
  }
  for (const auto& [tensors, args] :
       {std::pair(&c.inputs, &op.inputs), {&c.outputs, &op.outputs}}) {
    for (const CaseTensor& tensor : *tensors) {
      const ArgSchema* arg = find_arg(*args, tensor.name);
      if (arg != nullptr && tensor.value.dtype() == kComplex64)
        result = in_dtype(result, op, arg->type_attr, kComplex128);
    }
  }
  return result;
}

void check_dtypes(const Case& c) {
  const OpSchema& op = standard_ops().at(c.op);
  const std::string attr = main_type(c, op);
  if (c.dtypes == CaseDTypes::kNone || c.tolerance == 0 || attr.empty() ||
      reference_kernel(c.op) == nullptr)
    return;
  const DType from = main_dtype(c, op, attr);
  for (DType dtype : {kFloat64, kFloat32, kBFloat16, kFloat16, kInt8, kInt16, kInt32, kInt64,
                      kUInt8, kUInt16, kUInt32, kUInt64}) {
    if (dtype == from || !allows(op, attr, dtype)) continue;
    try {
      if (is_integer(dtype)) {
        if (c.dtypes != CaseDTypes::kAll) continue;
        if (!is_whole_in(c, dtype)) continue;
        expect_case(in_dtype(c, op, attr, dtype), false, dtype);
      } else if (element_size(dtype) < element_size(from) && element_size(dtype) == 2) {
        check_narrow(c, op, attr, dtype);
      } else if (element_size(dtype) > element_size(from)) {
        expect_case(in_dtype(c, op, attr, dtype), false, dtype);
      }
    } catch (const Error& error) {
      ADD_FAILURE() << "in " << to_string(dtype) << ": " << error.message();
    }
  }
}

}  // namespace thalweg::testing
