#include "kernels/reference/indices.h"

namespace thalweg::reference {

Ints coordinates(const Shape& shape, int64_t flat) {
  Ints result(static_cast<size_t>(shape.rank()));
  for (size_t i = result.size(); i-- > 0;) {
    const int64_t dim = shape[static_cast<int>(i)];
    result[i] = flat % dim;
    flat /= dim;
  }
  return result;
}

IndexInput::IndexInput(const KernelRequest& request, int input)
    : shape_(request.inputs[static_cast<size_t>(input)].shape), values_(request, input) {
  for (const ArgSchema& argument : request.node.op().inputs) {
    if (request.node.input_range(argument.name).first == input) name_ = argument.name;
  }
}

Error IndexInput::out_of_range(int64_t flat, int64_t value, int64_t size,
                               std::string_view of) const {
  return invalid_argument(name_,
                          shape_.rank() == 0 ? std::string() : str(coordinates(shape_, flat)),
                          " is ", value, ", outside [0, ", size, "), the range of ", of,
                          value < 0 ? "; negative indices do not count from the end here" : "");
}

Ints IndexVectors::slices(const KernelContext& context, const Shape& tensor) const {
  const Ints values = indices_.read(context);
  const auto k = static_cast<int64_t>(depth());
  const int64_t count = indices_.shape().slice(0, indices_.shape().rank() - 1).num_elements();
  Ints result;
  for (int64_t i = 0; i < count; ++i) {
    int64_t slice = 0;
    for (int64_t d = 0; d < k; ++d) {
      const int64_t value = values[static_cast<size_t>(i * k + d)];
      const int64_t size = tensor[static_cast<int>(d)];
      if (value < 0 || value >= size) {
        throw indices_.out_of_range(i * k + d, value, size,
                                    str("dimension ", d, " of shape ", tensor));
      }
      slice = slice * size + value;
    }
    result.push_back(slice);
  }
  return result;
}

}  // namespace thalweg::reference
