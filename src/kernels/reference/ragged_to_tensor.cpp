// RaggedTensorToTensor: the rows of each level padded, or cut, to one length.
#include <algorithm>
#include <numeric>
#include <string>

#include "kernels/reference/ragged_kernels.h"

namespace thalweg {
namespace {

using reference::Ints;
using reference::IntsInput;
using reference::OutputPlace;

// Row lengths of one level, from splits or from the row of each value.
Ints lengths_of(const std::string& type, const Ints& partition, int64_t rows) {
  Ints lengths;
  if (type == "ROW_SPLITS") {
    for (size_t i = 1; i < partition.size(); ++i)
      lengths.push_back(partition[i] - partition[i - 1]);
    return lengths;
  }
  if (type != "VALUE_ROWIDS") throw invalid_argument("`row_partition_types` holds ", type);
  const Tensor room(kInt64, {rows});  // throws for more rows than memory can hold, which a vector
                                      // would ask the system for
  lengths.assign(static_cast<size_t>(rows), 0);
  for (int64_t row : partition) {
    if (row < 0 || row >= rows) throw invalid_argument("row ", row, " is outside [0, ", rows, ")");
    ++lengths[static_cast<size_t>(row)];
  }
  return lengths;
}

}  // namespace

KernelPtr reference::make_ragged_to_tensor(const KernelRequest& request) {
  const TensorSpec& values = request.inputs[1];
  if (!reference::has_elements(values.dtype)) return nullptr;
  std::vector<IntsInput> partitions;
  for (size_t i = 3; i < request.inputs.size(); ++i)
    partitions.emplace_back(request, static_cast<int>(i));
  return make_kernel([partitions, dtype = values.dtype, shape = values.shape,
                      scalar = request.inputs[0].shape.rank() == 0, target = IntsInput(request, 0),
                      fill = request.inputs[2].shape,
                      types = request.node.attr<std::vector<std::string>>("row_partition_types"),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    if (types.size() != partitions.size() || types.empty())
      throw invalid_argument(types.size(), " row_partition_types for ", partitions.size(),
                             " partitions");
    if (fill.num_elements() == 0 && shape.slice(1).num_elements() != 0)
      throw invalid_argument("`default_value` of shape ", fill, " holds nothing to fill with");
    std::vector<Ints> lengths;
    int64_t rows = 0;
    for (size_t i = 0; i < types.size(); ++i) {
      const Ints partition = partitions[i].read(context);
      if (partition.empty() && types[i] != "VALUE_ROWIDS")
        throw invalid_argument("partition ", i, " (", types[i], ") is empty");
      if (i == 0)
        rows = types[0] == "FIRST_DIM_SIZE" ? partition[0]
                                            : static_cast<int64_t>(partition.size()) - 1;
      if (rows < 0) throw invalid_argument("the partitions tell of ", rows, " rows");
      if (types[i] == "FIRST_DIM_SIZE") continue;
      const int64_t count = lengths.empty() ? rows
                                            : std::accumulate(lengths.back().begin(),
                                                              lengths.back().end(), int64_t{0});
      lengths.push_back(lengths_of(types[i], partition, count));
    }
    Ints dims = {rows};
    for (const Ints& level : lengths)
      dims.push_back(level.empty() ? 0 : *std::max_element(level.begin(), level.end()));
    const Shape inner = shape.slice(1);
    const size_t ragged = dims.size();
    dims.insert(dims.end(), inner.dims().begin(), inner.dims().end());
    const Ints wanted = target.read(context);
    if (!scalar && wanted.size() != dims.size())
      throw invalid_argument("`shape` ", wanted, " does not fit a ragged tensor of ", dims.size(),
                             " dimensions");
    for (size_t i = 0; !scalar && i < dims.size(); ++i) {
      if (wanted[i] >= 0) dims[i] = wanted[i];
    }
    const Shape result{std::span<const int64_t>(dims)};
    if (result.slice(static_cast<int>(ragged)) != inner)
      throw invalid_argument("values of shape ", shape, " do not fit the dense shape ", result);
    void* to = place.memory(context, result);
    // The default is broadcast to an inner value.
    const int64_t width = inner.num_elements();
    const int64_t fills = fill.num_elements();
    for (int64_t i = 0; i < result.num_elements(); ++i) {
      reference::copy_elements(dtype,
                               reference::element_at(dtype, context.input_pointer(2), i % fills),
                               reference::element_at(dtype, to, i), 1);
    }
    // Where each row of a level begins in the result, in inner values; -1 when it was cut.
    Ints starts = reference::evenly(0, 1, rows);
    for (int64_t& start : starts) start = start < dims[0] ? start : -1;
    for (size_t level = 0; level < lengths.size(); ++level) {
      Ints next;
      for (size_t r = 0; r < lengths[level].size(); ++r) {
        for (int64_t i = 0; i < lengths[level][r]; ++i) {
          const bool kept = r < starts.size() && starts[r] >= 0 && i < dims[level + 1];
          next.push_back(kept ? starts[r] * dims[level + 1] + i : -1);
        }
      }
      starts = std::move(next);
    }
    if (static_cast<int64_t>(starts.size()) != shape[0])
      throw invalid_argument("the partitions place ", starts.size(), " values, there are ",
                             shape[0]);
    for (size_t i = 0; i < starts.size(); ++i) {
      if (starts[i] < 0) continue;
      reference::copy_elements(
          dtype,
          reference::element_at(dtype, context.input_pointer(1), static_cast<int64_t>(i) * width),
          reference::element_at(dtype, to, starts[i] * width), width);
    }
  });
}

}  // namespace thalweg
