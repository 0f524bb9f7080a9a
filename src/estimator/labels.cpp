#include "estimator/labels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimator/class_cells.h"
#include "estimator/heads/class_labels.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using data::Column;

Error missing_label(const Column& column, int64_t row) {
  return invalid_argument("row ", row, " has no label: column '", column.name(),
                          "' is empty there; fill it in or leave the row out");
}

Error unknown_class(const Column& column, int64_t row, std::string_view text,
                    const std::vector<std::string>& names) {
  return invalid_argument("row ", row, " has the label '", text, "' in column '", column.name(),
                          "', which is none of the ", names.size(), " classes: ", listed(names));
}

Tensor class_places(const LabelSpec& label, const Column& column, int64_t first_row) {
  const ClassPlaces places(label.class_names);
  Tensor result(kInt64, {column.size()});
  const auto out = result.mutable_data<int64_t>();
  each_text(column, [&](int64_t row, std::string_view text) {
    if (column.is_missing(row)) throw missing_label(column, first_row + row);
    const auto place = places.find(text);
    if (!place) throw unknown_class(column, first_row + row, text, label.class_names);
    out[static_cast<size_t>(row)] = *place;
  });
  return result;
}

Tensor label_sets(const HeadSpec& spec, const LabelSpec& label, const Column& column,
                  int64_t first_row) {
  const ClassPlaces places(label.class_names);
  const auto classes = static_cast<int64_t>(label.class_names.size());
  Tensor result = Tensor::zeros(kFloat32, {column.size(), classes});
  const auto out = result.mutable_data<float>();
  each_text(column, [&](int64_t row, std::string_view list) {
    each_label(list, spec.separator, [&](std::string_view text) {
      const auto place = places.find(text);
      if (!place) throw unknown_class(column, first_row + row, text, label.class_names);
      out[static_cast<size_t>(row * classes + *place)] = 1;
    });
  });
  return result;
}

Tensor indicators(const HeadSpec& spec, const Table& rows, int64_t first_row) {
  const size_t width = spec.labels.size();
  Tensor result(kFloat32, {rows.rows(), static_cast<int64_t>(width)});
  const auto out = result.mutable_data<float>();
  for (size_t k = 0; k < width; ++k) {
    const Column& column = rows.column(spec.labels[k]);
    each_text(column, [&](int64_t row, std::string_view text) {
      if (column.is_missing(row)) throw missing_label(column, first_row + row);
      const auto value = to_indicator(text);
      if (!value) {
        throw invalid_argument("row ", first_row + row, " has '", text, "' in the label column '",
                               column.name(), "', expected 0 or 1, true or false, yes or no");
      }
      out[static_cast<size_t>(row) * width + k] = *value;
    });
  }
  return result;
}

double number_at(const Column& column, int64_t row, int64_t first_row, std::string_view wanted) {
  try {
    return column.number(row);
  } catch (const Error&) {
    throw invalid_argument("row ", first_row + row, " has '", column.cell(row), "' in column '",
                           column.name(), "', expected ", wanted);
  }
}

Tensor numbers(const HeadSpec& spec, const Table& rows, int64_t first_row) {
  const size_t width = spec.labels.size();
  const bool counts = spec.kind == HeadKind::kPoisson;
  const std::string_view wanted = counts ? "a number of 0 or more" : "a finite number";
  Tensor result(kFloat32,
                width == 1 ? Shape{rows.rows()} : Shape{rows.rows(), static_cast<int64_t>(width)});
  const auto out = result.mutable_data<float>();
  for (size_t k = 0; k < width; ++k) {
    const Column& column = rows.column(spec.labels[k]);
    for (int64_t row = 0; row < rows.rows(); ++row) {
      if (column.is_missing(row)) throw missing_label(column, first_row + row);
      const double value = number_at(column, row, first_row, wanted);
      const auto number = static_cast<float>(value);
      if (!std::isfinite(number) || (counts && number < 0)) {
        throw invalid_argument("row ", first_row + row, " has the label ", value, " in column '",
                               column.name(), "', expected ", wanted,
                               std::isfinite(value) && !std::isfinite(number)
                                   ? " that float32 can hold, up to 3.4e38"
                                   : "");
      }
      out[static_cast<size_t>(row) * width + k] = number;
    }
  }
  return result;
}

// The labels of all parts side by side.
Tensor side_by_side(const HeadSpec& spec, const LabelSpec& label, const Table& rows,
                    int64_t first_row) {
  std::vector<Tensor> parts;
  int64_t width = 0;
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    parts.push_back(
        label_tensor(spec.parts[i].head, label.parts.at(i), rows, first_row).cast(kFloat32));
    width += parts.back().rank() == 1 ? 1 : parts.back().dim(1);
  }
  Tensor result(kFloat32, {rows.rows(), width});
  float* out = result.mutable_data<float>().data();
  for (const Tensor& part : parts) {
    const int64_t own = part.rank() == 1 ? 1 : part.dim(1);
    const float* from = part.data<float>().data();
    for (int64_t row = 0; row < rows.rows(); ++row) {
      std::copy_n(from + row * own, own, out + row * width);
    }
    out += own;
  }
  return result;
}

}  // namespace

Tensor label_tensor(const HeadSpec& spec, const LabelSpec& label, const Table& rows,
                    int64_t first_row) {
  switch (spec.kind) {
    case HeadKind::kClassification:
      return class_places(label, rows.column(spec.labels.at(0)), first_row);
    case HeadKind::kMultiLabel:
      if (spec.labels.size() > 1) return indicators(spec, rows, first_row);
      return label_sets(spec, label, rows.column(spec.labels.at(0)), first_row);
    case HeadKind::kRegression:
    case HeadKind::kPoisson:
    case HeadKind::kQuantile: return numbers(spec, rows, first_row);
    case HeadKind::kMulti: break;
  }
  return side_by_side(spec, label, rows, first_row);
}

Tensor weight_tensor(const HeadSpec& spec, const Table& rows, int64_t first_row) {
  if (spec.weight.empty()) return {};
  const Column& column = rows.column(spec.weight);
  Tensor result(kFloat32, {rows.rows()});
  const auto out = result.mutable_data<float>();
  for (int64_t row = 0; row < rows.rows(); ++row) {
    if (column.is_missing(row)) {
      throw invalid_argument("row ", first_row + row, " has no weight: column '", column.name(),
                             "' is empty there; give it 0 to leave the row out");
    }
    const double value = number_at(column, row, first_row, "a weight of 0 or more");
    const auto weight = static_cast<float>(value);
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw invalid_argument("row ", first_row + row, " has the weight ", value, " in column '",
                             column.name(), "', expected a finite number of 0 or more");
    }
    out[static_cast<size_t>(row)] = weight;
  }
  return result;
}

}  // namespace thalweg
