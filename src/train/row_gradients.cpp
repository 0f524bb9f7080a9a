#include "train/row_gradients.h"

#include "thalweg/ops/array.h"
#include "thalweg/ops/unary.h"

namespace thalweg::train {
namespace {

constexpr int64_t kSmall = int64_t{1} << 14;  // elements; about 10 microseconds of an update

// The sums by index that the gradient of a gather is: UnsortedSegmentSum, perhaps reshaped. Null
// when x is something else, or its segments are not the rows of `table`.
const Node* find_sums(Output x, const Shape& table) {
  while (x.node()->type() == "Reshape") x = x.node()->input(0);
  if (x.node()->type() != "UnsortedSegmentSum") return nullptr;
  const Shape& shape = x.shape();
  const bool fits = shape.is_fully_defined() && shape.rank() > 0 && shape[0] == table[0] &&
                    shape.num_elements() == table.num_elements();
  return fits ? x.node() : nullptr;
}

}  // namespace

std::optional<RowGradient> row_gradient(Output gradient, Output variable) {
  const Shape& table = variable.node()->attr<Shape>("shape");
  if (!table.is_fully_defined() || table.rank() < 1 || table.num_elements() < kSmall)
    return std::nullopt;
  const Node& node = *gradient.node();
  const std::vector<Output> parts =
      node.type() == "AddN" ? std::vector<Output>(node.inputs().begin(), node.inputs().end())
                            : std::vector<Output>{gradient};
  std::vector<const Node*> sums;
  for (const Output& part : parts) {
    sums.push_back(find_sums(part, table));
    if (sums.back() == nullptr) return std::nullopt;
  }
  std::vector<int64_t> row = {-1};
  for (const int64_t size : table.slice(1).dims()) row.push_back(size);
  std::vector<Output> indices;
  std::vector<Output> values;
  for (const Node* sum : sums) {
    Output ids = reshape(sum->input(1), {-1});
    indices.push_back(sums.size() > 1 ? cast(ids, kInt64) : ids);
    values.push_back(reshape(sum->input(0), row));
  }
  if (sums.size() == 1) return sum_duplicates(indices[0], values[0]);
  return sum_duplicates(concat(indices, 0), concat(values, 0));
}

}  // namespace thalweg::train
