// Options from a file: the part of TOML that options need. Keys before the first table, and those
// of the table with the verb's name, count; each key is an option without its dashes, or a word
// such as `data` in small letters.
//
//     [fit]
//     data = "adult.csv"
//     label = "income"
//     ignore = ["fnlwgt"]
//     epochs = 20
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thalweg::cli {

struct ConfigEntry {
  enum class Kind { kString, kNumber, kBoolean, kList };
  std::string key = {};
  Kind kind = Kind::kString;
  /// The text of the value, "true" or "false", or those of the list.
  std::vector<std::string> values = {};
  std::string table = {};  // empty: before the first
  int line = 0;
};

/// In the order of the file. Throws invalid_argument naming file, line and what TOML allows or we
/// do not read (dates, tables in values, dotted keys, texts of several lines), also for a key that
/// stands there twice.
std::vector<ConfigEntry> parse_config(std::string_view text, const std::string& path);
std::vector<ConfigEntry> read_config(const std::string& path);

/// As a TOML string.
std::string toml_quoted(std::string_view text);

}  // namespace thalweg::cli
