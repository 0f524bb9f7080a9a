// Building nodes that read and write files while the graph runs.
//
// Such nodes run in the order in which they were added. Each function adds the op of the same name
// (ReadFile, ...) with TensorFlow's meaning. Checkpoints are better written by a CheckpointManager;
// SaveV2 and RestoreV2 are there for graphs that hold them.
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct FileOptions {
  std::string name = {};
};
/// The bytes of the file named by a string scalar. Throws not_found when it runs.
Output read_file(const Output& filename, const FileOptions& options = {});
/// Replaces a file in one step when it is run; makes the folders that it needs.
Node& write_file(const Output& filename, const Output& contents, const FileOptions& options = {});
/// Sorted names of the files that a pattern matches: *, ? and [...] within a name.
Output matching_files(const Output& pattern, const FileOptions& options = {});
/// float64 scalar: seconds since 1970 when it runs.
Output timestamp(Graph& graph, const FileOptions& options = {});

}  // namespace thalweg
