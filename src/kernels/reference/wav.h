// Sound as WAV files: 16-bit PCM behind a RIFF header, as TensorFlow reads and writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::reference {

/// Interleaved samples in [-1, 1), `frames` times `channels`; what lies outside is cut off. Throws
/// invalid_argument when there is none, or more than the format can tell.
std::string wav_message(const float* samples, int64_t frames, int64_t channels, int64_t rate);

struct Wav {
  std::vector<float> samples;  // [frames, channels]
  int64_t frames = 0;
  int64_t channels = 0;
  int32_t rate = 0;  // frames a second
};

/// Throws invalid_argument telling what is wrong: no RIFF file, another encoding, cut short.
Wav read_wav(std::string_view bytes);

}  // namespace thalweg::reference
