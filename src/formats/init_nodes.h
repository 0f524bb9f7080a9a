// What a SavedModel is told to run when it is loaded, and the files that this reads.
#pragma once

#include <string>
#include <vector>

#include "proto/saved_model.pb.h"
#include "thalweg/formats/saved_model.h"

namespace thalweg {

/// Throws invalid_argument for initializers that are no nodes of the graph or need placeholders
/// other than the assets' tensors, for assets that are no string scalars of the graph, and for two
/// files of one name.
void check_initializers(const SavedModelOptions& options, const Graph& graph);

/// The names of the nodes that they are.
std::vector<std::string> initializer_names(const SavedModelOptions& options);

/// Adds the node that runs them, in the collection where TensorFlow 1, 2 and Serving look for it,
/// and tells of the assets.
void add_initializers(const SavedModelOptions& options, tensorflow::MetaGraphDef& meta);

/// Copies the assets into `folder`/assets.
void write_assets(const std::vector<AssetSpec>& assets, const std::string& folder);

/// Gives tables their node's name as that of the resource: TensorFlow 2 makes a table without one
/// anew wherever a function of the model uses it.
void name_tables(tensorflow::GraphDef& def);

}  // namespace thalweg
