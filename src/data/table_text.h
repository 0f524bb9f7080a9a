// What all readers of tables share: which cells are missing, and how messages name remedies.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/data/table_source.h"

namespace thalweg::data {

/// The words that count as missing. White space at the ends must be off.
class MissingWords {
 public:
  explicit MissingWords(const std::vector<std::string>& words);

  bool contains(std::string_view cell) const {
    if (cell.size() >= kLongest) return false;
    const unsigned letter = cell.empty() ? 0 : static_cast<unsigned char>(cell[0]) & 31u;
    return (letters_[cell.size()] >> letter & 1) != 0 && search(cell);
  }
  /// Whether one of them looks like a number, so that numbers must be compared too.
  bool has_numbers() const { return has_numbers_; }

 private:
  static constexpr size_t kLongest = 64;
  bool search(std::string_view cell) const;

  std::vector<std::string> words_;  // in small letters
  // Of each size: with which letters, by their lowest five bits, words begin.
  std::array<uint32_t, kLongest> letters_{};
  bool has_numbers_ = false;
};

/// How whoever reads a message sets the option `key`: what TableOptions::remedies says, else
/// "set the option KEY" and `to`.
std::string remedy(const TableOptions& options, const std::string& key, std::string_view to = "");

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
/// Without blanks at both ends.
inline std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Places of `wanted` among `names`, of all when `wanted` is empty. Throws invalid_argument naming
/// `file`, the column, those there are and the nearest name.
std::vector<size_t> column_places(const std::string& file, const std::vector<std::string>& names,
                                  const std::vector<std::string>& wanted);
/// Throws invalid_argument unless all columns of options.types are among `names`.
void check_types(const std::string& file, const std::vector<std::string>& names,
                 const TableOptions& options);

}  // namespace thalweg::data
