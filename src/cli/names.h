// Lists of names on the command line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thalweg::cli {

/// `a,"b, c",d`: names with commas between them, quoted as in CSV where they hold one. White space
/// around them does not count. Throws UsageError naming `option` for a quote that is not closed.
std::vector<std::string> parse_names(std::string_view option, std::string_view text);
/// What parse_names() reads.
std::string names_text(std::span<const std::string> names);

/// The columns that `text` names: all of it when there is a column of that name, else the names in
/// it. Throws UsageError for one that is not there, with those present and the nearest.
std::vector<std::string> parse_columns(std::string_view option, std::string_view text,
                                       std::span<const std::string> columns);

/// `name=value` with commas between them, quotes as above around the names: `a=2,"b,c"=1`.
std::vector<std::pair<std::string, std::string>> parse_pairs(std::string_view option,
                                                             std::string_view text);

/// "1.5"; nothing for what is no number as a whole.
std::optional<double> parse_number(std::string_view text);

}  // namespace thalweg::cli
