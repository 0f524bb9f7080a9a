// Building nodes that read records: tf.train.Example messages, CSV lines, raw bytes, tensors.
//
// Each function adds the op of the same name (ParseExampleV2, DecodeCSV, ...) with TensorFlow's
// meaning; src/ops/parsing.cpp and decoding.cpp document them in full. A record that cannot be read
// is an error when it runs, naming feature or column and the record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// A feature with as many values in each example as its shape holds. An unknown first dimension
/// pads all examples to the longest.
struct DenseFeature {
  std::string key;
  DType dtype = kFloat32;     // float32, int64 or string
  Shape shape = {};           // in one example
  Tensor default_value = {};  // where it is missing, or the padding; none: it must be there
};
/// A feature with any number of values.
struct SparseFeature {
  std::string key;
  DType dtype = kFloat32;
};
struct ParseOptions {
  std::string name = {};
};
struct ParsedExamples {
  struct Sparse {
    Output indices;  // int64 [n, 2]
    Output values;   // [n]
    Output shape;    // int64 [2]
  };
  struct Ragged {
    Output values;      // [n]
    Output row_splits;  // int64 [batch + 1]
  };
  std::vector<Output> dense;  // [batch, ...]
  std::vector<Sparse> sparse;
  std::vector<Ragged> ragged;
};
/// Features of a `[batch]` of serialised Examples, in the order asked for. TensorFlow's
/// ParseExampleV2.
ParsedExamples parse_example(const Output& serialized, const std::vector<DenseFeature>& dense,
                             const std::vector<SparseFeature>& sparse = {},
                             const std::vector<SparseFeature>& ragged = {},
                             const ParseOptions& options = {});

struct DecodeRawOptions {
  bool little_endian = true;
  std::string name = {};
};
/// The bytes of strings, all of one length, as numbers: shape of the strings, then the numbers.
Output decode_raw(const Output& bytes, DType dtype, const DecodeRawOptions& options = {});

struct CsvOptions {
  char delimiter = ',';
  bool use_quotes = true;
  std::string na_value = {};          // counts as an empty field
  std::vector<int64_t> columns = {};  // columns taken, ascending; none: all
  std::string name = {};
};
/// The columns of CSV lines. `defaults` gives each column its type (float32, float64, int32, int64,
/// string) and its value where it is empty; an empty vector demands one.
std::vector<Output> decode_csv(const Output& records, const std::vector<Tensor>& defaults,
                               const CsvOptions& options = {});

/// A tensor from and to a scalar that holds a TensorProto message.
Output parse_tensor(const Output& serialized, DType dtype, const ParseOptions& options = {});
Output serialize_tensor(const Output& tensor, const ParseOptions& options = {});

}  // namespace thalweg
