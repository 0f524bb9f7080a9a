// Which column of which prepared tensor holds what.
#include <algorithm>
#include <cctype>
#include <set>

#include "estimator/columns/transform_state.h"
#include "thalweg/base/crc32c.h"
#include "thalweg/base/error.h"
#include "thalweg/base/printable.h"

namespace thalweg {
namespace {

using Kind = ColumnKind;

bool contains(const std::vector<FeatureColumn>& columns, const FeatureColumn& column) {
  return std::ranges::find(columns, column) != columns.end();
}

// The category that a column gives to networks, or the column itself when it gives numbers.
const FeatureColumn& prepared_of(const FeatureColumn& column) {
  const Kind kind = column.def().kind;
  return kind == Kind::kIndicator || kind == Kind::kEmbedding ? column.def().category() : column;
}

// "x", and "x_1" where another column has that name already.
std::string unique_in(std::set<std::string>& taken, const std::string& key) {
  std::string name = key;
  for (int i = 1; !taken.insert(name).second; ++i) name = str(key, "_", i);
  return name;
}

std::vector<std::string> bucket_names(const std::vector<double>& boundaries) {
  if (boundaries.empty()) return {"any"};
  std::vector<std::string> names = {str("< ", boundaries[0])};
  for (size_t i = 1; i < boundaries.size(); ++i) {
    names.push_back(str("[", boundaries[i - 1], ", ", boundaries[i], ")"));
  }
  names.push_back(str(">= ", boundaries.back()));
  return names;
}

std::vector<std::string> id_names(const Transform::State& state, const FeatureColumn& category) {
  const ColumnDef& def = category.def();
  if (def.kind == Kind::kWeighted) return id_names(state, def.category());
  if (def.kind == Kind::kBucketized) return bucket_names(state.fit(category).boundaries);
  std::vector<std::string> names = state.fit(category).vocabulary;
  if (names.empty()) return {};
  const auto others = state.buckets(category) - static_cast<int64_t>(names.size());
  for (int64_t i = 0; i < others; ++i) {
    names.push_back(others == 1 ? "(other)" : str("(other ", i + 1, ")"));
  }
  return names;
}

std::vector<std::string> date_parts(const ColumnFit& fit, bool for_trees) {
  std::vector<std::string> parts = {"year"};
  std::vector<std::string> cycles = {"month", "day", "weekday"};
  if (fit.has_time) cycles.emplace_back("hour");
  for (const std::string& cycle : cycles) {
    if (for_trees) {
      parts.push_back(cycle);
    } else {
      parts.push_back(cycle + "_sin");
      parts.push_back(cycle + "_cos");
    }
  }
  if (fit.indicator) parts.emplace_back("missing");
  return parts;
}

}  // namespace

std::string fit_key(const FeatureColumn& column) { return to_json(column); }

void visit_columns(const std::vector<FeatureColumn>& columns,
                   const std::function<void(const FeatureColumn&)>& f) {
  std::set<std::string> seen;
  const std::function<void(const FeatureColumn&)> visit = [&](const FeatureColumn& column) {
    if (!seen.insert(fit_key(column)).second) return;
    for (const FeatureColumn& part : column.def().parts) visit(part);
    f(column);
  };
  for (const FeatureColumn& column : columns) visit(column);
}

std::string node_name(std::string_view key) {
  std::string name;
  for (const char c : key) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
    name += plain ? c : '_';
  }
  if (name.empty() || std::isalnum(static_cast<unsigned char>(name[0])) == 0) {
    name = "column" + name;
  }
  return name == key ? name : str(name, "_", crc32c(key));
}

void Transform::State::add_input(FittedInput input) {
  input_places.emplace(input.column, static_cast<int>(inputs.size()));
  inputs.push_back(std::move(input));
}

int Transform::State::input_index(const std::string& column) const {
  const auto found = input_places.find(column);
  THALWEG_CHECK(found != input_places.end(), "no input ", shown(column));
  return found->second;
}

const ColumnFit& Transform::State::fit(const FeatureColumn& column) const {
  static const ColumnFit kNothing;
  const auto found = fits.find(fit_key(column));
  return found == fits.end() ? kNothing : found->second;
}

int64_t Transform::State::buckets(const FeatureColumn& category) const {
  const ColumnDef& def = category.def();
  const auto known = static_cast<int64_t>(fit(category).vocabulary.size());
  switch (def.kind) {
    case Kind::kBucketized: return static_cast<int64_t>(fit(category).boundaries.size()) + 1;
    case Kind::kVocabulary:
    case Kind::kVocabularyFile: return known + def.vocabulary.oov_buckets;
    case Kind::kText: return def.text.hash_buckets > 0 ? def.text.hash_buckets : known;
    case Kind::kList: return def.list.hash_buckets > 0 ? def.list.hash_buckets : known + 1;
    case Kind::kWeighted: return buckets(def.category());
    default: return def.buckets;
  }
}

void Transform::State::lay_out() {
  raw.clear();
  for (const FittedInput& input : inputs) raw.push_back({input.column, input.dtype});

  numbers.clear();
  ids.clear();
  bags.clear();
  for (const FeatureColumn& column : columns) {
    const FeatureColumn& given = prepared_of(column);
    auto& list = !given.is_categorical() ? numbers : is_bag(given) ? bags : ids;
    if (!contains(list, given)) list.push_back(given);
  }
  // Those that share a formula beside each other.
  std::ranges::stable_sort(numbers, {}, [](const FeatureColumn& column) {
    const ColumnDef& def = column.def();
    if (def.kind == Kind::kDate) return 2;
    return def.numeric.scaling == columns::Scaling::kLog ? 1 : 0;
  });

  prepared = {};
  number_places.assign(numbers.size(), {});
  std::set<std::string> taken;
  const auto add_number = [&](size_t i, const std::string& name) {
    number_places[i].push_back(static_cast<int64_t>(prepared.numbers.size()));
    prepared.numbers.push_back(unique_in(taken, name));
  };
  const auto is_date = [&](size_t i) { return numbers[i].def().kind == Kind::kDate; };
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!is_date(i)) add_number(i, numbers[i].key());
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!is_date(i) && fit(numbers[i]).indicator) add_number(i, numbers[i].key() + "_missing");
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!is_date(i)) continue;
    for (const std::string& part : date_parts(fit(numbers[i]), options.for_trees)) {
      add_number(i, str(numbers[i].key(), "_", part));
    }
  }
  taken.clear();
  const auto describe = [&](const FeatureColumn& category) {
    return PreparedSpec::Category{unique_in(taken, category.key()), buckets(category),
                                  id_names(*this, category)};
  };
  for (const FeatureColumn& category : ids) prepared.ids.push_back(describe(category));
  for (const FeatureColumn& category : bags) prepared.bags.push_back(describe(category));
}

Transform::Place Transform::place(const FeatureColumn& column) const {
  const FeatureColumn& given = prepared_of(column);
  const auto find = [&](const std::vector<FeatureColumn>& list) -> std::optional<int64_t> {
    const auto found = std::ranges::find(list, given);
    if (found == list.end()) return {};
    return found - list.begin();
  };
  if (const auto i = find(state_->numbers)) {
    return {Place::Kind::kNumbers, state_->number_places[static_cast<size_t>(*i)], 0};
  }
  if (const auto i = find(state_->ids)) return {Place::Kind::kIds, {*i}, state_->buckets(given)};
  if (const auto i = find(state_->bags)) return {Place::Kind::kBag, {*i}, state_->buckets(given)};
  throw invalid_argument("the transform was fitted without the column ", shown(column.key()),
                         ", or with one of that name and other options");
}

data::Spec PreparedSpec::components() const {
  data::Spec spec;
  if (!numbers.empty()) {
    spec.push_back({"numbers", kFloat32, {static_cast<int64_t>(numbers.size())}});
  }
  if (!ids.empty()) spec.push_back({"ids", kInt64, {static_cast<int64_t>(ids.size())}});
  for (const Category& bag : bags) {
    spec.push_back({bag.key + "/ids", kInt64, {kUnknownDim}});
    spec.push_back({bag.key + "/weights", kFloat32, {kUnknownDim}});
  }
  return spec;
}

}  // namespace thalweg
