// Tensors from bytes and back: raw memory, CSV, serialised tensors, compressed text.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/parsing.h"

namespace thalweg {
namespace {

constexpr char kNoNumbers[] = "its input or its output is text";

void raw_shape(ShapeContext& c) { c.set_output(0, c.input(0).concat(Shape{kUnknownDim})); }

void padded_raw_shape(ShapeContext& c) {
  if (c.input(1).has_rank()) c.with_rank(1, 0);
  int64_t width = kUnknownDim;
  if (const auto length = known_scalar(c, 1)) {
    const auto size = static_cast<int64_t>(element_size(c.attr<DType>("out_type")));
    if (*length <= 0 || *length % size != 0) {
      throw c.error("fixed_length is ", *length, "; it must be a positive multiple of the ", size,
                    " bytes of one element");
    }
    width = *length / size;
  }
  c.set_output(0, c.input(0).concat(Shape{width}));
}

void csv_shape(ShapeContext& c) {
  if (const auto& delim = c.attr<std::string>("field_delim"); delim.size() != 1)
    throw c.error("attribute `field_delim` is one byte, got '", delim, "'");
  const auto& columns = c.attr<std::vector<int64_t>>("select_cols");
  if (!columns.empty() && static_cast<int>(columns.size()) != c.num_outputs())
    throw c.error("attribute `select_cols` has ", columns.size(), " columns for ", c.num_outputs(),
                  " outputs");
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0 || (i > 0 && columns[i] <= columns[i - 1]))
      throw c.error("attribute `select_cols` must rise from 0 on, got ", columns);
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (const int64_t count = c.input(i + 1).num_elements(); count > 1)
      throw c.error("the default of column ", i, " has ", count,
                    " elements; it may have one or none");
    c.set_output(i, c.input(0));
  }
}

void compressed_shape(ShapeContext& c) { shape_functions::same_as_input(c); }

void parse_tensor_shape(ShapeContext& c) {
  if (c.input(0).has_rank()) c.with_rank(0, 0);
  c.set_output(0, Shape::unknown());
}

constexpr char kEndian[] =
    "little_endian: bool = true | Whether the bytes of a number begin with the lowest.";

constexpr OpDef kDecodingOps[] = {
    {.name = "DecodeRaw",
     .inputs = {"bytes: string | Any shape; all strings of one length."},
     .outputs = {"output: out_type | The input's shape, then the elements of a string."},
     .attrs = {"out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
               "complex64, complex128, bool, bfloat16} | Element type.",
               kEndian},
     .doc = "The bytes of strings as numbers.",
     .shape = raw_shape,
     .no_gradient = kNoNumbers},
    {.name = "DecodePaddedRaw",
     .inputs = {"input_bytes: string | Any shape.",
                "fixed_length: int32 | A scalar: bytes taken of each string, which is cut or "
                "padded with zeros."},
     .outputs = {"output: out_type | The input's shape, then fixed_length / element size."},
     .attrs = {"out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
               "bfloat16} | Element type.",
               kEndian},
     .doc = "DecodeRaw of strings of any length.",
     .shape = padded_raw_shape,
     .no_gradient = kNoNumbers},
    {.name = "DecodeCSV",
     .inputs = {"records: string | Any shape: lines of a CSV file.",
                "record_defaults: OUT_TYPE | For each column its value where it is empty, or an "
                "empty vector: then it may not be."},
     .outputs = {"output: OUT_TYPE | Each column in the shape of the records."},
     .attrs = {"OUT_TYPE: list({float, double, int32, int64, string}) >= 1 | Types of the columns.",
               "field_delim: string = ',' | The byte between fields.",
               "use_quote_delim: bool = true | Whether quotes may enclose a field.",
               "na_value: string = '' | A field that counts as empty, beside the empty one.",
               "select_cols: list(int) = [] | Columns taken, ascending; none: all."},
     .doc = "Reads CSV (RFC 4180) into a tensor for each column.",
     .shape = csv_shape,
     .no_gradient = kNoNumbers},
    {.name = "DecodeCompressed",
     .inputs = {"bytes: string | Any shape."},
     .outputs = {"output: string | As the input."},
     .attrs = {"compression_type: string = '' | 'ZLIB', 'GZIP', or '': not compressed."},
     .doc = "Decompresses each string.",
     .shape = compressed_shape,
     .no_gradient = kNoNumbers},
    {.name = "ParseTensor",
     .inputs = {"serialized: string | A scalar: a TensorProto message."},
     .outputs = {"output: out_type | The tensor."},
     .attrs = {"out_type: type | Its type, which must be the message's."},
     .doc = "Reads a serialised tensor.",
     .shape = parse_tensor_shape,
     .no_gradient = kNoNumbers},
    {.name = "SerializeTensor",
     .inputs = {"tensor: T | Any tensor."},
     .outputs = {"serialized: string | A scalar: a TensorProto message."},
     .attrs = {"T: type | Its type."},
     .doc = "Writes a tensor as a message.",
     .shape = shape_functions::scalar,
     .no_gradient = kNoNumbers},
};

}  // namespace

std::span<const OpDef> decoding_ops() { return kDecodingOps; }

Output decode_raw(const Output& bytes, DType dtype, const DecodeRawOptions& options) {
  return add_op("DecodeRaw", {bytes},
                {{"out_type", dtype}, {"little_endian", options.little_endian}}, options.name);
}

std::vector<Output> decode_csv(const Output& records, const std::vector<Tensor>& defaults,
                               const CsvOptions& options) {
  Graph& graph = records.graph();
  std::vector<Output> inputs{records};
  for (const Tensor& value : defaults) {
    inputs.push_back(graph.add("Const", {}, {{"dtype", value.dtype()}, {"value", value}}).output());
  }
  Node& node = graph.add("DecodeCSV", inputs,
                         {{"field_delim", std::string(1, options.delimiter)},
                          {"use_quote_delim", options.use_quotes},
                          {"na_value", options.na_value},
                          {"select_cols", options.columns}},
                         {.name = options.name});
  std::vector<Output> columns;
  for (int i = 0; i < node.num_outputs(); ++i) columns.push_back(node.output(i));
  return columns;
}

Output parse_tensor(const Output& serialized, DType dtype, const ParseOptions& options) {
  return add_op("ParseTensor", {serialized}, {{"out_type", dtype}}, options.name);
}

Output serialize_tensor(const Output& tensor, const ParseOptions& options) {
  return add_op("SerializeTensor", {tensor}, {}, options.name);
}

}  // namespace thalweg
