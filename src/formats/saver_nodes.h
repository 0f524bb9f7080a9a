// The nodes with which TensorFlow saves and restores the variables of a SavedModel.
#pragma once

#include "proto/saved_model.pb.h"

namespace thalweg {

/// Adds them for every VarHandleOp of the graph, with the collections and the SaverDef that name
/// them; the checkpoint's keys are the variables' names.
void add_saver(tensorflow::MetaGraphDef& meta);

}  // namespace thalweg
