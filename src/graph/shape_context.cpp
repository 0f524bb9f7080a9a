#include "thalweg/graph/shape_context.h"

#include <map>
#include <utility>

#include "thalweg/tensor/strided_slice.h"

namespace thalweg {
namespace {

using Ints = std::vector<int64_t>;

// Bounds walks through chains of nodes; what lies deeper counts as unknown.
constexpr int kMaxDepth = 16;
constexpr int kMostIdentities = 100;
// Shape arithmetic computes with dimensions, of which there are few; files may ask for any number.
constexpr size_t kMostInts = 1024;

std::optional<Tensor> constant_value(const Output& output) {
  const Node* node = output.node();
  for (int steps = 0; node->type() == "Identity" && steps < kMostIdentities; ++steps) {
    node = node->input(0).node();
  }
  if (node->type() == "Const") return node->attr<Tensor>("value");
  return std::nullopt;
}

std::optional<Ints> tensor_ints(const Tensor& tensor) {
  if (!is_integer(tensor.dtype()) || tensor.rank() > 1) return std::nullopt;
  Ints values(static_cast<size_t>(tensor.num_elements()));
  if (tensor.dtype() == DType::kInt64) {
    const auto data = tensor.data<int64_t>();
    values.assign(data.begin(), data.end());
  } else {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<int64_t>(tensor.at(static_cast<int64_t>(i)));
  }
  return values;
}

// One walk through shape arithmetic. Each value is computed once, however many nodes use it.
class KnownInts {
 public:
  std::optional<Ints> of(const Output& output, int depth) {
    if (depth <= 0) return std::nullopt;
    const auto key = std::pair(output, depth);
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    auto result = compute(output, depth);
    if (!result || result->size() > kMostInts) result = length_alone(output);
    known_.emplace(key, result);
    return result;
  }

 private:
  std::optional<Ints> compute(const Output& output, int depth) {
    const Node& node = *output.node();
    const std::string_view type = node.type();
    if (type == "Const") return few_ints(node.attr<Tensor>("value"));
    if (type == "Identity" || type == "Cast") return of(node.input(0), depth - 1);
    if (type == "Shape") {
      const Shape& shape = node.input(0).shape();
      if (!shape.has_rank()) return std::nullopt;
      return Ints(shape.dims().begin(), shape.dims().end());
    }
    if (type == "Pack") return pack(node, depth - 1);
    if (type == "ConcatV2") return concat(node, depth - 1);
    if (type == "StridedSlice") return strided_slice(node, depth - 1);
    if (type == "GatherV2") return gather(node, depth - 1);
    return std::nullopt;
  }

  static std::optional<Ints> few_ints(const Tensor& tensor) {
    if (tensor.num_elements() > static_cast<int64_t>(kMostInts)) return std::nullopt;
    return tensor_ints(tensor);
  }

  static std::optional<Ints> few_constant_ints(const Output& output) {
    const auto value = constant_value(output);
    return value ? few_ints(*value) : std::nullopt;
  }

  // Not its values, but its length may be known.
  static std::optional<Ints> length_alone(const Output& output) {
    const Shape& shape = output.shape();
    if (shape.rank() == 0) return Ints{kUnknownDim};
    if (shape.rank() != 1 || shape[0] == kUnknownDim ||
        shape[0] > static_cast<int64_t>(kMostInts)) {
      return std::nullopt;
    }
    return Ints(static_cast<size_t>(shape[0]), kUnknownDim);
  }

  std::optional<Ints> pack(const Node& node, int depth) {
    if (node.inputs().size() > kMostInts || node.input(0).shape().rank() != 0) return std::nullopt;
    Ints result;
    for (const Output& input : node.inputs()) {
      const auto value = of(input, depth);
      result.push_back(value && value->size() == 1 ? (*value)[0] : kUnknownDim);
    }
    return result;
  }

  std::optional<Ints> concat(const Node& node, int depth) {
    Ints result;
    if (node.inputs().size() > kMostInts) return std::nullopt;
    for (int i = 0; i + 1 < node.num_inputs(); ++i) {
      const auto value = of(node.input(i), depth);
      if (!value || result.size() + value->size() > kMostInts) return std::nullopt;
      result.insert(result.end(), value->begin(), value->end());
    }
    return result;
  }

  // x[begin:end:stride] of a known vector, or x[i] of one, as shape arithmetic writes it.
  std::optional<Ints> strided_slice(const Node& node, int depth) {
    const auto source = of(node.input(0), depth);
    // Bounds are taken from constants alone: in of() an unknown one looks like -1, the last
    // element.
    std::vector<std::optional<int64_t>> bounds[3];
    for (int i = 0; i < 3; ++i) {
      const auto bound = few_constant_ints(node.input(i + 1));
      if (!bound || bound->size() != 1) return std::nullopt;
      bounds[i] = {bound->front()};
    }
    if (!source || node.attr<int64_t>("new_axis_mask") != 0) return std::nullopt;
    const StridedSliceMasks masks{.begin = node.attr<int64_t>("begin_mask"),
                                  .end = node.attr<int64_t>("end_mask"),
                                  .ellipsis = node.attr<int64_t>("ellipsis_mask"),
                                  .shrink_axis = node.attr<int64_t>("shrink_axis_mask")};
    try {
      const SliceRange range = resolve_strided_slice(Shape{static_cast<int64_t>(source->size())},
                                                     bounds[0], bounds[1], bounds[2], masks)
                                   .ranges.front();
      Ints result;
      for (int64_t i = 0; i < range.size; ++i) {
        result.push_back(source->at(static_cast<size_t>(range.begin + i * range.stride)));
      }
      return result;
    } catch (const Error&) {
      return std::nullopt;  // an element out of range: running the slice says so
    }
  }

  std::optional<Ints> gather(const Node& node, int depth) {
    const auto source = of(node.input(0), depth);
    const auto indices = of(node.input(1), depth);
    if (!source || !indices) return std::nullopt;
    Ints result;
    for (int64_t i : *indices) {
      if (i < 0 || i >= static_cast<int64_t>(source->size())) return std::nullopt;
      result.push_back((*source)[static_cast<size_t>(i)]);
    }
    return result;
  }

  std::map<std::pair<Output, int>, std::optional<Ints>> known_;
};

}  // namespace

std::optional<Tensor> ShapeContext::constant(int i) const { return constant_value(node_.input(i)); }

std::optional<Ints> ShapeContext::constant_ints(int i) const {
  // A constant is known whatever its length.
  if (const auto value = constant(i)) return tensor_ints(*value);
  return KnownInts().of(node_.input(i), kMaxDepth);
}

Shape ShapeContext::constant_shape(int i) const {
  const auto dims = constant_ints(i);
  if (!dims || static_cast<int>(dims->size()) > Shape::kMaxRank) return Shape::unknown();
  return Shape(*dims);
}

std::optional<int64_t> ShapeContext::constant_int(int i) const {
  const auto value = constant(i);
  if (!value || value->num_elements() != 1) return std::nullopt;
  const auto ints = tensor_ints(*value);
  return ints ? std::optional(ints->at(0)) : std::nullopt;
}

Shape ShapeContext::with_rank(int i, int rank) const {
  const Shape& shape = input(i);
  if (!shape.has_rank()) return Shape::unknown_of_rank(rank);
  if (shape.rank() != rank) {
    throw error("input `", input_name(i), "` must have ", rank, " dimensions, got shape ", shape);
  }
  return shape;
}

Shape ShapeContext::with_rank_at_least(int i, int rank) const {
  const Shape& shape = input(i);
  if (shape.has_rank() && shape.rank() < rank) {
    throw error("input `", input_name(i), "` must have at least ", rank, " dimensions, got shape ",
                shape);
  }
  return shape;
}

std::string ShapeContext::input_name(int i) const {
  for (const ArgSchema& arg : node_.op().inputs) {
    const auto [begin, end] = node_.input_range(arg.name);
    if (i >= begin && i < end) return arg.is_list() ? str(arg.name, "[", i - begin, "]") : arg.name;
  }
  return str(i);
}

Error ShapeContext::error_text(std::string message) const { return invalid_argument(message); }

int normalize_axis(const ShapeContext& context, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    throw context.error("axis ", axis, " is outside [", -rank, ", ", rank, ") for a tensor of ",
                        rank, " dimensions");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace thalweg
