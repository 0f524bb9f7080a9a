#include "estimator/linear/design_matrix.h"

#include <algorithm>

#include "thalweg/base/error.h"
#include "thalweg/base/parallel.h"

namespace thalweg::linear {
namespace {

using Kind = Transform::Place::Kind;

int64_t checked_id(int64_t id, const Term& term) {
  if (id < term.place.buckets) return id;
  throw invalid_argument("'", term.variable, "' has ", term.place.buckets,
                         " rows, but its column holds the id ", id);
}

// Calls f(id, weight) for what counts of a row's bag.
template <class F>
void for_each_word(const PreparedRows::Bag& bag, int64_t row, const Term& term, F&& f) {
  const int64_t width = bag.ids->dim(1);
  const int64_t* ids = bag.ids->data<int64_t>().data() + row * width;
  const float* weights = bag.weights->data<float>().data() + row * width;
  for (int64_t i = 0; i < width; ++i) {
    if (ids[i] >= 0 && weights[i] > 0) f(checked_id(ids[i], term), weights[i]);
  }
}

}  // namespace

DesignMatrix::DesignMatrix(const PreparedRows& rows, const std::vector<Term>& terms)
    : rows_(rows.rows) {
  std::vector<int64_t> columns;
  for (size_t t = 0; t < terms.size(); ++t) {
    if (terms[t].place.kind != Kind::kNumbers) continue;
    const std::vector<int64_t>& indices = terms[t].place.indices;
    for (size_t i = 0; i < indices.size(); ++i) {
      places_.push_back({static_cast<int32_t>(t), static_cast<int64_t>(i)});
      columns.push_back(indices[i]);
    }
  }
  numbers_ = static_cast<int64_t>(columns.size());
  take_numbers(rows, columns);
  take_ids(rows, terms);
  take_bags(rows, terms);
  if (features() > numbers_) index_features();
}

void DesignMatrix::take_numbers(const PreparedRows& rows, const std::vector<int64_t>& columns) {
  dense_.resize(static_cast<size_t>(blocks() * numbers_ * kBlock));
  if (columns.empty()) return;
  const float* in = rows.numbers->data<float>().data();
  const int64_t width = rows.numbers->dim(1);
  parallel_for(blocks(), std::max<int64_t>(1, 64 / numbers_), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      float* out = dense_.data() + b * numbers_ * kBlock;
      const int64_t count = std::min(kBlock, rows_ - b * kBlock);
      for (int64_t i = 0; i < count; ++i) {
        const float* row = in + (b * kBlock + i) * width;
        for (int64_t d = 0; d < numbers_; ++d) out[d * kBlock + i] = row[columns[d]];
      }
    }
  });
}

std::vector<int32_t> DesignMatrix::number_ids(int32_t term, int64_t buckets,
                                              const std::vector<bool>& occurs) {
  std::vector<int32_t> features(static_cast<size_t>(buckets), -1);
  for (int64_t id = 0; id < buckets; ++id) {
    if (!occurs[static_cast<size_t>(id)]) continue;
    features[static_cast<size_t>(id)] = static_cast<int32_t>(places_.size());
    places_.push_back({term, id});
  }
  return features;
}

void DesignMatrix::take_ids(const PreparedRows& rows, const std::vector<Term>& terms) {
  id_columns_ = std::ranges::count(terms, Kind::kIds, [](const Term& t) { return t.place.kind; });
  ids_.assign(static_cast<size_t>(blocks() * id_columns_ * kBlock), -1);
  int64_t column = 0;
  for (size_t t = 0; t < terms.size(); ++t) {
    const Term& term = terms[t];
    if (term.place.kind != Kind::kIds) continue;
    const int64_t width = rows.ids->dim(1);
    const int64_t* in = rows.ids->data<int64_t>().data() + term.place.indices.at(0);
    std::vector<bool> occurs(static_cast<size_t>(term.place.buckets));
    for (int64_t i = 0; i < rows_; ++i) {
      if (in[i * width] >= 0) occurs[static_cast<size_t>(checked_id(in[i * width], term))] = true;
    }
    const auto features = number_ids(static_cast<int32_t>(t), term.place.buckets, occurs);
    for (int64_t i = 0; i < rows_; ++i) {
      const int64_t id = in[i * width];
      if (id < 0) continue;
      ids_[static_cast<size_t>((i / kBlock * id_columns_ + column) * kBlock + i % kBlock)] =
          features[static_cast<size_t>(id)];
    }
    ++column;
  }
}

void DesignMatrix::take_bags(const PreparedRows& rows, const std::vector<Term>& terms) {
  // Where each bag's ids went, by term.
  std::vector<std::pair<size_t, std::vector<int32_t>>> bags;
  for (size_t t = 0; t < terms.size(); ++t) {
    const Term& term = terms[t];
    if (term.place.kind != Kind::kBag) continue;
    const PreparedRows::Bag& bag = rows.bags.at(static_cast<size_t>(term.place.indices.at(0)));
    std::vector<bool> occurs(static_cast<size_t>(term.place.buckets));
    for (int64_t i = 0; i < rows_; ++i) {
      for_each_word(bag, i, term,
                    [&](int64_t id, float) { occurs[static_cast<size_t>(id)] = true; });
    }
    bags.emplace_back(t, number_ids(static_cast<int32_t>(t), term.place.buckets, occurs));
  }
  const auto none = static_cast<int32_t>(places_.size());
  std::ranges::replace(ids_, -1, none);
  if (bags.empty()) return;
  words_.begin.push_back(0);
  for (int64_t i = 0; i < rows_; ++i) {
    for (const auto& bag_features : bags) {
      const Term& term = terms[bag_features.first];
      const auto& features = bag_features.second;
      const PreparedRows::Bag& bag = rows.bags[static_cast<size_t>(term.place.indices[0])];
      for_each_word(bag, i, term, [&](int64_t id, float weight) {
        words_.features.push_back(features[static_cast<size_t>(id)]);
        words_.values.push_back(weight);
      });
    }
    words_.begin.push_back(static_cast<int64_t>(words_.features.size()));
  }
}

void DesignMatrix::index_features() {
  const int64_t count = features() - numbers_;
  by_feature_.begin.assign(static_cast<size_t>(count) + 1, 0);
  // Calls f(feature, row, value) in the order of rows for each feature.
  const auto for_each = [&](auto&& f) {
    for (int64_t b = 0; b < blocks(); ++b) {
      for (int64_t c = 0; c < id_columns_; ++c) {
        const int32_t* ids = ids_.data() + (b * id_columns_ + c) * kBlock;
        for (int64_t i = 0; i < kBlock; ++i) {
          if (ids[i] < features()) f(ids[i] - numbers_, b * kBlock + i, 1.0f);
        }
      }
    }
    if (words_.begin.empty()) return;
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t e = words_.begin[i]; e < words_.begin[i + 1]; ++e) {
        f(words_.features[e] - numbers_, i, words_.values[e]);
      }
    }
  };
  for_each([&](int64_t feature, int64_t, float) { ++by_feature_.begin[feature + 1]; });
  for (int64_t f = 0; f < count; ++f) by_feature_.begin[f + 1] += by_feature_.begin[f];
  std::vector<int64_t> next(by_feature_.begin.begin(), by_feature_.begin.end() - 1);
  const auto entries = static_cast<size_t>(by_feature_.begin.back());
  by_feature_.rows.resize(entries);
  const bool weighted = !words_.begin.empty();
  if (weighted) by_feature_.values.resize(entries);
  for_each([&](int64_t feature, int64_t row, float value) {
    const int64_t at = next[feature]++;
    by_feature_.rows[at] = static_cast<int32_t>(row);
    if (weighted) by_feature_.values[at] = value;
  });
}

std::vector<double> DesignMatrix::square_sums(const float* weights) const {
  std::vector<double> sums(places_.size());
  parallel_for(numbers_, std::max<int64_t>(1, 200'000 / rows_), [&](int64_t begin, int64_t end) {
    for (int64_t d = begin; d < end; ++d) {
      for (int64_t b = 0; b < blocks(); ++b) {
        const float* x = dense_.data() + (b * numbers_ + d) * kBlock;
        float block_sum = 0;
        for (int64_t i = 0; i < kBlock; ++i) block_sum += weights[b * kBlock + i] * x[i] * x[i];
        sums[d] += block_sum;
      }
    }
  });
  for (int64_t f = numbers_; f < features(); ++f) {
    for (int64_t e = by_feature_.begin[f - numbers_]; e < by_feature_.begin[f - numbers_ + 1];
         ++e) {
      const float value = by_feature_.values.empty() ? 1.0f : by_feature_.values[e];
      sums[f] += weights[by_feature_.rows[e]] * value * value;
    }
  }
  return sums;
}

void DesignMatrix::expand(int64_t block, float* table) const {
  std::copy_n(dense_.data() + block * numbers_ * kBlock, numbers_ * kBlock, table);
  std::fill_n(table + numbers_ * kBlock, (features() - numbers_) * kBlock, 0.0f);
  for (int64_t c = 0; c < id_columns_; ++c) {
    const int32_t* ids = ids_.data() + (block * id_columns_ + c) * kBlock;
    for (int64_t i = 0; i < kBlock; ++i) {
      if (ids[i] < features()) table[ids[i] * kBlock + i] += 1;
    }
  }
  if (words_.begin.empty()) return;
  for (int64_t i = block * kBlock; i < std::min(rows_, (block + 1) * kBlock); ++i) {
    for (int64_t e = words_.begin[i]; e < words_.begin[i + 1]; ++e) {
      table[words_.features[e] * kBlock + i % kBlock] += words_.values[e];
    }
  }
}

}  // namespace thalweg::linear
