#include "estimator/table/table_rows.h"

#include <algorithm>

#include "estimator/labels.h"
#include "thalweg/base/error.h"
#include "thalweg/base/philox.h"

namespace thalweg {
namespace {

// Of a cell in memory, about: texts take more than numbers.
constexpr int64_t kNumberBytes = 9;
constexpr int64_t kTextBytes = 32;

bool fits(const TableSource& source, int64_t most_bytes) {
  if (!source.rows()) return false;
  int64_t row = 0;
  for (const data::ColumnInfo& column : source.columns()) {
    row += column.type == data::ColumnType::kText ? kTextBytes : kNumberBytes;
  }
  return row == 0 || *source.rows() <= most_bytes / row;
}

class PickedReader : public data::TableReader {
 public:
  PickedReader(std::unique_ptr<data::TableReader> reader, std::function<bool(int64_t)> picks)
      : reader_(std::move(reader)), picks_(std::move(picks)) {}

  std::optional<Table> next(int64_t most_rows) override {
    for (;;) {
      const std::optional<Table> piece = reader_->next(most_rows);
      if (!piece) return {};
      std::vector<int64_t> picked;
      for (int64_t i = 0; i < piece->rows(); ++i) {
        if (picks_(row_++)) picked.push_back(i);
      }
      if (!picked.empty()) return piece->rows(picked);
    }
  }

 private:
  std::unique_ptr<data::TableReader> reader_;
  std::function<bool(int64_t)> picks_;
  int64_t row_ = 0;
};

// Of a source that outlives it: those of a fit().
class PickedSource : public TableSource {
 public:
  PickedSource(const TableSource& source, std::function<bool(int64_t)> picks, int64_t rows)
      : source_(source), picks_(std::move(picks)), rows_(rows) {
    name_ = source.name();
  }
  const std::vector<data::ColumnInfo>& columns() const override { return source_.columns(); }
  std::unique_ptr<data::TableReader> open() const override {
    return std::make_unique<PickedReader>(source_.open(), picks_);
  }
  std::optional<int64_t> rows() const override { return rows_; }
  uint64_t fingerprint() const override { return source_.fingerprint(); }

 private:
  const TableSource& source_;
  std::function<bool(int64_t)> picks_;
  int64_t rows_;
};

Tensor picked(const Tensor& tensor, const std::vector<int64_t>& rows) {
  return tensor.is_valid() ? rows_at(tensor, rows) : Tensor();
}

/// Tensors of pieces one after the other, as many rows as are said beforehand, so that nothing is
/// held twice.
class Stack {
 public:
  explicit Stack(int64_t rows) : rows_(rows) {}

  /// Of a piece `[rows, ...]`; one that is not valid adds nothing.
  void add(const Tensor& piece) {
    if (!piece.is_valid()) return;
    if (!all_.is_valid()) {
      std::vector<int64_t> shape(piece.shape().dims().begin(), piece.shape().dims().end());
      shape[0] = rows_;
      all_ = Tensor(piece.dtype(), Shape(std::span<const int64_t>(shape)));
      next_ = static_cast<std::byte*>(all_.mutable_raw());
    }
    next_ = std::copy_n(static_cast<const std::byte*>(piece.raw()), piece.byte_size(), next_);
  }
  Tensor take() { return std::move(all_); }

 private:
  int64_t rows_;
  Tensor all_;
  std::byte* next_ = nullptr;
};

// Labels and weights of all rows, piece by piece.
LabelledRows labelled(const HeadSpec& spec, const LabelSpec& label,
                      std::shared_ptr<const TableSource> table, int64_t rows) {
  Stack labels(rows), weights(rows);
  each_piece(*table, [&](const Table& piece, int64_t first_row) {
    labels.add(label_tensor(spec, label, piece, first_row));
    weights.add(weight_tensor(spec, piece, first_row));
  });
  return {std::move(table), labels.take(), weights.take()};
}

int64_t count_rows(const TableSource& source) {
  int64_t rows = 0;
  each_piece(source, [&](const Table& piece, int64_t) { rows += piece.rows(); });
  return rows;
}

// A source that somebody else holds for as long as it is needed.
std::shared_ptr<const TableSource> borrowed(const TableSource& source) {
  return {std::shared_ptr<const TableSource>(), &source};
}

std::shared_ptr<const TableSource> in_memory(const TableSource& source) {
  return data::table_source(source.read_all(), source.name());
}

// Rows of a table in memory, of each class alike.
void part_held(TableParts& parts, const PartOptions& options) {
  const LabelledRows whole = parts.training;
  const data::RowSplit split =
      parts.head->split(whole.labels, options.validation_split, options.seed);
  if (split.validation.empty() || split.training.empty()) return;
  const Table table = whole.table->read_all();
  const auto part = [&](const std::vector<int64_t>& rows) {
    return LabelledRows{data::table_source(table.rows(rows), whole.table->name()),
                        picked(whole.labels, rows), picked(whole.weights, rows)};
  };
  parts.training = part(split.training);
  parts.validation = part(split.validation);
}

// Rows by a hash of their number, so that nothing need be remembered of them.
void part_by_hash(TableParts& parts, const TableSource& source, const PartOptions& options) {
  const LabelledRows whole = std::move(parts.training);
  const auto validates = [fraction = options.validation_split, seed = options.seed](int64_t row) {
    constexpr double kSteps = 9007199254740992.0;  // 2^53
    const uint64_t hash = mix_seed(seed, static_cast<uint64_t>(row));
    return static_cast<double>(hash >> 11) / kSteps < fraction;
  };
  const auto trains = [validates](int64_t row) { return !validates(row); };
  int64_t count = 0;
  for (int64_t row = 0; row < whole.rows(); ++row) count += validates(row) ? 1 : 0;
  const auto part = [&](const std::function<bool(int64_t)>& picks, int64_t rows) {
    Stack labels(rows), weights(rows);
    for (int64_t begin = 0; begin < whole.rows(); begin += kPieceRows) {
      std::vector<int64_t> numbers;
      const int64_t end = std::min(whole.rows(), begin + kPieceRows);
      for (int64_t row = begin; row < end; ++row) {
        if (picks(row)) numbers.push_back(row);
      }
      labels.add(picked(whole.labels, numbers));
      weights.add(picked(whole.weights, numbers));
    }
    return LabelledRows{picked_rows(source, picks, rows), labels.take(), weights.take()};
  };
  if (count == 0 || count == whole.rows()) {
    parts.training = whole;
    return;
  }
  parts.training = part(trains, whole.rows() - count);
  parts.validation = part(validates, count);
}

}  // namespace

void each_piece(const TableSource& source,
                const std::function<void(const Table& piece, int64_t first_row)>& visit) {
  const auto reader = source.open();
  int64_t row = 1;
  while (const std::optional<Table> piece = reader->next(kPieceRows)) {
    visit(*piece, row);
    row += piece->rows();
  }
}

std::shared_ptr<const TableSource> picked_rows(const TableSource& source,
                                               std::function<bool(int64_t)> picks, int64_t rows) {
  return std::make_shared<PickedSource>(source, std::move(picks), rows);
}

Tensor all_ones(int64_t rows) {
  Tensor result(kFloat32, {rows});
  std::ranges::fill(result.mutable_data<float>(), 1.f);
  return result;
}

TableParts part_rows(const HeadSpec& spec, const TableSource& rows, const TableSource* validation,
                     const PartOptions& options) {
  const bool is_held = fits(rows, options.limits.table_bytes);
  const std::shared_ptr<const TableSource> all = is_held ? in_memory(rows) : borrowed(rows);
  LabelLearner learner(spec);
  int64_t count = 0;
  each_piece(*all, [&](const Table& piece, int64_t) {
    learner.add(piece);
    count += piece.rows();
  });
  if (count == 0) throw invalid_argument("'", rows.name(), "' has no rows to learn from");
  LabelSpec label = learner.label();
  if (options.own_units) {
    label.standardized = false;
    for (LabelSpec& part : label.parts) part.standardized = false;
  }
  TableParts parts;
  parts.head = make_head(spec, label);
  parts.training = labelled(spec, label, all, count);
  if (validation != nullptr) {
    parts.validation = labelled(spec, label, borrowed(*validation), count_rows(*validation));
    if (!parts.validation->labels.is_valid()) {
      throw invalid_argument("'", validation->name(), "' has no rows to validate on");
    }
  } else if (options.validation_split > 0 && is_held) {
    part_held(parts, options);
  } else if (options.validation_split > 0) {
    part_by_hash(parts, rows, options);
  }
  parts.head->learn_training_labels(parts.training.labels, parts.training.weights);
  return parts;
}

}  // namespace thalweg
