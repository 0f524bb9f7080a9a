#include "estimator/head_json.h"

namespace thalweg {
namespace {

// Files of before there were several outputs hold a number.
std::vector<double> numbers(const Json& json, const char* key) {
  if (!json.contains(key)) return {};
  if (json[key].is_number()) return {json[key].get<double>()};
  return json_value<std::vector<double>>(json[key], key);
}

ClassWeights to_class_weights(const Json& json) {
  ClassWeights weights;
  weights.balanced = json_field_or(json, "balanced", false);
  if (!json.contains("given")) return weights;
  const Json& given = json["given"];
  if (!given.is_object())
    throw invalid_argument("`given` is ", kind_of(given), ", expected an object");
  for (const auto& [name, value] : given.items()) {
    weights.given[name] = json_value<double>(value, name);
  }
  return weights;
}

HeadSpec::Part to_part(const Json& json) {
  return {.name = json_field<std::string>(json, "name"),
          .head = to_head(json_at(json, "head")),
          .weight = json_field<double>(json, "weight")};
}

}  // namespace

Json from_head(const HeadSpec& spec) {
  Json json = {{"kind", to_string(spec.kind)}};
  if (!spec.labels.empty()) json["labels"] = spec.labels;
  if (!spec.weight.empty()) json["weight"] = spec.weight;
  if (spec.class_weights.balanced) json["class_weights"]["balanced"] = true;
  if (!spec.class_weights.given.empty()) json["class_weights"]["given"] = spec.class_weights.given;
  if (!spec.classes.empty()) json["classes"] = spec.classes;
  if (!spec.positive.empty()) json["positive"] = spec.positive;
  if (spec.kind == HeadKind::kQuantile) json["quantiles"] = spec.quantiles;
  if (spec.kind == HeadKind::kMultiLabel) json["separator"] = spec.separator;
  for (const HeadSpec::Part& part : spec.parts) {
    json["parts"].push_back(
        {{"name", part.name}, {"head", from_head(part.head)}, {"weight", part.weight}});
  }
  return json;
}

HeadSpec to_head(const Json& json) {
  HeadSpec spec;
  spec.kind = parse_head_kind(json_field<std::string>(json, "kind"));
  spec.labels = json_field_or(json, "labels", std::vector<std::string>());
  spec.weight = json_field_or(json, "weight", std::string());
  if (json.contains("class_weights")) spec.class_weights = to_class_weights(json["class_weights"]);
  spec.classes = json_field_or(json, "classes", std::vector<std::string>());
  spec.positive = json_field_or(json, "positive", std::string());
  spec.quantiles = json_field_or(json, "quantiles", spec.quantiles);
  spec.separator = json_field_or(json, "separator", spec.separator);
  if (json.contains("parts")) {
    for (const Json& part : json["parts"]) spec.parts.push_back(to_part(part));
  }
  return spec;
}

Json from_label(const LabelSpec& label) {
  Json json = Json::object();
  if (!label.column.empty()) json["column"] = label.column;
  if (!label.class_names.empty()) {
    json["class_names"] = label.class_names;
    json["by_name"] = label.by_name;
    json["class_counts"] = label.class_counts;
  } else if (label.parts.empty()) {
    json["mean"] = label.mean;
    json["deviation"] = label.deviation;
    json["standardized"] = label.standardized;
  }
  if (!label.prior.empty()) json["prior"] = label.prior;
  if (!label.class_weights.empty()) json["class_weights"] = label.class_weights;
  for (const LabelSpec& part : label.parts) json["parts"].push_back(from_label(part));
  return json;
}

LabelSpec to_label(const Json& json) {
  LabelSpec label;
  label.column = json_field_or(json, "column", std::string());
  label.class_names = json_field_or(json, "class_names", std::vector<std::string>());
  label.by_name = json_field_or(json, "by_name", false);
  label.class_counts = json_field_or(json, "class_counts", std::vector<int64_t>());
  label.mean = numbers(json, "mean");
  label.deviation = numbers(json, "deviation");
  if (label.mean.size() != label.deviation.size()) {
    throw invalid_argument("`mean` and `deviation` of the label differ in length");
  }
  label.standardized = json_field_or(json, "standardized", false);
  label.prior = json_field_or(json, "prior", std::vector<double>());
  label.class_weights = json_field_or(json, "class_weights", std::vector<double>());
  if (json.contains("parts")) {
    for (const Json& part : json["parts"]) label.parts.push_back(to_label(part));
  }
  return label;
}

}  // namespace thalweg
