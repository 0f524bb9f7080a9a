#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "estimator/head.h"
#include "thalweg/base/error.h"
#include "thalweg/data/numeric_csv.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/normalization.h"

namespace thalweg {
namespace {

constexpr size_t kMostNamesInMessage = 20;

/// The labels as texts, integers in decimal.
std::vector<std::string> texts_of(const Tensor& labels) {
  if (labels.dtype() == kString) {
    const auto texts = labels.data<std::string>();
    return {texts.begin(), texts.end()};
  }
  if (!is_integer(labels.dtype()) && labels.dtype() != kBool) {
    throw invalid_argument("labels are of dtype ", labels.dtype(),
                           ", but classes are integers or texts; a Regressor predicts numbers");
  }
  const Tensor values = labels.cast(kInt64);
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(labels.num_elements()));
  for (const int64_t value : values.data<int64_t>()) texts.push_back(str(value));
  return texts;
}

std::string listed(const std::vector<std::string>& names) {
  if (names.size() <= kMostNamesInMessage) return join(names, ", ");
  const std::span<const std::string> first(names.data(), kMostNamesInMessage);
  return str(join(first, ", "), ", ... (", names.size(), ")");
}

class ClassifierScore : public Score {
 public:
  ClassifierScore(size_t classes, size_t commonest)
      : commonest_(commonest),
        confusion_(classes, std::vector<int64_t>(classes)),
        not_finite_(classes) {}

  void add(const Tensor& labels, const Tensor& predictions, const Tensor&, double loss) override {
    const int64_t* label = labels.data<int64_t>().data();
    const float* row = predictions.data<float>().data();
    const size_t classes = confusion_.size();
    for (int64_t i = 0; i < labels.dim(0); ++i, row += classes) {
      const auto truth = static_cast<size_t>(label[i]);
      const std::optional<size_t> best = best_class({row, classes});
      ++(best ? confusion_[truth][*best] : not_finite_[truth]);
    }
    examples_ += labels.dim(0);
    loss_ += loss * static_cast<double>(labels.dim(0));
  }

  EvaluationReport report() const override {
    int64_t right = 0;
    for (size_t i = 0; i < confusion_.size(); ++i) right += confusion_[i][i];
    const auto& common = confusion_[commonest_];
    const int64_t common_count =
        std::accumulate(common.begin(), common.end(), not_finite_[commonest_]);
    const auto n = static_cast<double>(examples_);
    EvaluationReport report;
    report.metrics = {{"loss", loss_ / n}, {"accuracy", static_cast<double>(right) / n}};
    report.baseline = {{"accuracy", static_cast<double>(common_count) / n}};
    report.examples = examples_;
    report.weight = n;
    report.confusion = confusion_;
    report.not_finite = not_finite_;
    return report;
  }

 private:
  size_t commonest_;
  std::vector<std::vector<int64_t>> confusion_;
  std::vector<int64_t> not_finite_;  // by label
  int64_t examples_ = 0;
  double loss_ = 0;
};

class ClassifierHead : public Head {
 public:
  using Head::Head;

  std::string_view kind() const override { return "classifier"; }
  DType label_dtype() const override { return kInt64; }
  std::unique_ptr<Head> clone() const override { return std::make_unique<ClassifierHead>(*this); }
  int64_t outputs() const override { return static_cast<int64_t>(label_.class_names.size()); }
  Shape prediction_shape(int64_t rows) const override { return {rows, outputs()}; }
  std::vector<std::string> prediction_names() const override { return label_.class_names; }

  void learn_labels(const Tensor& labels) override {
    if (label_.class_names.empty()) {
      label_.class_names = data::class_names(distinct(labels));
      label_.by_name = !counts_from_zero();
    }
    std::set<std::string_view> names;
    for (const std::string& name : label_.class_names) {
      if (names.insert(name).second) continue;
      throw invalid_argument("class_names holds '", name,
                             "' twice; each class needs a name of its own");
    }
    if (label_.class_names.size() < 2) {
      throw invalid_argument("all labels are '",
                             label_.class_names.empty() ? std::string() : label_.class_names[0],
                             "'; a classifier needs two classes or more to tell apart");
    }
    label_.class_counts.assign(label_.class_names.size(), 0);
    const Tensor encoded = encode(labels);
    for (const int64_t i : encoded.data<int64_t>()) ++label_.class_counts[static_cast<size_t>(i)];
  }

  void learn_training_labels(const Tensor&, const Tensor&) override {}

  Tensor encode(const Tensor& given) const override {
    const Tensor labels = label_vector(given);
    if (labels.dtype() == kString || label_.by_name) return encode_names(texts_of(labels));
    const Tensor indices = integers(labels);
    const auto classes = static_cast<int64_t>(label_.class_names.size());
    int64_t row = 0;
    for (const int64_t index : indices.data<int64_t>()) {
      if (index < 0 || index >= classes) throw unknown_label(str(index), row);
      ++row;
    }
    return indices;
  }

  data::RowSplit split(const Tensor& encoded, double fraction, uint64_t seed) const override {
    return data::stratified_split(encoded, fraction, seed);
  }

  void check_output(const Output& output) const override {
    const auto classes = static_cast<int64_t>(label_.class_names.size());
    const Shape wanted{kUnknownDim, classes};
    if (output.shape().has_rank() && output.shape().rank() == 2 &&
        output.shape().is_compatible_with(wanted)) {
      return;
    }
    throw invalid_argument("the network gives ", output.shape(), ", but there are ", classes,
                           " classes (", listed(label_.class_names), "), so ", wanted,
                           " is expected: end it with a Dense of ", classes, " units");
  }

  Output loss(Output labels, Output output, Output weights) const override {
    return losses::sparse_softmax_cross_entropy(labels, output, weights);
  }
  std::vector<Metric> metrics(Output labels, Output output, Output weights) const override {
    return {metrics::accuracy(labels, output, weights)};
  }
  Output predictions(Output output) const override { return softmax(output); }

  std::unique_ptr<Score> make_score() const override {
    return std::make_unique<ClassifierScore>(label_.class_names.size(), commonest());
  }

  std::vector<Figure> baseline(const Tensor& encoded, const Tensor&) const override {
    const auto labels = encoded.data<int64_t>();
    const auto hits = std::ranges::count(labels, static_cast<int64_t>(commonest()));
    return {{"accuracy", static_cast<double>(hits) / static_cast<double>(labels.size())}};
  }

 private:
  static Tensor integers(const Tensor& labels) {
    if (is_integer(labels.dtype()) || labels.dtype() == kBool) return labels.cast(kInt64);
    throw invalid_argument("labels are of dtype ", labels.dtype(),
                           ", but classes are integers or texts; a Regressor predicts numbers");
  }

  // Texts once for each different label, not for each row.
  static std::vector<std::string> distinct(const Tensor& given) {
    const Tensor labels = label_vector(given);
    if (labels.dtype() == kString) return texts_of(labels);
    const Tensor values = integers(labels);
    std::map<int64_t, bool> seen;
    for (const int64_t value : values.data<int64_t>()) seen[value] = true;
    std::vector<std::string> texts;
    for (const auto& [value, found] : seen) texts.push_back(str(value));
    return texts;
  }

  bool counts_from_zero() const {
    for (size_t i = 0; i < label_.class_names.size(); ++i) {
      if (label_.class_names[i] != str(i)) return false;
    }
    return true;
  }

  Tensor encode_names(const std::vector<std::string>& texts) const {
    std::unordered_map<std::string_view, int64_t> places;
    for (const std::string& name : label_.class_names) {
      places.emplace(name, static_cast<int64_t>(places.size()));
    }
    Tensor result(kInt64, {static_cast<int64_t>(texts.size())});
    const auto out = result.mutable_data<int64_t>();
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto found = places.find(texts[i]);
      if (found == places.end()) throw unknown_label(texts[i], static_cast<int64_t>(i));
      out[i] = found->second;
    }
    return result;
  }

  Error unknown_label(const std::string& label, int64_t row) const {
    return invalid_argument(
        "the label '", label, "' (in row ", row + 1, " of its batch) is none of the ",
        label_.class_names.size(), " classes: ",
        label_.by_name
            ? listed(label_.class_names)
            : str("0 to ", label_.class_names.size() - 1, " (", listed(label_.class_names), ")"));
  }

  size_t commonest() const {
    const auto& counts = label_.class_counts;
    if (counts.empty()) return 0;
    return static_cast<size_t>(std::ranges::max_element(counts) - counts.begin());
  }
};

}  // namespace

std::optional<size_t> best_class(std::span<const float> probabilities) {
  if (!std::ranges::all_of(probabilities, [](float p) { return std::isfinite(p); })) return {};
  return static_cast<size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
}

std::unique_ptr<Head> make_classifier_head(LabelSpec label) {
  return std::make_unique<ClassifierHead>(std::move(label));
}

std::unique_ptr<Head> make_head(std::string_view kind, LabelSpec label) {
  return kind == "classifier" ? make_classifier_head(std::move(label))
                              : make_regressor_head(std::move(label));
}

Tensor label_vector(const Tensor& labels) {
  if (labels.rank() == 1) return labels;
  if (labels.rank() == 2 && labels.dim(1) == 1) return labels.reshape({labels.dim(0)});
  throw invalid_argument("labels have the shape ", labels.shape(),
                         ", expected one for each row: [rows]");
}

}  // namespace thalweg
