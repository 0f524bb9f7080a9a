// Words of stage 1: the same nodes split texts when a vocabulary is learnt and when it is used.
#include "estimator/columns/transform_graph.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/string.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

// Words are runs of letters with their marks, digits, `_` and apostrophes, but those at the ends
// ("don't" is one word, 'quoted' has none).
Output with_words_apart(Output text, bool lower_case) {
  if (lower_case) text = string_lower(text, {.encoding = "utf-8"});
  text = regex_replace(text, R"([^\p{L}\p{M}\p{N}_'’]+)", " ");
  return regex_replace(text, R"(['’]*( |$)['’]*|^['’]+)", " ");
}

Output column_of(Output matrix, int64_t column) {
  return squeeze(slice(matrix, {0, column}, {-1, 1}), {1});
}

}  // namespace

// Empty parts are left out, and those from place `most` on, which are counted.
RowValues StageGraph::split(Output texts, const std::string& separator, int64_t most) {
  const SplitStrings parts = string_split(texts, separator);
  const Output rows = column_of(parts.indices, 0);
  const Output values = separator.empty() ? parts.values : string_strip(parts.values);
  const Output fits = less(column_of(parts.indices, 1), constant(graph_, most));
  Output there = fits, lost = logical_not(fits);
  if (!separator.empty()) {
    const Output is_value = not_equal(values, constant(graph_, Tensor("")));
    there = logical_and(there, is_value);
    lost = logical_and(lost, is_value);
  }
  const Output kept = squeeze(where(there), {1});
  return {gather(rows, kept), gather(values, kept),
          unsorted_segment_sum(cast(lost, kInt64), rows, batch())};
}

RowValues StageGraph::list_values(const FeatureColumn& list) {
  const auto [place, is_new] = values_.try_emplace(fit_key(list));
  if (is_new) {
    const ColumnDef& def = list.def();
    place->second = split(text(def.column), def.list.separator, def.list.most_values);
  }
  return place->second;
}

RowValues StageGraph::words(const FeatureColumn& text_column) {
  const auto [place, is_new] = values_.try_emplace(fit_key(text_column));
  if (!is_new) return place->second;
  const ColumnDef& def = text_column.def();
  RowValues words =
      split(with_words_apart(text(def.column), def.text.lower_case), "", def.text.most_words);
  if (def.text.ngrams > 1) {
    // Where each row's words begin.
    const Output counts = unsorted_segment_sum(ones_like(words.rows), words.rows, batch());
    const Output begins = concat({constant(graph_, Tensor::of<int64_t>({0})), cumsum(counts)}, 0);
    std::vector<int64_t> widths;
    for (int64_t n = 1; n <= def.text.ngrams; ++n) widths.push_back(n);
    Node& runs = graph_.add("StringNGrams", {words.values, begins},
                            {{"separator", std::string(" ")},
                             {"ngram_widths", widths},
                             {"left_pad", std::string()},
                             {"right_pad", std::string()},
                             {"pad_width", int64_t{0}},
                             {"preserve_short_sequences", false}});
    Node& rows = graph_.add("RaggedTensorToSparse", {runs.output(1), runs.output(0)},
                            {{"RAGGED_RANK", int64_t{1}}});
    words.rows = column_of(rows.output(0), 0);
    words.values = runs.output(0);
  }
  return place->second = words;
}

Bag StageGraph::text_bag(const FeatureColumn& text_column) {
  const ColumnDef& def = text_column.def();
  const RowValues found = words(text_column);
  Output rows = found.rows, ids;
  if (def.text.hash_buckets > 0) {
    ids = string_to_hash_bucket_fast(found.values, def.text.hash_buckets);
  } else {
    const Output all = look_up(text_column, found.values);
    const Output known = squeeze(where(greater_equal(all, 0)), {1});
    ids = gather(all, known);
    rows = gather(rows, known);
  }
  if (!def.text.tf_idf) {
    const Output side = side_by_side(rows, ids, -1);
    return {side, cast(greater_equal(side, 0), kFloat32)};
  }
  // Each word once, with how often it occurs.
  Node& counts = graph_.add(
      "SparseCountSparseOutput",
      {pack({rows, zeros_like(rows)}, 1), ids, pack({batch(), constant(graph_, int64_t{1})}),
       constant(graph_, Tensor(kFloat32, {0}))},
      {{"binary_output", false}});
  rows = column_of(counts.output(0), 0);
  ids = column_of(counts.output(0), 1);
  const std::vector<float>& idf = state_.fit(text_column).idf;
  const Output factors =
      constant(graph_, Tensor::from<float>(idf, {static_cast<int64_t>(idf.size())}));
  const Output weights = counts.output(1) * gather(factors, ids);
  const Output lengths = sqrt(unsorted_segment_sum(square(weights), rows, batch()));
  return {side_by_side(rows, ids, -1), side_by_side(rows, weights / gather(lengths, rows), 0)};
}

}  // namespace thalweg
