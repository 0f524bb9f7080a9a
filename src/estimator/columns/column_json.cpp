// Feature columns as in model files. Options are always written, so that other defaults of a later
// version change no model.
#include <array>
#include <utility>

#include "estimator/bytes_json.h"
#include "estimator/columns/column_def.h"
#include "thalweg/estimator/columns.h"

namespace thalweg {
namespace {

using columns::Impute;
using columns::Scaling;

template <class E>
struct Name {
  E value;
  std::string_view name;
};
template <class E, size_t n>
using Names = std::array<Name<E>, n>;

constexpr auto kKinds = std::to_array<Name<ColumnKind>>({
    {ColumnKind::kNumeric, "numeric"},
    {ColumnKind::kBucketized, "bucketized"},
    {ColumnKind::kVocabulary, "vocabulary"},
    {ColumnKind::kVocabularyFile, "vocabulary_file"},
    {ColumnKind::kHashed, "hashed"},
    {ColumnKind::kIdentity, "identity"},
    {ColumnKind::kRaw, "raw"},
    {ColumnKind::kCrossed, "crossed"},
    {ColumnKind::kWeighted, "weighted"},
    {ColumnKind::kText, "text"},
    {ColumnKind::kList, "list"},
    {ColumnKind::kDate, "date"},
    {ColumnKind::kIndicator, "indicator"},
    {ColumnKind::kEmbedding, "embedding"},
});
constexpr auto kScalings = std::to_array<Name<Scaling>>({{Scaling::kNone, "none"},
                                                         {Scaling::kStandardize, "standardize"},
                                                         {Scaling::kMinMax, "min_max"},
                                                         {Scaling::kLog, "log"},
                                                         {Scaling::kGiven, "given"}});
constexpr auto kImputes = std::to_array<Name<Impute>>(
    {{Impute::kMean, "mean"}, {Impute::kMedian, "median"}, {Impute::kZero, "zero"}});
constexpr auto kCombiners = std::to_array<Name<Combiner>>(
    {{Combiner::kSum, "sum"}, {Combiner::kMean, "mean"}, {Combiner::kSqrtN, "sqrtn"}});

template <class E, size_t n>
std::string name_in(const Names<E, n>& names, E value) {
  for (const auto& [key, name] : names) {
    if (key == value) return std::string(name);
  }
  throw internal_error("a value without a name: ", static_cast<int>(value));
}

template <class E, size_t n>
E value_in(const Names<E, n>& names, std::string_view word, std::string_view what) {
  std::vector<std::string> options;
  for (const auto& [key, name] : names) {
    if (name == word) return key;
    options.emplace_back(name);
  }
  throw invalid_argument("`", what, "` is ", shown(word), ", expected one of ",
                         join(options, ", "));
}

template <class E, size_t n>
E field(const Json& json, const char* key, const Names<E, n>& names) {
  return value_in(names, json_field<std::string>(json, key), key);
}

Json to_json_value(const ColumnDef& def);

Json parts_json(const std::vector<FeatureColumn>& parts) {
  Json result = Json::array();
  for (const FeatureColumn& part : parts) result.push_back(to_json_value(part.def()));
  return result;
}

void put_embedding(Json& json, const ColumnDef& def) {
  json["dimension"] = def.dimension;
  json["combiner"] = name_in(kCombiners, def.embedding.combiner);
  json["deviation"] = def.embedding.deviation;
  if (!def.shared.empty()) json["shared"] = bytes_json(def.shared);
}

Json to_json_value(const ColumnDef& def) {
  Json json;
  json["kind"] = name_in(kKinds, def.kind);
  if (reads_table(def.kind)) json["column"] = bytes_json(def.column);
  if (!def.parts.empty()) json["of"] = parts_json(def.parts);
  switch (def.kind) {
    case ColumnKind::kNumeric:
      json["scaling"] = name_in(kScalings, def.numeric.scaling);
      json["missing"] = name_in(kImputes, def.numeric.missing);
      if (def.numeric.missing_indicator) {
        json["missing_indicator"] = *def.numeric.missing_indicator;
      }
      if (def.numeric.scaling == Scaling::kGiven) {
        json["shift"] = def.numeric.shift;
        json["scale"] = def.numeric.scale;
      }
      break;
    case ColumnKind::kBucketized:
      if (def.bucketing.quantiles > 0) {
        json["quantiles"] = def.bucketing.quantiles;
      } else {
        json["boundaries"] = def.bucketing.boundaries;
      }
      break;
    case ColumnKind::kVocabulary:
      if (!def.vocabulary.values.empty()) json["values"] = bytes_list_json(def.vocabulary.values);
      json["min_count"] = def.vocabulary.min_count;
      json["most"] = def.vocabulary.most;
      json["oov_buckets"] = def.vocabulary.oov_buckets;
      break;
    case ColumnKind::kVocabularyFile:
      json["path"] = bytes_json(def.path);
      json["oov_buckets"] = def.vocabulary.oov_buckets;
      break;
    case ColumnKind::kIdentity:
      if (def.otherwise) json["otherwise"] = *def.otherwise;
      [[fallthrough]];
    case ColumnKind::kHashed:
    case ColumnKind::kCrossed: json["buckets"] = def.buckets; break;
    case ColumnKind::kText:
      json["lower_case"] = def.text.lower_case;
      json["ngrams"] = def.text.ngrams;
      json["hash_buckets"] = def.text.hash_buckets;
      json["min_count"] = def.text.min_count;
      json["most"] = def.text.most;
      json["tf_idf"] = def.text.tf_idf;
      json["most_words"] = def.text.most_words;
      break;
    case ColumnKind::kList:
      json["separator"] = bytes_json(def.list.separator);
      json["hash_buckets"] = def.list.hash_buckets;
      json["min_count"] = def.list.min_count;
      json["most"] = def.list.most;
      json["most_values"] = def.list.most_values;
      break;
    case ColumnKind::kEmbedding: put_embedding(json, def); break;
    case ColumnKind::kRaw:
    case ColumnKind::kWeighted:
    case ColumnKind::kDate:
    case ColumnKind::kIndicator: break;
  }
  return json;
}

FeatureColumn parse(const Json& json);

std::vector<FeatureColumn> parse_parts(const Json& json, size_t least, size_t most) {
  const Json& list = json_at(json, "of");
  if (!list.is_array() || list.size() < least || list.size() > most) {
    throw invalid_argument("`of` is ", kind_of(list), " of ", list.size(),
                           " parts, expected a list of ",
                           most == least ? str(least) : str("at least ", least));
  }
  std::vector<FeatureColumn> parts;
  for (const Json& part : list) parts.push_back(parse(part));
  return parts;
}

FeatureColumn parse_embedding(const Json& json) {
  const FeatureColumn category = parse_parts(json, 1, 1)[0];
  const columns::EmbeddingOptions options = {.combiner = field(json, "combiner", kCombiners),
                                             .deviation = json_field<double>(json, "deviation")};
  const FeatureColumn column =
      columns::embedding(category, json_field<int64_t>(json, "dimension"), options);
  if (!json.contains("shared")) return column;
  ColumnDef def = column.def();
  def.key = category.key() + "_shared_embedding";
  def.shared = bytes_field(json, "shared");
  return FeatureColumn(std::make_shared<const ColumnDef>(std::move(def)));
}

columns::NumericOptions parse_numeric(const Json& json) {
  columns::NumericOptions options = {.scaling = field(json, "scaling", kScalings),
                                     .missing = field(json, "missing", kImputes)};
  if (json.contains("missing_indicator")) {
    options.missing_indicator = json_field<bool>(json, "missing_indicator");
  }
  options.shift = json_field_or<double>(json, "shift", 0);
  options.scale = json_field_or<double>(json, "scale", 1);
  return options;
}

columns::VocabularyOptions parse_vocabulary(const Json& json) {
  return {.values = json.contains("values") ? bytes_list_field(json, "values")
                                            : std::vector<std::string>(),
          .min_count = json_field<int64_t>(json, "min_count"),
          .most = json_field<int64_t>(json, "most"),
          .oov_buckets = json_field<int64_t>(json, "oov_buckets")};
}

columns::TextOptions parse_text(const Json& json) {
  return {.lower_case = json_field<bool>(json, "lower_case"),
          .ngrams = json_field<int64_t>(json, "ngrams"),
          .hash_buckets = json_field<int64_t>(json, "hash_buckets"),
          .min_count = json_field<int64_t>(json, "min_count"),
          .most = json_field<int64_t>(json, "most"),
          .tf_idf = json_field<bool>(json, "tf_idf"),
          .most_words = json_field<int64_t>(json, "most_words")};
}

columns::ListOptions parse_list(const Json& json) {
  return {.separator = bytes_field(json, "separator"),
          .hash_buckets = json_field<int64_t>(json, "hash_buckets"),
          .min_count = json_field<int64_t>(json, "min_count"),
          .most = json_field<int64_t>(json, "most"),
          .most_values = json_field<int64_t>(json, "most_values")};
}

FeatureColumn parse(const Json& json) {
  const ColumnKind kind = field(json, "kind", kKinds);
  const auto column = [&] { return bytes_field(json, "column"); };
  switch (kind) {
    case ColumnKind::kNumeric: return columns::numeric(column(), parse_numeric(json));
    case ColumnKind::kBucketized:
      return columns::bucketized(
          column(), {.boundaries = json_field_or<std::vector<double>>(json, "boundaries", {}),
                     .quantiles = json_field_or<int64_t>(json, "quantiles", 0)});
    case ColumnKind::kVocabulary: return columns::vocabulary(column(), parse_vocabulary(json));
    case ColumnKind::kVocabularyFile:
      return columns::vocabulary_file(column(), bytes_field(json, "path"),
                                      json_field<int64_t>(json, "oov_buckets"));
    case ColumnKind::kHashed:
      return columns::hashed(column(), json_field<int64_t>(json, "buckets"));
    case ColumnKind::kIdentity: {
      std::optional<int64_t> otherwise;
      if (json.contains("otherwise")) otherwise = json_field<int64_t>(json, "otherwise");
      return columns::identity(column(), json_field<int64_t>(json, "buckets"), otherwise);
    }
    case ColumnKind::kRaw:
      return FeatureColumn(std::make_shared<const ColumnDef>(
          ColumnDef{.kind = kind, .key = column(), .column = column()}));
    case ColumnKind::kCrossed:
      return columns::crossed(parse_parts(json, 2, 1000), json_field<int64_t>(json, "buckets"));
    case ColumnKind::kWeighted: return columns::weighted(parse_parts(json, 1, 1)[0], column());
    case ColumnKind::kText: return columns::text(column(), parse_text(json));
    case ColumnKind::kList: return columns::list(column(), parse_list(json));
    case ColumnKind::kDate: return columns::date(column());
    case ColumnKind::kIndicator: return columns::indicator(parse_parts(json, 1, 1)[0]);
    case ColumnKind::kEmbedding: return parse_embedding(json);
  }
  throw internal_error("a kind of feature column that is none");
}

}  // namespace

std::string_view to_string(ColumnKind kind) {
  for (const auto& [key, name] : kKinds) {
    if (key == kind) return name;
  }
  return "unknown";
}

std::string to_json(const FeatureColumn& column) { return to_json_value(column.def()).dump(); }

FeatureColumn parse_feature_column(const std::string& json) {
  try {
    return parse(parse_json(json));
  } catch (Error& error) {
    error.add_context("feature column");
    throw;
  }
}

}  // namespace thalweg
