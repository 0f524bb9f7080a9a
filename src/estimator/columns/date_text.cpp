#include "estimator/columns/date_text.h"

#include <cctype>

namespace thalweg {
namespace {

// Takes what it reads off the front.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// `count` digits, as a number in [least, most]; else -1.
  int number(size_t count, int least, int most) {
    if (rest_.size() < count) return -1;
    int value = 0;
    for (size_t i = 0; i < count; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return -1;
      value = value * 10 + (rest_[i] - '0');
    }
    if (value < least || value > most) return -1;
    rest_.remove_prefix(count);
    return value;
  }
  /// At least one digit.
  bool skip_digits() {
    const size_t begin = rest_.size();
    while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') rest_.remove_prefix(1);
    return rest_.size() < begin;
  }

 private:
  std::string_view rest_;
};

int days_of(int year, int month) {
  if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

bool take_zone(Reader& reader) {
  reader.take(' ');
  if (reader.take('Z')) return true;
  if (!reader.take('+') && !reader.take('-')) return false;
  if (reader.number(2, 0, 99) < 0) return false;
  if (reader.at_end()) return true;
  reader.take(':');
  return reader.number(2, 0, 99) >= 0;
}

bool take_time(Reader& reader) {
  if (reader.number(2, 0, 23) < 0 || !reader.take(':') || reader.number(2, 0, 59) < 0) return false;
  if (reader.take(':')) {
    if (reader.number(2, 0, 59) < 0) return false;
    if ((reader.take('.') || reader.take(',')) && !reader.skip_digits()) return false;
  }
  return reader.at_end() || take_zone(reader);
}

}  // namespace

std::optional<Date> parse_date(std::string_view text) {
  Reader reader(text);
  Date date;
  date.year = reader.number(4, 0, 9999);
  if (date.year < 0 || !reader.take('-')) return {};
  date.month = reader.number(2, 1, 12);
  if (date.month < 0 || !reader.take('-')) return {};
  date.day = reader.number(2, 1, days_of(date.year, date.month));
  if (date.day < 0) return {};
  if (reader.at_end()) return date;
  date.has_time = true;
  if (!reader.take('T') && !reader.take(' ')) return {};
  if (!take_time(reader) || !reader.at_end()) return {};
  return date;
}

}  // namespace thalweg
