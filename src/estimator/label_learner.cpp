// What labels there are, from the rows of tables.
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "estimator/class_cells.h"
#include "estimator/heads/class_labels.h"
#include "estimator/labels.h"
#include "thalweg/base/error.h"
#include "thalweg/data/numeric_csv.h"

namespace thalweg {
namespace {

// More are hardly classes: a real number or an identifier was named as label.
constexpr size_t kMostClasses = 1'000'000;
constexpr size_t kMostFractions = 100;

}  // namespace

struct LabelLearner::State {
  HeadSpec spec;
  int64_t rows = 0;
  std::map<std::string, int64_t, std::less<>> counts;  // by label
  bool has_fractions = false;
  std::vector<LabelLearner> parts;

  bool is_list() const { return spec.kind == HeadKind::kMultiLabel && spec.labels.size() == 1; }

  void count(std::string_view text) {
    const auto found = counts.find(text);
    if (found != counts.end()) {
      ++found->second;
      return;
    }
    counts.emplace(text, 1);
    if (counts.size() <= kMostClasses) return;
    throw invalid_argument("the label column '", spec.labels[0], "' holds more than ", kMostClasses,
                           " different values, too many for classes; predict it as ",
                           "a number instead, or choose another label");
  }

  void count_classes(const data::Column& column) {
    each_text(column, [&](int64_t row, std::string_view text) {
      if (column.is_missing(row)) {
        throw invalid_argument("row ", rows + row + 1, " has no label: column '", column.name(),
                               "' is empty there; fill it in or leave the row out");
      }
      count(text);
    });
    if (column.type() != data::ColumnType::kReal) return;
    for (const double value : column.reals()) {
      if (value != std::floor(value)) has_fractions = true;
    }
  }

  void count_lists(const data::Column& column) {
    each_text(column, [&](int64_t, std::string_view list) {
      std::vector<std::string_view> seen;
      each_label(list, spec.separator, [&](std::string_view text) {
        if (std::ranges::find(seen, text) != seen.end()) return;
        seen.push_back(text);
        count(text);
      });
    });
  }

  void count_indicators(const Table& table) {
    LabelSpec label;
    label.class_names = spec.labels;
    const Tensor encoded = label_tensor(spec, label, table, rows + 1);
    size_t i = 0;
    for (const float value : encoded.data<float>()) {
      if (value == 1) ++counts[spec.labels[i % spec.labels.size()]];
      ++i;
    }
  }

  void name_classes(LabelSpec& label) const {
    std::vector<std::string> found;
    for (const auto& [name, count] : counts) found.push_back(name);
    if (spec.kind == HeadKind::kMultiLabel && !is_list()) {
      label.class_names = spec.labels;
    } else if (!spec.classes.empty()) {
      label.class_names = spec.classes;
    } else {
      label.class_names = data::class_names(found);
    }
    label.class_counts.assign(label.class_names.size(), 0);
    const ClassPlaces places(label.class_names);
    for (const auto& [name, count] : counts) {
      const auto place = places.find(name);
      if (!place) {
        throw invalid_argument("the label column '", spec.labels[0], "' holds '", name, "' (",
                               count, count == 1 ? " row" : " rows",
                               "), which is none of the classes given: ", listed(spec.classes));
      }
      label.class_counts[static_cast<size_t>(*place)] += count;
    }
  }

  void check_classes(const LabelSpec& label) const {
    if (spec.kind == HeadKind::kMultiLabel) {
      if (!label.class_names.empty()) return;
      throw invalid_argument("the label column '", spec.labels[0], "' holds no label in ", rows,
                             " rows");
    }
    if (has_fractions && counts.size() > kMostFractions) {
      throw invalid_argument("the label column '", spec.labels[0], "' holds ", counts.size(),
                             " different real numbers, which are no classes; predict it as a ",
                             "number instead (heads::regression)");
    }
    if (label.class_names.size() >= 2) return;
    throw invalid_argument("all ", rows, " rows have the label '",
                           label.class_names.empty() ? std::string() : label.class_names[0],
                           "' in column '", spec.labels[0],
                           "'; a classifier needs two classes or more to tell apart");
  }
};

LabelLearner::LabelLearner(const HeadSpec& spec) : state_(std::make_unique<State>()) {
  check_head(spec);
  state_->spec = spec;
  for (const HeadSpec::Part& part : spec.parts) state_->parts.emplace_back(part.head);
}
LabelLearner::LabelLearner(LabelLearner&&) noexcept = default;
LabelLearner::~LabelLearner() = default;

void LabelLearner::add(const Table& table) {
  State& s = *state_;
  switch (s.spec.kind) {
    case HeadKind::kClassification: s.count_classes(table.column(s.spec.labels[0])); break;
    case HeadKind::kMultiLabel:
      if (s.is_list()) {
        s.count_lists(table.column(s.spec.labels[0]));
      } else {
        s.count_indicators(table);
      }
      break;
    case HeadKind::kRegression:
    case HeadKind::kPoisson:
    case HeadKind::kQuantile: label_tensor(s.spec, {}, table, s.rows + 1); break;
    case HeadKind::kMulti:
      for (LabelLearner& part : s.parts) part.add(table);
      break;
  }
  weight_tensor(s.spec, table, s.rows + 1);
  s.rows += table.rows();
}

LabelSpec LabelLearner::label() const {
  const State& s = *state_;
  if (s.rows == 0) throw invalid_argument("the table has no rows to learn from");
  LabelSpec label;
  if (!s.spec.labels.empty()) label.column = s.spec.labels[0];
  switch (s.spec.kind) {
    case HeadKind::kClassification:
    case HeadKind::kMultiLabel:
      s.name_classes(label);
      s.check_classes(label);
      break;
    case HeadKind::kRegression:
    case HeadKind::kQuantile: label.standardized = true; break;
    case HeadKind::kPoisson: break;
    case HeadKind::kMulti:
      for (const LabelLearner& part : s.parts) label.parts.push_back(part.label());
      break;
  }
  return label;
}

}  // namespace thalweg
