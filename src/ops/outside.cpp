// Ops that reach outside the graph: files, checkpoints, the clock, the console.
#include "thalweg/ops/file.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr char kNoNumbers[] = "it deals with files, not with numbers";
constexpr char kNoOutput[] = "it has no output";

void scalars(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.input(i).has_rank()) c.with_rank(i, 0);
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape{});
}

// A scalar prefix, then vectors of one length: what SaveV2 and RestoreV2 begin with.
void check_names(ShapeContext& c, size_t tensors) {
  if (c.input(0).has_rank()) c.with_rank(0, 0);
  const Shape wanted{static_cast<int64_t>(tensors)};
  for (int i : {1, 2}) {
    if (!c.with_rank(i, 1).is_compatible_with(wanted))
      throw c.error(c.input_name(i), " has shape ", c.input(i), " for ", tensors, " tensors");
  }
}

void save_shape(ShapeContext& c) { check_names(c, static_cast<size_t>(c.num_inputs()) - 3); }

void restore_shape(ShapeContext& c) {
  check_names(c, static_cast<size_t>(c.num_outputs()));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape::unknown());
}

void matching_shape(ShapeContext& c) {
  if (c.input(0).rank() > 1)
    throw c.error("pattern must be a scalar or a vector, got ", c.input(0));
  c.set_output(0, Shape{kUnknownDim});
}

void merge_shape(ShapeContext& c) {
  c.with_rank(0, 1);
  if (c.input(1).has_rank()) c.with_rank(1, 0);
}

constexpr char kPrefix[] = "prefix: string | A scalar: the checkpoint's path without endings.";
constexpr char kNames[] = "tensor_names: string | `[n]`.";
constexpr char kSlices[] =
    "shape_and_slices: string | `[n]`: '' for a whole tensor, or its shape and the part, such as "
    "'4 5 0,2:-'.";

constexpr OpDef kOutsideOps[] = {
    {.name = "SaveV2",
     .inputs = {kPrefix, kNames, kSlices, "tensors: dtypes | Their values."},
     .outputs = {},
     .attrs = {"dtypes: list(type) >= 1 | Their types."},
     .doc = "Writes a checkpoint. Parts of tensors are taken only when they are the whole.",
     .shape = save_shape,
     .no_gradient = kNoOutput,
     .effect = Effect::kOrdered},
    {.name = "RestoreV2",
     .inputs = {kPrefix, kNames, kSlices},
     .outputs = {"tensors: dtypes | Their values."},
     .attrs = {"dtypes: list(type) >= 1 | Their types, which must be the checkpoint's."},
     .doc = "Reads tensors from a checkpoint.",
     .shape = restore_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "MergeV2Checkpoints",
     .inputs = {"checkpoint_prefixes: string | `[n]`.", "destination_prefix: string | A scalar."},
     .outputs = {},
     .attrs = {"delete_old_dirs: bool = true | Whether the folders of the merged checkpoints go "
               "too, when nothing else is in them.",
               "allow_missing_files: bool = false | Whether a checkpoint may be missing."},
     .doc = "Puts the tensors of several checkpoints into one and removes them.",
     .shape = merge_shape,
     .no_gradient = kNoOutput,
     .effect = Effect::kOrdered},
    {.name = "ShardedFilename",
     .inputs = {"basename: string | A scalar.", "shard: int32 | A scalar.",
                "num_shards: int32 | A scalar."},
     .outputs = {"filename: string | A scalar."},
     .attrs = {},
     .doc = "The name of one of several files: basename-00000-of-00002.",
     .shape = scalars,
     .no_gradient = kNoNumbers},
    {.name = "ShardedFilespec",
     .inputs = {"basename: string | A scalar.", "num_shards: int32 | A scalar."},
     .outputs = {"filename: string | A scalar."},
     .attrs = {},
     .doc = "The pattern that all names of ShardedFilename match: basename-\?\?\?\?\?-of-00002.",
     .shape = scalars,
     .no_gradient = kNoNumbers},
    {.name = "ReadFile",
     .inputs = {"filename: string | A scalar."},
     .outputs = {"contents: string | A scalar."},
     .attrs = {},
     .doc = "The bytes of a file.",
     .shape = scalars,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "WriteFile",
     .inputs = {"filename: string | A scalar.", "contents: string | A scalar."},
     .outputs = {},
     .attrs = {},
     .doc = "Replaces a file in one step; makes the folders that it needs.",
     .shape = scalars,
     .no_gradient = kNoOutput,
     .effect = Effect::kOrdered},
    {.name = "MatchingFiles",
     .inputs = {"pattern: string | A scalar or a vector: *, ? and [...] match within a name."},
     .outputs = {"filenames: string | `[n]`, sorted."},
     .attrs = {},
     .doc = "The files that match a pattern.",
     .shape = matching_shape,
     .no_gradient = kNoNumbers,
     .effect = Effect::kOrdered},
    {.name = "Timestamp",
     .inputs = {},
     .outputs = {"ts: double | A scalar: seconds since 1970."},
     .attrs = {},
     .doc = "The time at which it runs.",
     .shape = shape_functions::scalar,
     .no_gradient = "time does not depend on the graph",
     .effect = Effect::kOrdered},
    {.name = "PrintV2",
     .inputs = {"input: string | A scalar."},
     .outputs = {},
     .attrs = {"output_stream: string = 'stderr' | 'file://path' appends to a file; all others go "
               "where the session prints.",
               "end: string = '\n' | What follows the text; a line end is the session's own."},
     .doc = "Prints a text.",
     .shape = scalars,
     .no_gradient = kNoOutput,
     .effect = Effect::kOrdered},
};

}  // namespace

std::span<const OpDef> outside_ops() { return kOutsideOps; }

Output read_file(const Output& filename, const FileOptions& options) {
  return add_op("ReadFile", {filename}, {}, options.name);
}

Node& write_file(const Output& filename, const Output& contents, const FileOptions& options) {
  return filename.graph().add("WriteFile", {filename, contents}, {}, {.name = options.name});
}

Output matching_files(const Output& pattern, const FileOptions& options) {
  return add_op("MatchingFiles", {pattern}, {}, options.name);
}

Output timestamp(Graph& graph, const FileOptions& options) {
  return graph.add("Timestamp", {}, {}, {.name = options.name}).output();
}

}  // namespace thalweg
