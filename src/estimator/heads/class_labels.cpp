#include "estimator/heads/class_labels.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "estimator/head.h"
#include "thalweg/base/error.h"
#include "thalweg/data/numeric_csv.h"

namespace thalweg {
namespace {

constexpr size_t kMostNamesInMessage = 20;

Tensor integers(const Tensor& labels) {
  if (is_integer(labels.dtype()) || labels.dtype() == kBool) return labels.cast(kInt64);
  throw invalid_argument("labels are of dtype ", labels.dtype(),
                         ", but classes are integers or texts; a Regressor predicts numbers");
}

// The labels as texts, integers in decimal.
std::vector<std::string> texts_of(const Tensor& labels) {
  if (labels.dtype() == kString) {
    const auto texts = labels.data<std::string>();
    return {texts.begin(), texts.end()};
  }
  const Tensor values = integers(labels);
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(labels.num_elements()));
  for (const int64_t value : values.data<int64_t>()) texts.push_back(str(value));
  return texts;
}

// Texts once for each different label, not for each row.
std::vector<std::string> distinct(const Tensor& given) {
  const Tensor labels = label_vector(given);
  if (labels.dtype() == kString) return texts_of(labels);
  const Tensor values = integers(labels);
  const auto all = values.data<int64_t>();
  std::vector<std::string> texts;
  for (const int64_t value : std::set<int64_t>(all.begin(), all.end())) texts.push_back(str(value));
  return texts;
}

bool counts_from_zero(const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != str(i)) return false;
  }
  return true;
}

Error unknown_label(const LabelSpec& label, const std::string& text, int64_t row) {
  return invalid_argument("the label '", text, "' (in row ", row + 1,
                          " of its batch) is none of the ", label.class_names.size(), " classes: ",
                          label.by_name ? listed(label.class_names)
                                        : str("0 to ", label.class_names.size() - 1, " (",
                                              listed(label.class_names), ")"));
}

Tensor encode_names(const LabelSpec& label, const std::vector<std::string>& texts) {
  std::unordered_map<std::string_view, int64_t> places;
  for (const std::string& name : label.class_names) {
    places.emplace(name, static_cast<int64_t>(places.size()));
  }
  Tensor result(kInt64, {static_cast<int64_t>(texts.size())});
  const auto out = result.mutable_data<int64_t>();
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto found = places.find(texts[i]);
    if (found == places.end()) throw unknown_label(label, texts[i], static_cast<int64_t>(i));
    out[i] = found->second;
  }
  return result;
}

}  // namespace

void check_class_names(const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    throw invalid_argument("class_names holds '", name,
                           "' twice; each class needs a name of its own");
  }
  if (names.size() < 2) {
    throw invalid_argument("all labels are '", names.empty() ? std::string() : names[0],
                           "'; a classifier needs two classes or more to tell apart");
  }
}

void learn_classes(LabelSpec& label, const Tensor& labels) {
  if (label.class_names.empty()) {
    label.class_names = data::class_names(distinct(labels));
    label.by_name = !counts_from_zero(label.class_names);
  }
  check_class_names(label.class_names);
  label.class_counts.assign(label.class_names.size(), 0);
  const Tensor encoded = encode_classes(label, labels);
  for (const int64_t i : encoded.data<int64_t>()) ++label.class_counts[static_cast<size_t>(i)];
}

Tensor encode_classes(const LabelSpec& label, const Tensor& given) {
  const Tensor labels = label_vector(given);
  if (labels.dtype() == kString || label.by_name) return encode_names(label, texts_of(labels));
  Tensor indices = integers(labels);
  const auto classes = static_cast<int64_t>(label.class_names.size());
  int64_t row = 0;
  for (const int64_t index : indices.data<int64_t>()) {
    if (index < 0 || index >= classes) throw unknown_label(label, str(index), row);
    ++row;
  }
  return indices;
}

std::string listed(const std::vector<std::string>& names) {
  if (names.size() <= kMostNamesInMessage) return join(names, ", ");
  const std::span<const std::string> first(names.data(), kMostNamesInMessage);
  return str(join(first, ", "), ", ... (", names.size(), ")");
}

std::vector<double> class_shares(const LabelSpec& label) {
  if (!label.prior.empty()) return label.prior;
  std::vector<double> shares(label.class_counts.begin(), label.class_counts.end());
  shares.resize(label.class_names.size());
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share = total > 0 ? share / total : 0;
  return shares;
}

}  // namespace thalweg
