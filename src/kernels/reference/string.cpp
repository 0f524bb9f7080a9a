// Strings one by one: length, parts, case, Base64.
#include <algorithm>
#include <array>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/text.h"

namespace thalweg {
namespace {

using reference::continues_character;
using reference::map_strings;

bool counts_characters(const KernelRequest& request) {
  return request.node.attr<std::string>("unit") == "UTF8_CHAR";
}

int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); });
}

KernelPtr make_length(const KernelRequest& request) {
  if (counts_characters(request)) {
    return map_strings<int32_t>(
        request, [](const std::string& s) { return static_cast<int32_t>(count_characters(s)); });
  }
  return map_strings<int32_t>(request,
                              [](const std::string& s) { return static_cast<int32_t>(s.size()); });
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

KernelPtr make_case(const KernelRequest& request, std::string (*utf8)(const std::string&),
                    char (*ascii)(char)) {
  if (!request.node.attr<std::string>("encoding").empty())
    return map_strings<std::string>(request, utf8);
  return map_strings<std::string>(request, [ascii](std::string s) {
    std::transform(s.begin(), s.end(), s.begin(), ascii);
    return s;
  });
}

KernelPtr make_lower(const KernelRequest& request) {
  return make_case(request, reference::utf8_lower, lower);
}
KernelPtr make_upper(const KernelRequest& request) {
  return make_case(request, reference::utf8_upper, upper);
}

KernelPtr make_strip(const KernelRequest& request) {
  return map_strings<std::string>(request, [](const std::string& s) {
    const auto begin = std::find_if_not(s.begin(), s.end(), reference::is_space);
    const auto end =
        std::find_if_not(s.rbegin(), std::make_reverse_iterator(begin), reference::is_space);
    return std::string(begin, end.base());
  });
}

// The byte where character `pos` begins; the text's size for the one past the last, npos beyond.
size_t byte_of_character(std::string_view text, int64_t pos) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (continues_character(text[i])) continue;
    if (pos-- == 0) return i;
  }
  return pos == 0 ? text.size() : std::string_view::npos;
}

// A negative length takes all in bytes and nothing in characters, as in TensorFlow.
std::string part_of(const std::string& text, int64_t pos, int64_t len, bool characters) {
  const auto size = static_cast<int64_t>(characters ? count_characters(text) : text.size());
  const int64_t begin = pos < 0 ? pos + size : pos;
  if (begin < 0 || begin > size) {
    throw invalid_argument("pos ", pos, " is outside a string of ", size,
                           characters ? " characters" : " bytes", "; it may be in [", -size, ", ",
                           size, "]");
  }
  if (!characters) return text.substr(static_cast<size_t>(begin), static_cast<size_t>(len));
  const int64_t end = std::min(begin + std::clamp<int64_t>(len, 0, size), size);
  const size_t first = byte_of_character(text, begin);
  return text.substr(first, byte_of_character(text, end) - first);
}

template <class T>
KernelPtr make_substr_of(const KernelRequest& request) {
  const Shape& out = request.outputs[0].shape;
  const auto offsets = [&](const Shape& shape) {
    reference::Offsets tables;
    const reference::Ints strides = reference::row_major_strides(shape);
    for (int i = 0; i < out.rank(); ++i) {
      const int from = i - (out.rank() - shape.rank());
      const bool moves = from >= 0 && shape[from] != 1;
      tables.push_back(
          reference::evenly(0, moves ? strides[static_cast<size_t>(from)] : 0, out[i]));
    }
    reference::Ints flat(static_cast<size_t>(out.num_elements()));
    reference::for_each_offset(
        tables, [&](int64_t n, int64_t offset) { flat[static_cast<size_t>(n)] = offset; });
    return flat;
  };
  return make_kernel([texts = offsets(request.inputs[0].shape),
                      places = offsets(request.inputs[1].shape),
                      characters = counts_characters(request)](KernelContext& c) {
    const auto* x = c.input<std::string>(0);
    const T* pos = c.input<T>(1);
    const T* len = c.input<T>(2);
    auto* y = c.output<std::string>();
    for (size_t i = 0; i < texts.size(); ++i) {
      y[i] = part_of(x[texts[i]], pos[places[i]], len[places[i]], characters);
    }
  });
}

KernelPtr make_substr(const KernelRequest& request) {
  return request.inputs[1].dtype == kInt32 ? make_substr_of<int32_t>(request)
                                           : make_substr_of<int64_t>(request);
}

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encode_base64(const std::string& bytes, bool pad) {
  std::string out;
  uint32_t bits = 0;
  int held = 0;
  for (char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (held += 8; held >= 6; held -= 6) out += kDigits[bits >> (held - 6) & 63];
  }
  if (held > 0) out += kDigits[bits << (6 - held) & 63];
  while (pad && out.size() % 4 != 0) out += '=';
  return out;
}

constexpr std::array<int8_t, 256> kValues = [] {
  std::array<int8_t, 256> values{};
  for (int8_t& value : values) value = -1;
  for (int i = 0; i < 64; ++i)
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<int8_t>(i);
  return values;
}();

std::string decode_base64(std::string_view text) {
  if (text.size() % 4 == 0 && text.ends_with('=')) {
    text.remove_suffix(text.size() >= 2 && text[text.size() - 2] == '=' ? 2 : 1);
  }
  if (text.size() % 4 == 1) {
    throw invalid_argument("Base64 of ", text.size(), " digits: a length of 1 modulo 4 cannot be");
  }
  std::string out;
  uint32_t bits = 0;
  int held = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const int value = kValues[static_cast<unsigned char>(text[i])];
    if (value < 0) {
      throw invalid_argument("byte ", i,
                             " is no digit of Base64 for URLs (A-Z, a-z, 0-9, '-', "
                             "'_'): code ",
                             static_cast<unsigned>(static_cast<unsigned char>(text[i])));
    }
    bits = bits << 6 | static_cast<uint32_t>(value);
    held += 6;
    if (held >= 8) out += static_cast<char>(bits >> (held -= 8) & 255);
  }
  return out;
}

KernelPtr make_encode_base64(const KernelRequest& request) {
  return map_strings<std::string>(request,
                                  [pad = request.node.attr<bool>("pad")](const std::string& s) {
                                    return encode_base64(s, pad);
                                  });
}

KernelPtr make_decode_base64(const KernelRequest& request) {
  return map_strings<std::string>(request, decode_base64);
}

constexpr KernelDef kKernels[] = {
    {"StringLength", "reference", make_length},
    {"StringLower", "reference", make_lower},
    {"StringUpper", "reference", make_upper},
    {"StringStrip", "reference", make_strip},
    {"Substr", "reference", make_substr},
    {"EncodeBase64", "reference", make_encode_base64},
    {"DecodeBase64", "reference", make_decode_base64},
};

}  // namespace

std::span<const KernelDef> reference_string_kernels() { return kKernels; }

}  // namespace thalweg
