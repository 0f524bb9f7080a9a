#include <algorithm>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/wav.h"

namespace thalweg {
namespace {

KernelPtr make_decode(const KernelRequest& request) {
  return make_kernel([wanted_channels = request.node.attr<int64_t>("desired_channels"),
                      wanted_samples = request.node.attr<int64_t>("desired_samples"),
                      place = reference::OutputPlace(request, 0)](KernelContext& c) {
    const reference::Wav wav = reference::read_wav(*c.input<std::string>(0));
    const int64_t channels = wanted_channels < 0 ? wav.channels : wanted_channels;
    const int64_t frames = wanted_samples < 0 ? wav.frames : wanted_samples;
    auto* out = static_cast<float*>(place.memory(c, Shape{frames, channels}));
    for (int64_t i = 0; i < frames * channels; ++i) {
      const int64_t frame = i / channels;
      const int64_t channel = std::min(i % channels, wav.channels - 1);
      const auto from = static_cast<size_t>(frame * wav.channels + channel);
      out[i] = frame < wav.frames ? wav.samples[from] : 0.0f;
    }
    *c.output<int32_t>(1) = wav.rate;
  });
}

KernelPtr make_encode(const KernelRequest& request) {
  return make_kernel([shape = request.inputs[0].shape](KernelContext& c) {
    *c.output<std::string>() =
        reference::wav_message(c.input<float>(0), shape[0], shape[1], *c.input<int32_t>(1));
  });
}

constexpr KernelDef kKernels[] = {
    {"DecodeWav", "reference", make_decode},
    {"EncodeWav", "reference", make_encode},
};

}  // namespace

std::span<const KernelDef> reference_audio_kernels() { return kKernels; }

}  // namespace thalweg
