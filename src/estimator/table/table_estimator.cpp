#include "thalweg/estimator/table_estimator.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "estimator/columns/column_def.h"
#include "estimator/labels.h"
#include "estimator/table/table_model_json.h"
#include "estimator/table/table_state.h"
#include "thalweg/base/philox.h"
#include "thalweg/base/printable.h"

namespace thalweg {
namespace {

void check_no_label_is_feature(const HeadSpec& spec, const TableModel& model) {
  const std::vector<std::string> labels = label_columns(spec);
  for (const FeatureColumn& column : columns_of(model)) {
    for (const std::string& name : column.table_columns()) {
      if (std::ranges::find(labels, name) == labels.end()) continue;
      throw invalid_argument("the column ", shown(name),
                             " is both what is to be learnt and a feature (", shown(column.key()),
                             "); leave it out of the features");
    }
  }
}

// The labels of several classes at once: all that are as probable as not.
std::string probable_labels(const std::vector<std::string>& classes, const float* row,
                            const std::string& separator) {
  std::vector<std::string> found;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (row[i] >= 0.5f) found.push_back(classes[i]);
  }
  return join(found, separator);
}

void add_labels(TablePredictions& predictions, const HeadSpec& spec) {
  const auto width = predictions.values.rank() == 2 ? predictions.values.dim(1) : int64_t{1};
  const float* row = predictions.values.data<float>().data();
  for (int64_t i = 0; i < predictions.values.dim(0); ++i, row += width) {
    if (spec.kind == HeadKind::kMultiLabel) {
      predictions.labels.push_back(probable_labels(predictions.classes, row, spec.separator));
      continue;
    }
    const auto best = best_class({row, static_cast<size_t>(width)});
    predictions.labels.push_back(best ? predictions.classes[*best] : std::string());
  }
}

}  // namespace

void TableEstimator::State::check() const {
  check_head(spec);
  check_model(family);
  check_no_label_is_feature(spec, family);
  if (options.batch_size < 1) {
    throw invalid_argument("batch_size is ", options.batch_size, ", expected 1 or more");
  }
}

ModelRecord TableEstimator::State::new_record(const Head& fitted,
                                              const Transform& fitted_transform) const {
  ModelRecord result;
  result.kind = kTableKind;
  result.head = spec;
  result.label = fitted.label();
  if (result.label.column.empty() && !spec.labels.empty()) result.label.column = spec.labels[0];
  result.optimizer = training_text(family);
  result.settings = named_optimizer(family);
  // Through the parser, so that the texts are those that a file gives back.
  result.table = TableRecord{.model = parse_json(from_table_model(family).dump()).dump(),
                             .transform = parse_json(fitted_transform.to_json()).dump()};
  return result;
}

TableEstimator::TableEstimator(HeadSpec head, TableModel model, TableEstimatorOptions options)
    : TableEstimator(std::make_unique<State>()) {
  state_->spec = std::move(head);
  state_->family = std::move(model);
  state_->options = std::move(options);
  state_->check();
}
TableEstimator::TableEstimator(std::unique_ptr<State> state) : state_(std::move(state)) {}
TableEstimator::TableEstimator(TableEstimator&&) noexcept = default;
TableEstimator::~TableEstimator() = default;

const ModelRecord& TableEstimator::record() const { return state_->record; }
const HeadSpec& TableEstimator::head() const { return state_->spec; }
const VariableStore& TableEstimator::variables() const { return *state_->variables; }
const Transform& TableEstimator::transform() const {
  if (!state_->transform) state_->ready();
  return *state_->transform;
}

FitReport TableEstimator::fit(const Table& rows, const FitOptions& options) {
  return fit(*data::table_source(rows), options);
}

EvaluationReport TableEstimator::evaluate(const Table& rows) const {
  return evaluate(*data::table_source(rows));
}

EvaluationReport TableEstimator::evaluate(const TableSource& rows) const {
  const State& s = *state_;
  s.ready();
  const auto reader = rows.open();
  int64_t first_row = 1;
  data::Example piece;
  int64_t place = 0, end = 0;
  return s.score([&]() -> std::optional<data::Example> {
    if (place == end) {
      const std::optional<Table> table = reader->next(kPieceRows);
      if (!table) return {};
      const Tensor labels = label_tensor(s.spec, s.head->label(), *table, first_row);
      const Tensor weights = weight_tensor(s.spec, *table, first_row);
      piece = prepare_inputs(*s.transform, *table, false);
      piece.push_back(labels);
      piece.push_back(weights.is_valid() ? weights : all_ones(table->rows()));
      place = 0;
      end = table->rows();
      first_row += end;
    }
    const int64_t next = std::min(end, place + kTableInferenceRows);
    data::Example batch;
    for (const Tensor& component : piece) batch.push_back(component.rows(place, next));
    place = next;
    return batch;
  });
}

TablePredictions TableEstimator::predict(const Table& rows) const {
  const State& s = *state_;
  s.ready();
  TablePredictions result;
  const bool has_classes =
      s.spec.kind == HeadKind::kClassification || s.spec.kind == HeadKind::kMultiLabel;
  (has_classes ? result.classes : result.outputs) = s.head->prediction_names();
  result.values = Tensor(kFloat32, s.head->prediction_shape(rows.rows()));
  auto* out = static_cast<std::byte*>(result.values.mutable_raw());
  for (int64_t begin = 0; begin < rows.rows(); begin += kPieceRows) {
    const Table piece = rows.rows(begin, std::min(rows.rows(), begin + kPieceRows));
    const Tensor values = s.predict(prepare_inputs(*s.transform, piece, false, &result.counts));
    out = std::copy_n(static_cast<const std::byte*>(values.raw()), values.byte_size(), out);
  }
  if (result.values.rank() == 1) result.values = result.values.reshape({rows.rows(), 1});
  if (has_classes) add_labels(result, s.spec);
  return result;
}

std::vector<Figure> TableEstimator::permutation_importance(const Table& rows,
                                                           int64_t repeats) const {
  const State& s = *state_;
  s.ready();
  if (repeats < 1) throw invalid_argument("repeats is ", repeats, ", expected 1 or more");
  const double loss = evaluate(rows)["loss"];
  std::vector<Figure> result;
  for (const RawInput& input : s.transform->inputs()) {
    Figure figure{input.column, 0};
    for (int64_t repeat = 0; repeat < repeats; ++repeat) {
      Philox random(
          mix_seed(mix_seed(s.options.seed, input.column), static_cast<uint64_t>(repeat)));
      std::vector<int64_t> order(static_cast<size_t>(rows.rows()));
      std::iota(order.begin(), order.end(), 0);
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      const Table shuffled = rows.with(rows.column(input.column).rows(order));
      figure.value += (evaluate(shuffled)["loss"] - loss) / static_cast<double>(repeats);
    }
    result.push_back(std::move(figure));
  }
  std::ranges::stable_sort(result, std::ranges::greater(), &Figure::value);
  return result;
}

}  // namespace thalweg
