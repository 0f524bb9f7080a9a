#include "cli/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "thalweg/base/printable.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

// Columns that UTF-8 text takes, one for each character.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::string grouped(int64_t number) {
  std::string digits = str(number);
  const int64_t first = number < 0 ? 1 : 0;
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<size_t>(at), 1, ',');
  }
  return digits;
}

std::string counted(int64_t number, std::string_view noun, std::string_view plural) {
  if (number == 1) return str("1 ", noun);
  return plural.empty() ? str(grouped(number), " ", noun, "s") : str(grouped(number), " ", plural);
}

std::string short_number(double value) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  return size != 0 && (size < 0.01 || size >= 1e6) ? printed("%.3g", value)
                                                   : printed("%.4f", value);
}

std::string duration(double seconds) {
  if (seconds < 100) return printed("%.1f s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 3600) return str(whole / 60, " min ", whole % 60, " s");
  return str(whole / 3600, " h ", whole % 3600 / 60, " min");
}

std::string fitted(std::string text, size_t width) {
  size_t columns = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (columns++ == width) {
      text.resize(i);
      return text;
    }
  }
  return text + std::string(width - columns, ' ');
}

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) {
    append(text, str(text.empty() ? "" : ", ", printable(name)));
  }
  return text;
}

std::string aligned(const std::vector<std::vector<std::string>>& raw) {
  std::vector<std::vector<std::string>> rows = raw;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      line += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string figure_table(const std::vector<FigureColumn>& columns) {
  std::vector<std::vector<std::string>> rows = {{""}};
  std::vector<std::string> names;
  for (const FigureColumn& column : columns) {
    if (column.figures.empty()) continue;
    rows[0].push_back(column.title);
    for (const Figure& f : column.figures) {
      if (std::ranges::find(names, f.name) == names.end()) names.push_back(f.name);
    }
  }
  for (const std::string& name : names) {
    rows.push_back({name});
    for (const FigureColumn& column : columns) {
      if (!column.figures.empty())
        rows.back().push_back(short_number(figure(column.figures, name)));
    }
  }
  return aligned(rows);
}

}  // namespace thalweg::cli
