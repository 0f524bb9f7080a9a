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

Tensor joined(const std::vector<Tensor>& parts) {
  if (parts.empty() || !parts[0].is_valid()) return {};
  std::vector<int64_t> shape(parts[0].shape().dims().begin(), parts[0].shape().dims().end());
  shape[0] = 0;
  for (const Tensor& part : parts) shape[0] += part.dim(0);
  Tensor result(parts[0].dtype(), Shape(std::span<const int64_t>(shape)));
  auto* to = static_cast<std::byte*>(result.mutable_raw());
  for (const Tensor& part : parts) {
    to = std::copy_n(static_cast<const std::byte*>(part.raw()), part.byte_size(), to);
  }
  return result;
}

Tensor picked(const Tensor& tensor, const std::vector<int64_t>& rows) {
  return tensor.is_valid() ? rows_at(tensor, rows) : Tensor();
}

// Labels and weights of all rows, piece by piece.
LabelledRows labelled(const HeadSpec& spec, const LabelSpec& label,
                      std::shared_ptr<const TableSource> table) {
  std::vector<Tensor> labels, weights;
  each_piece(*table, [&](const Table& piece, int64_t first_row) {
    labels.push_back(label_tensor(spec, label, piece, first_row));
    weights.push_back(weight_tensor(spec, piece, first_row));
  });
  return {std::move(table), joined(labels), joined(weights)};
}

// A source that somebody else holds for as long as it is needed.
std::shared_ptr<const TableSource> borrowed(const TableSource& source) {
  return {std::shared_ptr<const TableSource>(), &source};
}

std::shared_ptr<const TableSource> in_memory(const TableSource& source) {
  return data::table_source(source.read_all(), source.name());
}

std::shared_ptr<const TableSource> part_of(const std::shared_ptr<const TableSource>& all,
                                           bool is_held, const std::vector<int64_t>& rows) {
  if (is_held) return data::table_source(all->read_all().rows(rows), all->name());
  // Ascending, so that one pass finds them.
  auto flags = std::make_shared<std::vector<bool>>();
  for (const int64_t row : rows) {
    flags->resize(static_cast<size_t>(row) + 1);
    flags->back() = true;
  }
  return picked_rows(
      *all,
      [flags](int64_t row) {
        const auto place = static_cast<size_t>(row);
        return place < flags->size() && (*flags)[place];
      },
      static_cast<int64_t>(rows.size()));
}

data::RowSplit split_by_hash(int64_t rows, double fraction, uint64_t seed) {
  data::RowSplit split;
  constexpr double kSteps = 9007199254740992.0;  // 2^53
  for (int64_t row = 0; row < rows; ++row) {
    const uint64_t hash = mix_seed(seed, static_cast<uint64_t>(row));
    const bool validates = static_cast<double>(hash >> 11) / kSteps < fraction;
    (validates ? split.validation : split.training).push_back(row);
  }
  return split;
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
  parts.training = labelled(spec, label, all);
  if (validation != nullptr) {
    parts.validation = labelled(spec, label, borrowed(*validation));
    if (!parts.validation->labels.is_valid()) {
      throw invalid_argument("'", validation->name(), "' has no rows to validate on");
    }
  } else if (options.validation_split > 0) {
    const LabelledRows whole = parts.training;
    const data::RowSplit split =
        is_held ? parts.head->split(whole.labels, options.validation_split, options.seed)
                : split_by_hash(whole.rows(), options.validation_split, options.seed);
    if (!split.validation.empty() && !split.training.empty()) {
      const auto part = [&](const std::vector<int64_t>& numbers) {
        return LabelledRows{part_of(all, is_held, numbers), picked(whole.labels, numbers),
                            picked(whole.weights, numbers)};
      };
      parts.training = part(split.training);
      parts.validation = part(split.validation);
    }
  }
  parts.head->learn_training_labels(parts.training.labels, parts.training.weights);
  return parts;
}

}  // namespace thalweg
