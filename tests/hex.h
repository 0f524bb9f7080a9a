// Golden bytes written as hexadecimal text.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace thalweg::testing {

/// The bytes of "0a ff": pairs of digits, white space between pairs ignored.
inline std::string from_hex(std::string_view text) {
  const auto digit = [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0 ? c - '0' : std::tolower(c) - 'a' + 10;
  };
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    bytes += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
    i += 2;
  }
  return bytes;
}

/// "0a ff", to compare readably.
inline std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) {
    if (!text.empty()) text += ' ';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace thalweg::testing
