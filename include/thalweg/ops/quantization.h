// Quantization: floats rounded to what few bits can hold, for training that knows of it
// (fake_quant_*, quantize_and_dequantize), and the integers themselves (quantize, dequantize).
//
// Each function adds one node of the TensorFlow op that its comment names.
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct FakeQuantOptions {
  int64_t num_bits = 8;       ///< 2 to 16
  bool narrow_range = false;  ///< leave the lowest integer out
  std::string name = {};
};
/// float32 x rounded to the steps of [min, max], of which 0 is made one. The gradient passes where
/// x is inside. FakeQuantWithMinMaxArgs
Output fake_quant(Output x, float min, float max, const FakeQuantOptions& options = {});
/// The same with a range that is computed or learnt: scalars, which get the gradients of the
/// elements outside. FakeQuantWithMinMaxVars
Output fake_quant(Output x, Output min, Output max, const FakeQuantOptions& options = {});
/// A range for each entry of the last dimension: `[channels]`. FakeQuantWithMinMaxVarsPerChannel
Output fake_quant_per_channel(Output x, Output min, Output max,
                              const FakeQuantOptions& options = {});

struct QuantizeAndDequantizeOptions {
  bool signed_input = true;
  int64_t num_bits = 8;
  bool range_given = true;  ///< otherwise the range is x's own
  bool half_up = false;     ///< round halves up instead of to even
  bool narrow_range = false;
  int64_t axis = -1;  ///< of slices with a range each
  std::string name = {};
};
/// x rounded to symmetric steps under which 0 stays 0. QuantizeAndDequantizeV4
Output quantize_and_dequantize(Output x, Output input_min, Output input_max,
                               const QuantizeAndDequantizeOptions& options = {});

struct QuantizeOptions {
  std::string mode = "MIN_COMBINED";  ///< or "MIN_FIRST", "SCALED"
  bool narrow_range = false;
  int64_t axis = -1;
  std::string name = {};
};
struct QuantizedTensor {
  Output values;
  Output min;  // the range that the integers stand for
  Output max;
};
/// float32 x to `dtype` (kQUInt8, kQInt8, ...). QuantizeV2
QuantizedTensor quantize(Output x, Output min, Output max, DType dtype,
                         const QuantizeOptions& options = {});
/// And back to float32. Dequantize
Output dequantize(const QuantizedTensor& x, const QuantizeOptions& options = {});

}  // namespace thalweg
