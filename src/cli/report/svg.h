// Plots as SVG that stands inside HTML: colours come from the page's classes (render_html.cpp),
// title and description are there for those who hear the page.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::cli {

using Points = std::vector<std::pair<double, double>>;

/// "0", "0.25", "1.5e+06": as short as it goes.
std::string tick_text(double value);
/// Round numbers from `least` to `most`, about `count`; the range may be empty.
std::vector<double> ticks(double least, double most, int count);

struct Axis {
  std::string label;
  double least = 0;
  double most = 1;
};

/// Lines and dots over two axes. A value.
class Chart {
 public:
  /// Points that are not finite are left out.
  Chart(std::string title, std::string description, Axis x, Axis y);
  /// The first line is drawn in full, the second dashed, others as hints.
  void line(std::string name, const Points& points);
  void dots(const Points& points);
  /// A thin line for comparison.
  void hint(const Points& points);
  std::string svg() const;

 private:
  double place_x(double value) const;
  double place_y(double value) const;
  std::string path(const Points& points) const;

  std::string title_, description_;
  Axis x_, y_;
  std::string marks_;
  std::vector<std::pair<std::string, std::string>> legend_;  // class, name
};

/// Bars to the right of their names, the first above.
std::string bar_chart(const std::string& title, const std::string& description,
                      const std::vector<std::pair<std::string, double>>& bars);

/// Counts in squares, the darker the larger their share of the row.
std::string heat_table(const std::string& title, const std::string& description,
                       std::span<const std::string> names,
                       std::span<const std::vector<int64_t>> counts);

}  // namespace thalweg::cli
