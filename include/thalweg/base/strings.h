// Building and taking apart short texts: messages, names, shapes.
//
// Messages are put together with str(...) rather than streams: no <iostream> in headers, the same
// digits everywhere (shortest text that reads back to the same number), and one call at the place
// of the error.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace thalweg {

void append(std::string& out, std::string_view text);
inline void append(std::string& out, const char* text) { append(out, std::string_view(text)); }
inline void append(std::string& out, const std::string& text) {
  append(out, std::string_view(text));
}
void append(std::string& out, char c);
void append(std::string& out, bool value);
void append_integer(std::string& out, int64_t value);
void append_unsigned(std::string& out, uint64_t value);
void append(std::string& out, float value);
void append(std::string& out, double value);

template <std::integral T>
void append(std::string& out, T value) {
  if constexpr (std::is_signed_v<T>) {
    append_integer(out, value);
  } else {
    append_unsigned(out, value);
  }
}

/// Anything with a to_string() found by argument-dependent look-up or as a member can stand in a
/// message.
template <class T>
requires requires(const T& value) { value.to_string(); }
void append(std::string& out, const T& value) { append(out, std::string_view(value.to_string())); }
template <class T>
requires(std::is_enum_v<T>) void append(std::string& out, T value) {
  append(out, std::string_view(to_string(value)));
}

/// A list in brackets: [1, 2, 3].
template <class T>
void append(std::string& out, std::span<const T> items) {
  out += '[';
  for (size_t i = 0; i < items.size(); ++i) {
    if (i != 0) out += ", ";
    append(out, items[i]);
  }
  out += ']';
}
template <class T>
void append(std::string& out, const std::vector<T>& items) {
  append(out, std::span<const T>(items));
}

/// Concatenates its arguments: str("dim ", 3, " of ", shape).
template <class... Args>
std::string str(const Args&... args) {
  std::string out;
  (append(out, args), ...);
  return out;
}

/// The items with `separator` between them.
std::string join(std::span<const std::string> items, std::string_view separator);

/// Pieces of `text` between separators; empty pieces are kept, an empty text has none.
std::vector<std::string> split(std::string_view text, char separator);

/// `text` without white space at both ends.
std::string_view trim(std::string_view text);

/// The option closest to `word` by edit distance, or empty when none is near enough to be a likely
/// slip.
std::string nearest(std::string_view word, std::span<const std::string> options);

}  // namespace thalweg
