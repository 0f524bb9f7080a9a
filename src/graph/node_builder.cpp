#include "graph/node_builder.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace thalweg {
namespace {

// More than any graph has; a number alone must not take memory without bound.
constexpr int64_t kMostOutputs = 1'000'000;

bool is_int_attr(const AttrMap& attrs, const std::string& name) {
  const auto it = attrs.find(name);
  return it != attrs.end() && std::holds_alternative<int64_t>(it->second);
}

// How many tensors a list argument takes by its attributes; none when these do not say.
std::optional<size_t> stated_length(const OpSchema& op, const ArgSchema& arg,
                                    const AttrMap& attrs) {
  if (!arg.number_attr.empty() && is_int_attr(attrs, arg.number_attr)) {
    const int64_t count = std::get<int64_t>(attrs.at(arg.number_attr));
    if (count < 0) {
      throw invalid_argument("op ", op.name, ": attribute `", arg.number_attr, "` is ", count,
                             ", but it is the number of inputs `", arg.name, "`");
    }
    return static_cast<size_t>(count);
  }
  if (const auto it = attrs.find(arg.type_list_attr); it != attrs.end()) {
    if (const auto* types = std::get_if<std::vector<DType>>(&it->second)) return types->size();
  }
  return std::nullopt;
}

// Lengths of all arguments in order; lists of unknown length share what the others leave.
std::vector<size_t> argument_lengths(const OpSchema& op, size_t given, const AttrMap& attrs) {
  std::vector<std::optional<size_t>> stated;
  size_t fixed = 0;
  size_t open_lists = 0;
  for (const ArgSchema& arg : op.inputs) {
    stated.push_back(arg.is_list() ? stated_length(op, arg, attrs) : 1);
    if (__builtin_add_overflow(fixed, stated.back().value_or(0), &fixed)) fixed = SIZE_MAX;
    open_lists += stated.back() ? 0 : 1;
  }
  if (open_lists > 0 && (given < fixed || (given - fixed) % open_lists != 0)) {
    throw invalid_argument("op ", op.name, " takes ", fixed, " single inputs and ", open_lists,
                           " lists of equal length, got ", given, " inputs");
  }
  if (open_lists == 0 && fixed != given) {
    std::vector<std::string> names;
    for (const ArgSchema& arg : op.inputs) names.push_back(arg.name);
    throw invalid_argument("op ", op.name, " takes ", fixed, " inputs (", join(names, ", "),
                           "), got ", given);
  }
  std::vector<size_t> lengths;
  for (const auto& length : stated) {
    lengths.push_back(length ? *length : (given - fixed) / open_lists);
  }
  return lengths;
}

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

void check_allowed(const AttrSchema& schema, const AttrValue& value) {
  const auto check_type = [&](DType dtype) {
    if (dtype == DType::kInvalid) {
      throw invalid_argument("attribute `", schema.name, "` is no dtype: it is kInvalid, as of a ",
                             "default-constructed Tensor");
    }
    if (schema.allowed_types.empty()) return;
    if (std::find(schema.allowed_types.begin(), schema.allowed_types.end(), dtype) ==
        schema.allowed_types.end()) {
      throw invalid_argument("attribute `", schema.name, "` does not allow ", dtype,
                             "; allowed: ", schema.allowed_types);
    }
  };
  const auto check_string = [&](const std::string& text) {
    if (schema.allowed_strings.empty()) return;
    if (std::find(schema.allowed_strings.begin(), schema.allowed_strings.end(), text) ==
        schema.allowed_strings.end()) {
      throw invalid_argument("attribute `", schema.name, "` does not allow \"", text,
                             "\"; allowed: ", schema.allowed_strings);
    }
  };
  const auto check_minimum = [&](int64_t number, std::string_view what) {
    if (schema.minimum && number < *schema.minimum) {
      throw invalid_argument("attribute `", schema.name, "`: ", what, " is ", number, ", at least ",
                             *schema.minimum, " is needed");
    }
  };
  std::visit(
      [&]<class T>(const T& held) {
        if constexpr (std::is_same_v<T, int64_t>) check_minimum(held, "value");
        if constexpr (std::is_same_v<T, DType>) check_type(held);
        if constexpr (std::is_same_v<T, std::string>) check_string(held);
        if constexpr (std::is_same_v<T, std::vector<DType>>) {
          for (DType dtype : held) check_type(dtype);
        }
        if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          for (const std::string& text : held) check_string(text);
        }
        if constexpr (kIsList<T>) check_minimum(static_cast<int64_t>(held.size()), "length");
      },
      value);
}

// Records that `attr` has the value that inputs tell, or checks that it agrees.
void unify(AttrMap& attrs, const std::string& attr, DType dtype, const std::string& argument) {
  const auto [it, inserted] = attrs.emplace(attr, dtype);
  if (inserted) return;
  const auto* known = std::get_if<DType>(&it->second);
  if (known == nullptr || *known != dtype) {
    throw invalid_argument("input `", argument, "` is ", dtype, ", but attribute `", attr, "` is ",
                           to_string(it->second),
                           " (from an earlier input or given); cast one of them");
  }
}

void infer_from_inputs(const OpSchema& op, const std::vector<Output>& inputs, AttrMap& attrs) {
  const std::vector<size_t> lengths = argument_lengths(op, inputs.size(), attrs);
  size_t next = 0;
  for (size_t a = 0; a < op.inputs.size(); ++a) {
    const ArgSchema& arg = op.inputs[a];
    if (!arg.number_attr.empty()) attrs.emplace(arg.number_attr, static_cast<int64_t>(lengths[a]));
    std::vector<DType> types;
    for (size_t i = 0; i < lengths[a]; ++i, ++next) {
      const DType dtype = inputs[next].dtype();
      types.push_back(dtype);
      if (arg.dtype != DType::kInvalid && arg.dtype != dtype) {
        throw invalid_argument("input `", arg.name, "` must be ", arg.dtype, ", got ", dtype, " (",
                               inputs[next].name(), ")");
      }
      if (!arg.type_attr.empty()) unify(attrs, arg.type_attr, dtype, arg.name);
    }
    if (!arg.type_list_attr.empty()) {
      const auto [it, inserted] = attrs.emplace(arg.type_list_attr, types);
      const auto* known = std::get_if<std::vector<DType>>(&it->second);
      if (!inserted && (known == nullptr || *known != types)) {
        throw invalid_argument("inputs `", arg.name, "` are ", types, ", but attribute `",
                               arg.type_list_attr, "` is ", to_string(it->second));
      }
    }
  }
}

}  // namespace

AttrMap complete_attrs(const OpSchema& op, const std::vector<Output>& inputs, AttrMap attrs) {
  for (const auto& [name, value] : attrs) {
    if (name.starts_with('_')) continue;  // annotations are kept as they are
    const AttrSchema* schema = op.find_attr(name);
    if (schema == nullptr) {
      std::vector<std::string> names;
      for (const AttrSchema& attr : op.attrs) names.push_back(attr.name);
      throw invalid_argument("op ", op.name, " has no attribute `", name,
                             "`; it has: ", join(names, ", "));
    }
    if (attr_kind(value) != schema->kind) {
      throw invalid_argument("attribute `", name, "` must be of kind ", schema->kind, ", got ",
                             attr_kind(value));
    }
  }
  infer_from_inputs(op, inputs, attrs);
  for (const AttrSchema& schema : op.attrs) {
    auto it = attrs.find(schema.name);
    if (it == attrs.end()) {
      if (!schema.default_value) {
        throw invalid_argument("op ", op.name, " needs attribute `", schema.name, "` (",
                               schema.kind, ")");
      }
      it = attrs.emplace(schema.name, *schema.default_value).first;
    }
    check_allowed(schema, it->second);
  }
  return attrs;
}

std::vector<DType> output_dtypes(const OpSchema& op, const AttrMap& attrs) {
  std::vector<DType> result;
  for (const ArgSchema& arg : op.outputs) {
    if (!arg.type_list_attr.empty()) {
      const auto& types = std::get<std::vector<DType>>(attrs.at(arg.type_list_attr));
      result.insert(result.end(), types.begin(), types.end());
      continue;
    }
    const DType dtype =
        arg.type_attr.empty() ? arg.dtype : std::get<DType>(attrs.at(arg.type_attr));
    const int64_t count =
        arg.number_attr.empty() ? 1 : std::get<int64_t>(attrs.at(arg.number_attr));
    if (count < 0 || count > kMostOutputs) {
      throw invalid_argument("op ", op.name, ": attribute `", arg.number_attr, "` is ", count,
                             ", the number of outputs `", arg.name, "`; expected 0 to ",
                             kMostOutputs);
    }
    result.insert(result.end(), static_cast<size_t>(count), dtype);
  }
  return result;
}

}  // namespace thalweg
