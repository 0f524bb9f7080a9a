// Einsum's equations, read once for the shape function, the gradient and the kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thalweg/tensor/shape.h"

namespace thalweg {

/// The labels of each operand and of the result; "..." stands as one '.'.
struct EinsumEquation {
  std::vector<std::string> inputs;
  std::string output;
};

/// Reads "bij,bjk->bik". Throws invalid_argument naming the equation: no "->", something other than
/// letters and one "..." an operand, another number of operands than `inputs`, a label twice in one
/// operand or in the result (diagonals are not taken), a label of the result that no operand has.
EinsumEquation parse_einsum(std::string_view equation, int inputs);

/// An equation applied to shapes: every dimension has a loop, numbered from 0, result dimensions
/// first.
struct EinsumLoops {
  std::vector<int64_t> extents;  // of each loop; kUnknownDim when unknown
  std::vector<std::vector<int>>
      inputs;  // for each operand and dimension its loop; -1 where a dimension of 1 is repeated
  int outputs =
      0;  // the first loops are the result's dimensions, in order; the rest is summed over
  Shape output() const;
};

/// Throws invalid_argument when ranks do not fit or extents disagree. All shapes must have a rank.
/// Dimensions under "..." broadcast; when the result has no "..." they are summed over.
EinsumLoops einsum_loops(const EinsumEquation& equation, const std::vector<Shape>& shapes);

}  // namespace thalweg
