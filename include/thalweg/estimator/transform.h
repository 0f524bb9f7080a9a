// Feature columns fitted to the training rows: what turns raw cells into what a network sees, the
// same for fit, evaluate, predict and exported models.
//
// Raw inputs are one tensor [batch] a table column: float32 where it is only used as a number (NaN:
// missing), else string ("" : missing; numbers in decimal digits). A number whose differences
// float32 would lose is float64. prepare() gives the prepared tensors described by PreparedSpec;
// nothing in it is trained, so a training prepares its rows once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "thalweg/data/example.h"
#include "thalweg/data/table_source.h"
#include "thalweg/estimator/columns.h"
#include "thalweg/graph/graph.h"

namespace thalweg {

struct RawInput {
  std::string column;
  DType dtype = kFloat32;  // or kString, kFloat64
};

/// The prepared tensors, in this order: `numbers` float32 [batch, N] (when N > 0), `ids` int64
/// [batch, C] (when C > 0; -1: none), then for each bag its ids int64 [batch, width] (-1: none) and
/// weights float32 [batch, width].
struct PreparedSpec {
  struct Category {
    std::string key;
    int64_t buckets = 0;
    /// Names of the ids for people, where there are: "Sales", "[18, 25)"; "(other)".
    std::vector<std::string> names = {};
  };
  std::vector<std::string> numbers;  // names of the columns of `numbers`
  std::vector<Category> ids;         // one value a row
  std::vector<Category> bags;        // several values a row
  data::Spec components() const;     // of one row
};

/// What was found in a column, and what is done with it.
struct ColumnFacts {
  std::string column;
  std::string type;  // "integer", "real", "text"
  int64_t rows = 0;
  int64_t missing = 0;
  /// Counting ends at 100,000, or earlier when a table has many columns of numbers.
  int64_t distinct = 0;
  double mean = 0, deviation = 0, least = 0, most = 0;          // of numbers
  std::vector<std::pair<std::string, int64_t>> commonest = {};  // of categories
  std::string use;  // one sentence: "standardised; missing values become the mean 38.6"
};

struct TransformOptions {
  /// Trees: numbers stay as they are, NaN where missing.
  bool for_trees = false;
  /// A category that is not in its vocabulary is an error at evaluate and predict, instead of
  /// counted.
  bool strict = false;
};

/// Immutable; thread-safe; a cheap handle.
class Transform {
 public:
  /// One or more passes over `rows`. Throws invalid_argument naming column, and row where there is
  /// one: no such column, a text where numbers are wanted, infinite numbers, a column without any
  /// value.
  static Transform fit(const std::vector<FeatureColumn>& columns, const TableSource& rows,
                       const TransformOptions& options = {});
  static Transform from_json(const std::string& json);
  std::string to_json() const;

  const std::vector<RawInput>& inputs() const;
  const PreparedSpec& prepared() const;
  const std::vector<ColumnFacts>& facts() const;
  const std::vector<FeatureColumn>& columns() const;
  /// Types of the table's columns in the training rows: for data::TableOptions::types of later
  /// files, whose own cells may suggest others.
  std::map<std::string, data::ColumnType> types() const;

  /// Stage 1 in `graph`: `raw` in the order of inputs(). `initializers` receives nodes that an
  /// exported model must run when it is loaded (tables).
  std::vector<Output> build(Graph& graph, const std::vector<Output>& raw,
                            std::vector<Node*>* initializers = nullptr) const;

  struct Counts {
    std::map<std::string, int64_t> unknown;  // by column: values in no vocabulary
    std::map<std::string, int64_t> missing;
    std::map<std::string, int64_t> cut;  // texts with more words than are read
  };
  /// The raw tensors of a table's rows: columns go by name, others are ignored. Throws
  /// invalid_argument naming a column that is missing and those present, or column, row and text
  /// that cannot be read.
  std::vector<Tensor> raw(const Table& table) const;
  /// Stage 1 run on them. `counts`: added to. `lenient`: as without `strict`, for training rows,
  /// which may hold values too rare for their vocabulary.
  data::Example prepare(const Table& table, Counts* counts = nullptr, bool lenient = false) const;

  /// Places in prepared() of what a column gives: for networks and linear models.
  struct Place {
    enum class Kind { kNumbers, kIds, kBag } kind = Kind::kNumbers;
    std::vector<int64_t> indices;  // columns of numbers, or the one of ids, or the bag's number
    int64_t buckets = 0;
  };
  Place place(const FeatureColumn& column) const;

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit Transform(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace thalweg
