// Feature columns for a table that nobody has described: one look at the rows, a decision a column
// and the reason for it in a sentence.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/data/table_source.h"
#include "thalweg/estimator/columns.h"

namespace thalweg {

/// What a column of a table is to a model.
enum class GuessedKind { kNumber, kCategory, kText, kDate, kList, kIgnore };
/// "number", "category", "text", "date", "list", "ignore".
std::string_view to_string(GuessedKind kind);
/// Throws invalid_argument with those there are.
GuessedKind parse_guessed_kind(std::string_view name);

struct GuessOptions {
  /// Columns that are no features: labels, the weight, ids that are only echoed.
  std::vector<std::string> not_features = {};
  /// Kinds that are set.
  std::map<std::string, GuessedKind> kinds = {};
};

struct GuessedColumn {
  std::string column;
  GuessedKind kind = GuessedKind::kIgnore;
  /// One sentence: "taken for an id, as all 891 values differ".
  std::string reason;
};

struct GuessedSchema {
  /// For a linear model, for a network, for trees; empty when no column is fit to be used.
  std::vector<FeatureColumn> linear, network, trees;
  /// One for each column of the table but not_features, in their order.
  std::vector<GuessedColumn> decisions;
};

/// Numbers stay numbers (those with a long tail above by their logarithm), however few values they
/// have; a linear model of 1000 rows or more also gets ten buckets of each, so that it can bend.
/// Texts with few values are categories: in a network as 0 or 1 each up to 50 of them, above as a
/// vector of min(50, 1.6 n^0.56) numbers; by hash above 100,000. Texts of many words are text(),
/// cells such as "a|b" list(), ISO dates date(). Left out are columns without a value, with only
/// one, and ids: texts nine tenths of which differ, integers that all differ and count up, or whose
/// name says so. Trees leave out texts and lists, too. Throws invalid_argument for a column named
/// in `options` that the table lacks.
GuessedSchema guess_columns(const data::TableSource& rows, const GuessOptions& options = {});

}  // namespace thalweg
