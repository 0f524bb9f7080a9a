// Look-up tables: maps from keys to values that live in a session, as vocabularies do.
#include "thalweg/ops/table.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/resource_rows.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr char kNoNumbers[] = "looking up is a choice, not a function of numbers";
constexpr char kChanges[] = "it changes a table and has no output";

void check_type(const ShapeContext& c, const char* attr, const char* table_attr) {
  const Node* table = handle_maker(c, 0);
  if (table == nullptr || table->find_attr(table_attr) == nullptr) return;
  const DType held = table->attr<DType>(table_attr);
  if (c.attr<DType>(attr) != held) {
    throw c.error("table ", table->name(), " has ", table_attr, " ", held, ", but `", attr, "` is ",
                  c.attr<DType>(attr));
  }
}

// The shape of one value; of unknown rank when the table is not known here.
Shape value_shape(const ShapeContext& c) {
  const Node* table = handle_maker(c, 0);
  if (table == nullptr || table->find_attr("key_dtype") == nullptr) return Shape::unknown();
  return table->find_attr("value_shape") == nullptr ? Shape{} : table->attr<Shape>("value_shape");
}

// The shape of keys without a key's own, which a dense table tells by its reserved ones.
Shape batch_shape(const ShapeContext& c) {
  const Node* table = handle_maker(c, 0);
  if (table == nullptr || table->find_attr("key_dtype") == nullptr) return Shape::unknown();
  const Shape& keys = c.input(1);
  const Shape own = table->num_inputs() == 0 ? Shape{} : table->input(0).shape();
  if (!own.has_rank() || !keys.has_rank()) return Shape::unknown();
  const int rank = keys.rank() - own.rank();
  if (rank < 0 || !keys.slice(rank).is_compatible_with(own))
    throw c.error("`keys` have shape ", keys, ", a key of table ", table->name(), " has ", own);
  return keys.slice(0, rank);
}

void dense_shape(ShapeContext& c) {
  if (!c.input(0).is_compatible_with(c.input(1)) || c.input(0).rank() > 1) {
    throw c.error("`empty_key` ", c.input(0), " and `deleted_key` ", c.input(1),
                  " must be scalars or vectors of one shape");
  }
  c.set_output(0, Shape{});
}

void find_shape(ShapeContext& c) {
  check_type(c, "Tin", "key_dtype");
  check_type(c, "Tout", "value_dtype");
  Shape value = value_shape(c);
  if (!value.has_rank()) {
    // Of a table that is not known here, keys are taken for scalars where the default is one.
    c.set_output(0, c.input(2).rank() == 0 ? c.input(1) : Shape::unknown());
    return;
  }
  c.set_output(0, batch_shape(c).concat(value));
}

void insert_shape(ShapeContext& c) {
  check_type(c, "Tin", "key_dtype");
  check_type(c, "Tout", "value_dtype");
  const Shape wanted = batch_shape(c).concat(value_shape(c));
  if (!wanted.is_compatible_with(c.input(2))) {
    throw c.error("values must have shape ", wanted, " (the keys', then a value's), got ",
                  c.input(2));
  }
}

void initialize_shape(ShapeContext& c) {
  check_type(c, "Tkey", "key_dtype");
  check_type(c, "Tval", "value_dtype");
  for (int i : {1, 2}) c.with_rank(i, 1);
  if (!c.input(1).is_compatible_with(c.input(2)))
    throw c.error(c.input(1), " keys, but ", c.input(2), " values");
}

void text_file_shape(ShapeContext& c) {
  if (c.input(1).has_rank()) c.with_rank(1, 0);
  const auto& delimiter = c.attr<std::string>("delimiter");
  if (delimiter.size() != 1)
    throw c.error("attribute `delimiter` is one byte, got '", delimiter, "'");
}

void export_shape(ShapeContext& c) {
  check_type(c, "Tkeys", "key_dtype");
  check_type(c, "Tvalues", "value_dtype");
  const Node* table = handle_maker(c, 0);
  const bool is_dense = table != nullptr && table->num_inputs() > 0;
  c.set_output(0, Shape{kUnknownDim}.concat(is_dense ? table->input(0).shape() : Shape{}));
  c.set_output(1, Shape{kUnknownDim}.concat(value_shape(c)));
}

void remove_shape(ShapeContext& c) { check_type(c, "Tin", "key_dtype"); }

constexpr char kHandle[] = "table_handle: resource | The table's handle.";
constexpr char kContainer[] = "container: string = '' | Part of the table's key in the session.";
constexpr char kSharedName[] =
    "shared_name: string = '' | The table's name, its key in the session; the node's name when "
    "empty.";
constexpr char kNodeName[] = "use_node_name_sharing: bool = false | Kept for graph files.";
constexpr char kKey[] = "key_dtype: {int32, int64, string} | Type of the keys.";
constexpr char kValue[] =
    "value_dtype: {float, double, int32, int64, bool, string} | Type of the values.";
constexpr char kValueShape[] = "value_shape: shape = [] | Shape of each value.";
constexpr char kEmptyKey[] = "empty_key: key_dtype | A constant: a key that no entry may have.";
constexpr char kDeletedKey[] = "deleted_key: key_dtype | A constant: another one.";
constexpr char kBuckets[] = "initial_num_buckets: int = 131072 | Kept for graph files.";
constexpr char kLoad[] = "max_load_factor: float = 0.8 | Kept for graph files.";
constexpr char kIn[] = "Tin: {int32, int64, string} | Type of the keys.";
constexpr char kOut[] = "Tout: {float, double, int32, int64, bool, string} | Type of the values.";

constexpr OpDef kTableOps[] = {
    {.name = "HashTableV2",
     .inputs = {},
     .outputs = {kHandle},
     .attrs = {kContainer, kSharedName, kNodeName, kKey, kValue},
     .doc = "The handle of a table that is filled once, by InitializeTableV2 or from a file, and "
            "then only read.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "AnonymousHashTable",
     .inputs = {},
     .outputs = {kHandle},
     .attrs = {kKey, kValue},
     .doc = "HashTableV2 under the node's name.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "MutableHashTableV2",
     .inputs = {},
     .outputs = {kHandle},
     .attrs = {kContainer, kSharedName, kNodeName, kKey, kValue},
     .doc = "The handle of a table that is empty at first and may always be changed.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "AnonymousMutableHashTable",
     .inputs = {},
     .outputs = {kHandle},
     .attrs = {kKey, kValue},
     .doc = "MutableHashTableV2 under the node's name.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "MutableHashTableOfTensorsV2",
     .inputs = {},
     .outputs = {kHandle},
     .attrs = {kContainer, kSharedName, kNodeName, kKey, kValue, kValueShape},
     .doc = "MutableHashTableV2 whose values are tensors of one shape.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "AnonymousMutableHashTableOfTensors",
     .inputs = {},
     .outputs = {kHandle},
     .attrs = {kKey, kValue, kValueShape},
     .doc = "MutableHashTableOfTensorsV2 under the node's name.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "MutableDenseHashTableV2",
     .inputs = {kEmptyKey, kDeletedKey},
     .outputs = {kHandle},
     .attrs = {kContainer, kSharedName, kNodeName, kKey, kValue, kValueShape, kBuckets, kLoad},
     .doc = "MutableHashTableOfTensorsV2 whose keys may be vectors, and that has two keys which no "
            "entry may have.",
     .shape = dense_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "AnonymousMutableDenseHashTable",
     .inputs = {kEmptyKey, kDeletedKey},
     .outputs = {kHandle},
     .attrs = {kKey, kValue, kValueShape, kBuckets, kLoad},
     .doc = "MutableDenseHashTableV2 under the node's name.",
     .shape = dense_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "InitializeTableV2",
     .inputs = {kHandle, "keys: Tkey | `[n]`.", "values: Tval | `[n]`."},
     .outputs = {},
     .attrs = {"Tkey: {int32, int64, string} | Type of the keys.",
               "Tval: {float, double, int32, int64, bool, string} | Type of the values."},
     .doc = "Fills a HashTableV2. A key with two values is an error; so is filling it again with "
            "other entries.",
     .shape = initialize_shape,
     .no_gradient = kChanges,
     .effect = Effect::kWrites},
    {.name = "InitializeTableFromTextFileV2",
     .inputs = {kHandle, "filename: string | A scalar."},
     .outputs = {},
     .attrs =
         {"key_index: int >= -2 | What of a line is the key: -2 the whole, -1 its number, else "
          "a column.",
          "value_index: int >= -2 | What of a line is the value, in the same way.",
          "vocab_size: int >= -1 = -1 | Lines taken; the file must have as many. -1: all.",
          "delimiter: string = '\t' | The byte between columns.",
          "offset: int = 0 | Added to line numbers, which count from 0."},
     .doc = "Fills a HashTableV2 from a text file, an entry a line.",
     .shape = text_file_shape,
     .no_gradient = kChanges,
     .effect = Effect::kWrites},
    {.name = "LookupTableFindV2",
     .inputs = {kHandle, "keys: Tin | Any shape, then that of a key.",
                "default_value: Tout | What a key that is not there gives: one value, or one for "
                "each key."},
     .outputs = {"values: Tout | Shape of the keys, then of a value."},
     .attrs = {kIn, kOut},
     .doc = "The values of keys.",
     .shape = find_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kReads},
    {.name = "LookupTableInsertV2",
     .inputs = {kHandle, "keys: Tin | Any shape, then that of a key.",
                "values: Tout | Shape of the keys, then of a "
                "value."},
     .outputs = {},
     .attrs = {kIn, kOut},
     .doc =
         "Puts entries into a table that may be changed; a key that is there gets the new value.",
     .shape = insert_shape,
     .no_gradient = kChanges,
     .effect = Effect::kWrites},
    {.name = "LookupTableRemoveV2",
     .inputs = {kHandle, "keys: Tin | Any shape, then that of a key."},
     .outputs = {},
     .attrs = {kIn},
     .doc = "Takes entries out of a table that may be changed; keys that are not there do not "
            "matter.",
     .shape = remove_shape,
     .no_gradient = kChanges,
     .effect = Effect::kWrites},
    {.name = "LookupTableSizeV2",
     .inputs = {kHandle},
     .outputs = {"size: int64 | A scalar."},
     .attrs = {},
     .doc = "The number of entries.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers,
     .effect = Effect::kReads},
    {.name = "LookupTableExportV2",
     .inputs = {kHandle},
     .outputs = {"keys: Tkeys | `[n]`.", "values: Tvalues | `[n, ...]`."},
     .attrs = {"Tkeys: {int32, int64, string} | Type of the keys.",
               "Tvalues: {float, double, int32, int64, bool, string} | Type of the values."},
     .doc = "All entries, in the order in which their places were first taken.",
     .shape = export_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kReads},
    {.name = "LookupTableImportV2",
     .inputs = {kHandle, "keys: Tin | Any shape, then that of a key.",
                "values: Tout | Shape of the keys, then of a "
                "value."},
     .outputs = {},
     .attrs = {kIn, kOut},
     .doc = "Replaces all entries of a table that may be changed.",
     .shape = insert_shape,
     .no_gradient = kChanges,
     .effect = Effect::kWrites},
};

AttrMap handle_attrs(DType key, DType value, const TableOptions& options) {
  return {{"key_dtype", key},
          {"value_dtype", value},
          {"container", options.container},
          {"shared_name", options.shared_name}};
}

}  // namespace

std::span<const OpDef> table_ops() { return kTableOps; }

Output hash_table(Graph& graph, DType key, DType value, const TableOptions& options) {
  return graph.add("HashTableV2", {}, handle_attrs(key, value, options), {.name = options.name})
      .output();
}

Output mutable_hash_table(Graph& graph, DType key, DType value, const TableOptions& options) {
  AttrMap attrs = handle_attrs(key, value, options);
  const bool scalar = options.value_shape.rank() == 0;
  if (!scalar) attrs["value_shape"] = options.value_shape;
  return graph
      .add(scalar ? "MutableHashTableV2" : "MutableHashTableOfTensorsV2", {}, std::move(attrs),
           {.name = options.name})
      .output();
}

Node& initialize_table(Output table, Output keys, Output values, const LookupOptions& options) {
  return table.graph().add("InitializeTableV2", {table, keys, values}, {}, {.name = options.name});
}

Node& initialize_table_from_text_file(Output table, const std::string& filename,
                                      const TextFileOptions& options) {
  Graph& graph = table.graph();
  const Output file =
      graph.add("Const", {}, {{"dtype", kString}, {"value", Tensor(filename)}}).output();
  return graph.add("InitializeTableFromTextFileV2", {table, file},
                   {{"key_index", options.key_index},
                    {"value_index", options.value_index},
                    {"vocab_size", options.vocab_size},
                    {"delimiter", std::string(1, options.delimiter)},
                    {"offset", options.offset}},
                   {.name = options.name});
}

Output lookup_table_find(Output table, Output keys, Output default_value,
                         const LookupOptions& options) {
  return add_op("LookupTableFindV2", {table, keys, default_value}, {}, options.name);
}

Node& lookup_table_insert(Output table, Output keys, Output values, const LookupOptions& options) {
  return table.graph().add("LookupTableInsertV2", {table, keys, values}, {},
                           {.name = options.name});
}

Node& lookup_table_remove(Output table, Output keys, const LookupOptions& options) {
  return table.graph().add("LookupTableRemoveV2", {table, keys}, {}, {.name = options.name});
}

Output lookup_table_size(Output table, const LookupOptions& options) {
  return add_op("LookupTableSizeV2", {table}, {}, options.name);
}

TableEntries lookup_table_export(Output table, DType key, DType value,
                                 const LookupOptions& options) {
  Node& node = table.graph().add("LookupTableExportV2", {table},
                                 {{"Tkeys", key}, {"Tvalues", value}}, {.name = options.name});
  return {node.output(0), node.output(1)};
}

Node& lookup_table_import(Output table, Output keys, Output values, const LookupOptions& options) {
  return table.graph().add("LookupTableImportV2", {table, keys, values}, {},
                           {.name = options.name});
}

}  // namespace thalweg
