#include "nn/call_text.h"

#include <charconv>
#include <cmath>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

const CallForm& find_form(std::string_view what, std::string_view name,
                          std::span<const CallForm> forms) {
  std::vector<std::string> names;
  for (const CallForm& form : forms) {
    if (form.name == name) return form;
    names.emplace_back(form.name);
  }
  const std::string hint = nearest(name, names);
  throw invalid_argument("unknown ", what, " `", name,
                         hint.empty() ? str("`; one of ", join(names, ", "), " is wanted")
                                      : str("`; did you mean `", hint, "`?"));
}

std::string wanted(const CallForm& form) {
  if (form.arguments.empty()) return str(form.name, " without arguments");
  std::string text = str(form.name, "(");
  for (size_t i = 0; i < form.arguments.size(); ++i) {
    append(text, str(i == 0 ? "" : ", ", form.arguments[i]));
  }
  return text + ")";
}

}  // namespace

CallText parse_call(std::string_view what, std::string_view text, std::span<const CallForm> forms) {
  text = trim(text);
  const size_t open = text.find('(');
  CallText call{std::string(trim(text.substr(0, open))), {}};
  const CallForm& form = find_form(what, call.name, forms);
  const auto fail = [&] {
    return invalid_argument(what, " `", text, "` cannot be read; ", wanted(form), " is wanted");
  };
  if (open != std::string_view::npos) {
    if (text.back() != ')') throw fail();
    const std::string_view inside = trim(text.substr(open + 1, text.size() - open - 2));
    for (const std::string& piece : split(inside, ',')) {
      const std::string_view digits = trim(piece);
      const char* end = digits.data() + digits.size();
      double value = 0;
      const auto [stop, error] = std::from_chars(digits.data(), end, value);
      if (error != std::errc() || stop != end || !std::isfinite(value)) throw fail();
      call.arguments.push_back(value);
    }
  }
  const size_t count = form.arguments.size();
  if (call.arguments.size() > count || call.arguments.size() + form.defaults.size() < count) {
    throw fail();
  }
  while (call.arguments.size() < count) {
    const size_t missing = count - call.arguments.size();
    call.arguments.push_back(form.defaults[form.defaults.size() - missing]);
  }
  return call;
}

std::string to_call_text(std::string_view name, std::span<const double> arguments) {
  std::string text(name);
  for (size_t i = 0; i < arguments.size(); ++i) {
    append(text, str(i == 0 ? "(" : ", ", arguments[i]));
  }
  if (!arguments.empty()) text += ')';
  return text;
}

}  // namespace thalweg
