// Labels and weights of examples out of tables, as heads take them.
//
// Classes are texts. A number is written in the fewest digits: the cells 1 and 1.0 are the class
// "1"; integers with leading zeros are texts, so "01" is another class. Row numbers in errors count
// from 1, after the header, and from `first_row` for pieces of a table.
#pragma once

#include <memory>

#include "thalweg/data/table.h"
#include "thalweg/estimator/heads.h"
#include "thalweg/estimator/model_record.h"

namespace thalweg {

/// Throws invalid_argument for a spec that cannot be learnt: labels missing, a column that is label
/// and weight, quantiles outside (0, 1), class weights where there are no classes, ...
void check_head(const HeadSpec& spec);

/// Label and weight columns, each once: they are no features.
std::vector<std::string> label_columns(const HeadSpec& spec);

/// Learns what labels there are, table by table. Thread-compatible.
class LabelLearner {
 public:
  /// Throws as check_head().
  explicit LabelLearner(const HeadSpec& spec);
  LabelLearner(LabelLearner&&) noexcept;
  ~LabelLearner();
  /// Throws invalid_argument for a table without the label columns, and naming the row for a label
  /// that is missing, or is no number where one is wanted.
  void add(const Table& rows);
  /// Classes with their counts in order: HeadSpec::classes, else numeric when all are numbers, else
  /// alphabetical. Labels of regressions and quantiles are to be standardised: who learns them in
  /// their own units (trees, convex solvers) sets LabelSpec::standardized to false. Throws
  /// invalid_argument when there are less than two classes.
  LabelSpec label() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The label columns of `rows` as the head of `spec` takes them: int64 places of classes `[rows]`;
/// float32 `[rows]` or `[rows, outputs]`; of several heads float32 with their columns in order.
/// Throws invalid_argument naming column and row: a missing label, a class that is none of
/// `label`'s, a number that is not finite (Poisson: negative).
Tensor label_tensor(const HeadSpec& spec, const LabelSpec& label, const Table& rows,
                    int64_t first_row = 1);

/// float32 `[rows]`; not valid when the spec names no weight column. Throws invalid_argument naming
/// column and row of a weight that is missing, negative or not finite.
Tensor weight_tensor(const HeadSpec& spec, const Table& rows, int64_t first_row = 1);

}  // namespace thalweg
