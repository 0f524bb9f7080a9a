// The options --input of `thalweg run`: which tensor, and its value, typed or from a file.
#pragma once

#include <string>
#include <vector>

#include "cli/console.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg::cli {

/// "x=1,2" in its two parts.
struct InputText {
  std::string name;
  std::string value;
};

/// Throws UsageError for one without a name, or given twice.
std::vector<InputText> split_inputs(const std::vector<std::string>& texts);

/// The value: an array of a .npy file, of a .npz file ("f.npz" with one array, or "f.npz:name"), or
/// what parse_tensor() takes. Arrays of another type are converted where numbers stay what they
/// are: integers exactly, reals rounded with a notice; all else is a UsageError.
Tensor input_value(const InputText& input, DType dtype, const Shape& shape, const Console& console);

/// "unknown <what> 'x'; did you mean ...", with all that there are; a UsageError.
UsageError unknown_name(std::string_view what, std::string_view name,
                        const std::vector<std::string>& known);

}  // namespace thalweg::cli
