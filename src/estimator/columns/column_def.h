// What a feature column says, as plain data: one struct for all kinds, of which a kind reads its
// own fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/estimator/columns.h"

namespace thalweg {

enum class ColumnKind {
  kNumeric,
  kBucketized,
  kVocabulary,
  kVocabularyFile,
  kHashed,
  kIdentity,
  kRaw,  // the text of a cell itself; only as a part of a cross
  kCrossed,
  kWeighted,
  kText,
  kList,
  kDate,
  kIndicator,
  kEmbedding,
};
/// "numeric", "bucketized", ...
std::string_view to_string(ColumnKind kind);

struct ColumnDef {
  ColumnKind kind = ColumnKind::kNumeric;
  std::string key = {};
  std::string column = {};                // of the table; of kWeighted the one with the weights
  std::vector<FeatureColumn> parts = {};  // of kCrossed; the category of the last three
  columns::NumericOptions numeric = {};
  columns::BucketOptions bucketing = {};
  columns::VocabularyOptions vocabulary = {};  // kVocabularyFile: oov_buckets alone
  std::string path = {};                       // of kVocabularyFile
  int64_t buckets = 0;                         // of kHashed, kIdentity, kCrossed
  std::optional<int64_t> otherwise = {};       // of kIdentity
  columns::TextOptions text = {};
  columns::ListOptions list = {};
  int64_t dimension = 0;  // of kEmbedding
  columns::EmbeddingOptions embedding = {};
  std::string shared = {};  // of kEmbedding: the name of a table that several share

  const FeatureColumn& category() const { return parts[0]; }
};

/// Whether the kind reads a column of the table itself (which may well have the name "").
bool reads_table(ColumnKind kind);

/// Whether a row may have several of its ids, or weights on them.
bool is_bag(const FeatureColumn& category);

/// 'a text' for messages: unprintable bytes written out, long ones cut.
std::string shown(std::string_view text);

}  // namespace thalweg
