#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "image/guard.h"
#include "thalweg/image/codec.h"

namespace thalweg {
namespace {

// One frame as the file holds it: indices into its colours.
struct Frame {
  int64_t left, top, width, height;
  std::vector<GifColorType> colours;
  int transparent = -1;
  std::vector<uint8_t> cells;
};

class GifReader {
 public:
  explicit GifReader(std::string_view bytes) : bytes_(bytes) {
    int error = 0;
    gif_ = DGifOpen(
        this,
        [](GifFileType* gif, GifByteType* to, int count) {
          return static_cast<GifReader*>(gif->UserData)->read(to, count);
        },
        &error);
    if (gif_ == nullptr) fail(error);
  }
  ~GifReader() {
    int error = 0;
    DGifCloseFile(gif_, &error);
  }
  GifReader(const GifReader&) = delete;
  GifReader& operator=(const GifReader&) = delete;

  // The next frame, or nothing at the end.
  bool next(Frame& frame, int64_t max_bytes) {
    int transparent = -1;
    for (;;) {
      GifRecordType type;
      if (DGifGetRecordType(gif_, &type) != GIF_OK) fail(gif_->Error);
      if (type == TERMINATE_RECORD_TYPE) return false;
      if (type == EXTENSION_RECORD_TYPE) {
        read_extension(transparent);
      } else if (type == IMAGE_DESC_RECORD_TYPE) {
        read_frame(frame, max_bytes);
        frame.transparent = transparent;
        return true;
      }
    }
  }

 private:
  int read(GifByteType* to, int count) {
    const size_t take = std::min(static_cast<size_t>(count), bytes_.size());
    std::memcpy(to, bytes_.data(), take);
    bytes_.remove_prefix(take);
    return static_cast<int>(take);
  }

  void read_extension(int& transparent) {
    int code = 0;
    GifByteType* block = nullptr;
    if (DGifGetExtension(gif_, &code, &block) != GIF_OK) fail(gif_->Error);
    while (block != nullptr) {
      GraphicsControlBlock control;
      if (code == GRAPHICS_EXT_FUNC_CODE &&
          DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
        transparent = control.TransparentColor;
      }
      if (DGifGetExtensionNext(gif_, &block) != GIF_OK) fail(gif_->Error);
    }
  }

  void read_frame(Frame& frame, int64_t max_bytes) {
    if (DGifGetImageDesc(gif_) != GIF_OK) fail(gif_->Error);
    const GifImageDesc& desc = gif_->Image;
    frame.left = desc.Left, frame.top = desc.Top;
    frame.width = desc.Width, frame.height = desc.Height;
    image::check_size("GIF", 1, frame.height, frame.width, 3, max_bytes);
    const ColorMapObject* map = desc.ColorMap != nullptr ? desc.ColorMap : gif_->SColorMap;
    if (map == nullptr) throw invalid_argument("a frame of the GIF has no colours");
    frame.colours.assign(map->Colors, map->Colors + map->ColorCount);
    frame.cells.resize(static_cast<size_t>(frame.width * frame.height));
    // Interlaced rows come in four passes.
    static constexpr int kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
    for (int pass = 0; pass < (desc.Interlace ? 4 : 1); ++pass) {
      for (int64_t y = desc.Interlace ? kFirst[pass] : 0; y < frame.height;
           y += desc.Interlace ? kStep[pass] : 1) {
        if (DGifGetLine(gif_, frame.cells.data() + y * frame.width,
                        static_cast<int>(frame.width)) != GIF_OK) {
          fail(gif_->Error);
        }
      }
    }
  }

  [[noreturn]] void fail(int error) {
    const char* text = bytes_.empty() ? "it ends too early" : GifErrorString(error);
    throw invalid_argument("the GIF cannot be read: ", text == nullptr ? "it is damaged" : text);
  }

  std::string_view bytes_;
  GifFileType* gif_ = nullptr;
};

// Draws the frame over what is there; its transparent cells let that show.
void draw(const Frame& frame, int64_t height, int64_t width, uint8_t* canvas) {
  for (int64_t y = frame.top; y < std::min(frame.top + frame.height, height); ++y) {
    for (int64_t x = frame.left; x < std::min(frame.left + frame.width, width); ++x) {
      const uint8_t index =
          frame.cells[static_cast<size_t>((y - frame.top) * frame.width + x - frame.left)];
      if (index == frame.transparent) continue;
      if (index >= frame.colours.size()) {
        throw invalid_argument("the GIF names colour ", int{index}, " of ", frame.colours.size());
      }
      const GifColorType& colour = frame.colours[index];
      uint8_t* pixel = canvas + (y * width + x) * 3;
      pixel[0] = colour.Red, pixel[1] = colour.Green, pixel[2] = colour.Blue;
    }
  }
}

}  // namespace

Tensor decode_gif(std::string_view bytes, const DecodeGifOptions& options) {
  GifReader reader(bytes);
  std::vector<Frame> frames;
  int64_t height = 0, width = 0, held = 0;
  for (Frame frame; reader.next(frame, options.max_bytes - held); frame = {}) {
    height = std::max(height, frame.height);
    width = std::max(width, frame.width);
    const auto count = static_cast<int64_t>(frames.size()) + 1;
    image::check_size("GIF", count, height, width, 3, options.max_bytes);
    held += static_cast<int64_t>(frame.cells.size());
    frames.push_back(std::move(frame));
    if (options.max_frames == count) break;
  }
  if (frames.empty()) throw invalid_argument("the GIF has no frames");
  const auto count = static_cast<int64_t>(frames.size());
  Tensor result = Tensor::zeros(kUInt8, Shape{count, height, width, 3});
  uint8_t* canvas = result.mutable_data<uint8_t>().data();
  const int64_t size = height * width * 3;
  for (int64_t i = 0; i < count; ++i, canvas += size) {
    if (i > 0) std::copy_n(canvas - size, size, canvas);
    draw(frames[static_cast<size_t>(i)], height, width, canvas);
  }
  return result;
}

}  // namespace thalweg
