// Numbers and tables for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/train/train_spec.h"

namespace thalweg::cli {

/// 1234567 as "1,234,567".
std::string grouped(int64_t number);
/// "1 row", "60,000 rows". `plural` is needed where it is not `noun` with an s.
std::string counted(int64_t number, std::string_view noun, std::string_view plural = {});
/// A metric or time with four digits after the point, or as many as it takes to show three that are
/// not 0; "-" for NaN.
std::string short_number(double value);
/// "12.3 s", "2 min 5 s".
std::string duration(double seconds);
/// `text` to `width` columns with spaces, or cut at the end of a character.
std::string fitted(std::string text, size_t width);
/// Names with commas between them, each on one line.
std::string listed(std::span<const std::string> names);
/// Cells of every row in columns: the first to the left, the others to the right; each on one line.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

struct FigureColumn {
  std::string title;
  std::vector<Figure> figures;
};
/// A line for each metric, a column for each of `columns` that has figures.
std::string figure_table(const std::vector<FigureColumn>& columns);

}  // namespace thalweg::cli
