// The options of one verb: declared once, with which they are parsed, read from a config file,
// explained, and written down.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::cli {

struct Verb;

/// Targets must outlive it. What was not given stays as it is.
class Options {
 public:
  explicit Options(const Verb& verb);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  /// A word without `--`: required, unless `optional`.
  void word(std::string_view name, std::string& target, std::string_view help,
            bool optional = false);
  /// `--name` and, if it is not 0, `-letter`.
  void flag(std::string_view name, bool& target, std::string_view help, char letter = 0);
  /// `--name VALUE` or `--name=VALUE`.
  void value(std::string_view name, std::string_view value, std::optional<std::string>& target,
             std::string_view help);
  void value(std::string_view name, std::string_view value, std::optional<int64_t>& target,
             std::string_view help);
  void value(std::string_view name, std::string_view value, std::optional<double>& target,
             std::string_view help);
  /// May be given again and again.
  void values(std::string_view name, std::string_view value, std::vector<std::string>& target,
              std::string_view help);
  /// Names with commas between them, quoted as in CSV where they hold one (names.h).
  void names(std::string_view name, std::string_view value, std::optional<std::string>& target,
             std::string_view help);
  /// One of `choices`, which the help lists.
  void choice(std::string_view name, std::span<const std::string> choices,
              std::optional<std::string>& target, std::string_view help);
  /// Options declared after it are left out of help(), but not of help_all(), which the help names.
  void further();

  /// Fills the targets: from the command line, and for what is not there from the file of --config,
  /// which every verb has. False when help was asked for (--help, or --help-all). Throws
  /// UsageError, with the nearest option for one that does not exist.
  bool parse(const std::vector<std::string>& arguments);
  /// What was asked for: an example first, under one screen; or all.
  std::string help() const;

  /// Whether an option or a word, by its name without dashes, was given here or in the file.
  bool is_given(std::string_view name) const;
  /// Values of a config file for what is_given() does not hold of. Names of options that were given
  /// another value than the file's are returned.
  std::vector<std::string> adopt(const std::string& path);

  struct Setting {
    std::string name;
    std::string value;
    bool is_given = false;
  };
  /// All options that have a value now, but for `left_out`.
  std::vector<Setting> settings(std::span<const std::string_view> left_out) const;
  /// The values that all options have now, without `left_out`, as a table of a config file; what
  /// has no value is left out.
  std::string to_toml(std::span<const std::string_view> left_out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thalweg::cli
