#include "thalweg/estimator/columns.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "estimator/columns/column_def.h"
#include "thalweg/base/error.h"
#include "thalweg/base/printable.h"

namespace thalweg {
namespace {

FeatureColumn made(ColumnDef def) {
  return FeatureColumn(std::make_shared<const ColumnDef>(std::move(def)));
}

void check_at_least(std::string_view who, std::string_view option, int64_t value, int64_t least) {
  if (value >= least) return;
  throw invalid_argument(who, ": `", option, "` is ", value, ", expected at least ", least);
}

// Values that may stand in a vocabulary: none twice, none empty, as empty is missing.
void check_values(std::string_view who, const std::vector<std::string>& values) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) {
      throw invalid_argument(who, ": value ", i + 1,
                             " is empty, which means missing: leave it out");
    }
    if (!seen.insert(values[i]).second) {
      throw invalid_argument(who, ": the value ", shown(values[i]), " stands there twice");
    }
  }
}

const FeatureColumn& checked_category(std::string_view function, const FeatureColumn& column) {
  if (column.is_categorical()) return column;
  throw invalid_argument(function, "(): '", printable(column.key()),
                         "' gives numbers, expected categories: bucketized(), vocabulary(), "
                         "hashed(), ...");
}

// Nested crosses count by their leaves.
void add_leaves(const FeatureColumn& part, std::vector<FeatureColumn>& leaves) {
  const ColumnDef& def = part.def();
  if (def.kind == ColumnKind::kCrossed) {
    for (const FeatureColumn& inner : def.parts) add_leaves(inner, leaves);
    return;
  }
  checked_category("crossed", part);
  if (def.kind == ColumnKind::kWeighted) {
    throw invalid_argument("crossed(): '", printable(part.key()),
                           "' has weights, which a cross has no place for: cross the category "
                           "without them");
  }
  leaves.push_back(part);
}

std::string joined_keys(std::vector<FeatureColumn> parts, std::string_view separator) {
  std::ranges::sort(parts, {}, &FeatureColumn::key);
  std::string key;
  for (const FeatureColumn& part : parts) {
    if (!key.empty()) key += separator;
    key += part.key();
  }
  return key;
}

}  // namespace

const std::string& FeatureColumn::key() const { return def_->key; }

bool FeatureColumn::is_categorical() const {
  switch (def_->kind) {
    case ColumnKind::kNumeric:
    case ColumnKind::kDate:
    case ColumnKind::kIndicator:
    case ColumnKind::kEmbedding: return false;
    default: return true;
  }
}

std::vector<std::string> FeatureColumn::table_columns() const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const FeatureColumn& part : def_->parts) {
    for (const std::string& name : part.table_columns()) add(name);
  }
  if (reads_table(def_->kind)) add(def_->column);
  return names;
}

bool operator==(const FeatureColumn& a, const FeatureColumn& b) {
  if (a.def_ == b.def_) return true;
  return a.def_->kind == b.def_->kind && a.key() == b.key() && to_json(a) == to_json(b);
}

bool reads_table(ColumnKind kind) {
  return kind != ColumnKind::kCrossed && kind != ColumnKind::kIndicator &&
         kind != ColumnKind::kEmbedding;
}

bool is_bag(const FeatureColumn& category) {
  const ColumnDef& def = category.def();
  switch (def.kind) {
    case ColumnKind::kText:
    case ColumnKind::kList:
    case ColumnKind::kWeighted: return true;
    case ColumnKind::kCrossed: return std::ranges::any_of(def.parts, is_bag);
    default: return false;
  }
}

std::string shown(std::string_view text) {
  constexpr size_t kLongest = 60;
  if (text.size() <= kLongest) return str("'", printable(text), "'");
  size_t end = kLongest;  // between characters of UTF-8
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return str("'", printable(text.substr(0, end)), "...'");
}

namespace columns {

FeatureColumn numeric(const std::string& column, const NumericOptions& options) {
  const std::string who = str("numeric(", shown(column), ")");
  if (options.scaling == Scaling::kGiven) {
    if (!std::isfinite(options.shift) || !std::isfinite(options.scale) || options.scale == 0) {
      throw invalid_argument(who, ": (x - ", options.shift, ") / ", options.scale,
                             " is no scaling: both must be finite, `scale` not 0");
    }
  } else if (options.shift != 0 || options.scale != 1) {
    throw invalid_argument(who, ": `shift` and `scale` are given, but the scaling is not kGiven");
  }
  return made({.kind = ColumnKind::kNumeric, .key = column, .column = column, .numeric = options});
}

FeatureColumn bucketized(const std::string& column, const BucketOptions& options) {
  const std::string who = str("bucketized(", shown(column), ")");
  const auto& boundaries = options.boundaries;
  if (boundaries.empty() == (options.quantiles == 0)) {
    throw invalid_argument(who, ": give either `boundaries` or `quantiles`, the number of buckets");
  }
  if (boundaries.empty()) check_at_least(who, "quantiles", options.quantiles, 2);
  for (size_t i = 0; i < boundaries.size(); ++i) {
    if (!std::isfinite(boundaries[i])) {
      throw invalid_argument(who, ": boundary ", i + 1, " is ", boundaries[i],
                             ", expected a finite number");
    }
    if (i > 0 && boundaries[i] <= boundaries[i - 1]) {
      throw invalid_argument(who, ": boundaries must rise, but ", boundaries[i], " comes after ",
                             boundaries[i - 1]);
    }
  }
  return made({.kind = ColumnKind::kBucketized,
               .key = column + "_bucketized",
               .column = column,
               .bucketing = options});
}

FeatureColumn vocabulary(const std::string& column, const VocabularyOptions& options) {
  const std::string who = str("vocabulary(", shown(column), ")");
  check_values(who, options.values);
  check_at_least(who, "min_count", options.min_count, 1);
  check_at_least(who, "most", options.most, 1);
  check_at_least(who, "oov_buckets", options.oov_buckets, 0);
  return made(
      {.kind = ColumnKind::kVocabulary, .key = column, .column = column, .vocabulary = options});
}

FeatureColumn vocabulary_file(const std::string& column, const std::string& path,
                              int64_t oov_buckets) {
  const std::string who = str("vocabulary_file(", shown(column), ")");
  if (path.empty()) throw invalid_argument(who, ": the path is empty");
  check_at_least(who, "oov_buckets", oov_buckets, 0);
  return made({.kind = ColumnKind::kVocabularyFile,
               .key = column,
               .column = column,
               .vocabulary = {.oov_buckets = oov_buckets},
               .path = path});
}

FeatureColumn hashed(const std::string& column, int64_t buckets) {
  check_at_least(str("hashed(", shown(column), ")"), "buckets", buckets, 1);
  return made({.kind = ColumnKind::kHashed, .key = column, .column = column, .buckets = buckets});
}

FeatureColumn identity(const std::string& column, int64_t buckets,
                       std::optional<int64_t> otherwise) {
  const std::string who = str("identity(", shown(column), ")");
  check_at_least(who, "buckets", buckets, 1);
  if (otherwise && (*otherwise < 0 || *otherwise >= buckets)) {
    throw invalid_argument(who, ": `otherwise` is ", *otherwise, ", expected an id in [0, ",
                           buckets, ")");
  }
  return made({.kind = ColumnKind::kIdentity,
               .key = column,
               .column = column,
               .buckets = buckets,
               .otherwise = otherwise});
}

CrossPart::CrossPart(const std::string& table_column)
    : column(made({.kind = ColumnKind::kRaw, .key = table_column, .column = table_column})) {}

FeatureColumn crossed(const CrossParts& parts, int64_t buckets) {
  std::vector<FeatureColumn> leaves;
  for (const CrossPart& part : parts.parts) add_leaves(part.column, leaves);
  if (leaves.size() < 2) {
    throw invalid_argument("crossed(): ", leaves.size(), " columns, expected at least two");
  }
  const std::string key = joined_keys(leaves, "_X_");
  check_at_least(str("crossed() of ", shown(key)), "buckets", buckets, 1);
  return made(
      {.kind = ColumnKind::kCrossed, .key = key, .parts = std::move(leaves), .buckets = buckets});
}

FeatureColumn weighted(const FeatureColumn& category, const std::string& weight_column) {
  checked_category("weighted", category);
  const ColumnKind kind = category.def().kind;
  if (kind == ColumnKind::kWeighted || kind == ColumnKind::kText ||
      (kind == ColumnKind::kCrossed && is_bag(category))) {
    throw invalid_argument("weighted(): '", printable(category.key()),
                           "' cannot be given weights, expected a column with one value a row, or "
                           "a list()");
  }
  return made({.kind = ColumnKind::kWeighted,
               .key = str(category.key(), "_weighted_by_", weight_column),
               .column = weight_column,
               .parts = {category}});
}

FeatureColumn text(const std::string& column, const TextOptions& options) {
  const std::string who = str("text(", shown(column), ")");
  check_at_least(who, "ngrams", options.ngrams, 1);
  check_at_least(who, "hash_buckets", options.hash_buckets, 0);
  check_at_least(who, "min_count", options.min_count, 1);
  check_at_least(who, "most", options.most, 1);
  check_at_least(who, "most_words", options.most_words, 1);
  return made({.kind = ColumnKind::kText, .key = column, .column = column, .text = options});
}

FeatureColumn list(const std::string& column, const ListOptions& options) {
  const std::string who = str("list(", shown(column), ")");
  if (options.separator.empty()) throw invalid_argument(who, ": the separator is empty");
  check_at_least(who, "hash_buckets", options.hash_buckets, 0);
  check_at_least(who, "min_count", options.min_count, 1);
  check_at_least(who, "most", options.most, 1);
  check_at_least(who, "most_values", options.most_values, 1);
  return made({.kind = ColumnKind::kList, .key = column, .column = column, .list = options});
}

FeatureColumn date(const std::string& column) {
  return made({.kind = ColumnKind::kDate, .key = column, .column = column});
}

FeatureColumn indicator(const FeatureColumn& category) {
  checked_category("indicator", category);
  return made(
      {.kind = ColumnKind::kIndicator, .key = category.key() + "_indicator", .parts = {category}});
}

namespace {

void check_embedding(const FeatureColumn& category, int64_t dimension,
                     const EmbeddingOptions& options) {
  checked_category("embedding", category);
  const std::string who = str("embedding() of ", shown(category.key()));
  check_at_least(who, "dimension", dimension, 1);
  if (!(options.deviation >= 0) || !std::isfinite(options.deviation)) {
    throw invalid_argument(who, ": `deviation` is ", options.deviation,
                           ", expected a number of at least 0");
  }
}

}  // namespace

FeatureColumn embedding(const FeatureColumn& category, int64_t dimension,
                        const EmbeddingOptions& options) {
  check_embedding(category, dimension, options);
  return made({.kind = ColumnKind::kEmbedding,
               .key = category.key() + "_embedding",
               .parts = {category},
               .dimension = dimension,
               .embedding = options});
}

std::vector<FeatureColumn> shared_embedding(const std::vector<FeatureColumn>& categories,
                                            int64_t dimension, const EmbeddingOptions& options) {
  if (categories.size() < 2) {
    throw invalid_argument("shared_embedding(): ", categories.size(),
                           " categories, expected at least two; embedding() is for one");
  }
  for (const FeatureColumn& category : categories) check_embedding(category, dimension, options);
  const std::string shared = joined_keys(categories, "_") + "_shared_embedding";
  std::vector<FeatureColumn> result;
  for (const FeatureColumn& category : categories) {
    result.push_back(made({.kind = ColumnKind::kEmbedding,
                           .key = category.key() + "_shared_embedding",
                           .parts = {category},
                           .dimension = dimension,
                           .embedding = options,
                           .shared = shared}));
  }
  return result;
}

}  // namespace columns
}  // namespace thalweg
