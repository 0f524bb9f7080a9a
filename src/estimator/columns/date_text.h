// Texts that are dates.
#pragma once

#include <optional>
#include <string_view>

namespace thalweg {

/// YYYY-MM-DD, perhaps with hh:mm[:ss[.f]] after T or a blank, and a zone behind, which is not
/// looked at. For RE2; parse_date() takes the same, but only days that there are.
inline constexpr std::string_view kDatePattern =
    R"(\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))"
    R"(([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?( ?(Z|[+-]\d\d(:?\d\d)?))?)?)";

struct Date {
  int year = 0, month = 0, day = 0;
  bool has_time = false;
};
std::optional<Date> parse_date(std::string_view text);

}  // namespace thalweg
