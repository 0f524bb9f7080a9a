#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "cli/console.h"
#include "cli/verbs.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

constexpr size_t kHelpColumn = 26;
constexpr size_t kHelpWidth = 80;

struct Line {
  std::string left;
  std::string help;
};

template <class T>
T parse_number(std::string_view name, const std::string& text, std::string_view kind) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end) return value;
  throw UsageError(str("--", name, " takes ", kind, ", got '", text, "'"));
}

// `help` broken between words, so that it fits beside `left`.
std::string wrapped(const std::string& left, const std::string& help) {
  std::string text = str("  ", left);
  text.resize(std::max(text.size() + 2, kHelpColumn), ' ');
  size_t column = text.size();
  for (const std::string& word : split(help, ' ')) {
    if (column + word.size() > kHelpWidth && column > kHelpColumn) {
      text.erase(text.find_last_not_of(' ') + 1);
      append(text, str("\n", std::string(kHelpColumn, ' ')));
      column = kHelpColumn;
    }
    append(text, str(word, " "));
    column += word.size() + 1;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace

struct Options::State {
  explicit State(const Verb& of) : verb(of) {}
  const Verb& verb;
  CLI::App app{};
  std::vector<std::string> names;  // "--epochs", ...
  std::vector<Line> lines;
  bool help = false;

  // CLI11 says "--out: 1 required TEXT missing", "Could not convert: --resume = maybe", and the
  // like.
  std::string reworded(const std::string& message) const {
    const size_t begin = std::min(message.find("--"), message.size());
    const std::string name = message.substr(begin, message.find_first_of(":= ", begin) - begin);
    for (const Line& line : lines) {
      const size_t at = line.left.find(name);
      if (name.size() < 2 || at == std::string::npos) continue;
      const std::string usage = line.left.substr(at);
      if (usage.substr(0, usage.find(' ')) != name) continue;
      return str(name, usage == name ? " is given alone, without a value" : " wants a value: ",
                 usage == name ? "" : usage, "; see thalweg help ", verb.name);
    }
    return str(message, "; see thalweg help ", verb.name);
  }

  // `set` runs while parsing, so that the last of several wins and errors name the option.
  template <class F>
  void add(std::string_view name, std::string_view value, std::string_view help_text, F set) {
    names.push_back(str("--", name));
    lines.push_back({str("--", name, " ", value), std::string(help_text)});
    app.add_option_function<std::string>(
           names.back(),
           [this, set, option = names.back()](const std::string& text) {
             // CLI11 takes whatever comes next.
             if (std::ranges::find(names, text) != names.end()) throw UsageError(reworded(option));
             set(text);
           },
           std::string(help_text))
        ->take_last();
  }
};

Options::Options(const Verb& verb) : state_(std::make_unique<State>(verb)) {
  state_->app.set_help_flag();
  state_->app.allow_extras();
  state_->app.add_flag("-h,--help", state_->help);
  state_->names.emplace_back("--help");
}
Options::~Options() = default;

void Options::word(std::string_view name, std::string& target, std::string_view help,
                   bool optional) {
  state_->lines.push_back({std::string(name), std::string(help)});
  CLI::Option* option = state_->app.add_option(std::string(name), target, std::string(help));
  if (!optional) option->required();
}

void Options::flag(std::string_view name, bool& target, std::string_view help, char letter) {
  state_->names.push_back(str("--", name));
  const std::string both = letter == 0 ? str("--", name) : str("-", letter, ",--", name);
  state_->lines.push_back({letter == 0 ? both : str("-", letter, ", --", name), std::string(help)});
  state_->app.add_flag(both, target, std::string(help));
}

void Options::value(std::string_view name, std::string_view value,
                    std::optional<std::string>& target, std::string_view help) {
  state_->add(name, value, help, [&target](const std::string& text) { target = text; });
}

void Options::value(std::string_view name, std::string_view value, std::optional<int64_t>& target,
                    std::string_view help) {
  state_->add(name, value, help, [&target, name = std::string(name)](const std::string& text) {
    target = parse_number<int64_t>(name, text, "a whole number");
  });
}

void Options::value(std::string_view name, std::string_view value, std::optional<double>& target,
                    std::string_view help) {
  state_->add(name, value, help, [&target, name = std::string(name)](const std::string& text) {
    target = parse_number<double>(name, text, "a number");
  });
}

void Options::values(std::string_view name, std::string_view value,
                     std::vector<std::string>& target, std::string_view help) {
  state_->names.push_back(str("--", name));
  state_->lines.push_back({str("--", name, " ", value), std::string(help)});
  state_->app.add_option(str("--", name), target, std::string(help))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void Options::choice(std::string_view name, std::span<const std::string> choices,
                     std::optional<std::string>& target, std::string_view help) {
  const std::vector<std::string> known(choices.begin(), choices.end());
  state_->add(name, "NAME", str(help, " ", join(known, ", ")),
              [&target, known, name = std::string(name)](const std::string& text) {
                if (std::ranges::find(known, text) == known.end()) {
                  const std::string hint = nearest(text, known);
                  throw UsageError(str("--", name, " takes ", join(known, ", "), "; got '", text,
                                       hint.empty() ? "'" : str("'; did you mean '", hint, "'?")));
                }
                target = text;
              });
}

bool Options::parse(const std::vector<std::string>& arguments) {
  State& s = *state_;
  // CLI11 would complain of what is missing before it says that help was asked for.
  for (const std::string& word : arguments) {
    if (word == "--") break;
    if (word == "--help" || word == "-h") return false;
  }
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    s.app.parse(reversed);
  } catch (const CLI::RequiredError& error) {
    // An unknown option swallows the word that is missing; say that first.
    if (s.app.remaining().empty()) {
      throw UsageError(str(error.what(), ". Usage: thalweg ", s.verb.name, " ", s.verb.usage));
    }
  } catch (const CLI::ParseError& error) {
    throw UsageError(s.reworded(error.what()));
  }
  for (const std::string& word : s.app.remaining()) {
    if (word == "--") continue;
    if (word.size() < 2 || word[0] != '-') {
      throw UsageError(
          str("unexpected argument '", word, "'. Usage: thalweg ", s.verb.name, " ", s.verb.usage));
    }
    const std::string name = word.substr(0, word.find('='));
    const std::string hint = nearest(name, s.names);
    throw UsageError(str("unknown option '", name, "'",
                         hint.empty() ? str("; see thalweg help ", s.verb.name)
                                      : str("; did you mean '", hint, "'?")));
  }
  return true;
}

std::string Options::help() const {
  const Verb& verb = state_->verb;
  std::string text = str("Example: ", verb.example, "\n\nUsage: thalweg ", verb.name, " ",
                         verb.usage, "\n", verb.summary, "\n\n");
  for (const Line& line : state_->lines) append(text, wrapped(line.left, line.help));
  if (!verb.notes.empty()) append(text, str("\n", verb.notes, "\n"));
  return text;
}

}  // namespace thalweg::cli
