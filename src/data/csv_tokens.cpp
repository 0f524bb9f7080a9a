#include "data/csv_tokens.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace thalweg::data {
namespace {

constexpr size_t kBlock = 64;

/// One bit a byte of a block: which are what.
struct Masks {
  uint64_t delimiters, line_ends, quotes, controls, high;
};

#if defined(__SSE2__)
Masks look_at(const char* text, const CsvSyntax& syntax) {
  const __m128i delimiter = _mm_set1_epi8(syntax.delimiter);
  const __m128i line_end = _mm_set1_epi8(syntax.line_end);
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i most_control = _mm_set1_epi8(0x1F);
  const __m128i tab = _mm_set1_epi8('\t'), lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  Masks masks{};
  for (unsigned i = 0; i < kBlock; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    const auto bits = [i](__m128i equal) {
      return uint64_t{static_cast<unsigned>(_mm_movemask_epi8(equal))} << i;
    };
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, most_control), bytes);
    const __m128i fine =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, tab),
                     _mm_or_si128(_mm_cmpeq_epi8(bytes, lf), _mm_cmpeq_epi8(bytes, cr)));
    masks.delimiters |= bits(_mm_cmpeq_epi8(bytes, delimiter));
    masks.line_ends |= bits(_mm_cmpeq_epi8(bytes, line_end));
    masks.quotes |= bits(_mm_cmpeq_epi8(bytes, quote));
    masks.controls |= bits(_mm_andnot_si128(fine, low));
    masks.high |= bits(bytes);
  }
  return masks;
}
#else
Masks look_at(const char* text, const CsvSyntax& syntax) {
  Masks masks{};
  for (unsigned i = 0; i < kBlock; ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    masks.delimiters |= uint64_t{c == syntax.delimiter} << i;
    masks.line_ends |= uint64_t{c == syntax.line_end} << i;
    masks.quotes |= uint64_t{c == '"'} << i;
    masks.controls |= uint64_t{byte < 0x20 && c != '\t' && c != '\n' && c != '\r'} << i;
    masks.high |= uint64_t{byte >= 0x80} << i;
  }
  return masks;
}
#endif

bool is_all_blank(const char* begin, const char* end) {
  return std::all_of(begin, end, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
}

}  // namespace

/// The state between two marks of the text: delimiters, line ends, quotes.
class CsvTokens::Cutter {
 public:
  Cutter(CsvTokens& tokens, std::string_view text, const CsvSyntax& syntax)
      : tokens_(tokens), text_(text.data()), syntax_(syntax), out_(tokens.ends_.get()) {
    *out_++ = 0;
    record_ = out_;
    in_comment_ = begins_comment(0);
  }

  bool failed() const { return failed_; }
  bool in_quotes() const { return in_quotes_; }
  /// Whether a delimiter or line end is nothing but the end of a cell.
  bool is_plain() const { return !in_quotes_ && flags_ == 0 && !in_comment_; }

  void end_cell(size_t i) { *out_++ = static_cast<uint32_t>(i + kBase); }

  void end_line(size_t i, uint32_t flags = 0) {
    *out_++ = static_cast<uint32_t>(i + kBase) | flags;
    const auto cells = static_cast<size_t>(out_ - record_);
    if (cells == syntax_.columns && !(cells == 1 && is_blank_line(i))) [[likely]] {
      ++tokens_.rows_;
    } else if (cells == 1 && is_blank_line(i)) {
      out_ = record_ - 1;
    } else {
      return fail(Fault::kCells, place_before(record_[-1]), cells);
    }
    begin_record(i);
  }

  void mark(size_t i) {
    const char c = text_[i];
    if (c == '"') {
      if (!in_comment_) quote(i);
      return;
    }
    if (in_quotes_) return;
    if (in_comment_) {
      if (c != syntax_.line_end) return;
      in_comment_ = false;
      out_ = record_ - 1;
      return begin_record(i);
    }
    const uint32_t flags = flags_;
    if (flags != 0) {
      if (!is_all_blank(text_ + closed_ + 1, text_ + i))
        return fail(Fault::kStrayQuote, closed_, open_);
      flags_ = 0;
    }
    if (c == syntax_.line_end) {
      // A quoted cell alone on its line is a record even when it is empty.
      if (flags != 0 && syntax_.columns == 1 && out_ == record_) {
        *out_++ = static_cast<uint32_t>(i + kBase) | flags;
        ++tokens_.rows_;
        return begin_record(i);
      }
      return end_line(i, flags);
    }
    *out_++ = static_cast<uint32_t>(i + kBase) | flags;
  }

  void finish() {
    if (in_quotes_) tokens_.open_quote_ = open_;
  }

 private:
  static size_t place_before(uint32_t stored) { return (stored & kPlaceMask) + 1 - kBase; }

  bool begins_comment(size_t at) const { return syntax_.comment && text_[at] == *syntax_.comment; }

  bool is_blank_line(size_t end) const {
    const size_t begin = place_before(record_[-1]);
    return is_all_blank(text_ + begin, text_ + end);
  }

  void begin_record(size_t line_end) {
    *out_++ = static_cast<uint32_t>(line_end + kBase);
    record_ = out_;
    tokens_.used_ = line_end + 1;
    if (syntax_.comment) in_comment_ = begins_comment(line_end + 1);
  }

  void quote(size_t i) {
    if (i == second_of_two_) return;
    if (in_quotes_) {
      if (text_[i + 1] == '"') {
        second_of_two_ = i + 1;
        flags_ |= kDoubled;
      } else {
        in_quotes_ = false;
        closed_ = i;
      }
      return;
    }
    if (flags_ != 0) return fail(Fault::kStrayQuote, i, open_);
    const size_t begin = place_before(out_[-1]);
    if (!is_all_blank(text_ + begin, text_ + i)) return;  // an ordinary character
    in_quotes_ = true;
    flags_ = kQuoted;
    open_ = i;
  }

  void fail(Fault fault, size_t at, size_t detail) {
    tokens_.fault_ = fault;
    tokens_.fault_at_ = at;
    tokens_.fault_detail_ = detail;
    failed_ = true;
  }

  CsvTokens& tokens_;
  const char* text_;
  const CsvSyntax& syntax_;
  uint32_t* out_;
  uint32_t* record_;              // the end of the first cell of the record
  uint32_t flags_ = 0;            // of the cell
  size_t open_ = 0, closed_ = 0;  // its quotes
  size_t second_of_two_ = static_cast<size_t>(-1);
  bool in_quotes_ = false, in_comment_ = false, failed_ = false;
};

void CsvTokens::reserve(size_t bytes) {
  // No byte ends more than one cell and begins more than one record.
  const size_t most = 2 * bytes + 4;
  if (most <= capacity_) return;
  ends_.reset(new uint32_t[most]);  // only what is written takes memory
  capacity_ = most;
}

void CsvTokens::read(std::string_view text, const CsvSyntax& syntax) {
  reserve(text.size());
  stride_ = syntax.columns + 1;
  rows_ = lines_ = 0;
  used_ = 0;
  open_quote_.reset();
  fault_ = Fault::kNone;
  Cutter cutter(*this, text, syntax);
  bool high = false;
  for (size_t block = 0; block < text.size(); block += kBlock) {
    Masks masks = look_at(text.data() + block, syntax);
    if (const size_t left = text.size() - block; left < kBlock) {
      const uint64_t inside = (uint64_t{1} << left) - 1;
      masks.delimiters &= inside;
      masks.line_ends &= inside;
      masks.quotes &= inside;
      masks.controls &= inside;
      masks.high &= inside;
    }
    high |= masks.high != 0;
    lines_ += std::popcount(masks.line_ends);
    if (masks.controls != 0 && (fault_ == Fault::kNone || fault_ == Fault::kCells)) {
      // Bytes that are no text explain a wrong number of cells, not the other way round.
      fault_ = Fault::kControl;
      fault_at_ = block + static_cast<size_t>(std::countr_zero(masks.controls));
      return;
    }
    if (cutter.failed()) continue;
    if (!syntax.quotes) masks.quotes = 0;
    uint64_t marks = masks.delimiters | masks.line_ends | masks.quotes;
    if (masks.quotes == 0 && cutter.in_quotes()) continue;
    if (masks.quotes == 0 && cutter.is_plain() && !syntax.comment) {
      for (; marks != 0; marks &= marks - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(marks));
        if ((masks.line_ends >> bit & 1) == 0) {
          cutter.end_cell(block + bit);
        } else {
          cutter.end_line(block + bit);
          if (cutter.failed()) break;
        }
      }
    } else {
      for (; marks != 0 && !cutter.failed(); marks &= marks - 1) {
        cutter.mark(block + static_cast<size_t>(std::countr_zero(marks)));
      }
    }
  }
  if (fault_ == Fault::kNone) cutter.finish();
  if (high && fault_ == Fault::kNone) {
    if (const auto at = find_no_utf8(text)) {
      fault_ = Fault::kNotUtf8;
      fault_at_ = *at;
    }
  }
}

std::optional<size_t> find_no_utf8(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  const size_t size = text.size();
  for (size_t i = 0; i < size;) {
    uint64_t word = 0;
    while (i + sizeof(word) <= size) {
      std::memcpy(&word, bytes + i, sizeof(word));
      if ((word & 0x8080808080808080u) != 0) break;
      i += sizeof(word);
    }
    if (i >= size) break;
    const unsigned first = bytes[i];
    if (first < 0x80) {
      ++i;
      continue;
    }
    const size_t length = first >= 0xC2 && first < 0xE0   ? 2
                          : first >= 0xE0 && first < 0xF0 ? 3
                          : first >= 0xF0 && first < 0xF5 ? 4
                                                          : 0;
    if (length == 0 || i + length > size) return i;
    for (size_t k = 1; k < length; ++k) {
      if ((bytes[i + k] & 0xC0) != 0x80) return i;
    }
    const unsigned second = bytes[i + 1];
    // Longer than needed, surrogates, beyond U+10FFFF.
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90)) {
      return i;
    }
    i += length;
  }
  return std::nullopt;
}

}  // namespace thalweg::data
