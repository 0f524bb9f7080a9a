#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/indices.h"
#include "kernels/reference/write_ints.h"

namespace thalweg {
namespace {

using reference::IndexInput;
using reference::Ints;
using reference::IntsInput;
using reference::Offsets;
using reference::OutputPlace;
using reference::write_ints;
using Request = const KernelRequest&;

// Adds an element to a key; elements are equal when their keys are. False for a NaN, which equals
// nothing.
template <class T>
bool add_to_key(std::string& key, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    const size_t size = value.size();
    key.append(reinterpret_cast<const char*>(&size), sizeof size).append(value);
  } else {
    T same = value;
    if constexpr (kIsFloating<T>) {
      if (widen(value) != widen(value)) return false;
      if (widen(value) == 0) same = narrow<T>(0);  // -0 too
    }
    key.append(reinterpret_cast<const char*>(&same), sizeof same);
  }
  return true;
}

// The keys of the slices that `starts` begin and whose elements lie at `rest` from there.
std::vector<std::optional<std::string>> keys_of(DType dtype, const void* data, const Ints& starts,
                                                const Offsets& rest) {
  std::vector<std::optional<std::string>> keys;
  visit_element(dtype, [&]<class T>(TypeTag<T>) {
    for (int64_t start : starts) {
      std::string key;
      bool comparable = true;
      reference::for_each_offset(rest, [&](int64_t, int64_t offset) {
        comparable = add_to_key(key, static_cast<const T*>(data)[start + offset]) && comparable;
      });
      keys.push_back(comparable ? std::optional(key) : std::nullopt);
    }
  });
  return keys;
}

bool is_comparable(DType dtype) { return dtype != kVariant && dtype != kResource; }

KernelPtr make_unique_of(Request request, std::optional<IntsInput> axes) {
  const TensorSpec& x = request.inputs[0];
  if (!is_comparable(x.dtype)) return nullptr;
  std::vector<OutputPlace> places;
  for (size_t i = 0; i < request.outputs.size(); ++i)
    places.emplace_back(request, static_cast<int>(i));
  return make_kernel([=, dtype = x.dtype, shape = x.shape,
                      index_type = request.outputs[1].dtype](KernelContext& context) {
    const Ints given = axes ? axes->read(context) : Ints();
    if (given.empty() && shape.rank() != 1)
      throw invalid_argument("without an axis x must be a vector, got shape ", shape);
    const size_t axis =
        given.empty() ? 0 : reference::place_axis(given[0], static_cast<size_t>(shape.rank()));
    Offsets rest = reference::dense_offsets(shape);
    const Ints starts = rest[axis];
    rest[axis] = {0};

    Ints firsts, index, counts;
    std::unordered_map<std::string, int64_t> seen;
    for (const auto& key : keys_of(dtype, context.input_pointer(0), starts, rest)) {
      auto next = static_cast<int64_t>(firsts.size());
      const bool is_new = !key || seen.emplace(*key, next).second;
      if (is_new) {
        firsts.push_back(starts[index.size()]);
        counts.push_back(0);
      } else {
        next = seen.at(*key);
      }
      index.push_back(next);
      ++counts[static_cast<size_t>(next)];
    }
    Shape result = shape;
    result.set_dim(static_cast<int>(axis), static_cast<int64_t>(firsts.size()));
    rest[axis] = firsts;
    reference::gather_elements(dtype, rest, context.input_pointer(0),
                               places[0].memory(context, result));
    write_ints(index_type, places[1].memory(context, Shape{static_cast<int64_t>(index.size())}),
               index);
    if (places.size() > 2)
      write_ints(index_type, places[2].memory(context, Shape{static_cast<int64_t>(counts.size())}),
                 counts);
  });
}

KernelPtr make_unique(Request request) { return make_unique_of(request, std::nullopt); }
KernelPtr make_unique_along(Request request) {
  return make_unique_of(request, IntsInput(request, 1));
}

KernelPtr make_difference(Request request) {
  const DType dtype = request.inputs[0].dtype;
  if (!is_comparable(dtype)) return nullptr;
  return make_kernel([dtype, n = request.inputs[0].shape[0], m = request.inputs[1].shape[0],
                      index_type = request.outputs[1].dtype, values = OutputPlace(request, 0),
                      places = OutputPlace(request, 1)](KernelContext& context) {
    std::unordered_map<std::string, bool> taken;
    for (const auto& key :
         keys_of(dtype, context.input_pointer(1), reference::evenly(0, 1, m), {{0}})) {
      if (key) taken.emplace(*key, true);
    }
    Ints kept;
    const auto keys = keys_of(dtype, context.input_pointer(0), reference::evenly(0, 1, n), {{0}});
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!keys[i] || !taken.contains(*keys[i])) kept.push_back(static_cast<int64_t>(i));
    }
    const Shape shape{static_cast<int64_t>(kept.size())};
    reference::gather_elements(dtype, {kept}, context.input_pointer(0),
                               values.memory(context, shape));
    write_ints(index_type, places.memory(context, shape), kept);
  });
}

KernelPtr make_partition(Request request) {
  const TensorSpec& data = request.inputs[0];
  if (!reference::has_elements(data.dtype)) return nullptr;
  std::vector<OutputPlace> places;
  for (size_t i = 0; i < request.outputs.size(); ++i)
    places.emplace_back(request, static_cast<int>(i));
  return make_kernel([places, dtype = data.dtype, shape = data.shape,
                      keys = IndexInput(request, 1)](KernelContext& context) {
    const Shape slice = shape.slice(keys.shape().rank());
    const int64_t inner = slice.num_elements();
    const auto count = static_cast<int64_t>(places.size());
    std::vector<Ints> starts(places.size());
    const Ints partitions = keys.read(context);
    for (size_t i = 0; i < partitions.size(); ++i) {
      if (partitions[i] < 0 || partitions[i] >= count)
        throw keys.out_of_range(static_cast<int64_t>(i), partitions[i], count, "`num_partitions`");
      starts[static_cast<size_t>(partitions[i])].push_back(static_cast<int64_t>(i) * inner);
    }
    for (size_t p = 0; p < places.size(); ++p) {
      const Shape piece = Shape{static_cast<int64_t>(starts[p].size())}.concat(slice);
      reference::gather_elements(dtype, {starts[p], reference::evenly(0, 1, inner)},
                                 context.input_pointer(0), places[p].memory(context, piece));
    }
  });
}

KernelPtr make_stitch(Request request) {
  const size_t count = request.inputs.size() / 2;
  const DType dtype = request.outputs[0].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  std::vector<IndexInput> indices;
  for (size_t i = 0; i < count; ++i) indices.emplace_back(request, static_cast<int>(i));
  const Shape slice = request.inputs[count].shape.slice(request.inputs[0].shape.rank());
  return make_kernel([=, place = OutputPlace(request, 0)](KernelContext& context) {
    const int64_t inner = slice.num_elements();
    int64_t rows = 0;
    std::vector<Ints> starts;
    for (const IndexInput& input : indices) {
      starts.push_back(input.read(context));
      for (int64_t& start : starts.back()) {
        if (start < 0) throw invalid_argument("index ", start, " is negative");
        rows = std::max(rows, start + 1);
        start *= inner;
      }
    }
    const Shape whole = Shape{rows}.concat(slice);
    void* to = place.memory(context, whole);
    reference::zero_elements(dtype, to, whole.num_elements());
    for (size_t i = 0; i < count; ++i) {
      reference::scatter_elements(dtype, {starts[i], reference::evenly(0, 1, inner)},
                                  context.input_pointer(static_cast<int>(count + i)), to);
    }
  });
}

constexpr KernelDef kKernels[] = {
    {"Unique", "reference", make_unique},
    {"UniqueWithCounts", "reference", make_unique},
    {"UniqueV2", "reference", make_unique_along},
    {"UniqueWithCountsV2", "reference", make_unique_along},
    {"ListDiff", "reference", make_difference},
    {"DynamicPartition", "reference", make_partition},
    {"DynamicStitch", "reference", make_stitch},
    {"ParallelDynamicStitch", "reference", make_stitch},
};

}  // namespace

std::span<const KernelDef> reference_partition_kernels() { return kKernels; }

}  // namespace thalweg
