#include "estimator/trees/tree_features.h"

#include <algorithm>
#include <limits>

#include "thalweg/base/error.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

}  // namespace

std::vector<std::string> tree_columns(const PreparedSpec& prepared) {
  if (!prepared.bags.empty()) {
    throw invalid_argument(
        "column `", prepared.bags.front().key,
        "` has many values a row, but trees take one number or category a row; "
        "leave it out of the trees' columns, or use a linear model or a network");
  }
  std::vector<std::string> names = prepared.numbers;
  for (const PreparedSpec::Category& category : prepared.ids) names.push_back(category.key);
  if (names.empty()) throw invalid_argument("trees need at least one column, got none");
  return names;
}

Tensor tree_matrix(const PreparedSpec& prepared, const data::Example& rows) {
  const auto columns = static_cast<int64_t>(tree_columns(prepared).size());
  const auto numbers = static_cast<int64_t>(prepared.numbers.size());
  const int64_t ids = columns - numbers;
  const int64_t count = rows.at(0).dim(0);
  Tensor matrix(kFloat32, {count, columns});
  float* out = matrix.mutable_data<float>().data();
  const float* number = numbers > 0 ? rows.at(0).data<float>().data() : nullptr;
  const int64_t* id = ids > 0 ? rows.at(numbers > 0 ? 1 : 0).data<int64_t>().data() : nullptr;
  for (int64_t row = 0; row < count; ++row, out += columns) {
    if (numbers > 0) std::copy_n(number + row * numbers, numbers, out);
    for (int64_t k = 0; k < ids; ++k) {
      const int64_t code = id[row * ids + k];
      out[numbers + k] = code < 0 ? kMissing : static_cast<float>(code);
    }
  }
  return matrix;
}

Output tree_features(const PreparedSpec& prepared, const PreparedBatch& batch) {
  tree_columns(prepared);
  std::vector<Output> parts;
  size_t next = 0;
  if (!prepared.numbers.empty()) parts.push_back(batch.at(next++));
  if (!prepared.ids.empty()) {
    const Output ids = batch.at(next);
    const Output codes = cast(ids, kFloat32);
    const Output missing = codes * 0.0 + static_cast<double>(kMissing);
    parts.push_back(select(less(codes, 0.0), missing, codes));
  }
  return parts.size() == 1 ? parts[0] : concat(parts, 1);
}

}  // namespace thalweg
