#include "thalweg/base/strings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace thalweg {
namespace {

template <class T>
void append_number(std::string& out, T value) {
  char digits[32];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, end.ptr);
}

template <class T>
void append_real(std::string& out, T value) {
  if (std::isnan(value)) {
    out += "nan";  // to_chars would print the sign bit, which depends on how the NaN came about
  } else {
    append_number(out, value);
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Damerau and Levenshtein's distance (optimal string alignment: letters left out, put in, replaced,
// or swapped with their neighbour), letters compared without case.
size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [&](size_t i, size_t j) { return lower(a[i - 1]) == lower(b[j - 1]); };
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + !same(i, j), last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

void append(std::string& out, std::string_view text) { out.append(text); }
void append(std::string& out, char c) { out += c; }
void append(std::string& out, bool value) { out += value ? "true" : "false"; }
void append_integer(std::string& out, int64_t value) { append_number(out, value); }
void append_unsigned(std::string& out, uint64_t value) { append_number(out, value); }
void append(std::string& out, float value) { append_real(out, value); }
void append(std::string& out, double value) { append_real(out, value); }

std::string join(std::span<const std::string> items, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i != 0) out += separator;
    out += items[i];
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  if (text.empty()) return pieces;
  for (;;) {
    const size_t at = text.find(separator);
    pieces.emplace_back(text.substr(0, at));
    if (at == text.npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string nearest(std::string_view word, std::span<const std::string> options) {
  // A third of the letters: "kernal" finds "kernel", but "bias" does not find "axis".
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  const std::string* best = nullptr;
  for (const std::string& option : options) {
    const size_t distance = edit_distance(word, option);
    // A one-letter word is at distance one from every other: nothing but the case may differ there.
    if (distance < best_distance && distance < std::max(word.size(), option.size())) {
      best_distance = distance;
      best = &option;
    }
  }
  return best == nullptr ? std::string() : *best;
}

}  // namespace thalweg
