#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>

#include "cli/config_file.h"
#include "cli/console.h"
#include "cli/names.h"
#include "cli/verbs.h"
#include "thalweg/base/error.h"
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
T number_of(std::string_view name, const std::string& text, std::string_view kind) {
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
  struct Declared {
    std::string name;      // without dashes; words in small letters
    bool is_word = false;  // rather than `--name`
    bool is_required = false;
    bool is_flag = false;
    bool is_list = false;
    CLI::Option* option = nullptr;
    bool in_file = false;
    std::function<void(const std::string&)> set = {};
    std::function<void()> clear = [] {};
    /// Its value as TOML; empty: it has none.
    std::function<std::string()> value = {};
  };

  explicit State(const Verb& of) : verb(of) {}
  const Verb& verb;
  CLI::App app{};
  std::vector<std::string> names;  // "--epochs", ...
  std::vector<Line> lines;
  std::vector<Declared> declared;
  std::optional<std::string> config;
  std::optional<size_t> further;  // place in lines
  bool help = false, help_all = false;

  Declared& declare(std::string_view name, std::string_view value, std::string_view help_text) {
    names.push_back(str("--", name));
    lines.push_back({str("--", name, value.empty() ? "" : " ", value), std::string(help_text)});
    return declared.emplace_back(Declared{.name = std::string(name)});
  }

  // The keys of the file that count for this verb; those of other verbs' tables are theirs.
  void apply_config(const std::string& path) {
    std::vector<std::string> tables;
    for (const Verb& one : verbs()) tables.emplace_back(one.name);
    for (const ConfigEntry& entry : read_config(path)) {
      const auto where = [&] { return str("--config ", path, ":", entry.line, ": "); };
      if (!entry.table.empty() && std::ranges::find(tables, entry.table) == tables.end()) {
        const std::string hint = nearest(entry.table, tables);
        throw UsageError(str(where(), "[", entry.table, "] is no verb",
                             hint.empty() ? "" : str("; did you mean [", hint, "]?")));
      }
      if (!entry.table.empty() && entry.table != verb.name) continue;
      apply(entry, where());
    }
  }

  void apply(const ConfigEntry& entry, const std::string& where) {
    const auto found = std::ranges::find(declared, entry.key, &Declared::name);
    if (found == declared.end()) {
      std::vector<std::string> keys;
      for (const Declared& d : declared) keys.push_back(d.name);
      const std::string hint = nearest(entry.key, keys);
      throw UsageError(str(where, "there is no option '", entry.key, "' of thalweg ", verb.name,
                           hint.empty() ? str("; see thalweg help ", verb.name)
                                        : str("; did you mean '", hint, "'?")));
    }
    using Kind = ConfigEntry::Kind;
    if (found->is_flag != (entry.kind == Kind::kBoolean)) {
      throw UsageError(str(where, "'", entry.key, "' takes ",
                           found->is_flag ? "true or false" : "a value, not true or false"));
    }
    if (found->option->count() > 0) return;  // the command line wins
    found->in_file = true;
    try {
      if (found->is_list) {
        found->clear();
        for (const std::string& value : entry.values) found->set(value);
      } else {
        found->set(entry.kind == Kind::kList ? names_text(entry.values) : entry.values[0]);
      }
    } catch (const UsageError& error) {
      throw UsageError(where + error.what());
    }
  }

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
  Declared& add(std::string_view name, std::string_view value, std::string_view help_text, F set) {
    Declared& result = declare(name, value, help_text);
    result.set = set;
    result.option = app.add_option_function<std::string>(
                           names.back(),
                           [this, set, option = names.back()](const std::string& text) {
                             // CLI11 takes whatever comes next.
                             if (std::ranges::find(names, text) != names.end()) {
                               throw UsageError(reworded(option));
                             }
                             set(text);
                           },
                           std::string(help_text))
                        ->take_last();
    return result;
  }
};

Options::Options(const Verb& verb) : state_(std::make_unique<State>(verb)) {
  State& s = *state_;
  s.app.set_help_flag();
  s.app.allow_extras();
  s.app.add_flag("-h,--help", s.help);
  s.app.add_flag("--help-all", s.help_all);
  s.app.add_option("--config", s.config)->take_last();
  s.names = {"--help", "--help-all", "--config"};
}
Options::~Options() = default;

void Options::word(std::string_view name, std::string& target, std::string_view help,
                   bool optional) {
  State& s = *state_;
  s.lines.push_back({std::string(name), std::string(help)});
  std::string key(name);
  std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
  s.declared.push_back(
      {.name = key,
       .is_word = true,
       .is_required = !optional,
       .option = s.app.add_option(std::string(name), target, std::string(help)),
       .set = [&target](const std::string& text) { target = text; },
       .value = [&target] { return target.empty() ? std::string() : toml_quoted(target); }});
}

void Options::flag(std::string_view name, bool& target, std::string_view help, char letter) {
  State::Declared& declared = state_->declare(name, "", help);
  const std::string both = letter == 0 ? str("--", name) : str("-", letter, ",--", name);
  if (letter != 0) state_->lines.back().left = str("-", letter, ", --", name);
  declared.is_flag = true;
  declared.option = state_->app.add_flag(both, target, std::string(help));
  declared.set = [&target](const std::string& text) { target = text == "true"; };
  declared.value = [&target] { return std::string(target ? "true" : ""); };
}

void Options::value(std::string_view name, std::string_view value,
                    std::optional<std::string>& target, std::string_view help) {
  state_->add(name, value, help, [&target](const std::string& text) { target = text; }).value =
      [&target] { return target ? toml_quoted(*target) : std::string(); };
}

void Options::value(std::string_view name, std::string_view value, std::optional<int64_t>& target,
                    std::string_view help) {
  state_
      ->add(name, value, help,
            [&target, name = std::string(name)](const std::string& text) {
              target = number_of<int64_t>(name, text, "a whole number");
            })
      .value = [&target] { return target ? str(*target) : std::string(); };
}

void Options::value(std::string_view name, std::string_view value, std::optional<double>& target,
                    std::string_view help) {
  state_
      ->add(name, value, help,
            [&target, name = std::string(name)](const std::string& text) {
              target = number_of<double>(name, text, "a number");
            })
      .value = [&target] { return target ? str(*target) : std::string(); };
}

void Options::values(std::string_view name, std::string_view value,
                     std::vector<std::string>& target, std::string_view help) {
  State::Declared& declared = state_->declare(name, value, help);
  declared.is_list = true;
  declared.option = state_->app.add_option(str("--", name), target, std::string(help))
                        ->expected(1)
                        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  declared.set = [&target](const std::string& text) { target.push_back(text); };
  declared.clear = [&target] { target.clear(); };
  declared.value = [&target] {
    std::vector<std::string> items;
    for (const std::string& item : target) items.push_back(toml_quoted(item));
    return items.empty() ? std::string() : str("[", join(items, ", "), "]");
  };
}

void Options::names(std::string_view name, std::string_view value,
                    std::optional<std::string>& target, std::string_view help) {
  this->value(name, value, target, help);
  state_->declared.back().value = [&target, name = std::string(name)] {
    if (!target) return std::string();
    std::vector<std::string> items;
    for (const std::string& item : parse_names(name, *target)) items.push_back(toml_quoted(item));
    return str("[", join(items, ", "), "]");
  };
}

void Options::choice(std::string_view name, std::span<const std::string> choices,
                     std::optional<std::string>& target, std::string_view help) {
  const std::vector<std::string> known(choices.begin(), choices.end());
  state_
      ->add(name, "NAME", str(help, " ", join(known, ", ")),
            [&target, known, name = std::string(name)](const std::string& text) {
              if (std::ranges::find(known, text) == known.end()) {
                const std::string hint = nearest(text, known);
                throw UsageError(str("--", name, " takes ", join(known, ", "), "; got '", text,
                                     hint.empty() ? "'" : str("'; did you mean '", hint, "'?")));
              }
              target = text;
            })
      .value = [&target] { return target ? toml_quoted(*target) : std::string(); };
}

void Options::further() { state_->further = state_->lines.size(); }

bool Options::parse(const std::vector<std::string>& arguments) {
  State& s = *state_;
  // CLI11 would complain of what is missing before it says that help was asked for.
  for (const std::string& word : arguments) {
    if (word == "--") break;
    if (word == "--help-all") s.help_all = true;
    if (word == "--help-all" || word == "--help" || word == "-h") return false;
  }
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    s.app.parse(reversed);
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
  if (s.config) s.apply_config(*s.config);
  for (const State::Declared& d : s.declared) {
    if (!d.is_required || d.option->count() > 0 || d.in_file) continue;
    std::string name = d.name;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    throw UsageError(str(name, " is required. Usage: thalweg ", s.verb.name, " ", s.verb.usage));
  }
  return true;
}

std::string Options::help() const {
  const State& s = *state_;
  const Verb& verb = s.verb;
  std::string text = str("Example: ", verb.example, "\n\nUsage: thalweg ", verb.name, " ",
                         verb.usage, "\n", verb.summary, "\n\n");
  const size_t shown = s.further && !s.help_all ? *s.further : s.lines.size();
  for (size_t i = 0; i < shown; ++i) append(text, wrapped(s.lines[i].left, s.lines[i].help));
  append(text, wrapped("--config FILE", "options from a TOML file; the command line wins"));
  if (shown < s.lines.size()) {
    append(text, str("thalweg ", verb.name, " --help-all lists ", s.lines.size() - shown,
                     " further options.\n"));
  }
  if (!verb.notes.empty()) append(text, str("\n", verb.notes, "\n"));
  return text;
}

bool Options::is_given(std::string_view name) const {
  const auto found = std::ranges::find(state_->declared, name, &State::Declared::name);
  THALWEG_CHECK(found != state_->declared.end(), name);
  return found->option->count() > 0 || found->in_file;
}

std::vector<std::string> Options::adopt(const std::string& path) {
  State& s = *state_;
  std::vector<std::string> differing;
  for (const ConfigEntry& entry : read_config(path)) {
    if (entry.table != s.verb.name) continue;
    const auto found = std::ranges::find(s.declared, entry.key, &State::Declared::name);
    if (found != s.declared.end() && (found->option->count() > 0 || found->in_file)) {
      using Kind = ConfigEntry::Kind;
      std::vector<std::string> items;
      for (const std::string& value : entry.values) items.push_back(toml_quoted(value));
      const std::string text = entry.kind == Kind::kList     ? str("[", join(items, ", "), "]")
                               : entry.kind == Kind::kString ? items[0]
                                                             : entry.values[0];
      if (text != found->value()) differing.push_back(entry.key);
      continue;
    }
    s.apply(entry, str(path, ":", entry.line, ": "));
  }
  return differing;
}

std::vector<Options::Setting> Options::settings(std::span<const std::string_view> left_out) const {
  std::vector<Setting> result;
  for (const State::Declared& d : state_->declared) {
    if (std::ranges::find(left_out, d.name) != left_out.end()) continue;
    if (std::string value = d.value(); !value.empty()) {
      result.push_back({d.name, std::move(value), d.option->count() > 0 || d.in_file});
    }
  }
  return result;
}

std::string Options::to_toml(std::span<const std::string_view> left_out) const {
  std::string text = str("[", state_->verb.name, "]\n");
  for (const Setting& setting : settings(left_out)) {
    append(text, str(setting.name, " = ", setting.value, "\n"));
  }
  return text;
}

}  // namespace thalweg::cli
