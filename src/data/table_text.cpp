#include "data/table_text.h"

#include <algorithm>
#include <numeric>

#include "data/cell_numbers.h"
#include "thalweg/base/error.h"

namespace thalweg::data {
namespace {

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

MissingWords::MissingWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    std::string text(trim_blanks(word));
    std::ranges::transform(text, text.begin(), small);
    if (text.size() >= kLongest) {
      throw invalid_argument("the missing value ", quoted(text), " has ", text.size(),
                             " bytes, at most ", kLongest - 1, " are allowed");
    }
    const unsigned letter = text.empty() ? 0 : static_cast<unsigned char>(text[0]) & 31u;
    letters_[text.size()] |= uint32_t{1} << letter;
    has_numbers_ = has_numbers_ ||
                   (!text.empty() &&
                    std::string_view("0123456789+-.,").find(text[0]) != std::string_view::npos);
    words_.push_back(std::move(text));
  }
}

bool MissingWords::search(std::string_view cell) const {
  return std::ranges::any_of(words_, [&](const std::string& word) {
    return word.size() == cell.size() && std::ranges::equal(word, cell, {}, {}, small);
  });
}

std::string remedy(const TableOptions& options, const std::string& key, std::string_view to) {
  const auto found = options.remedies.find(key);
  return found == options.remedies.end() ? str("set the option ", key, to) : found->second;
}

std::vector<size_t> column_places(const std::string& file, const std::vector<std::string>& names,
                                  const std::vector<std::string>& wanted) {
  std::vector<size_t> places(wanted.empty() ? names.size() : 0);
  std::iota(places.begin(), places.end(), size_t{0});
  for (const std::string& name : wanted) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      const std::string near = nearest(name, names);
      throw invalid_argument(file, ": has no column '", name, "'",
                             near.empty() ? std::string() : str(" (meant '", near, "'?)"),
                             "; its columns are ", join(names, ", "));
    }
    const auto place = static_cast<size_t>(found - names.begin());
    if (std::ranges::find(places, place) != places.end())
      throw invalid_argument(file, ": column '", name, "' is asked for twice");
    places.push_back(place);
  }
  return places;
}

void check_types(const std::string& file, const std::vector<std::string>& names,
                 const TableOptions& options) {
  for (const auto& [name, type] : options.types) column_places(file, names, {name});
}

}  // namespace thalweg::data
