// Plain sentences of what is done with each column of the table.
#include <cmath>
#include <cstdio>

#include "estimator/columns/transform_state.h"
#include "thalweg/base/printable.h"

namespace thalweg {
namespace {

using columns::Impute;
using columns::Scaling;
using Kind = ColumnKind;

// Four digits, for people.
std::string brief(double x) {
  if (std::abs(x) >= 1000 && std::abs(x) < 1e15) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", x);
    return text;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

// "1 bucket", "2 buckets", "3 categories".
std::string counted(int64_t n, std::string_view what) {
  if (n == 1) return str("1 ", what);
  return what.ends_with('y') ? str(n, " ", what.substr(0, what.size() - 1), "ies")
                             : str(n, " ", what, "s");
}

// Of a state that is fitted but not yet laid out.
class Describer {
 public:
  explicit Describer(const Transform::State& state) : state_(state), uses_(state.inputs.size()) {
    visit_columns(state.columns, [&](const FeatureColumn& column) { all_.push_back(column); });
  }

  /// One text an input.
  std::vector<std::string> uses() {
    for (const FeatureColumn& column : all_) {
      if (reads_table(column.def().kind)) add(column.def().column, say(column));
    }
    for (const FeatureColumn& column : all_) {
      if (column.def().kind == Kind::kCrossed) add_cross(column);
    }
    for (const FittedInput& input : state_.inputs) {
      if (!input.is_wide) continue;
      add(input.column, str("read as float64 less ", input.offset,
                            ", as float32 would round its differences away"));
    }
    return std::move(uses_);
  }

 private:
  std::string say(const FeatureColumn& column) const;
  std::string numeric(const FeatureColumn& column) const;
  std::string category(const FeatureColumn& column, const std::string& goes) const;
  std::string where_it_goes(const FeatureColumn& category) const;
  void add(const std::string& column, const std::string& sentence);
  void add_cross(const FeatureColumn& cross);

  const Transform::State& state_;
  std::vector<FeatureColumn> all_;
  std::vector<std::string> uses_;
};

std::string Describer::numeric(const FeatureColumn& column) const {
  const ColumnDef& def = column.def();
  const ColumnFit& fit = state_.fit(column);
  const FittedInput& input = state_.input(def.column);
  const ColumnFacts& facts = state_.facts[static_cast<size_t>(state_.input_index(def.column))];
  if (state_.options.for_trees) return "a number as it is; missing values have a branch";
  std::string use;
  switch (def.numeric.scaling) {
    case Scaling::kNone: use = "a number as it is"; break;
    case Scaling::kStandardize:
      use = str("standardised (mean ", brief(facts.mean), ", deviation ", brief(facts.deviation),
                ")");
      break;
    case Scaling::kMinMax:
      use = str("scaled from [", brief(facts.least), ", ", brief(facts.most), "] to [0, 1]");
      break;
    case Scaling::kLog:
      use = str("logarithm of 1 + x - ", brief(facts.least), ", standardised");
      break;
    case Scaling::kGiven: use = str("(x - ", def.numeric.shift, ") / ", def.numeric.scale); break;
  }
  constexpr const char* kFills[] = {"the mean ", "the median ", ""};
  const std::string fill =
      str(kFills[static_cast<size_t>(def.numeric.missing)], brief(fit.fill + input.offset));
  if (facts.missing > 0) {
    use += str("; missing values become ", fill, " (", facts.missing, " of ", facts.rows, ")");
  } else {
    use += str("; a missing value would become ", fill);
  }
  if (fit.indicator) use += ", told by a second number";
  return use;
}

std::string Describer::where_it_goes(const FeatureColumn& category) const {
  std::string places;
  for (const FeatureColumn& column : all_) {
    const ColumnDef& def = column.def();
    if (def.parts.empty() || !(def.category() == category)) continue;
    if (def.kind == Kind::kEmbedding) {
      places += str(", as a vector of ", def.dimension);
      if (!def.shared.empty()) places += " from a shared table";
    }
    if (def.kind == Kind::kIndicator) places += ", as 0 or 1 each";
  }
  return places;
}

std::string Describer::category(const FeatureColumn& column, const std::string& goes) const {
  const ColumnDef& def = column.def();
  const auto known = static_cast<int64_t>(state_.fit(column).vocabulary.size());
  const auto others = [&](int64_t buckets) {
    return buckets == 0 ? std::string("; others have no id")
                        : str("; others go to ", counted(buckets, "bucket"));
  };
  switch (def.kind) {
    case Kind::kBucketized: return counted(state_.buckets(column), "bucket") + goes;
    case Kind::kVocabulary:
      return str(counted(known, "category"), def.vocabulary.values.empty() ? " learnt" : " given",
                 goes, others(def.vocabulary.oov_buckets));
    case Kind::kVocabularyFile:
      return str(counted(known, "category"), " of ", printable(def.path), goes,
                 others(def.vocabulary.oov_buckets));
    case Kind::kHashed: return str("categories hashed to ", counted(def.buckets, "bucket"), goes);
    case Kind::kIdentity:
      return str("ids from 0 to ", def.buckets - 1, goes,
                 def.otherwise ? str("; others become ", *def.otherwise) : std::string());
    case Kind::kText: {
      std::string use = def.text.hash_buckets > 0
                            ? str("words hashed to ", counted(def.text.hash_buckets, "bucket"))
                            : str(counted(known, "word"), " learnt");
      if (def.text.ngrams > 1) use += str(", runs of up to ", def.text.ngrams, " among them");
      return use + (def.text.tf_idf ? ", weighted by tf-idf" : "") + goes;
    }
    case Kind::kList:
      return def.list.hash_buckets > 0
                 ? str("lists of values hashed to ", counted(def.list.hash_buckets, "bucket"), goes)
                 : str("lists of ", counted(known, "value"), " learnt", goes, others(1));
    default: return {};
  }
}

std::string Describer::say(const FeatureColumn& column) const {
  const ColumnDef& def = column.def();
  if (def.kind == Kind::kNumeric) return numeric(column);
  if (def.kind == Kind::kDate) {
    return state_.fit(column).has_time ? "a date with its time: year and place in the cycles of "
                                         "month, day, weekday and hour"
                                       : "a date: year and place in the cycles of month, day and "
                                         "weekday";
  }
  if (def.kind == Kind::kWeighted) return str("weights of ", printable(def.category().key()));
  if (def.kind == Kind::kRaw) return {};
  std::string use = category(column, where_it_goes(column));
  const ColumnFacts& facts = state_.facts[static_cast<size_t>(state_.input_index(def.column))];
  if (facts.missing > 0 && !use.empty()) {
    use += str("; missing values have none (", facts.missing, " of ", facts.rows, ")");
  }
  return use;
}

void Describer::add(const std::string& column, const std::string& sentence) {
  std::string& use = uses_[static_cast<size_t>(state_.input_index(column))];
  if (!use.empty() && !sentence.empty()) use += "; ";
  use += sentence;
}

void Describer::add_cross(const FeatureColumn& cross) {
  const std::vector<std::string> names = cross.table_columns();
  for (const std::string& name : names) {
    std::string others;
    for (const std::string& other : names) {
      if (other != name) others += str(others.empty() ? "" : ", ", shown(other));
    }
    add(name, str("crossed with ", others, " in ", counted(cross.def().buckets, "bucket")));
  }
}

}  // namespace

void describe_uses(Transform::State& state) {
  std::vector<std::string> uses = Describer(state).uses();
  for (size_t i = 0; i < uses.size(); ++i) state.facts[i].use = std::move(uses[i]);
}

}  // namespace thalweg
