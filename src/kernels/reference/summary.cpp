// Summary messages: {value: [{tag = 1, one of simple_value = 2, image = 4, histo = 5, audio = 6,
// tensor = 8, node_name = 7, metadata = 9}]}, value being field 1.
#include <zlib.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <set>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/example_reader.h"
#include "kernels/reference/wav.h"
#include "kernels/reference/wire_writer.h"

namespace thalweg {
namespace {

using reference::write_bytes_field;
using reference::write_double_field;
using reference::write_varint_field;

// The numbers of an input, as doubles.
std::vector<double> numbers(const void* data, DType dtype, int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  convert_elements(dtype, data, kFloat64, values.data(), count);
  return values;
}

void append_value(std::string& summary, std::string_view tag, std::string_view rest) {
  std::string value;
  write_bytes_field(value, 1, tag);
  value += rest;
  write_bytes_field(summary, 1, value);
}

KernelPtr make_scalar(const KernelRequest& request) {
  const int64_t count = request.inputs[1].shape.num_elements();
  if (request.inputs[0].shape.num_elements() != count) {
    throw invalid_argument("there are ", request.inputs[0].shape.num_elements(), " tags for ",
                           count, " values");
  }
  return make_kernel([count, dtype = request.inputs[1].dtype](KernelContext& c) {
    const std::vector<double> values = numbers(c.input_pointer(1), dtype, count);
    std::string summary;
    for (size_t i = 0; i < values.size(); ++i) {
      std::string value;
      reference::write_float_field(value, 2, static_cast<float>(values[i]));
      append_value(summary, c.input<std::string>(0)[i], value);
    }
    *c.output<std::string>() = std::move(summary);
  });
}

// Upper ends of TensorFlow's buckets: they grow by a tenth from 1e-12 to 1e20, on both sides of 0.
const std::vector<double>& bucket_limits() {
  static const std::vector<double> limits = [] {
    std::vector<double> positive;
    for (double v = 1e-12; v < 1e20; v *= 1.1) positive.push_back(v);
    positive.push_back(DBL_MAX);
    std::vector<double> all;
    for (auto v = positive.rbegin(); v != positive.rend(); ++v) all.push_back(-*v);
    all.push_back(0.0);
    all.insert(all.end(), positive.begin(), positive.end());
    return all;
  }();
  return limits;
}

std::string histogram_message(const std::vector<double>& values) {
  const std::vector<double>& limits = bucket_limits();
  std::vector<double> counts(limits.size(), 0.0);
  double least = DBL_MAX;
  double most = -DBL_MAX;
  double sum = 0;
  double squares = 0;
  for (double v : values) {
    // The largest double is below no limit: the last bucket takes it.
    const auto above = std::upper_bound(limits.begin(), limits.end() - 1, v);
    ++counts[static_cast<size_t>(above - limits.begin())];
    least = std::min(least, v);
    most = std::max(most, v);
    sum += v;
    squares += v * v;
  }
  // Empty buckets that lie side by side become one.
  std::string ends;
  std::string sizes;
  const auto append = [](std::string& out, double v) {
    out.append(reinterpret_cast<const char*>(&v), sizeof(v));
  };
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0 && i + 1 < counts.size() && counts[i + 1] == 0) continue;
    append(ends, limits[i]);
    append(sizes, counts[i]);
  }
  std::string message;
  const std::pair<uint32_t, double> scalars[] = {
      {1, least}, {2, most}, {3, static_cast<double>(values.size())}, {4, sum}, {5, squares}};
  for (const auto& [field, value] : scalars) {
    if (value != 0 || std::signbit(value)) write_double_field(message, field, value);
  }
  write_bytes_field(message, 6, ends);
  write_bytes_field(message, 7, sizes);
  return message;
}

KernelPtr make_histogram(const KernelRequest& request) {
  return make_kernel([count = request.inputs[1].shape.num_elements(),
                      dtype = request.inputs[1].dtype](KernelContext& c) {
    const std::string& tag = *c.input<std::string>(0);
    const std::vector<double> values = numbers(c.input_pointer(1), dtype, count);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]))
        throw invalid_argument("histogram `", tag, "`: value ", i, " is ", values[i]);
    }
    std::string value;
    write_bytes_field(value, 5, histogram_message(values));
    std::string summary;
    append_value(summary, tag, value);
    *c.output<std::string>() = std::move(summary);
  });
}

// An image of bytes as PNG (ISO 15948): rows without filter, one IDAT chunk.
std::string png(const std::vector<uint8_t>& pixels, int64_t height, int64_t width, int64_t depth) {
  const auto big_endian = [](std::string& out, uint64_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
  };
  std::string out = "\x89PNG\r\n\x1a\n";
  const auto chunk = [&](std::string_view type, std::string_view data) {
    big_endian(out, data.size());
    const std::string body = std::string(type) + std::string(data);
    out += body;
    big_endian(
        out, crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
  };
  std::string header;
  big_endian(header, static_cast<uint64_t>(width));
  big_endian(header, static_cast<uint64_t>(height));
  header += '\x08';
  header += depth == 1 ? '\0' : depth == 3 ? '\x02' : '\x06';
  header.append(3, '\0');
  chunk("IHDR", header);
  std::string rows;
  const auto row_bytes = static_cast<size_t>(width * depth);
  for (size_t y = 0; y < static_cast<size_t>(height); ++y) {
    rows += '\0';
    rows.append(reinterpret_cast<const char*>(pixels.data()) + y * row_bytes, row_bytes);
  }
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
            reinterpret_cast<const Bytef*>(rows.data()), static_cast<uLong>(rows.size()), 6);
  chunk("IDAT", std::string_view(packed).substr(0, size));
  chunk("IEND", "");
  return out;
}

// Reals become bytes so that the whole range of an image shows.
std::vector<uint8_t> normalized(std::span<const double> image, size_t depth,
                                const std::vector<uint8_t>& bad_color) {
  double least = INFINITY;
  double most = -INFINITY;
  for (double v : image) {
    if (!std::isfinite(v)) continue;
    least = std::min(least, v);
    most = std::max(most, v);
  }
  // In float, as TensorFlow computes it: what is cut off below must be the same.
  const auto extent = static_cast<float>(least < 0 ? std::max(-least, most) : most);
  const float scale = !(extent >= 1e-6f) ? 0.0f : (least < 0 ? 127.0f : 255.0f) / extent;
  const float offset = least < 0 ? 128.0f : 0.0f;
  std::vector<uint8_t> bytes(image.size());
  for (size_t p = 0; p < image.size(); p += depth) {
    const bool good = std::all_of(image.begin() + static_cast<ptrdiff_t>(p),
                                  image.begin() + static_cast<ptrdiff_t>(p + depth),
                                  [](double v) { return std::isfinite(v); });
    for (size_t k = 0; k < depth; ++k)
      bytes[p + k] = good ? static_cast<uint8_t>(static_cast<float>(image[p + k]) * scale + offset)
                          : bad_color[k];
  }
  return bytes;
}

KernelPtr make_image(const KernelRequest& request) {
  const TensorSpec& images = request.inputs[1];
  const Tensor bad = request.node.attr<Tensor>("bad_color");
  const int64_t depth = images.shape[3];
  if (bad.dtype() != kUInt8 || bad.num_elements() < depth)
    throw invalid_argument("attribute `bad_color` needs ", depth, " uint8 numbers, got ",
                           bad.dtype(), bad.shape());
  const std::vector<uint8_t> color(bad.data<uint8_t>().begin(), bad.data<uint8_t>().end());
  return make_kernel([shape = images.shape, dtype = images.dtype, color,
                      limit = request.node.attr<int64_t>("max_images")](KernelContext& c) {
    const int64_t count = std::min(shape[0], limit);
    const int64_t size = shape.slice(1).num_elements();
    const auto depth = static_cast<size_t>(shape[3]);
    const std::vector<double> values = numbers(c.input_pointer(1), dtype, count * size);
    std::string summary;
    for (int64_t i = 0; i < count; ++i) {
      const std::span<const double> image(values.data() + i * size, static_cast<size_t>(size));
      const std::vector<uint8_t> pixels = dtype == kUInt8
                                              ? std::vector<uint8_t>(image.begin(), image.end())
                                              : normalized(image, depth, color);
      std::string message;
      write_varint_field(message, 1, static_cast<uint64_t>(shape[1]));
      write_varint_field(message, 2, static_cast<uint64_t>(shape[2]));
      write_varint_field(message, 3, depth);
      write_bytes_field(message, 4, png(pixels, shape[1], shape[2], shape[3]));
      std::string value;
      write_bytes_field(value, 4, message);
      const std::string& tag = *c.input<std::string>(0);
      append_value(summary, limit > 1 ? str(tag, "/image/", i) : str(tag, "/image"), value);
    }
    *c.output<std::string>() = std::move(summary);
  });
}

KernelPtr make_audio(const KernelRequest& request) {
  const Shape& sounds = request.inputs[1].shape;
  const bool rate_given = request.node.find_attr("sample_rate") != nullptr;
  return make_kernel(
      [batch = sounds[0], frames = sounds[1], channels = sounds.rank() == 2 ? 1 : sounds[2],
       limit = request.node.attr<int64_t>("max_outputs"), rate_given,
       told = rate_given ? request.node.attr<float>("sample_rate") : 0.0f](KernelContext& c) {
        const float rate = rate_given ? told : *c.input<float>(2);
        if (!(rate > 0) || rate > 1e9f) {
          throw invalid_argument("the sample rate is ", rate, ", expected one above 0");
        }
        const int64_t whole_rate = std::max<int64_t>(std::lrint(rate), 1);
        const std::string& tag = *c.input<std::string>(0);
        std::string summary;
        for (int64_t i = 0; i < std::min(batch, limit); ++i) {
          std::string message;
          reference::write_float_field(message, 1, rate);
          write_varint_field(message, 2, static_cast<uint64_t>(channels));
          write_varint_field(message, 3, static_cast<uint64_t>(frames));
          write_bytes_field(message, 4,
                            reference::wav_message(c.input<float>(1) + i * frames * channels,
                                                   frames, channels, whole_rate));
          write_bytes_field(message, 5, "audio/wav");
          std::string value;
          write_bytes_field(value, 6, message);
          append_value(summary, limit > 1 ? str(tag, "/audio/", i) : str(tag, "/audio"), value);
        }
        *c.output<std::string>() = std::move(summary);
      });
}

// It has no tag: the node's name stands for one.
KernelPtr make_named_tensor(const KernelRequest& request) {
  const TensorSpec& tensor = request.inputs[0];
  if (!reference::has_elements(tensor.dtype) || tensor.dtype == kVariant) return nullptr;
  return make_kernel(
      [dtype = tensor.dtype, shape = tensor.shape, name = request.node.name()](KernelContext& c) {
        std::string value;
        write_bytes_field(value, 7, name);
        write_bytes_field(value, 8, reference::tensor_message(dtype, shape, c.input_pointer(0)));
        std::string summary;
        write_bytes_field(summary, 1, value);
        *c.output<std::string>() = std::move(summary);
      });
}

KernelPtr make_tensor(const KernelRequest& request) {
  const TensorSpec& tensor = request.inputs[1];
  if (!reference::has_elements(tensor.dtype) || tensor.dtype == kVariant) return nullptr;
  return make_kernel([dtype = tensor.dtype, shape = tensor.shape](KernelContext& c) {
    std::string value;
    write_bytes_field(value, 8, reference::tensor_message(dtype, shape, c.input_pointer(1)));
    write_bytes_field(value, 9, *c.input<std::string>(2));
    std::string summary;
    append_value(summary, *c.input<std::string>(0), value);
    *c.output<std::string>() = std::move(summary);
  });
}

KernelPtr make_merge(const KernelRequest& request) {
  std::vector<int64_t> counts;
  for (const TensorSpec& input : request.inputs) counts.push_back(input.shape.num_elements());
  return make_kernel([counts](KernelContext& c) {
    std::string merged;
    std::set<std::string, std::less<>> tags;
    for (size_t i = 0; i < counts.size(); ++i) {
      for (int64_t k = 0; k < counts[i]; ++k) {
        reference::WireReader summary(c.input<std::string>(static_cast<int>(i))[k]);
        while (summary.next()) {
          if (summary.field() != 1 || !summary.is_bytes()) continue;
          reference::WireReader value(summary.bytes());
          while (value.next()) {
            if (value.field() == 1 && value.is_bytes() && !tags.emplace(value.bytes()).second)
              throw invalid_argument("tag `", value.bytes(), "` is in two of the summaries");
          }
          write_bytes_field(merged, 1, summary.bytes());
        }
      }
    }
    *c.output<std::string>() = std::move(merged);
  });
}

constexpr KernelDef kKernels[] = {
    {"ScalarSummary", "reference", make_scalar}, {"HistogramSummary", "reference", make_histogram},
    {"ImageSummary", "reference", make_image},   {"TensorSummaryV2", "reference", make_tensor},
    {"MergeSummary", "reference", make_merge},   {"AudioSummary", "reference", make_audio},
    {"AudioSummaryV2", "reference", make_audio}, {"TensorSummary", "reference", make_named_tensor},
};

}  // namespace

std::span<const KernelDef> reference_summary_kernels() { return kKernels; }

}  // namespace thalweg
