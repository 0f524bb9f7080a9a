// A table's rows for fit(): parted into those for training and for validation, with labels and
// weights, then prepared for a model's network.
//
// What fits into memory is held there, prepared once. Larger tables are read again each epoch,
// piece by piece, and part by a hash of the row's number.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "estimator/fit_data.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg {

/// Tables of more bytes than this, by estimate, are not held in memory; prepared rows neither.
struct TableLimits {
  int64_t table_bytes = int64_t{256} << 20;
  int64_t prepared_bytes = int64_t{512} << 20;
  /// Of the prepared rows of solvers, which need all at once.
  int64_t solver_bytes = int64_t{16} << 30;
};

/// Rows with what is known of them besides features.
struct LabelledRows {
  std::shared_ptr<const TableSource> table;
  Tensor labels;   // as the head takes them
  Tensor weights;  // of the weight column; not valid: 1 each
  int64_t rows() const { return labels.dim(0); }
};

struct TableParts {
  std::shared_ptr<Head> head;  // has learnt its labels
  LabelledRows training;
  std::optional<LabelledRows> validation;
};

struct PartOptions {
  double validation_split = 0;
  uint64_t seed = 1;
  /// Whether numbers are learnt in their own units.
  bool own_units = false;
  TableLimits limits = {};
};

/// Learns the labels and parts the rows: of each class alike where the table fits into memory.
/// `validation`: rows of one's own, else null. Throws invalid_argument naming column and row.
TableParts part_rows(const HeadSpec& spec, const TableSource& rows, const TableSource* validation,
                     const PartOptions& options);

/// Some rows of a source, by number. `rows`: how many they are.
std::shared_ptr<const TableSource> picked_rows(const TableSource& source,
                                               std::function<bool(int64_t)> picks, int64_t rows);

/// Calls `visit` with the pieces of a source and the number, from 1, of their first row.
inline constexpr int64_t kPieceRows = 8192;
/// Rows at once where nothing is learnt.
inline constexpr int64_t kTableInferenceRows = 1024;
void each_piece(const TableSource& source,
                const std::function<void(const Table& piece, int64_t first_row)>& visit);

/// Stage 1 of a table's rows. Where the transform gives no tensors: zeros `[rows]`.
data::Example prepare_inputs(const Transform& transform, const Table& rows, bool lenient,
                             Transform::Counts* counts = nullptr);
/// One after the other; bags become as wide as the widest.
data::Example join_prepared(const Transform& transform, const std::vector<data::Example>& pieces);

/// Fills batches, or the rows of a solver; `spec` for weights and labels of pieces.
FitData prepare_parts(const TableParts& parts, const Transform& transform, const HeadSpec& spec,
                      bool for_solver, int64_t batch_size, uint64_t seed,
                      const TableLimits& limits = {});

/// Batches {inputs..., labels, weights} of a table that is read anew each epoch; in a new order, by
/// chunks, with a seed.
Dataset streamed_batches(const std::shared_ptr<const TableSource>& table,
                         const Transform& transform, const HeadSpec& spec,
                         const std::shared_ptr<const Head>& head, bool for_training,
                         int64_t batch_size, uint64_t seed);

/// 1 each.
Tensor all_ones(int64_t rows);

}  // namespace thalweg
