// Convolutions that are compositions of others.
#include "ops/add_op.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/convolution.h"

namespace thalweg {
namespace {

// One-dimensional data as images of one row.
struct Rows {
  int64_t axis;  // of the row, in input and result
  ConvOptions options;

  explicit Rows(const Conv1dOptions& o) {
    if (o.data_format != "NWC" && o.data_format != "NCW") {
      throw invalid_argument("conv1d takes data_format \"NWC\" or \"NCW\", got \"", o.data_format,
                             "\"");
    }
    axis = o.data_format == "NWC" ? 1 : 2;
    options = {.strides = {1, o.stride},
               .padding = o.padding,
               .dilations = {1, o.dilation},
               .data_format = o.data_format == "NWC" ? "NHWC" : "NCHW"};
  }
};

}  // namespace

Output conv2d_transpose(Output input, Output filter, const IntVector& output_shape,
                        ConvOptions options) {
  return conv2d_backprop_input(output_shape.in(input.graph()), filter, input, std::move(options));
}

Output conv1d(Output input, Output filter, Conv1dOptions options) {
  const Rows rows(options);
  return squeeze(conv2d(expand_dims(input, rows.axis), expand_dims(filter, 0), rows.options),
                 {rows.axis}, {.name = options.name});
}

Output conv1d_transpose(Output input, Output filter, const IntVector& output_shape,
                        Conv1dOptions options) {
  const Rows rows(options);
  IntVector sizes = output_shape;
  if (output_shape.is_constant()) {
    std::vector<int64_t> values = output_shape.values();
    if (values.size() != 3) {
      throw invalid_argument("conv1d_transpose takes 3 numbers as `output_shape`, got ", values);
    }
    values.insert(values.begin() + rows.axis, 1);
    sizes = IntVector(values);
  } else {
    const Output given = output_shape.in(input.graph());
    const Output one = add_op("Cast", {constant(input.graph(), Tensor::of<int32_t>({1}))},
                              {{"DstT", given.dtype()}});
    const std::vector<Output> parts = split_v(given, {rows.axis, -1}, 0);
    sizes = IntVector(concat({parts[0], one, parts[1]}, 0));
  }
  return squeeze(
      conv2d_transpose(expand_dims(input, rows.axis), expand_dims(filter, 0), sizes, rows.options),
      {rows.axis}, {.name = options.name});
}

}  // namespace thalweg
