#include "cli/report/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "cli/report/document.h"
#include "cli/text.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

constexpr double kWidth = 440, kHeight = 280;
constexpr double kLeft = 62, kRight = 14, kTop = 30, kBottom = 44;
constexpr double kBarHeight = 20, kBarNames = 170;
constexpr size_t kMostNameLength = 24;
constexpr double kSquare = 44, kSquareNames = 110;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string opened(double width, double height, const std::string& title,
                   const std::string& description) {
  return str("<svg role=\"img\" width=\"", number(width), "\" height=\"", number(height),
             "\" viewBox=\"0 0 ", number(width), " ", number(height), "\">\n<title>",
             html_escaped(title), "</title>\n<desc>", html_escaped(description), "</desc>\n");
}

std::string text_at(double x, double y, std::string_view anchor, const std::string& text,
                    std::string_view more = {}) {
  return str("<text x=\"", number(x), "\" y=\"", number(y), "\" text-anchor=\"", anchor, "\"", more,
             ">", html_escaped(text), "</text>\n");
}

std::string line_at(double x1, double y1, double x2, double y2, std::string_view kind) {
  return str("<path class=\"", kind, "\" d=\"M", number(x1), " ", number(y1), " L", number(x2), " ",
             number(y2), "\"/>\n");
}

std::string cut(const std::string& name) {
  const std::string text = fitted(name, kMostNameLength);
  if (text.size() >= name.size()) return name;
  return fitted(name, kMostNameLength - 1) + "\u2026";
}

}  // namespace

std::string tick_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::abs(value) < 1e-12 ? 0.0 : value);
  return text;
}

std::vector<double> ticks(double least, double most, int count) {
  if (!(most > least) || count < 1) return {least};
  const double rough = (most - least) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> result;
  for (auto k = static_cast<int64_t>(std::ceil(least / step - 1e-9));
       static_cast<double>(k) * step <= most + step * 1e-9; ++k) {
    result.push_back(static_cast<double>(k) * step);
  }
  return result;
}

Chart::Chart(std::string title, std::string description, Axis x, Axis y)
    : title_(std::move(title)),
      description_(std::move(description)),
      x_(std::move(x)),
      y_(std::move(y)) {
  for (Axis* axis : {&x_, &y_}) {
    if (axis->most > axis->least) continue;
    const double margin = std::max(std::abs(axis->least) * 0.1, 0.5);
    axis->least -= margin;
    axis->most += margin;
  }
}

double Chart::place_x(double value) const {
  return kLeft + (value - x_.least) / (x_.most - x_.least) * (kWidth - kLeft - kRight);
}
double Chart::place_y(double value) const {
  return kHeight - kBottom - (value - y_.least) / (y_.most - y_.least) * (kHeight - kTop - kBottom);
}

std::string Chart::path(const Points& points) const {
  std::string text;
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    append(text, str(text.empty() ? "M" : " L", number(place_x(x)), " ", number(place_y(y))));
  }
  return text;
}

void Chart::line(std::string name, const Points& points) {
  const std::string_view kind = legend_.empty() ? "first" : legend_.size() == 1 ? "second" : "hint";
  legend_.emplace_back(kind, std::move(name));
  append(marks_, str("<path class=\"", kind, "\" d=\"", path(points), "\"/>\n"));
}

void Chart::dots(const Points& points) {
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    append(marks_, str("<circle class=\"dot\" cx=\"", number(place_x(x)), "\" cy=\"",
                       number(place_y(y)), "\" r=\"3\"/>\n"));
  }
}

void Chart::hint(const Points& points) {
  append(marks_, str("<path class=\"hint\" d=\"", path(points), "\"/>\n"));
}

std::string Chart::svg() const {
  std::string text = opened(kWidth, kHeight, title_, description_);
  const double floor = kHeight - kBottom, right = kWidth - kRight;
  for (const double at : ticks(y_.least, y_.most, 5)) {
    text += line_at(kLeft, place_y(at), right, place_y(at), "grid");
    text += text_at(kLeft - 6, place_y(at) + 4, "end", tick_text(at));
  }
  for (const double at : ticks(x_.least, x_.most, 6)) {
    text += line_at(place_x(at), floor, place_x(at), floor + 4, "axis");
    text += text_at(place_x(at), floor + 17, "middle", tick_text(at));
  }
  text += line_at(kLeft, floor, right, floor, "axis");
  text += line_at(kLeft, kTop, kLeft, floor, "axis");
  text += text_at((kLeft + right) / 2, kHeight - 8, "middle", x_.label);
  text += text_at(14, (kTop + floor) / 2, "middle", y_.label,
                  str(" transform=\"rotate(-90 14 ", number((kTop + floor) / 2), ")\""));
  text += marks_;
  double x = kLeft;
  for (const auto& [kind, name] : legend_) {
    if (name.empty()) continue;
    text += line_at(x, 14, x + 24, 14, kind);
    text += text_at(x + 29, 18, "start", name);
    x += 45 + 7.0 * static_cast<double>(name.size());
  }
  return text + "</svg>";
}

std::string bar_chart(const std::string& title, const std::string& description,
                      const std::vector<std::pair<std::string, double>>& bars) {
  double most = 0;
  for (const auto& [name, value] : bars) most = std::max(most, value);
  const double height = kBarHeight * static_cast<double>(bars.size()) + 8;
  std::string text = opened(kWidth, height, title, description);
  double y = 4;
  for (const auto& [name, value] : bars) {
    const double width = most > 0 ? std::max(0.0, value) / most * (kWidth - kBarNames - 70) : 0;
    text += text_at(kBarNames - 6, y + 14, "end", cut(name));
    append(text,
           str("<rect class=\"bar\" x=\"", number(kBarNames), "\" y=\"", number(y + 3),
               "\" width=\"", number(width), "\" height=\"", number(kBarHeight - 6), "\"/>\n"));
    text += text_at(kBarNames + width + 6, y + 14, "start", short_number(value));
    y += kBarHeight;
  }
  return text + "</svg>";
}

std::string heat_table(const std::string& title, const std::string& description,
                       std::span<const std::string> names,
                       std::span<const std::vector<int64_t>> counts) {
  const double side = kSquare * static_cast<double>(names.size());
  const double width = kSquareNames + side + 8, height = side + 62;
  std::string text = opened(width, height, title, description);
  for (size_t i = 0; i < names.size(); ++i) {
    const double y = 40 + kSquare * static_cast<double>(i);
    text += text_at(kSquareNames - 6, y + kSquare / 2 + 4, "end", fitted(names[i], 14));
    const int64_t total = std::accumulate(counts[i].begin(), counts[i].end(), int64_t{0});
    for (size_t j = 0; j < counts[i].size(); ++j) {
      const double x = kSquareNames + kSquare * static_cast<double>(j);
      const double share =
          total == 0 ? 0 : static_cast<double>(counts[i][j]) / static_cast<double>(total);
      append(text, str("<rect x=\"", number(x), "\" y=\"", number(y), "\" width=\"",
                       number(kSquare - 2), "\" height=\"", number(kSquare - 2),
                       "\" class=\"bar\" fill-opacity=\"", number(0.5 * share), "\"/>\n"));
      text += text_at(x + kSquare / 2 - 1, y + kSquare / 2 + 4, "middle", grouped(counts[i][j]));
      if (i == 0) text += text_at(x + kSquare / 2 - 1, 34, "middle", fitted(names[j], 6));
    }
  }
  text += text_at(kSquareNames + side / 2, 14, "middle", "predicted");
  text += text_at(kSquareNames - 6, height - 8, "end", "label");
  return text + "</svg>";
}

}  // namespace thalweg::cli
