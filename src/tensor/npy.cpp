#include "thalweg/tensor/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "thalweg/base/file.h"
#include "thalweg/tensor/bool_bytes.h"

namespace thalweg {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlign = 64;
constexpr size_t kLongestHeader = size_t{1} << 20;
constexpr int64_t kMostEmptyStrings = int64_t{1} << 20;

struct Descr {
  DType dtype;
  std::string_view text;
};
constexpr Descr kDescrs[] = {{kBool, "|b1"},      {kInt8, "|i1"},       {kUInt8, "|u1"},
                             {kInt16, "<i2"},     {kUInt16, "<u2"},     {kInt32, "<i4"},
                             {kUInt32, "<u4"},    {kInt64, "<i8"},      {kUInt64, "<u8"},
                             {kFloat16, "<f2"},   {kFloat32, "<f4"},    {kFloat64, "<f8"},
                             {kComplex64, "<c8"}, {kComplex128, "<c16"}};

struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

// A reader of the dict literal: only the few forms that NumPy writes.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Header parse() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        header.descr = descr();
        has_descr = true;
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        has_order = true;
      } else if (key == "shape") {
        header.shape = shape();
        has_shape = true;
      } else {
        fail(str("an unknown key '", key, "'"));
      }
      if (accept(',')) continue;
      expect('}');
      break;
    }
    if (!has_descr || !has_order || !has_shape) fail("no descr, fortran_order or shape");
    return header;
  }

 private:
  void skip() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool accept(char c) {
    skip();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(str("no '", c, "' where one is expected"));
  }
  std::string quoted() {
    skip();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) fail("no quoted word");
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) fail("a quote that does not close");
    std::string word(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return word;
  }
  std::string descr() {
    skip();
    if (!rest_.empty() && rest_[0] == '[') {
      throw unimplemented(
          "the array holds records (several fields an element), which are not read");
    }
    return quoted();
  }
  bool boolean() {
    skip();
    for (const auto& [word, value] : {std::pair("True", true), std::pair("False", false)}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(std::strlen(word));
      return value;
    }
    fail("neither True nor False");
  }
  Shape shape() {
    std::vector<int64_t> dims;
    expect('(');
    while (!accept(')')) {
      skip();
      int64_t dim = -1;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dim);
      if (error != std::errc() || dim < 0) fail("a dimension that is no number");
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      if (!rest_.empty() && rest_[0] == 'L') rest_.remove_prefix(1);  // Python 2's long
      dims.push_back(dim);
      if (accept(',')) continue;
      expect(')');
      break;
    }
    if (dims.size() > static_cast<size_t>(Shape::kMaxRank)) {
      throw unimplemented("the array has ", dims.size(), " dimensions, more than ",
                          Shape::kMaxRank);
    }
    return Shape(std::span<const int64_t>(dims));
  }
  [[noreturn]] static void fail(std::string_view what) {
    throw data_loss("the header of the array has ", what);
  }

  std::string_view rest_;
};

// Turns the bytes of each number round; complex numbers hold two.
void swap_bytes(Tensor& tensor) {
  const size_t width = element_size(tensor.dtype()) / (is_complex(tensor.dtype()) ? 2 : 1);
  char* const bytes = static_cast<char*>(tensor.mutable_raw());
  for (size_t i = 0; i + width <= tensor.byte_size(); i += width) {
    std::reverse(bytes + i, bytes + i + width);
  }
}

// Row-major places of the elements that lie one after another in a column-major array.
template <class F>
void for_each_column_major(const Shape& shape, F visit) {
  const int rank = shape.rank();
  std::vector<int64_t> strides(static_cast<size_t>(rank), 1);
  for (int i = rank - 2; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = strides[static_cast<size_t>(i) + 1] * shape[i + 1];
  }
  std::vector<int64_t> index(static_cast<size_t>(rank), 0);
  const int64_t count = shape.num_elements();
  for (int64_t from = 0; from < count; ++from) {
    int64_t place = 0;
    for (size_t i = 0; i < index.size(); ++i) place += index[i] * strides[i];
    visit(from, place);
    for (size_t i = 0; i < index.size(); ++i) {
      if (++index[i] < shape[static_cast<int>(i)]) break;
      index[i] = 0;
    }
  }
}

Tensor to_row_major(const Tensor& columns) {
  Tensor rows(columns.dtype(), columns.shape());
  if (columns.dtype() == kString) {
    const auto from = columns.data<std::string>();
    const auto to = rows.mutable_data<std::string>();
    for_each_column_major(columns.shape(), [&](int64_t i, int64_t place) {
      to[static_cast<size_t>(place)] = from[static_cast<size_t>(i)];
    });
    return rows;
  }
  const size_t width = element_size(columns.dtype());
  const char* const from = static_cast<const char*>(columns.raw());
  char* const to = static_cast<char*>(rows.mutable_raw());
  for_each_column_major(columns.shape(), [&](int64_t i, int64_t place) {
    std::memcpy(to + static_cast<size_t>(place) * width, from + static_cast<size_t>(i) * width,
                width);
  });
  return rows;
}

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18 & 7));
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Cells of fixed width, filled up with zeros; text has four bytes a character.
std::string read_cell(const char* cell, size_t width, bool is_text, bool big_endian) {
  if (!is_text) {
    while (width > 0 && cell[width - 1] == '\0') --width;
    return std::string(cell, width);
  }
  const auto code_at = [cell](size_t i) {
    uint32_t code;
    std::memcpy(&code, cell + i, 4);
    return code;
  };
  while (width > 0 && code_at(width - 4) == 0) width -= 4;
  std::string out;
  for (size_t i = 0; i < width; i += 4) {
    append_utf8(out, big_endian ? __builtin_bswap32(code_at(i)) : code_at(i));
  }
  return out;
}

void check_size(const Header& header, std::string_view data, size_t width) {
  size_t bytes = width;
  for (int64_t dim : header.shape.dims()) {
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(dim), &bytes)) {
      throw data_loss("the header of the array claims shape ", header.shape,
                      ", which is too large");
    }
  }
  if (bytes != data.size()) {
    throw data_loss("the array of ", header.descr, " ", header.shape, " needs ", bytes,
                    " bytes, but ", data.size(), " follow its header");
  }
}

Tensor read_strings(const Header& header, std::string_view data) {
  const bool is_text = header.descr[1] == 'U';
  size_t width = 0;
  const char* const begin = header.descr.data() + 2;
  const char* const end = header.descr.data() + header.descr.size();
  const auto [rest, error] = std::from_chars(begin, end, width);
  if (error != std::errc() || rest != end || width > kLongestHeader * kAlign) {
    throw data_loss("the header of the array has an element type '", header.descr, "'");
  }
  if (is_text) width *= 4;
  check_size(header, data, width);
  // Empty strings need no data, so that the header alone decides how many there are.
  if (width == 0 && header.shape.num_elements() > kMostEmptyStrings) {
    throw resource_exhausted("the array of ", header.descr, " ", header.shape,
                             " holds empty strings alone, more than ", kMostEmptyStrings);
  }
  Tensor result(kString, header.shape);
  const auto cells = result.mutable_data<std::string>();
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = read_cell(data.data() + i * width, width, is_text, header.descr[0] == '>');
  }
  return result;
}

Tensor read_numbers(const Header& header, std::string_view data) {
  std::string descr = header.descr;
  const bool big_endian = descr[0] == '>';
  if (big_endian || descr[0] == '=') descr[0] = '<';
  if (descr.size() == 3 && descr[2] == '1') descr[0] = '|';
  for (const Descr& known : kDescrs) {
    if (known.text != descr) continue;
    check_size(header, data, element_size(known.dtype));
    Tensor result(known.dtype, header.shape);
    std::memcpy(result.mutable_raw(), data.data(), data.size());
    if (big_endian) swap_bytes(result);
    normalize_bools(result);
    return result;
  }
  throw unimplemented("arrays of element type '", header.descr, "' are not read");
}

std::string_view descr_of(DType dtype) {
  for (const Descr& known : kDescrs) {
    if (known.dtype == dtype) return known.text;
  }
  throw unimplemented("NumPy's files have no element type for ", dtype, "; cast it first");
}

}  // namespace

Tensor parse_npy(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + 4) {
    throw data_loss("not an .npy array: it does not begin as one");
  }
  const int major = static_cast<unsigned char>(bytes[kMagic.size()]);
  if (major < 1 || major > 3) throw unimplemented(".npy files of version ", major);
  const size_t length_bytes = major == 1 ? 2 : 4;
  size_t at = kMagic.size() + 2;
  if (bytes.size() < at + length_bytes) throw data_loss("the .npy array is cut short");
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + at, length_bytes);
  at += length_bytes;
  if (length > kLongestHeader || length > bytes.size() - at) {
    throw data_loss("the header of the .npy array claims ", length, " bytes, but ",
                    bytes.size() - at, " follow");
  }
  const Header header = HeaderParser(bytes.substr(at, length)).parse();
  const std::string_view data = bytes.substr(at + length);
  if (header.descr.size() < 2) throw data_loss("the header of the array has no element type");
  if (header.descr[1] == 'O') {
    throw unimplemented(
        "the array holds pickled Python objects, which could run anything and are not read");
  }
  const bool is_string = header.descr[1] == 'S' || header.descr[1] == 'U';
  const Tensor stored = is_string ? read_strings(header, data) : read_numbers(header, data);
  return header.fortran_order && header.shape.rank() > 1 ? to_row_major(stored) : stored;
}

std::string encode_npy(const Tensor& tensor) {
  if (!tensor.is_valid()) throw invalid_argument("a tensor that holds nothing cannot be written");
  std::string shape = "(";
  for (int64_t dim : tensor.shape().dims()) append(shape, str(dim, ", "));
  if (tensor.rank() > 1) shape.resize(shape.size() - 2);
  if (tensor.rank() == 1) shape.resize(shape.size() - 1);
  std::string header = str("{'descr': '", descr_of(tensor.dtype()),
                           "', 'fortran_order': False, 'shape': ", shape, "), }");
  const size_t before = kMagic.size() + 4;
  header.append((kAlign - (before + header.size() + 1) % kAlign) % kAlign, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF),
            static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(static_cast<const char*>(tensor.raw()), tensor.byte_size());
  return bytes;
}

Tensor read_npy(const std::string& path) {
  const std::string bytes = read_file(path);  // its errors name the file
  try {
    return parse_npy(bytes);
  } catch (Error& error) {
    error.add_context(path);
    throw;
  }
}

void write_npy(const std::string& path, const Tensor& tensor) {
  write_file(path, encode_npy(tensor));
}

}  // namespace thalweg
