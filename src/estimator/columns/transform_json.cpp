// A fitted transform as in model files. Numbers are written with all their digits.
#include <cmath>

#include "estimator/bytes_json.h"
#include "estimator/columns/transform_state.h"

namespace thalweg {
namespace {

using Kind = ColumnKind;

Json fit_json(const ColumnFit& fit) {
  Json json = Json::object();
  json["shift"] = fit.shift;
  json["scale"] = fit.scale;
  json["fill"] = fit.fill;
  json["least"] = fit.least;
  json["indicator"] = fit.indicator;
  json["has_time"] = fit.has_time;
  if (!fit.boundaries.empty()) json["boundaries"] = fit.boundaries;
  if (!fit.vocabulary.empty()) json["vocabulary"] = bytes_list_json(fit.vocabulary);
  if (!fit.idf.empty()) json["idf"] = fit.idf;
  return json;
}

ColumnFit parse_fit(const Json& json) {
  ColumnFit fit;
  fit.shift = json_field<double>(json, "shift");
  fit.scale = json_field<double>(json, "scale");
  fit.fill = json_field<double>(json, "fill");
  fit.least = json_field<double>(json, "least");
  fit.indicator = json_field<bool>(json, "indicator");
  fit.has_time = json_field<bool>(json, "has_time");
  fit.boundaries = json_field_or<std::vector<double>>(json, "boundaries", {});
  if (json.contains("vocabulary")) fit.vocabulary = bytes_list_field(json, "vocabulary");
  fit.idf = json_field_or<std::vector<float>>(json, "idf", {});
  return fit;
}

Json input_json(const FittedInput& input) {
  return {{"column", bytes_json(input.column)}, {"type", data::to_string(input.type)},
          {"dtype", to_string(input.dtype)},    {"as_number", input.as_number},
          {"is_wide", input.is_wide},           {"offset", input.offset}};
}

FittedInput parse_input(const Json& json) {
  FittedInput input;
  input.column = bytes_field(json, "column");
  input.type = data::parse_column_type(json_field<std::string>(json, "type"));
  const auto dtype = json_field<std::string>(json, "dtype");
  input.dtype = kInvalid;
  for (const DType known : {kString, kFloat32, kFloat64}) {
    if (dtype == to_string(known)) input.dtype = known;
  }
  if (input.dtype == kInvalid) {
    throw invalid_argument("`dtype` is '", dtype, "', expected string, float32 or float64");
  }
  input.as_number = json_field<bool>(json, "as_number");
  input.is_wide = json_field<bool>(json, "is_wide");
  input.offset = json_field<double>(json, "offset");
  return input;
}

Json facts_json(const ColumnFacts& facts) {
  Json commonest = Json::array();
  for (const auto& [value, count] : facts.commonest) {
    commonest.push_back({{"value", bytes_json(value)}, {"count", count}});
  }
  return {{"column", bytes_json(facts.column)},
          {"type", facts.type},
          {"rows", facts.rows},
          {"missing", facts.missing},
          {"distinct", facts.distinct},
          {"mean", facts.mean},
          {"deviation", facts.deviation},
          {"least", facts.least},
          {"most", facts.most},
          {"commonest", commonest},
          {"use", bytes_json(facts.use)}};
}

ColumnFacts parse_facts(const Json& json) {
  ColumnFacts facts;
  facts.column = bytes_field(json, "column");
  facts.type = json_field<std::string>(json, "type");
  facts.rows = json_field<int64_t>(json, "rows");
  facts.missing = json_field<int64_t>(json, "missing");
  facts.distinct = json_field<int64_t>(json, "distinct");
  facts.mean = json_field<double>(json, "mean");
  facts.deviation = json_field<double>(json, "deviation");
  facts.least = json_field<double>(json, "least");
  facts.most = json_field<double>(json, "most");
  for (const Json& entry : json_at(json, "commonest")) {
    facts.commonest.emplace_back(bytes_field(entry, "value"), json_field<int64_t>(entry, "count"));
  }
  facts.use = bytes_field(json, "use");
  return facts;
}

const Json& list_at(const Json& json, const char* key) {
  const Json& list = json_at(json, key);
  if (!list.is_array())
    throw invalid_argument("`", key, "` is ", kind_of(list), ", expected a list");
  return list;
}

// What the graph relies on: a damaged file is told here, not by a node.
void check(const Transform::State& state) {
  visit_columns(state.columns, [&](const FeatureColumn& column) {
    const ColumnDef& def = column.def();
    const ColumnFit& fit = state.fit(column);
    const auto require = [&](bool right, std::string_view what) {
      if (!right) throw invalid_argument("column ", shown(column.key()), ": ", what);
    };
    for (const std::string& name : column.table_columns()) {
      require(state.input_places.contains(name), "its input is missing");
    }
    require(std::isfinite(fit.scale) && fit.scale != 0, "its scale is no number to divide by");
    for (size_t i = 1; i < fit.boundaries.size(); ++i) {
      require(fit.boundaries[i] > fit.boundaries[i - 1], "its boundaries do not rise");
    }
    const bool learns_words = (def.kind == Kind::kText && def.text.hash_buckets == 0) ||
                              (def.kind == Kind::kList && def.list.hash_buckets == 0) ||
                              def.kind == Kind::kVocabulary || def.kind == Kind::kVocabularyFile;
    require(!learns_words || !fit.vocabulary.empty(), "its vocabulary is missing");
    if (def.kind == Kind::kText && def.text.tf_idf) {
      require(static_cast<int64_t>(fit.idf.size()) == state.buckets(column),
              "its weights by idf are not one an id");
    }
  });
}

}  // namespace

std::string Transform::to_json() const {
  const State& state = *state_;
  Json json;
  json["for_trees"] = state.options.for_trees;
  json["strict"] = state.options.strict;
  Json& columns = json["columns"] = Json::array();
  for (const FeatureColumn& column : state.columns) {
    columns.push_back(Json::parse(thalweg::to_json(column)));
  }
  Json& inputs = json["inputs"] = Json::array();
  for (const FittedInput& input : state.inputs) inputs.push_back(input_json(input));
  Json& fits = json["fits"] = Json::array();
  for (const auto& [key, fit] : state.fits) {
    fits.push_back({{"of", Json::parse(key)}, {"fit", fit_json(fit)}});
  }
  Json& facts = json["facts"] = Json::array();
  for (const ColumnFacts& found : state.facts) facts.push_back(facts_json(found));
  return json.dump();
}

Transform Transform::from_json(const std::string& text) {
  try {
    const Json json = parse_json(text);
    auto state = std::make_shared<State>();
    state->options.for_trees = json_field<bool>(json, "for_trees");
    state->options.strict = json_field<bool>(json, "strict");
    for (const Json& column : list_at(json, "columns")) {
      state->columns.push_back(parse_feature_column(column.dump()));
    }
    for (const Json& input : list_at(json, "inputs")) state->add_input(parse_input(input));
    for (const Json& entry : list_at(json, "fits")) {
      const FeatureColumn column = parse_feature_column(json_at(entry, "of").dump());
      state->fits[fit_key(column)] = parse_fit(json_at(entry, "fit"));
    }
    for (const Json& found : list_at(json, "facts")) state->facts.push_back(parse_facts(found));
    check(*state);
    state->lay_out();
    return Transform(std::move(state));
  } catch (Error& error) {
    error.add_context("feature columns of the model");
    throw;
  }
}

}  // namespace thalweg
