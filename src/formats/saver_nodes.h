// The nodes with which TensorFlow saves and restores the variables of a SavedModel.
#pragma once

#include <set>
#include <string>

#include "proto/saved_model.pb.h"

namespace thalweg {

/// Adds them for every variable that a VarHandleOp of the graph stands for, with the collections
/// and the SaverDef that name them; the checkpoint's keys are the variables' names. Those in
/// `fixed` are not trainable.
void add_saver(const std::set<std::string>& fixed, tensorflow::MetaGraphDef& meta);

}  // namespace thalweg
