#include "cli/requirement.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/console.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {

Requirement parse_requirement(const std::string& text) {
  const size_t begin = text.find_first_of("<>");
  const size_t end = text.find_first_not_of("<>=", begin);
  Requirement result{.text = text};
  if (begin != std::string::npos && end != std::string::npos) {
    result.metric = trim(std::string_view(text).substr(0, begin));
    result.comparison = text.substr(begin, end - begin);
    const std::string_view number = trim(std::string_view(text).substr(end));
    const char* last = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), last, result.bound);
    const bool known =
        result.comparison.size() == 1 || result.comparison == ">=" || result.comparison == "<=";
    const bool is_number = error == std::errc() && rest == last && std::isfinite(result.bound);
    if (known && !result.metric.empty() && is_number) return result;
  }
  throw UsageError(
      str("--require takes a metric and a finite bound, e.g. accuracy>=0.9; got '", text, "'"));
}

std::vector<std::string> missed(const std::vector<Requirement>& required,
                                const EvaluationReport& report) {
  std::vector<std::string> names, result;
  for (const Figure& f : report.metrics) names.push_back(f.name);
  for (const Requirement& r : required) {
    if (std::ranges::find(names, r.metric) == names.end()) {
      const std::string hint = nearest(r.metric, names);
      throw UsageError(str("--require ", r.text, ": there is no metric '", r.metric,
                           hint.empty() ? "'" : str("'; did you mean '", hint, "'?"),
                           "; the model gives ", join(names, ", ")));
    }
    if (!r.is_met_by(report[r.metric])) {
      result.push_back(str(r.text, " (it is ", report[r.metric], ")"));
    }
  }
  return result;
}

}  // namespace thalweg::cli
