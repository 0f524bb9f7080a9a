#include "estimator/columns/word_scan.h"

#include <algorithm>
#include <cmath>

#include "estimator/columns/raw_cells.h"
#include "estimator/columns/transform_graph.h"
#include "thalweg/base/error.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/string.h"

namespace thalweg {
namespace {

// Words in memory at once.
constexpr size_t kMostWords = 2000000;

bool is_text(const FeatureColumn& column) { return column.def().kind == ColumnKind::kText; }
int64_t hash_buckets(const ColumnDef& def) {
  return def.kind == ColumnKind::kText ? def.text.hash_buckets : def.list.hash_buckets;
}

}  // namespace

// A graph from texts to the rows and words, or buckets, in them.
struct WordScan::Splitter {
  explicit Splitter(const FeatureColumn& column) : graph(standard_ops()), session(graph) {
    const ColumnDef& def = column.def();
    input = {.column = def.column};
    state.add_input(input);
    const Output raw = placeholder(graph, kString, {kUnknownDim});
    StageGraph stage(graph, state, {raw}, nullptr);
    const RowValues values = is_text(column) ? stage.words(column) : stage.list_values(column);
    Output found = values.values;
    if (hash_buckets(def) > 0) found = string_to_hash_bucket_fast(found, hash_buckets(def));
    split = session.make_callable({raw}, {values.rows, found});
  }

  Graph graph;
  Session session;
  Transform::State state;
  FittedInput input;
  Callable split;
};

WordScan::WordScan(const FeatureColumn& column)
    : column_(column), splitter_(std::make_unique<Splitter>(column)) {
  buckets_.resize(static_cast<size_t>(hash_buckets(column.def())));
}

WordScan::~WordScan() = default;

bool WordScan::is_needed(const FeatureColumn& column) {
  const ColumnDef& def = column.def();
  if (def.kind == ColumnKind::kText) return def.text.hash_buckets == 0 || def.text.tf_idf;
  return def.kind == ColumnKind::kList && def.list.hash_buckets == 0;
}

void WordScan::add(const data::Column& cells) {
  constexpr int64_t kRows = 4096;  // at once, so that memory is bounded
  for (int64_t begin = 0; begin < cells.size(); begin += kRows) {
    const int64_t end = std::min(cells.size(), begin + kRows);
    const Tensor texts = raw_cells(splitter_->input, cells, begin, end, rows_, kRows);
    const std::vector<Tensor> found = splitter_->split({texts});
    if (buckets_.empty()) {
      add_words(found[0], found[1]);
    } else {
      add_buckets(found[0], found[1]);
    }
    rows_ += end - begin;
  }
}

void WordScan::add_words(const Tensor& rows, const Tensor& words) {
  const auto row = rows.data<int64_t>();
  const auto word = words.data<std::string>();
  for (size_t i = 0; i < word.size(); ++i) {
    Count& count = words_[word[i]];
    ++count.words;
    if (count.last_row != rows_ + row[i]) ++count.rows;
    count.last_row = rows_ + row[i];
    if (words_.size() > kMostWords) forget_rarest();
  }
}

void WordScan::add_buckets(const Tensor& rows, const Tensor& buckets) {
  const auto row = rows.data<int64_t>();
  const auto bucket = buckets.data<int64_t>();
  for (size_t i = 0; i < bucket.size(); ++i) {
    Count& count = buckets_[static_cast<size_t>(bucket[i])];
    if (count.last_row != rows_ + row[i]) ++count.rows;
    count.last_row = rows_ + row[i];
  }
}

// Lossy counting, see ValueCounts.
void WordScan::forget_rarest() {
  int64_t least = 1;
  while (words_.size() > kMostWords / 2) {
    ++least;
    std::erase_if(words_, [&](const auto& entry) { return entry.second.words < least; });
  }
  forgotten_ += least - 1;
}

float WordScan::idf(int64_t rows) const {
  const auto n = static_cast<double>(rows_), d = static_cast<double>(rows);
  return static_cast<float>(std::log((1 + n) / (1 + d)) + 1);
}

ColumnFit WordScan::finish() const {
  const ColumnDef& def = column_.def();
  ColumnFit fit;
  for (const Count& bucket : buckets_) fit.idf.push_back(idf(bucket.rows));
  if (!buckets_.empty()) return fit;

  const bool text = is_text(column_);
  const int64_t min_count = text ? def.text.min_count : def.list.min_count;
  const int64_t most = text ? def.text.most : def.list.most;
  std::vector<std::pair<std::string_view, const Count*>> words;
  for (const auto& [word, count] : words_) {
    if (count.words >= min_count) words.emplace_back(word, &count);
  }
  if (words.empty()) {
    throw invalid_argument("column ", shown(def.column), ": none of ", words_.size(),
                           text ? " words" : " values", " occurs at least ", min_count,
                           " times: lower `min_count`, or leave the column out");
  }
  const size_t kept = std::min(words.size(), static_cast<size_t>(most));
  std::partial_sort(words.begin(), words.begin() + static_cast<int64_t>(kept), words.end(),
                    [](const auto& a, const auto& b) {
                      return a.second->words != b.second->words ? a.second->words > b.second->words
                                                                : a.first < b.first;
                    });
  words.resize(kept);
  for (const auto& [word, count] : words) {
    fit.vocabulary.emplace_back(word);
    if (text && def.text.tf_idf) fit.idf.push_back(idf(count->rows));
  }
  return fit;
}

}  // namespace thalweg
