// Building nodes that look keys up: vocabularies, and maps that a program changes.
//
// In the graph a table is a handle; its entries live in the session, under the op, the container
// and the name. A hash_table is filled once by its initializer, which must be run before anything
// is looked up; a mutable_hash_table starts empty. Nodes that change a table and nodes that read it
// run in the order in which they were added. Tables are thread-safe and are not part of
// checkpoints.
#pragma once

#include <cstdint>
#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct TableOptions {
  Shape value_shape = {};  // of a mutable_hash_table: the shape of each value
  std::string container = {};
  std::string shared_name = {};  // empty: the node's name
  std::string name = {};
};
/// A table that is filled once. Keys: int32, int64, string; values: float32, float64, int32, int64,
/// bool, string. TensorFlow's HashTableV2.
Output hash_table(Graph& graph, DType key, DType value, const TableOptions& options = {});
/// A table that may always be changed. TensorFlow's MutableHashTableV2, or
/// MutableHashTableOfTensorsV2 when values are no scalars.
Output mutable_hash_table(Graph& graph, DType key, DType value, const TableOptions& options = {});

struct LookupOptions {
  std::string name = {};
};
/// Fills a hash_table with `[n]` keys and `[n]` values when it is run. A key with two values,
/// and filling it again with other entries, are failed_precondition errors.
Node& initialize_table(Output table, Output keys, Output values, const LookupOptions& options = {});

inline constexpr int64_t kWholeLine = -2;
inline constexpr int64_t kLineNumber = -1;
struct TextFileOptions {
  int64_t key_index = kWholeLine;     // kWholeLine, kLineNumber, or a column from 0
  int64_t value_index = kLineNumber;  // the same
  int64_t vocab_size = -1;            // lines taken; -1: all
  char delimiter = '\t';
  int64_t offset = 0;  // added to line numbers
  std::string name = {};
};
/// Fills a hash_table from a text file, an entry a line, when it is run.
Node& initialize_table_from_text_file(Output table, const std::string& filename,
                                      const TextFileOptions& options = {});

/// The values of `keys`, `default_value` where a key is not there: shape of the keys, then of a
/// value. Throws failed_precondition when it runs before the table is filled.
Output lookup_table_find(Output table, Output keys, Output default_value,
                         const LookupOptions& options = {});
/// Puts entries into a mutable_hash_table, or takes some out.
Node& lookup_table_insert(Output table, Output keys, Output values,
                          const LookupOptions& options = {});
Node& lookup_table_remove(Output table, Output keys, const LookupOptions& options = {});
/// int64 scalar: the number of entries.
Output lookup_table_size(Output table, const LookupOptions& options = {});
struct TableEntries {
  Output keys;    // [n]
  Output values;  // [n, ...]
};
/// All entries; their types must be said again.
TableEntries lookup_table_export(Output table, DType key, DType value,
                                 const LookupOptions& options = {});
/// Replaces all entries of a mutable_hash_table.
Node& lookup_table_import(Output table, Output keys, Output values,
                          const LookupOptions& options = {});

}  // namespace thalweg
