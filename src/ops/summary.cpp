// Ops that write TensorBoard's Summary messages.
#include "ops/families.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr char kNoNumbers[] = "its output is text";

void scalar_shape(ShapeContext& c) {
  const Shape& tags = c.input(0);
  if (tags.rank() != 0 && !tags.is_compatible_with(c.input(1)))
    throw c.error("tags have shape ", tags, ", values ", c.input(1));
  c.set_output(0, Shape{});
}

void image_shape(ShapeContext& c) {
  if (c.input(0).has_rank()) c.with_rank(0, 0);
  const Shape images = c.with_rank(1, 4);
  const int64_t depth = images[3];
  if (depth != kUnknownDim && depth != 1 && depth != 3 && depth != 4)
    throw c.error("images have 1, 3 or 4 channels, got ", depth);
  c.set_output(0, Shape{});
}

void audio_shape(ShapeContext& c) {
  if (c.input(0).has_rank()) c.with_rank(0, 0);
  if (c.num_inputs() == 3) c.with_rank(2, 0);
  if (const Shape sounds = c.with_rank_at_least(1, 2); sounds.rank() > 3)
    throw c.error("`tensor` must be [batch, frames] or [batch, frames, channels], got ", sounds);
  c.set_output(0, Shape{});
}

constexpr char kTag[] = "tag: string | A scalar.";
constexpr char kSounds[] =
    "tensor: float | Samples in [-1, 1), `[batch, frames]` or `[batch, frames, channels]`.";
constexpr char kMaxOutputs[] = "max_outputs: int >= 1 = 3 | Sounds taken at most.";

constexpr char kSummary[] = "summary: string | A scalar: a Summary message.";

constexpr OpDef kSummaryOps[] = {
    {.name = "ScalarSummary",
     .inputs = {"tags: string | Any shape; a scalar goes with a single value.",
                "values: T | Shape of the tags."},
     .outputs = {kSummary},
     .attrs = {"T: realnumbertype | Type of the values."},
     .doc = "A message of one scalar for each tag.",
     .shape = scalar_shape,
     .no_gradient = kNoNumbers},
    {.name = "HistogramSummary",
     .inputs = {"tag: string | A scalar.", "values: T | Any shape."},
     .outputs = {kSummary},
     .attrs = {"T: realnumbertype = float | Type of the values."},
     .doc = "A message of a histogram whose buckets grow by a tenth. NaN and infinity are errors.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers},
    {.name = "ImageSummary",
     .inputs = {"tag: string | A scalar.",
                "tensor: T | `[batch, height, width, channels]`, channels 1 (grey), 3 (RGB) or 4 "
                "(RGBA)."},
     .outputs = {kSummary},
     .attrs = {"max_images: int >= 1 = 3 | Images taken at most.",
               "T: {uint8, float, half, double} = float | Type of the pixels.",
               "bad_color: tensor = uint8[4] 255 0 0 255 | What a pixel with a number that is not "
               "finite becomes."},
     .doc =
         "A message of images as PNG. Images of reals are scaled: from 0 to their largest value, "
         "or when they hold negative ones, so that 127 is zero.",
     .shape = image_shape,
     .no_gradient = kNoNumbers},
    {.name = "AudioSummary",
     .inputs = {kTag, kSounds},
     .outputs = {kSummary},
     .attrs = {"sample_rate: float | Frames a second.", kMaxOutputs},
     .doc = "A message of sounds as WAV.",
     .shape = audio_shape,
     .no_gradient = kNoNumbers},
    {.name = "AudioSummaryV2",
     .inputs = {kTag, kSounds, "sample_rate: float | Frames a second, a scalar."},
     .outputs = {kSummary},
     .attrs = {kMaxOutputs},
     .doc = "A message of sounds as WAV.",
     .shape = audio_shape,
     .no_gradient = kNoNumbers},
    {.name = "TensorSummary",
     .inputs = {"tensor: T | Any tensor."},
     .outputs = {kSummary},
     .attrs = {"T: type | Type of the tensor.", "description: string = '' | Kept for graph files.",
               "labels: list(string) = [] | Kept for graph files.",
               "display_name: string = '' | Kept for graph files."},
     .doc = "A message of a tensor under the node's name.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers},
    {.name = "TensorSummaryV2",
     .inputs = {"tag: string | A scalar.", "tensor: T | Any tensor.",
                "serialized_summary_metadata: string | A scalar: a SummaryMetadata message."},
     .outputs = {kSummary},
     .attrs = {"T: type | Type of the tensor."},
     .doc = "A message of a tensor for a plugin of TensorBoard.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers},
    {.name = "MergeSummary",
     .inputs = {"inputs: N * string | Summary messages in tensors of any shapes."},
     .outputs = {kSummary},
     .attrs = {"N: int >= 1 | Number of inputs."},
     .doc = "One message of all values. A tag that is there twice is an error.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers},
};

}  // namespace

std::span<const OpDef> summary_ops() { return kSummaryOps; }

}  // namespace thalweg
