// The text form of initializers and regularizers: a name and numbers, "normal(0, 0.05)".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// What may be written: a name and what its arguments are called. From the first optional one on,
/// arguments may be left out.
struct CallForm {
  std::string_view name;
  std::vector<std::string_view> arguments = {};
  std::vector<double> defaults = {};  // of the last arguments
};

struct CallText {
  std::string name;
  std::vector<double> arguments;  // complete: defaults filled in
};

/// Reads `text` as one of `forms`. Throws invalid_argument: `what` (say "initializer"), the text,
/// and the nearest name or the arguments wanted.
CallText parse_call(std::string_view what, std::string_view text, std::span<const CallForm> forms);

/// "name", or "name(1, 2)".
std::string to_call_text(std::string_view name, std::span<const double> arguments);

}  // namespace thalweg
