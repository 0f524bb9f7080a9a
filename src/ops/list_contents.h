// What can be told of the tensors in a list before it exists.
#pragma once

#include "thalweg/graph/graph.h"

namespace thalweg {

struct ListContents {
  Shape item = Shape::unknown();  // of every item; fully defined, or of unknown rank
  int64_t count = kUnknownDim;
};

/// From the tensors that are put in, through loops as well, or from the list that a function was
/// prepared for (annotation `_item_shape`).
ListContents list_contents(const Output& list);

}  // namespace thalweg
