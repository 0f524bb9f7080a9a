#include "cli/run_inputs.h"

#include <cmath>
#include <set>

#include "cli/paths.h"
#include "cli/tensor_text.h"
#include "cli/text.h"
#include "thalweg/base/error.h"
#include "thalweg/tensor/npy.h"

namespace thalweg::cli {
namespace {

constexpr std::string_view kNpzMember = ".npz:";

// Whether the whole numbers of `from` are those of `to`, which was cast from it.
bool is_exact(const Tensor& from, const Tensor& to) {
  if (is_integer(to.dtype())) {
    // Both ways: a number that wraps round comes back, but has another sign on the way.
    bool same_sign = true;
    for (int64_t i = 0; i < from.num_elements(); ++i) {
      same_sign = same_sign && (from.at(i) < 0) == (to.at(i) < 0);
    }
    return same_sign && to.cast(from.dtype()).same_bits(from);
  }
  bool exact = true;
  const Tensor reals = to.cast(kFloat64);
  visit_dtype(from.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      const auto values = from.data<T>();
      for (size_t i = 0; i < values.size(); ++i) {
        // 64 bits of mantissa at least.
        exact = exact && static_cast<long double>(reals.data<double>()[i]) ==
                             static_cast<long double>(values[i]);
      }
    }
  });
  return exact;
}

bool became_infinite(const Tensor& from, const Tensor& to) {
  for (int64_t i = 0; i < from.num_elements(); ++i) {
    if (std::isfinite(from.at(i)) && !std::isfinite(to.at(i))) return true;
  }
  return false;
}

// An array of a file as the input's type.
Tensor converted(const InputText& input, const Tensor& value, DType dtype, const Console& console) {
  if (value.dtype() == dtype) return value;
  const auto refuse = [&](std::string_view why) {
    return UsageError(str("--input ", input.name, ": '", input.value, "' holds ", value.dtype(),
                          ", but the input takes ", dtype, ", ", why, "; save the array as ",
                          dtype));
  };
  const bool numbers = (is_floating(value.dtype()) || is_integer(value.dtype())) &&
                       (is_floating(dtype) || is_integer(dtype));
  if (!numbers) throw refuse("which is another kind");
  if (is_floating(value.dtype()) && is_integer(dtype)) throw refuse("which has no fractions");
  Tensor result = value.cast(dtype);
  if (is_integer(value.dtype())) {
    if (!is_exact(value, result)) throw refuse("which cannot hold its numbers exactly");
  } else if (became_infinite(value, result)) {
    throw refuse("for which its numbers are too large");
  }
  console.notice(str("input ", input.name, ": ", value.dtype(), " of '", input.value,
                     "' is taken as ", dtype,
                     is_integer(value.dtype())                           ? ", exactly"
                     : element_size(dtype) < element_size(value.dtype()) ? ", rounded"
                                                                         : ""));
  return result;
}

Tensor read_npz_array(const InputText& input) {
  const size_t colon = input.value.rfind(kNpzMember);
  const bool is_named = colon != std::string::npos && !input.value.ends_with(".npz");
  const std::string path = is_named ? input.value.substr(0, colon + 4) : input.value;
  check_regular_file(path);
  const NpzReader file(path);
  const std::vector<std::string>& names = file.names();
  if (is_named) {
    const std::string name = input.value.substr(colon + kNpzMember.size());
    if (std::ranges::find(names, name) == names.end()) {
      throw unknown_name(str("array of '", path, "'"), name, names);
    }
    return file.read(name);
  }
  if (names.size() == 1) return file.read(names[0]);
  throw UsageError(str("--input ", input.name, ": '", path, "' holds ",
                       counted(static_cast<int64_t>(names.size()), "array"),
                       names.empty() ? "" : ": ", join(names, ", "), "; give ", input.name, "=",
                       path, ":NAME"));
}

}  // namespace

UsageError unknown_name(std::string_view what, std::string_view name,
                        const std::vector<std::string>& known) {
  const std::string hint = nearest(name, known);
  return UsageError(str("there is no ", what, " '", name, "'",
                        hint.empty() ? "" : str("; did you mean '", hint, "'?"),
                        hint.empty() ? "; there " : " There ", known.size() == 1 ? "is" : "are",
                        known.empty() ? " none" : " ", join(known, ", ")));
}

std::vector<InputText> split_inputs(const std::vector<std::string>& texts) {
  std::vector<InputText> inputs;
  std::set<std::string> seen;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(str("--input ", text, ": expected NAME=VALUES"));
    }
    inputs.push_back({.name = text.substr(0, equals), .value = text.substr(equals + 1)});
    if (!seen.insert(inputs.back().name).second) {
      throw UsageError(str("--input ", inputs.back().name, " is given twice"));
    }
  }
  return inputs;
}

namespace {

Tensor value_of_any_shape(const InputText& input, DType dtype, const Shape& shape,
                          const Console& console) {
  if (input.value.ends_with(".npy")) {
    check_regular_file(input.value);
    return converted(input, read_npy(input.value), dtype, console);
  }
  if (input.value.ends_with(".npz") || input.value.find(kNpzMember) != std::string::npos) {
    return converted(input, read_npz_array(input), dtype, console);
  }
  try {
    return parse_tensor(input.value, dtype, shape);
  } catch (const UsageError& error) {
    throw UsageError(str("--input ", input.name, ": ", error.what()));
  }
}

}  // namespace

Tensor input_value(const InputText& input, DType dtype, const Shape& shape,
                   const Console& console) {
  Tensor value = value_of_any_shape(input, dtype, shape, console);
  if (shape.is_compatible_with(value.shape())) return value;
  throw UsageError(str("--input ", input.name, ": the values are ", value.dtype(), value.shape(),
                       ", but the input takes ", dtype, shape));
}

}  // namespace thalweg::cli
