// Feature columns: what each column of a table means to a model, declared once.
//
//     using namespace columns;
//     auto occupation = hashed("occupation", 1000);
//     auto age = bucketized("age", {.boundaries = {18, 25, 30, 35, 40, 45, 50, 55, 60, 65}});
//     std::vector<FeatureColumn> wide = {vocabulary("workclass"), occupation, age,
//                                        crossed({age, occupation}, 10000)};
//     std::vector<FeatureColumn> deep = {numeric("age"), indicator(vocabulary("workclass")),
//                                        embedding(occupation, 8)};
//
// A column is either numbers (numeric, dates) or categories (all that gives ids). Linear models
// take both; networks take numbers, so categories go in by indicator() or embedding(). What is left
// open here (vocabularies, means, quantiles) is learnt from the training rows by Transform. The
// model is TensorFlow's tf.feature_column; ids agree with its.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thalweg/nn/embedding_bag.h"

namespace thalweg {

struct ColumnDef;

/// A handle of an immutable description; cheap to copy.
class FeatureColumn {
 public:
  explicit FeatureColumn(std::shared_ptr<const ColumnDef> def) : def_(std::move(def)) {}

  /// Its name in models: "age", "age_bucketized", "age_bucketized_X_occupation",
  /// "occupation_indicator", "occupation_embedding".
  const std::string& key() const;
  /// Whether it gives ids rather than numbers.
  bool is_categorical() const;
  /// The columns of the table that it reads, each once.
  std::vector<std::string> table_columns() const;
  const ColumnDef& def() const { return *def_; }
  friend bool operator==(const FeatureColumn& a, const FeatureColumn& b);

 private:
  std::shared_ptr<const ColumnDef> def_;
};

/// As in model files, and back. Throws invalid_argument naming what is wrong and where.
std::string to_json(const FeatureColumn& column);
FeatureColumn parse_feature_column(const std::string& json);

namespace columns {

enum class Scaling {
  kNone,
  kStandardize,  // (x - mean) / deviation of the training rows
  kMinMax,       // (x - least) / (most - least) of them
  kLog,          // log(1 + x - least), then standardised; below the least as at the least
};
enum class Impute { kMean, kMedian, kZero };

struct NumericOptions {
  Scaling scaling = Scaling::kStandardize;
  /// What stands for a missing value: of the training rows.
  Impute missing = Impute::kMean;
  /// A second number, 1 where the value is missing; by default when one is, in the training rows.
  std::optional<bool> missing_indicator = {};
};
FeatureColumn numeric(const std::string& column, const NumericOptions& options = {});

struct BucketOptions {
  /// Ascending; n boundaries make n + 1 buckets [a, b).
  std::vector<double> boundaries = {};
  /// Instead: so many buckets that hold equally many training rows.
  int64_t quantiles = 0;
};
/// Categories; a missing value has none.
FeatureColumn bucketized(const std::string& column, const BucketOptions& options);

struct VocabularyOptions {
  /// Given values; empty: those of the training rows, the most frequent first.
  std::vector<std::string> values = {};
  /// Of values learnt: how often one must occur, and how many are kept at most.
  int64_t min_count = 1;
  int64_t most = 100000;
  /// Buckets, by hash, after the vocabulary for values that are not in it; 0: those have no id.
  int64_t oov_buckets = 1;
};
FeatureColumn vocabulary(const std::string& column, const VocabularyOptions& options = {});
/// One value a line, in `path`, which the model folder and exported models carry along.
FeatureColumn vocabulary_file(const std::string& column, const std::string& path,
                              int64_t oov_buckets = 1);
/// FarmHash Fingerprint64 of the text (integers: of their decimal digits) modulo `buckets`.
FeatureColumn hashed(const std::string& column, int64_t buckets);
/// Integers in [0, buckets); others have the id `otherwise`, or are an error without it.
FeatureColumn identity(const std::string& column, int64_t buckets,
                       std::optional<int64_t> otherwise = {});
/// Every combination of the values of `parts` (categories; bucketized() counts by its bucket,
/// others by their raw text), hashed as TensorFlow does; none when one of them is missing.
FeatureColumn crossed(const std::vector<FeatureColumn>& parts, int64_t buckets);
/// The same of raw columns.
FeatureColumn crossed(const std::vector<std::string>& columns, int64_t buckets);
/// Ids of `category`, each counted by the number in `weight_column`; at most 0: not at all.
FeatureColumn weighted(const FeatureColumn& category, const std::string& weight_column);

struct TextOptions {
  bool lower_case = true;
  /// Words, and runs of up to so many words.
  int64_t ngrams = 1;
  /// Ids by hash into so many buckets; 0: by a vocabulary learnt from the training rows.
  int64_t hash_buckets = 0;
  int64_t min_count = 2;
  int64_t most = 50000;
  /// Weights tf * idf, each row of length 1, instead of one a word. idf = log((1 + n) / (1 + d)) +
  /// 1 of n training rows, d of them with the word.
  bool tf_idf = true;
  /// Further words are left out, with a count.
  int64_t most_words = 1000;
};
/// Categories: the words of a text, many a row.
FeatureColumn text(const std::string& column, const TextOptions& options = {});

struct ListOptions {
  std::string separator = " ";
  int64_t hash_buckets = 0;  // 0: a learnt vocabulary
  int64_t most_values = 1000;
};
/// Categories: several values in one cell, "red|green", in their order.
FeatureColumn list(const std::string& column, const ListOptions& options = {});

/// Numbers: the parts of a date YYYY-MM-DD, perhaps with a time hh:mm[:ss] after T or a blank: the
/// year standardised; month, day of month, day of week and hour as sine and cosine of their cycle.
FeatureColumn date(const std::string& column);

/// Numbers: how often each id occurs in the row, weights honoured.
FeatureColumn indicator(const FeatureColumn& category);

struct EmbeddingOptions {
  Combiner combiner = Combiner::kMean;
  /// Deviation of the initial truncated normal; 0: 1 / sqrt(dimension).
  double deviation = 0;
};
/// Numbers: a trained vector of `dimension` for each id.
FeatureColumn embedding(const FeatureColumn& category, int64_t dimension,
                        const EmbeddingOptions& options = {});
/// Several categories with as many ids, from one trained table; one column each.
std::vector<FeatureColumn> shared_embedding(const std::vector<FeatureColumn>& categories,
                                            int64_t dimension,
                                            const EmbeddingOptions& options = {});

}  // namespace columns
}  // namespace thalweg
