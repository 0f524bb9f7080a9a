// What a pass over the rows finds out about the words of a text() or the values of a list(): they
// come from the nodes that will split later texts.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "estimator/columns/transform_state.h"

namespace thalweg {

class WordScan {
 public:
  /// `column` is a text() or a list() that has something to learn.
  explicit WordScan(const FeatureColumn& column);
  ~WordScan();
  static bool is_needed(const FeatureColumn& column);

  const FeatureColumn& column() const { return column_; }
  void add(const data::Column& cells);
  /// Throws invalid_argument when no word occurs often enough.
  ColumnFit finish() const;
  /// Counts may be too small by so much, as the rarest words were forgotten on the way.
  int64_t forgotten() const { return forgotten_; }
  int64_t distinct() const { return static_cast<int64_t>(words_.size()); }

 private:
  struct Count {
    int64_t words = 0;
    int64_t rows = 0;  // in which it occurs
    int64_t last_row = -1;
  };
  struct Splitter;
  void add_words(const Tensor& rows, const Tensor& words);
  void add_buckets(const Tensor& rows, const Tensor& buckets);
  void forget_rarest();
  float idf(int64_t rows) const;

  FeatureColumn column_;
  std::unique_ptr<Splitter> splitter_;
  std::unordered_map<std::string, Count> words_;
  std::vector<Count> buckets_;  // of hashed words
  int64_t rows_ = 0;
  int64_t forgotten_ = 0;
};

}  // namespace thalweg
