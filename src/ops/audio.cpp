// Sound from and to files.
#include "ops/families.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr char kNoGradient[] = "a file is no number";

void decode_shape(ShapeContext& c) {
  if (c.input(0).has_rank()) c.with_rank(0, 0);
  const int64_t channels = c.attr<int64_t>("desired_channels");
  const int64_t samples = c.attr<int64_t>("desired_samples");
  c.set_output(0,
               Shape{samples < 0 ? kUnknownDim : samples, channels < 0 ? kUnknownDim : channels});
  c.set_output(1, Shape{});
}

void encode_shape(ShapeContext& c) {
  c.with_rank(0, 2);
  c.with_rank(1, 0);
  c.set_output(0, Shape{});
}

constexpr OpDef kOps[] = {
    {.name = "DecodeWav",
     .inputs = {"contents: string | A scalar: a WAV file of 16-bit PCM."},
     .outputs = {"audio: float | Samples in [-1, 1), `[samples, channels]`.",
                 "sample_rate: int32 | Samples a second, a scalar."},
     .attrs = {"desired_channels: int = -1 | Channels given; where there are fewer the last is "
               "repeated. -1: all.",
               "desired_samples: int = -1 | Samples given, the end cut off or filled with zeros. "
               "-1: all."},
     .doc = "Reads a WAV file.",
     .shape = decode_shape,
     .no_gradient = kNoGradient},
    {.name = "EncodeWav",
     .inputs = {"audio: float | Samples in [-1, 1), `[samples, channels]`; others are cut off.",
                "sample_rate: int32 | Samples a second, a scalar."},
     .outputs = {"contents: string | A scalar: a WAV file of 16-bit PCM."},
     .attrs = {},
     .doc = "Writes a WAV file.",
     .shape = encode_shape,
     .no_gradient = kNoGradient},
};

}  // namespace

std::span<const OpDef> audio_ops() { return kOps; }

}  // namespace thalweg
