// Characters of strings, by ICU: the library that TensorFlow's ops are defined by, down to how many
// replacements a broken sequence gives.
#include <unicode/ucnv.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include <memory>

#include "kernels/families.h"
#include "kernels/reference/text.h"

namespace thalweg {

std::string reference::utf8_lower(const std::string& text) {
  std::string out;
  icu::UnicodeString::fromUTF8(text).toLower().toUTF8String(out);
  return out;
}

std::string reference::utf8_upper(const std::string& text) {
  std::string out;
  icu::UnicodeString::fromUTF8(text).toUpper().toUTF8String(out);
  return out;
}

namespace {

// What the attributes say about characters that are none.
struct ErrorRule {
  bool strict, ignore, control;
  UChar32 replacement;

  explicit ErrorRule(const Node& node)
      : strict(node.attr<std::string>("errors") == "strict"),
        ignore(node.attr<std::string>("errors") == "ignore"),
        control(node.find_attr("replace_control_characters") != nullptr &&
                node.attr<bool>("replace_control_characters")),
        replacement(static_cast<UChar32>(node.attr<int64_t>("replacement_char"))) {}
};

// ICU's converter of one encoding. It has state: each run opens its own.
class Converter {
 public:
  explicit Converter(const std::string& encoding) {
    UErrorCode status = U_ZERO_ERROR;
    converter_.reset(ucnv_open(encoding.c_str(), &status));
    if (U_FAILURE(status)) {
      throw invalid_argument("attribute `input_encoding`: there is no encoding '", encoding,
                             "'; examples are UTF-8, UTF-16-BE, US-ASCII, ISO-8859-1");
    }
    ucnv_setToUCallBack(converter_.get(), note_error, &is_broken_, nullptr, nullptr, &status);
  }

  /// Calls f(character, bytes, broken) for each character.
  template <class F>
  void for_each(const std::string& text, F f) {
    ucnv_reset(converter_.get());
    UErrorCode status = U_ZERO_ERROR;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
      const char* const begin = at;
      is_broken_ = false;
      const UChar32 c = ucnv_getNextUChar(converter_.get(), &at, end, &status);
      if (U_FAILURE(status)) {
        is_broken_ = true;
        at = end;
      }
      f(c, at - begin, is_broken_);
    }
  }

 private:
  static void note_error(const void* context, UConverterToUnicodeArgs* args, const char* bytes,
                         int32_t length, UConverterCallbackReason reason, UErrorCode* status) {
    if (reason <= UCNV_IRREGULAR) *static_cast<bool*>(const_cast<void*>(context)) = true;
    UCNV_TO_U_CALLBACK_SUBSTITUTE(nullptr, args, bytes, length, reason, status);
  }

  struct Close {
    void operator()(UConverter* converter) const { ucnv_close(converter); }
  };
  std::unique_ptr<UConverter, Close> converter_;
  bool is_broken_ = false;
};

// Calls f(character, offset) for each character of `text` after the rule is applied.
template <class F>
void decode(Converter& converter, const std::string& text, const ErrorRule& rule, F f) {
  int64_t offset = 0;
  converter.for_each(text, [&](UChar32 c, int64_t bytes, bool broken) {
    if (broken && rule.strict) {
      throw invalid_argument("the bytes at ", offset, " are no character of the encoding");
    }
    const bool replace = broken || (rule.control && c <= 0x1F);
    if (!replace || !rule.ignore) f(replace ? rule.replacement : c, offset);
    offset += bytes;
  });
}

void append_big_endian(std::string& out, uint32_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift & 255);
}

enum class Target { kUtf8, kUtf16, kUtf32 };

Target target_of(const Node& node) {
  const auto& name = node.attr<std::string>("output_encoding");
  return name == "UTF-8" ? Target::kUtf8 : name == "UTF-16-BE" ? Target::kUtf16 : Target::kUtf32;
}

std::string encoded(const icu::UnicodeString& text, Target target) {
  std::string out;
  if (target == Target::kUtf8) {
    text.toUTF8String(out);
  } else if (target == Target::kUtf16) {
    for (int32_t i = 0; i < text.length(); ++i) append_big_endian(out, text.charAt(i), 2);
  } else {
    for (int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1))
      append_big_endian(out, static_cast<uint32_t>(text.char32At(i)), 4);
  }
  return out;
}

template <class T>
KernelPtr make_decode_of(const KernelRequest& request) {
  const auto& encoding = request.node.attr<std::string>("input_encoding");
  Converter{encoding};  // an unknown name is an error already now
  return make_kernel([count = request.inputs[0].shape.num_elements(), encoding,
                      rule = ErrorRule(request.node),
                      offsets = request.outputs.size() == 3](KernelContext& c) {
    Converter converter(encoding);
    T* splits = c.output<T>(0);
    std::vector<int32_t> characters;
    std::vector<int64_t> starts;
    splits[0] = 0;
    for (int64_t i = 0; i < count; ++i) {
      decode(converter, c.input<std::string>(0)[i], rule, [&](UChar32 character, int64_t offset) {
        characters.push_back(character);
        starts.push_back(offset);
      });
      splits[i + 1] = static_cast<T>(characters.size());
    }
    const Shape shape{static_cast<int64_t>(characters.size())};
    c.set_output(1, Tensor::from(std::span<const int32_t>(characters), shape));
    if (offsets) c.set_output(2, Tensor::from(std::span<const int64_t>(starts), shape));
  });
}

KernelPtr make_decode(const KernelRequest& request) {
  return request.outputs[0].dtype == kInt32 ? make_decode_of<int32_t>(request)
                                            : make_decode_of<int64_t>(request);
}

KernelPtr make_transcode(const KernelRequest& request) {
  const auto& encoding = request.node.attr<std::string>("input_encoding");
  Converter{encoding};
  return make_kernel([count = request.inputs[0].shape.num_elements(), encoding,
                      rule = ErrorRule(request.node),
                      target = target_of(request.node)](KernelContext& c) {
    Converter converter(encoding);
    for (int64_t i = 0; i < count; ++i) {
      icu::UnicodeString text;
      decode(converter, c.input<std::string>(0)[i], rule,
             [&](UChar32 character, int64_t) { text.append(character); });
      c.output<std::string>()[i] = encoded(text, target);
    }
  });
}

template <class T>
KernelPtr make_encode_of(const KernelRequest& request) {
  return make_kernel([count = request.inputs[0].shape.num_elements(),
                      rows = request.outputs[0].shape[0], rule = ErrorRule(request.node),
                      target = target_of(request.node)](KernelContext& c) {
    const auto* values = c.input<int32_t>(0);
    const T* splits = c.input<T>(1);
    if (splits[0] != 0 || splits[rows] != count) {
      throw invalid_argument("input_splits runs from ", splits[0], " to ", splits[rows],
                             "; it must run from 0 to the ", count, " values");
    }
    for (int64_t row = 0; row < rows; ++row) {
      if (splits[row + 1] < splits[row] || splits[row + 1] > count)
        throw invalid_argument("input_splits falls at position ", row + 1);
      icu::UnicodeString text;
      for (T i = splits[row]; i < splits[row + 1]; ++i) {
        UChar32 character = values[i];
        if (character < 0 || character > 0x10FFFF || U_IS_SURROGATE(character)) {
          if (rule.strict)
            throw invalid_argument("value ", i, " is ", character, ", which is no code point");
          if (rule.ignore) continue;
          character = rule.replacement;
        }
        text.append(character);
      }
      c.output<std::string>()[row] = encoded(text, target);
    }
  });
}

KernelPtr make_encode(const KernelRequest& request) {
  return request.inputs[1].dtype == kInt32 ? make_encode_of<int32_t>(request)
                                           : make_encode_of<int64_t>(request);
}

KernelPtr make_script(const KernelRequest& request) {
  return make_kernel([count = request.inputs[0].shape.num_elements()](KernelContext& c) {
    for (int64_t i = 0; i < count; ++i) {
      UErrorCode status = U_ZERO_ERROR;
      const UScriptCode script = uscript_getScript(c.input<int32_t>(0)[i], &status);
      c.output<int32_t>()[i] = U_SUCCESS(status) ? script : -1;
    }
  });
}

constexpr KernelDef kKernels[] = {
    {"UnicodeDecode", "reference", make_decode},
    {"UnicodeDecodeWithOffsets", "reference", make_decode},
    {"UnicodeEncode", "reference", make_encode},
    {"UnicodeTranscode", "reference", make_transcode},
    {"UnicodeScript", "reference", make_script},
};

}  // namespace

std::span<const KernelDef> reference_unicode_kernels() { return kKernels; }

}  // namespace thalweg
