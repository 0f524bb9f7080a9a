#include "thalweg/ops/ctc.h"

#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

using Context = GradientContext;

// `[time, batch, classes]`, with the batch that the lengths tell.
Shape scores_shape(const ShapeContext& c, int lengths) {
  Shape scores = c.with_rank(0, 3);
  const Shape rows = c.with_rank(lengths, 1);
  if (scores[1] != kUnknownDim && rows[0] != kUnknownDim && scores[1] != rows[0]) {
    throw c.error("`sequence_length` must have ", scores[1], " entries, one a row of the batch, ",
                  "got ", rows);
  }
  if (scores[1] == kUnknownDim) scores.set_dim(1, rows[0]);
  return scores;
}

void loss_shape(ShapeContext& c) {
  const Shape scores = scores_shape(c, 3);
  const Shape indices = c.with_rank(1, 2), values = c.with_rank(2, 1);
  if (indices[1] != kUnknownDim && indices[1] != 2)
    throw c.error("`labels_indices` must have shape [count, 2], got ", indices);
  if (indices[0] != kUnknownDim && values[0] != kUnknownDim && indices[0] != values[0])
    throw c.error("there are ", indices[0], " `labels_indices`, but ", values[0],
                  " `labels_values`");
  c.set_output(0, Shape{scores[1]});
  c.set_output(1, scores);
}

// The second output is the gradient of each row's loss already.
void loss_gradient(Context& c) {
  if (c.grad(1)) throw unimplemented("CTCLoss has no second derivatives");
  c.set(0, expand_dims(expand_dims(c.grad(0), 0), -1) * c.output(1));
}

void greedy_shape(ShapeContext& c) {
  const Shape scores = scores_shape(c, 1);
  c.set_output(0, Shape{kUnknownDim, 2});
  c.set_output(1, Shape{kUnknownDim});
  c.set_output(2, Shape{2});
  c.set_output(3, Shape{scores[1], 1});
}

void beam_shape(ShapeContext& c) {
  const Shape scores = scores_shape(c, 1);
  const auto paths = static_cast<int>(c.attr<int64_t>("top_paths"));
  for (int p = 0; p < paths; ++p) {
    c.set_output(p, Shape{kUnknownDim, 2});
    c.set_output(paths + p, Shape{kUnknownDim});
    c.set_output(2 * paths + p, Shape{2});
  }
  c.set_output(3 * paths, Shape{scores[1], paths});
}

constexpr const char* kLabelIndices =
    "labels_indices: int64 | Row of the batch and position of each label, `[count, 2]`, sorted.";
constexpr const char* kLabelValues = "labels_values: int32 | The labels, `[count]`.";
constexpr const char* kLengths = "sequence_length: int32 | Steps that count, `[batch]`.";
constexpr const char* kCollapse =
    "preprocess_collapse_repeated: bool = false | Make one of equal neighbours among the labels.";
constexpr const char* kMerge =
    "ctc_merge_repeated: bool = true | Make one of equal neighbours among the steps' classes.";
constexpr const char* kIgnore =
    "ignore_longer_outputs_than_inputs: bool = false | Loss 0 for rows whose labels do not fit "
    "into their steps; otherwise an error.";
constexpr const char* kType = "T: {float, double} = float | Element type.";
constexpr std::string_view kDiscrete = "labels are integers";

constexpr OpDef kOps[] = {
    {.name = "CTCLoss",
     .inputs = {"inputs: T | Scores before the softmax, `[time, batch, classes]`; the last class "
                "is the blank.",
                kLabelIndices, kLabelValues, kLengths},
     .outputs = {"loss: T | -log p(labels), `[batch]`.",
                 "gradient: T | Of each row's loss by `inputs`, `[time, batch, classes]`."},
     .attrs = {kCollapse, kMerge, kIgnore, kType},
     .doc = "Loss of connectionist temporal classification: all alignments of the labels count.",
     .shape = loss_shape,
     .gradient = loss_gradient},
    {.name = "CTCLossV2",
     .inputs = {"inputs: float | Scores before the softmax, `[time, batch, classes]`; class 0 is "
                "the blank.",
                kLabelIndices, kLabelValues, kLengths},
     .outputs = {"loss: float | -log p(labels), `[batch]`.",
                 "gradient: float | Of each row's loss by `inputs`, `[time, batch, classes]`."},
     .attrs = {kCollapse, kMerge, kIgnore},
     .doc = "CTCLoss whose blank is the first class.",
     .shape = loss_shape,
     .gradient = loss_gradient},
    {.name = "CTCGreedyDecoder",
     .inputs = {"inputs: T | Scores, `[time, batch, classes]`.", kLengths},
     .outputs = {"decoded_indices: int64 | Row and position of each label, `[count, 2]`.",
                 "decoded_values: int64 | The labels, `[count]`.",
                 "decoded_shape: int64 | Rows and longest sequence, `[2]`.",
                 "log_probability: T | Minus the sum of the chosen scores, `[batch, 1]`."},
     .attrs = {"merge_repeated: bool = false | Make one of equal neighbours.",
               "blank_index: int = -1 | The blank; negative counts from the end.", kType},
     .doc = "The best class of each step, without blanks.",
     .shape = greedy_shape,
     .no_gradient = kDiscrete},
    {.name = "CTCBeamSearchDecoder",
     .inputs = {"inputs: T | Scores before the softmax, `[time, batch, classes]`; the last class "
                "is the blank.",
                kLengths},
     .outputs = {"decoded_indices: top_paths * int64 | Row and position of each label, "
                 "`[count, 2]`.",
                 "decoded_values: top_paths * int64 | The labels, `[count]`.",
                 "decoded_shape: top_paths * int64 | Rows and longest sequence, `[2]`.",
                 "log_probability: T | Of each path, `[batch, top_paths]`."},
     .attrs = {"beam_width: int >= 1 | Prefixes that are followed.",
               "top_paths: int >= 1 | Sequences wanted, the most probable first.",
               "merge_repeated: bool = true | Make one of equal neighbours in the result.", kType},
     .doc = "The most probable label sequences, by beam search over their prefixes.",
     .shape = beam_shape,
     .no_gradient = kDiscrete},
};

}  // namespace

std::span<const OpDef> ctc_ops() { return kOps; }

Output ctc_loss(Output scores, Output label_indices, Output label_values, Output sequence_length,
                const CtcLossOptions& options) {
  return scores.graph()
      .add("CTCLoss", {scores, label_indices, label_values, sequence_length},
           {{"preprocess_collapse_repeated", options.preprocess_collapse_repeated},
            {"ctc_merge_repeated", options.ctc_merge_repeated},
            {"ignore_longer_outputs_than_inputs", options.ignore_longer_outputs_than_inputs}},
           {.name = options.name})
      .output(0);
}

CtcGreedyResult ctc_greedy_decoder(Output scores, Output sequence_length,
                                   const CtcGreedyOptions& options) {
  Node& node = scores.graph().add(
      "CTCGreedyDecoder", {scores, sequence_length},
      {{"merge_repeated", options.merge_repeated}, {"blank_index", options.blank_index}},
      {.name = options.name});
  return {{node.output(0), node.output(1), node.output(2)}, node.output(3)};
}

CtcBeamResult ctc_beam_search_decoder(Output scores, Output sequence_length,
                                      const CtcBeamOptions& options) {
  Node& node = scores.graph().add("CTCBeamSearchDecoder", {scores, sequence_length},
                                  {{"beam_width", options.beam_width},
                                   {"top_paths", options.top_paths},
                                   {"merge_repeated", options.merge_repeated}},
                                  {.name = options.name});
  const auto paths = static_cast<int>(options.top_paths);
  CtcBeamResult result{.log_probability = node.output(3 * paths)};
  for (int p = 0; p < paths; ++p) {
    result.decoded.push_back({node.output(p), node.output(paths + p), node.output(2 * paths + p)});
  }
  return result;
}

}  // namespace thalweg
