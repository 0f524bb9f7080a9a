// Tensors from bytes and back.
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/text.h"
#include "kernels/reference/wire_writer.h"
#include "thalweg/formats/tensor_proto.h"

namespace thalweg {
namespace {

static_assert(std::endian::native == std::endian::little, "raw bytes are taken as they are");

// Bytes of the numbers whose order may have to be turned: a complex number is two.
size_t part_size(DType dtype) { return element_size(dtype) / (is_complex(dtype) ? 2 : 1); }

// Brings raw bytes into the form of elements in memory.
void settle_bytes(DType dtype, bool little_endian, char* bytes, size_t size) {
  if (const size_t part = part_size(dtype); !little_endian && part > 1) {
    for (size_t i = 0; i + part <= size; i += part) std::reverse(bytes + i, bytes + i + part);
  }
  if (dtype == kBool) {
    for (size_t i = 0; i < size; ++i) bytes[i] = bytes[i] != 0;  // a bool may be nothing else
  }
}

KernelPtr make_raw(const KernelRequest& request) {
  return make_kernel([shape = request.inputs[0].shape, dtype = request.outputs[0].dtype,
                      little = request.node.attr<bool>("little_endian"),
                      place = reference::OutputPlace(request, 0)](KernelContext& c) {
    const auto* x = c.input<std::string>(0);
    const int64_t count = shape.num_elements();
    const size_t size = count == 0 ? 0 : x[0].size();
    if (size % element_size(dtype) != 0) {
      throw invalid_argument("strings have ", size, " bytes, which is no multiple of the ",
                             element_size(dtype), " of one ", dtype);
    }
    const auto width = static_cast<int64_t>(size / element_size(dtype));
    char* out = static_cast<char*>(place.memory(c, shape.concat(Shape{width})));
    for (int64_t i = 0; i < count; ++i) {
      if (x[i].size() != size) {
        throw invalid_argument("string ", i, " has ", x[i].size(), " bytes, the first ", size,
                               "; they must be equally long, or use DecodePaddedRaw");
      }
      char* row = out + static_cast<size_t>(i) * size;
      if (size != 0) std::memcpy(row, x[i].data(), size);
      settle_bytes(dtype, little, row, size);
    }
  });
}

KernelPtr make_padded_raw(const KernelRequest& request) {
  return make_kernel([shape = request.inputs[0].shape, dtype = request.outputs[0].dtype,
                      little = request.node.attr<bool>("little_endian"),
                      place = reference::OutputPlace(request, 0)](KernelContext& c) {
    const int32_t length = *c.input<int32_t>(1);
    const auto element = static_cast<int32_t>(element_size(dtype));
    if (length <= 0 || length % element != 0) {
      throw invalid_argument("fixed_length is ", length, "; it must be a positive multiple of the ",
                             element, " bytes of one ", dtype);
    }
    const auto size = static_cast<size_t>(length);
    char* out = static_cast<char*>(place.memory(c, shape.concat(Shape{length / element})));
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      const std::string& text = c.input<std::string>(0)[i];
      char* row = out + static_cast<size_t>(i) * size;
      const size_t kept = std::min(text.size(), size);
      std::memcpy(row, text.data(), kept);
      std::memset(row + kept, 0, size - kept);
      settle_bytes(dtype, little, row, size);
    }
  });
}

// One record's fields, as TensorFlow's DecodeCSV parts them.
struct CsvFormat {
  char delimiter = ',';
  bool quotes = true;
  std::vector<int64_t> columns;  // empty: all

  std::vector<std::string> fields(std::string_view record) const {
    std::vector<std::string> result;
    int64_t column = 0;
    const auto wanted = [&] {
      return columns.empty() ||
             (result.size() < columns.size() && columns[result.size()] == column);
    };
    size_t i = 0;
    while (i < record.size()) {
      if (record[i] == '\n' || record[i] == '\r') {
        ++i;
        continue;
      }
      std::string field =
          quotes && record[i] == '"' ? quoted_field(record, i) : plain_field(record, i);
      if (wanted()) result.push_back(std::move(field));
      ++column;
      if (!columns.empty() && result.size() == columns.size()) return result;
    }
    if (!record.empty() && record.back() == delimiter && wanted()) result.emplace_back();
    return result;
  }

 private:
  // Both take the field that begins at `i`, and the delimiter behind it.
  std::string plain_field(std::string_view record, size_t& i) const {
    const size_t begin = i;
    for (; i < record.size() && record[i] != delimiter; ++i) {
      if ((quotes && record[i] == '"') || record[i] == '\n' || record[i] == '\r') {
        throw invalid_argument("a field without quotes holds a ",
                               record[i] == '"' ? "quote" : "line end", " at byte ", i);
      }
    }
    return std::string(record.substr(begin, i++ - begin));
  }

  std::string quoted_field(std::string_view record, size_t& i) const {
    std::string field;
    const size_t begin = i++;
    for (; i < record.size(); ++i) {
      if (record[i] != '"') {
        field += record[i];
      } else if (i + 1 == record.size() || record[i + 1] == delimiter) {
        i += 2;
        return field;
      } else if (record[i + 1] == '"') {
        field += '"';
        ++i;
      } else {
        throw invalid_argument("a quote inside the quoted field at byte ", begin,
                               " must be doubled (byte ", i, ")");
      }
    }
    throw invalid_argument("the quoted field at byte ", begin, " does not end");
  }
};

KernelPtr make_csv(const KernelRequest& request) {
  const Node& node = request.node;
  struct Column {
    DType dtype;
    bool has_default;
  };
  std::vector<Column> columns;
  for (const TensorSpec& input : request.inputs.subspan(1))
    columns.push_back({input.dtype, input.shape.num_elements() == 1});
  CsvFormat format{node.attr<std::string>("field_delim")[0], node.attr<bool>("use_quote_delim"),
                   node.attr<reference::Ints>("select_cols")};
  return make_kernel([columns, format, count = request.inputs[0].shape.num_elements(),
                      na = node.attr<std::string>("na_value")](KernelContext& c) {
    for (int64_t row = 0; row < count; ++row) {
      try {
        const std::vector<std::string> fields = format.fields(c.input<std::string>(0)[row]);
        if (fields.size() != columns.size()) {
          throw invalid_argument("expected ", columns.size(), " fields, got ", fields.size());
        }
        for (size_t k = 0; k < columns.size(); ++k) {
          const int i = static_cast<int>(k);
          const DType dtype = columns[k].dtype;
          void* out = reference::element_at(dtype, c.output_pointer(i), row);
          if (fields[k].empty() || fields[k] == na) {
            if (!columns[k].has_default)
              throw invalid_argument("field ", k, " is empty and has no default");
            reference::copy_elements(dtype, c.input_pointer(i + 1), out, 1);
            continue;
          }
          visit_dtype(dtype, [&]<class T>(TypeTag<T>) {
            if constexpr (std::is_same_v<T, std::string>) {
              *static_cast<std::string*>(out) = fields[k];
            } else if constexpr (requires(T & v) { reference::read_number("", v); }) {
              if (!reference::read_number(fields[k], *static_cast<T*>(out)))
                throw invalid_argument("field ", k, " is `", fields[k], "`, which is no ", dtype);
            }
          });
        }
      } catch (Error& error) {
        error.add_context(str("record ", row));
        throw;
      }
    }
  });
}

std::string inflate_all(const std::string& bytes, bool gzip) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip ? 15 + 16 : 15) != Z_OK)
    throw internal_error("zlib does not start");
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } end{&stream};
  std::string out;
  char buffer[1 << 14];
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof(buffer);
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) {
      throw data_loss("the compressed bytes are damaged, or break off after ", stream.total_in,
                      " of ", bytes.size());
    }
    out.append(buffer, sizeof(buffer) - stream.avail_out);
  }
  return out;
}

KernelPtr make_decompress(const KernelRequest& request) {
  const auto& type = request.node.attr<std::string>("compression_type");
  if (!type.empty() && type != "ZLIB" && type != "GZIP")
    throw invalid_argument("attribute `compression_type` is 'ZLIB', 'GZIP' or '', got '", type,
                           "'");
  return reference::map_strings<std::string>(request, [type](const std::string& bytes) {
    return type.empty() ? bytes : inflate_all(bytes, type == "GZIP");
  });
}

KernelPtr make_parse_tensor(const KernelRequest& request) {
  return make_kernel([dtype = request.outputs[0].dtype](KernelContext& c) {
    Tensor value = decode_tensor(*c.input<std::string>(0));
    if (value.dtype() != dtype)
      throw invalid_argument("the message holds ", value.dtype(), ", but `out_type` is ", dtype);
    c.set_output(0, std::move(value));
  });
}

KernelPtr make_serialize_tensor(const KernelRequest& request) {
  const TensorSpec& tensor = request.inputs[0];
  if (!reference::has_elements(tensor.dtype) || tensor.dtype == kVariant) return nullptr;
  return make_kernel([dtype = tensor.dtype, shape = tensor.shape](KernelContext& c) {
    *c.output<std::string>() = reference::tensor_message(dtype, shape, c.input_pointer(0));
  });
}

constexpr KernelDef kKernels[] = {
    {"DecodeRaw", "reference", make_raw},
    {"DecodePaddedRaw", "reference", make_padded_raw},
    {"DecodeCSV", "reference", make_csv},
    {"DecodeCompressed", "reference", make_decompress},
    {"ParseTensor", "reference", make_parse_tensor},
    {"SerializeTensor", "reference", make_serialize_tensor},
};

}  // namespace

std::span<const KernelDef> reference_decoding_kernels() { return kKernels; }

}  // namespace thalweg
