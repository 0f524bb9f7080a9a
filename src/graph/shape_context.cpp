#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

using Ints = std::vector<int64_t>;

std::optional<Tensor> constant_value(const Output& output) {
  const Node& node = *output.node();
  if (node.type() == "Const") return node.attr<Tensor>("value");
  if (node.type() == "Identity") return constant_value(node.input(0));
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

std::optional<Ints> constant_ints_of(const Output& output) {
  const auto value = constant_value(output);
  return value ? tensor_ints(*value) : std::nullopt;
}

// Bounds the walk through shape arithmetic; deeper chains count as unknown.
constexpr int kMaxDepth = 16;

std::optional<Ints> known_ints(const Output& output, int depth);

// x[begin:end:stride] of a known vector, or x[i] of one, as shape arithmetic writes it.
std::optional<Ints> strided_slice_ints(const Node& node, int depth) {
  const auto source = known_ints(node.input(0), depth);
  // Bounds are taken from constants alone: in known_ints() an unknown one looks like -1, the last
  // element.
  const auto begin = constant_ints_of(node.input(1));
  const auto end = constant_ints_of(node.input(2));
  const auto stride = constant_ints_of(node.input(3));
  if (!source || !begin || !end || !stride || begin->size() != 1 || end->size() != 1 ||
      stride->size() != 1) {
    return std::nullopt;
  }
  if (node.attr<int64_t>("ellipsis_mask") != 0 || node.attr<int64_t>("new_axis_mask") != 0)
    return std::nullopt;
  const auto size = static_cast<int64_t>(source->size());
  const int64_t step = (*stride)[0];
  if (step != 1) return std::nullopt;
  const auto clamp = [size](int64_t i) {
    return std::min(std::max(i < 0 ? i + size : i, int64_t{0}), size);
  };
  const int64_t from = (node.attr<int64_t>("begin_mask") & 1) != 0 ? 0 : clamp((*begin)[0]);
  if ((node.attr<int64_t>("shrink_axis_mask") & 1) != 0) {
    if (from >= size) return std::nullopt;
    return Ints{(*source)[static_cast<size_t>(from)]};
  }
  const int64_t to = (node.attr<int64_t>("end_mask") & 1) != 0 ? size : clamp((*end)[0]);
  Ints result;
  for (int64_t i = from; i < to; ++i) result.push_back((*source)[static_cast<size_t>(i)]);
  return result;
}

std::optional<Ints> gather_ints(const Node& node, int depth) {
  const auto source = known_ints(node.input(0), depth);
  const auto indices = known_ints(node.input(1), depth);
  if (!source || !indices) return std::nullopt;
  Ints result;
  for (int64_t i : *indices) {
    if (i < 0 || i >= static_cast<int64_t>(source->size())) return std::nullopt;
    result.push_back((*source)[static_cast<size_t>(i)]);
  }
  return result;
}

std::optional<Ints> known_ints(const Output& output, int depth) {
  if (depth <= 0) return std::nullopt;
  const Node& node = *output.node();
  const std::string_view type = node.type();
  if (type == "Const") return tensor_ints(node.attr<Tensor>("value"));
  if (type == "Identity" || type == "Cast") return known_ints(node.input(0), depth - 1);
  if (type == "Shape") {
    const Shape& shape = node.input(0).shape();
    if (!shape.has_rank()) return std::nullopt;
    return Ints(shape.dims().begin(), shape.dims().end());
  }
  if (type == "Pack" && node.input(0).shape().rank() == 0) {
    Ints result;
    for (const Output& input : node.inputs()) {
      const auto value = known_ints(input, depth - 1);
      result.push_back(value && value->size() == 1 ? (*value)[0] : kUnknownDim);
    }
    return result;
  }
  if (type == "ConcatV2") {
    Ints result;
    for (int i = 0; i + 1 < node.num_inputs(); ++i) {
      const auto value = known_ints(node.input(i), depth - 1);
      if (!value) return std::nullopt;
      result.insert(result.end(), value->begin(), value->end());
    }
    return result;
  }
  if (type == "StridedSlice") {
    if (auto values = strided_slice_ints(node, depth - 1)) return values;
  }
  if (type == "GatherV2") {
    if (auto values = gather_ints(node, depth - 1)) return values;
  }
  // Not its values, but its length may be known.
  const Shape& shape = output.shape();
  if (shape.rank() == 0) return Ints{kUnknownDim};
  if (shape.rank() == 1 && shape[0] != kUnknownDim)
    return Ints(static_cast<size_t>(shape[0]), kUnknownDim);
  return std::nullopt;
}

}  // namespace

std::optional<Tensor> ShapeContext::constant(int i) const { return constant_value(node_.input(i)); }

std::optional<Ints> ShapeContext::constant_ints(int i) const {
  return known_ints(node_.input(i), kMaxDepth);
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
