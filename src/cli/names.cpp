#include "cli/names.h"

#include <algorithm>
#include <charconv>

#include "cli/console.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

// One item up to a comma or the end; quotes may stand around its beginning. `separator`: where an
// item may end besides the comma; 0: nowhere.
struct Scanner {
  std::string_view option, text;
  size_t at = 0;

  void skip_blanks() {
    while (at < text.size() && text[at] == ' ') ++at;
  }
  std::string name(std::string_view ends) {
    skip_blanks();
    std::string result;
    if (at < text.size() && text[at] == '"') {
      const size_t begin = at++;
      while (true) {
        if (at >= text.size()) {
          throw UsageError(
              str("--", option, ": the quote before '", text.substr(begin + 1), "' is not closed"));
        }
        if (text[at] == '"') {
          if (at + 1 >= text.size() || text[at + 1] != '"') break;
          ++at;
        }
        result += text[at++];
      }
      ++at;
      skip_blanks();
      if (at < text.size() && ends.find(text[at]) == std::string_view::npos) {
        throw UsageError(str("--", option, ": '", text.substr(at),
                             "' after a closing quote; names have commas between them"));
      }
      return result;
    }
    const size_t end = std::min(text.find_first_of(ends, at), text.size());
    result = std::string(trim(text.substr(at, end - at)));
    at = end;
    return result;
  }
};

}  // namespace

std::vector<std::string> parse_names(std::string_view option, std::string_view text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  Scanner scanner{.option = option, .text = text};
  while (true) {
    names.push_back(scanner.name(","));
    if (scanner.at >= text.size()) return names;
    ++scanner.at;
  }
}

std::string names_text(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    const bool plain = name.find_first_of(",\"") == std::string::npos && trim(name) == name;
    if (plain && !(name.empty() && names.size() == 1)) {
      text += name;
      continue;
    }
    text += '"';
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    text += '"';
  }
  return text;
}

std::vector<std::string> parse_columns(std::string_view option, std::string_view text,
                                       std::span<const std::string> columns) {
  const auto exists = [&](std::string_view name) {
    return std::ranges::find(columns, name) != columns.end();
  };
  if (exists(text)) return {std::string(text)};
  std::vector<std::string> names = parse_names(option, text);
  for (size_t i = 0; i < names.size(); ++i) {
    if (!exists(names[i])) {
      const std::string hint = nearest(names[i], columns);
      throw UsageError(str("--", option, ": there is no column '", names[i], "'",
                           hint.empty() ? "" : str("; did you mean '", hint, "'?"),
                           " The columns are ", names_text(columns)));
    }
    if (std::find(names.begin(), names.begin() + static_cast<int64_t>(i), names[i]) !=
        names.begin() + static_cast<int64_t>(i)) {
      throw UsageError(str("--", option, ": '", names[i], "' stands there twice"));
    }
  }
  return names;
}

std::vector<std::pair<std::string, std::string>> parse_pairs(std::string_view option,
                                                             std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  Scanner scanner{.option = option, .text = text};
  while (true) {
    std::string name = scanner.name("=,");
    if (scanner.at >= text.size() || text[scanner.at] != '=') {
      throw UsageError(str("--", option, " takes NAME=VALUE,...; '", name, "' has no value"));
    }
    ++scanner.at;
    pairs.emplace_back(std::move(name), scanner.name(","));
    if (scanner.at >= text.size()) return pairs;
    ++scanner.at;
  }
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end && !text.empty() ? std::optional(value) : std::nullopt;
}

}  // namespace thalweg::cli
