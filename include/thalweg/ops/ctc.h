// Connectionist temporal classification: training on label sequences without alignment, and
// reading them off again. Labels are sparse: `indices` `[count, 2]` of int64 (row of the batch,
// position), sorted, and `values` `[count]`.
#pragma once

#include <string>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct CtcLossOptions {
  bool preprocess_collapse_repeated = false;  ///< make one of equal neighbours among the labels
  bool ctc_merge_repeated = true;  ///< make one of equal neighbours among the steps' classes
  bool ignore_longer_outputs_than_inputs =
      false;  ///< loss 0 for rows that cannot fit; else an error
  std::string name = {};
};
/// -log p(labels) `[batch]` for scores `[time, batch, classes]` before the softmax; the last class
/// is the blank. CTCLoss
Output ctc_loss(Output scores, Output label_indices, Output label_values, Output sequence_length,
                const CtcLossOptions& options = {});

struct CtcDecoded {
  Output indices;  // int64
  Output values;   // int64
  Output shape;    // `[2]`
};
struct CtcGreedyOptions {
  bool merge_repeated = true;
  int64_t blank_index = -1;  ///< negative counts from the end
  std::string name = {};
};
struct CtcGreedyResult {
  CtcDecoded decoded;
  Output neg_sum_logits;  // `[batch, 1]`
};
/// The best class of each step. CTCGreedyDecoder
CtcGreedyResult ctc_greedy_decoder(Output scores, Output sequence_length,
                                   const CtcGreedyOptions& options = {});

struct CtcBeamOptions {
  int64_t beam_width = 100;
  int64_t top_paths = 1;
  bool merge_repeated = false;  ///< make one of equal neighbours in the result
  std::string name = {};
};
struct CtcBeamResult {
  std::vector<CtcDecoded> decoded;  // the most probable first
  Output log_probability;           // `[batch, top_paths]`
};
/// The most probable label sequences. CTCBeamSearchDecoder
CtcBeamResult ctc_beam_search_decoder(Output scores, Output sequence_length,
                                      const CtcBeamOptions& options = {});

}  // namespace thalweg
