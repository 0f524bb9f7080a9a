// The family of op rows of decision trees.
#pragma once

#include <span>

#include "thalweg/graph/op_def.h"

namespace thalweg {

std::span<const OpDef> tree_ops();

}  // namespace thalweg
