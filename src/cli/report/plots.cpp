#include "cli/report/plots.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/report/svg.h"
#include "cli/text.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

constexpr size_t kMostHeatClasses = 15;
constexpr size_t kMostCurves = 6;

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool is_empty() const { return least > most; }
};

Points loss_points(const std::vector<EpochRecord>& history, bool validation) {
  Points points;
  for (const EpochRecord& epoch : history) {
    const double loss = figure(validation ? epoch.validation : epoch.train, "loss");
    if (std::isfinite(loss)) points.emplace_back(static_cast<double>(epoch.epoch), loss);
  }
  return points;
}

DocPlot curves_plot(const std::string& title, const std::vector<TableFitFacts::Curve>& curves,
                    const std::string& x, const std::string& y, const Points& hint) {
  std::string description;
  for (const auto& curve : curves) {
    append(description, str(description.empty() ? "" : "; ", curve.name, ": area under the curve ",
                            short_number(curve.area)));
  }
  Chart chart(title, description, {.label = x}, {.label = y});
  if (!hint.empty()) chart.hint(hint);
  for (size_t i = 0; i < std::min(curves.size(), kMostCurves); ++i) {
    chart.line(i < 2 && curves.size() > 1 ? curves[i].name : std::string(), curves[i].points);
  }
  return {.title = str(title, " (", description, ")"), .svg = chart.svg()};
}

DocPlot calibration_plot(const std::vector<TableFitFacts::CalibrationBin>& bins) {
  Points points;
  std::string description;
  for (const auto& bin : bins) {
    if (bin.rows == 0) continue;
    points.emplace_back(bin.predicted, bin.observed);
    append(description,
           str(description.empty() ? "" : "; ", "predicted ", short_number(bin.predicted),
               ", observed ", short_number(bin.observed), " in ", counted(bin.rows, "row")));
  }
  Chart chart("Calibration", description, {.label = "predicted probability"},
              {.label = "share of rows that are so"});
  chart.hint({{0, 0}, {1, 1}});
  chart.line("", points);
  chart.dots(points);
  return {.title = "Calibration: of rows with a probability of p, a share of p should be so",
          .svg = chart.svg()};
}

DocPlot scatter_plot(const Points& scatter, const std::string& label) {
  Range range;
  for (const auto& [truth, predicted] : scatter) {
    range.add(truth);
    range.add(predicted);
  }
  Chart chart("Predictions",
              str(counted(static_cast<int64_t>(scatter.size()), "row"),
                  ": the label, and what the model says"),
              {.label = label, .least = range.least, .most = range.most},
              {.label = "prediction", .least = range.least, .most = range.most});
  chart.hint({{range.least, range.least}, {range.most, range.most}});
  chart.dots(scatter);
  return {.title = "Predictions by label: the nearer to the line, the better", .svg = chart.svg()};
}

}  // namespace

std::vector<DocPlot> history_plots(const TableFitFacts& facts) {
  const Points train = loss_points(facts.history, false);
  const Points validation = loss_points(facts.history, true);
  if (train.size() < 2 && validation.size() < 2) return {};
  Range epochs, losses;
  for (const Points* points : {&train, &validation}) {
    for (const auto& [epoch, loss] : *points) {
      epochs.add(epoch);
      losses.add(loss);
    }
  }
  std::string description;
  const auto describe = [&](const std::string& name, const Points& points) {
    if (points.empty()) return;
    append(description,
           str(description.empty() ? "" : "; ", name, ": from ", short_number(points[0].second),
               " to ", short_number(points.back().second)));
  };
  describe("training", train);
  describe("validation", validation);
  Chart chart("Loss", description,
              {.label = facts.step_noun, .least = epochs.least, .most = epochs.most},
              {.label = "loss", .least = std::min(0.0, losses.least), .most = losses.most});
  if (!train.empty()) chart.line("training", train);
  if (!validation.empty()) chart.line("validation", validation);
  return {{.title = str("Loss by ", facts.step_noun), .svg = chart.svg()}};
}

std::vector<DocPlot> result_plots(const TableFitFacts& facts) {
  std::vector<DocPlot> plots;
  if (!facts.confusion.empty() && facts.confusion.size() <= kMostHeatClasses) {
    std::vector<std::string> names;
    for (const auto& c : facts.classes) names.push_back(c.name);
    if (names.size() == facts.confusion.size()) {
      plots.push_back(
          {.title = "Confusion: rows by label and prediction",
           .svg = heat_table("Confusion", "rows by label and prediction", names, facts.confusion)});
    }
  }
  if (!facts.roc.empty()) {
    plots.push_back(curves_plot("ROC", facts.roc, "false positive rate", "true positive rate",
                                {{0, 0}, {1, 1}}));
  }
  if (!facts.precision_recall.empty()) {
    plots.push_back(
        curves_plot("Precision and recall", facts.precision_recall, "recall", "precision", {}));
  }
  if (!facts.calibration.empty()) plots.push_back(calibration_plot(facts.calibration));
  if (!facts.scatter.empty()) {
    plots.push_back(
        scatter_plot(facts.scatter, facts.labels.empty() ? std::string("label") : facts.labels[0]));
  }
  return plots;
}

std::vector<DocPlot> column_plots(const TableFitFacts& facts) {
  if (facts.top_columns.empty()) return {};
  std::vector<std::pair<std::string, double>> bars;
  for (const Figure& f : facts.top_columns) bars.emplace_back(f.name, f.value);
  return {
      {.title = "Rise of the validation loss when a column's cells are shuffled",
       .svg = bar_chart("Columns that matter most",
                        "rise of the validation loss when a column's cells are shuffled", bars)}};
}

}  // namespace thalweg::cli
