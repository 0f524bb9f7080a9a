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
//
// Missing cells follow one rule. A number is replaced (Impute), and a second number says so when
// training rows lack one. A category has no id, so it adds nothing: zeros of an indicator, of an
// embedding, of a linear weight; and so has a cross with a missing part. A weight counts 0.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thalweg/estimator/feature_column.h"
#include "thalweg/nn/embedding_bag.h"

namespace thalweg {

namespace columns {

enum class Scaling {
  kNone,
  kStandardize,  // (x - mean) / deviation of the training rows
  kMinMax,       // (x - least) / (most - least) of them
  kLog,          // log(1 + x - least), then standardised; below the least as at the least
  kGiven,        // (x - shift) / scale
};
enum class Impute { kMean, kMedian, kZero };

struct NumericOptions {
  Scaling scaling = Scaling::kStandardize;
  /// What stands for a missing value: of the training rows.
  Impute missing = Impute::kMean;
  /// A second number, 1 where the value is missing; by default when one is, in the training rows.
  std::optional<bool> missing_indicator = {};
  double shift = 0, scale = 1;  // of kGiven
};
FeatureColumn numeric(const std::string& column, const NumericOptions& options = {});

struct BucketOptions {
  /// Ascending; n boundaries make n + 1 buckets [a, b).
  std::vector<double> boundaries = {};
  /// Instead: so many buckets that hold equally many training rows.
  int64_t quantiles = 0;
};
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
/// One value a line, in `path`, which is read when the transform is fitted: models hold the values,
/// not the path.
FeatureColumn vocabulary_file(const std::string& column, const std::string& path,
                              int64_t oov_buckets = 1);
/// FarmHash Fingerprint64 of the text (integers: of their decimal digits) modulo `buckets`.
FeatureColumn hashed(const std::string& column, int64_t buckets);
/// Integers in [0, buckets); others have the id `otherwise`, or are an error without it (in
/// exported models: none).
FeatureColumn identity(const std::string& column, int64_t buckets,
                       std::optional<int64_t> otherwise = {});
/// The raw text of a table's column, or the value of a category.
struct CrossPart {
  CrossPart(FeatureColumn column) : column(std::move(column)) {}  // NOLINT: implicit by design
  CrossPart(const std::string& table_column);                     // NOLINT
  CrossPart(const char* table_column) : CrossPart(std::string(table_column)) {}  // NOLINT
  FeatureColumn column;
};
/// One type for `crossed({"a", "b"}, n)`, `crossed({age, "b"}, n)` and vectors of either.
struct CrossParts {
  CrossParts(std::initializer_list<CrossPart> parts) : parts(parts) {}
  CrossParts(const std::vector<FeatureColumn>& columns)  // NOLINT
      : parts(columns.begin(), columns.end()) {}
  CrossParts(const std::vector<std::string>& table_columns)  // NOLINT
      : parts(table_columns.begin(), table_columns.end()) {}
  std::vector<CrossPart> parts;
};
/// Every combination of the values of `parts`, hashed as TensorFlow does; none when one of them is
/// missing. bucketized() and identity() count by their ids, other categories by their raw text,
/// crosses by their own parts.
FeatureColumn crossed(const CrossParts& parts, int64_t buckets);
/// Ids of `category`, each counted by the number in `weight_column`; at most 0, or missing: not at
/// all. Of a list(), as many numbers with the same separator.
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
  /// Further words are left out, with a count. Words are runs of letters, digits, `_` and inner
  /// apostrophes.
  int64_t most_words = 1000;
};
/// Categories: the words of a text, many a row.
FeatureColumn text(const std::string& column, const TextOptions& options = {});

struct ListOptions {
  std::string separator = " ";
  /// Ids by hash into so many buckets; 0: by a vocabulary learnt from the training rows, and one
  /// bucket more for all other values.
  int64_t hash_buckets = 0;
  int64_t min_count = 1;
  int64_t most = 100000;
  /// Further values are left out, with a count.
  int64_t most_values = 1000;
};
/// Categories: several values in one cell, "red|green", in their order; blanks around them and
/// empty ones do not count.
FeatureColumn list(const std::string& column, const ListOptions& options = {});

/// Numbers: the parts of a date YYYY-MM-DD, perhaps with a time hh:mm[:ss] after T or a blank: the
/// year standardised; month, day of month, day of week and (when a training row has a time) hour as
/// sine and cosine of their cycle. Missing: zeros, and a number that tells when training rows lack
/// one. Of trees: year, month, day, weekday (Monday is 0) and hour as they are.
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
