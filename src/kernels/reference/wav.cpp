#include "kernels/reference/wav.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thalweg/base/error.h"

namespace thalweg::reference {
namespace {

constexpr float kScale = 32768.0f;

void write_little(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 255);
}

// Reads a file of chunks from front to back.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::string_view take(size_t count) {
    if (bytes_.size() < count) {
      throw invalid_argument("the WAV file is cut short: ", bytes_.size(), " bytes are left of ",
                             count);
    }
    const std::string_view result = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return result;
  }
  uint32_t number(size_t bytes) {
    uint32_t value = 0;
    const std::string_view text = take(bytes);
    for (size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<uint8_t>(text[i]);
    return value;
  }
  void expect(std::string_view text) {
    if (const std::string_view got = take(text.size()); got != text)
      throw invalid_argument("no WAV file: expected '", text, "', got '", got, "'");
  }
  size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

}  // namespace

std::string wav_message(const float* samples, int64_t frames, int64_t channels, int64_t rate) {
  if (frames <= 0 || channels <= 0 || channels > 0xFFFF / 2 || rate <= 0 || rate > 0xFFFFFFFF) {
    throw invalid_argument(frames, " frames of ", channels, " channels at ", rate,
                           " a second make no WAV file");
  }
  const auto size = static_cast<uint64_t>(frames * channels * 2);
  const auto frame_bytes = static_cast<uint64_t>(channels) * 2;
  if (size > std::numeric_limits<uint32_t>::max() - 36 ||
      frame_bytes * static_cast<uint64_t>(rate) > std::numeric_limits<uint32_t>::max()) {
    throw invalid_argument(frames, " frames of ", channels, " channels at ", rate,
                           " a second are too many for a WAV file");
  }
  std::string out = "RIFF";
  write_little(out, size + 36, 4);
  out += "WAVEfmt ";
  write_little(out, 16, 4);
  write_little(out, 1, 2);  // PCM
  write_little(out, static_cast<uint64_t>(channels), 2);
  write_little(out, static_cast<uint64_t>(rate), 4);
  write_little(out, frame_bytes * static_cast<uint64_t>(rate), 4);
  write_little(out, frame_bytes, 2);
  write_little(out, 16, 2);
  out += "data";
  write_little(out, size, 4);
  for (int64_t i = 0; i < frames * channels; ++i) {
    const float scaled = std::round(samples[i] * kScale);
    const float sample = std::min(std::max(scaled, -32768.0f), 32767.0f);
    write_little(out, static_cast<uint16_t>(static_cast<int16_t>(sample)), 2);
  }
  return out;
}

Wav read_wav(std::string_view bytes) {
  Reader reader(bytes);
  Wav wav;
  reader.expect("RIFF");
  reader.number(4);
  reader.expect("WAVE");
  reader.expect("fmt ");
  const uint32_t format_size = reader.number(4);
  if (format_size != 16 && format_size != 18 && format_size != 40) {
    throw invalid_argument("the WAV file has a header of ", format_size,
                           " bytes, expected 16, 18 or 40");
  }
  const uint32_t encoding = reader.number(2);
  wav.channels = reader.number(2);
  wav.rate = static_cast<int32_t>(reader.number(4));
  const uint32_t bytes_a_second = reader.number(4);
  const uint32_t frame_bytes = reader.number(2);
  const uint32_t bits = reader.number(2);
  reader.take(format_size - 16);
  if ((encoding != 1 && encoding != 0xFFFE) || bits != 16) {
    throw invalid_argument("the WAV file has encoding ", encoding, " of ", bits,
                           " bits; only PCM of 16 bits is supported");
  }
  if (wav.channels == 0 || frame_bytes != static_cast<uint32_t>(wav.channels) * 2 ||
      bytes_a_second != frame_bytes * static_cast<uint32_t>(wav.rate)) {
    throw invalid_argument("the header of the WAV file contradicts itself: ", wav.channels,
                           " channels, ", frame_bytes, " bytes a frame, ", bytes_a_second,
                           " bytes a second at ", wav.rate, " frames");
  }
  bool found = false;
  while (!found && reader.left() >= 8) {
    const std::string_view name = reader.take(4);
    const uint32_t size = reader.number(4);
    if (name != "data") {
      reader.take(size);
      continue;
    }
    found = true;
    wav.frames = size / frame_bytes;
    const std::string_view data = reader.take(static_cast<size_t>(wav.frames) * frame_bytes);
    for (size_t i = 0; i < data.size(); i += 2) {
      const auto sample = static_cast<int16_t>(static_cast<uint8_t>(data[i]) |
                                               static_cast<uint8_t>(data[i + 1]) << 8);
      wav.samples.push_back(static_cast<float>(sample) / kScale);
    }
  }
  if (!found) throw invalid_argument("the WAV file holds no data");
  return wav;
}

}  // namespace thalweg::reference
