// Recurrent cells and sequences as single nodes, which are much faster than their formula in single
// ops. Each function adds one node of the TensorFlow op that its comment names.
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct LstmWeights {
  Output kernel;    ///< `[input + cell, 4 * cell]`; rows for x, then for h
  Output bias;      ///< `[4 * cell]`
  Output wci = {};  ///< peepholes `[cell]`, all three or none
  Output wcf = {};
  Output wco = {};
};
struct LstmOptions {
  float cell_clip = 0;  ///< bound of the cell's absolute value; none when 0
  std::string name = {};
};
struct LstmStates {
  Output c;  ///< cell states
  Output h;  ///< outputs
};

/// A sequence x `[time, batch, input]` from the states `[batch, cell]`; gates in the order input,
/// forget, candidate, output. Results are `[time, batch, cell]`; steps from `seq_len_max` (an int64
/// scalar) on are zero. BlockLSTMV2
LstmStates lstm_sequence(Output x, Output seq_len_max, const LstmStates& initial,
                         const LstmWeights& weights, const LstmOptions& options = {});

struct LstmCellOptions {
  float forget_bias = 1;
  float cell_clip = 0;
  std::string name = {};
};
/// One step: x `[batch, input]`; gates in the order input, candidate, forget, output.
/// LSTMBlockCell
LstmStates lstm_cell(Output x, const LstmStates& previous, const LstmWeights& weights,
                     const LstmCellOptions& options = {});

struct GruWeights {
  Output w_ru;  ///< `[input + cell, 2 * cell]`: reset and update gate
  Output w_c;   ///< `[input + cell, cell]`: candidate
  Output b_ru;  ///< `[2 * cell]`
  Output b_c;   ///< `[cell]`
};
struct GruCellOptions {
  std::string name = {};
};
/// One step; the new state. GRUBlockCell
Output gru_cell(Output x, Output h_prev, const GruWeights& weights,
                const GruCellOptions& options = {});

}  // namespace thalweg
