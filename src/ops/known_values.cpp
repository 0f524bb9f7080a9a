#include "ops/known_values.h"

namespace thalweg {

using MaybeInt = std::optional<int64_t>;

std::optional<std::vector<MaybeInt>> known_entries(const ShapeContext& context, int i) {
  const bool constant = context.constant(i).has_value();
  const auto values = context.constant_ints(i);
  if (!values) return std::nullopt;
  std::vector<MaybeInt> entries;
  for (int64_t value : *values) {
    entries.push_back(constant || value != kUnknownDim ? MaybeInt(value) : std::nullopt);
  }
  return entries;
}

std::optional<std::vector<int64_t>> constant_values(const ShapeContext& context, int i) {
  const auto tensor = context.constant(i);
  if (!tensor) return std::nullopt;
  const Tensor wide = tensor->cast(kInt64);
  const auto values = wide.data<int64_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

MaybeInt known_scalar(const ShapeContext& context, int i) {
  const Shape& shape = context.input(i);
  if (shape.is_fully_defined() && shape.num_elements() != 1)
    throw context.error("`", context.input_name(i), "` must be one number, got shape ", shape);
  const auto entries = known_entries(context, i);
  return entries && entries->size() == 1 ? entries->front() : std::nullopt;
}

std::optional<std::vector<int64_t>> known_values(const Node& node, int i) {
  std::vector<Shape> no_outputs;
  const auto entries = known_entries(ShapeContext(node, no_outputs), i);
  if (!entries) return std::nullopt;
  std::vector<int64_t> values;
  for (const MaybeInt& entry : *entries) {
    if (!entry) return std::nullopt;
    values.push_back(*entry);
  }
  return values;
}

MaybeInt known_scalar(const Node& node, int i) {
  std::vector<Shape> no_outputs;
  return known_scalar(ShapeContext(node, no_outputs), i);
}

Shape requested_shape(const ShapeContext& context, int i) {
  context.with_rank(i, 1);
  const auto entries = known_entries(context, i);
  if (!entries) return Shape::unknown();
  if (entries->size() > Shape::kMaxRank) {
    throw context.error("input `", context.input_name(i), "` asks for ", entries->size(),
                        " dimensions; at most ", Shape::kMaxRank, " are possible");
  }
  std::vector<int64_t> dims;
  for (const MaybeInt& entry : *entries) {
    if (entry && *entry < 0) {
      throw context.error("input `", context.input_name(i), "` holds the negative size ", *entry);
    }
    dims.push_back(entry.value_or(kUnknownDim));
  }
  return Shape(dims);
}

}  // namespace thalweg
