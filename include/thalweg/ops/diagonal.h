// Matrices and their diagonals. Each function adds the TensorFlow op of its name; leading
// dimensions are a batch of matrices.
#pragma once

#include <cstdint>
#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// Which diagonals: 0 is the main one, positive ones are above it, negative ones below. A band of
/// several is packed into rows from the highest diagonal to the lowest; `align` tells at which end
/// the shorter ones are padded ("RIGHT_LEFT": above the main one at the left, below at the right).
struct DiagonalOptions {
  int64_t lower = 0;
  int64_t upper = 0;
  double padding = 0;  ///< of cells that no diagonal gives
  std::string align = "RIGHT_LEFT";
  std::string name = {};
};

/// Matrices with these diagonals, `[..., n]` or `[..., diagonals, n]`. MatrixDiagV3
Output matrix_diag(Output diagonal, const DiagonalOptions& options = {});
/// The diagonals of matrices. MatrixDiagPartV3
Output matrix_diag_part(Output x, const DiagonalOptions& options = {});
/// Matrices with their diagonals replaced. MatrixSetDiagV3
Output matrix_set_diag(Output x, Output diagonal, const DiagonalOptions& options = {});

struct BandOptions {
  std::string name = {};
};
/// Zeros outside the band of `lower` diagonals below the main one and `upper` above; negative: all
/// of them. MatrixBandPart
Output matrix_band_part(Output x, int64_t lower, int64_t upper, const BandOptions& options = {});
/// The lower (upper) triangle of matrices, with the main diagonal. MatrixBandPart
Output lower_triangle(Output x, const BandOptions& options = {});
Output upper_triangle(Output x, const BandOptions& options = {});

}  // namespace thalweg
