#include "estimator/linear/design_matrix.h"
#include "thalweg/base/error.h"

namespace thalweg::linear {
namespace {

void check(const Tensor& tensor, std::string_view name, DType dtype, int64_t rows,
           int64_t columns) {
  const bool fits = tensor.is_valid() && tensor.dtype() == dtype && tensor.rank() == 2 &&
                    tensor.dim(0) == rows && (columns < 0 || tensor.dim(1) == columns);
  if (fits) return;
  throw invalid_argument(
      "the prepared tensor '", name, "' is ",
      tensor.is_valid() ? str(tensor.dtype(), tensor.shape()) : std::string("missing"),
      ", expected ", dtype, " [", rows, ", ", columns < 0 ? std::string("?") : str(columns), "]");
}

}  // namespace

PreparedRows::PreparedRows(const PreparedSpec& spec, const data::Example& inputs) {
  const size_t wanted =
      (spec.numbers.empty() ? 0 : 1) + (spec.ids.empty() ? 0 : 1) + 2 * spec.bags.size();
  if (inputs.size() != wanted) {
    throw invalid_argument("a linear model got ", inputs.size(), " prepared tensors, expected ",
                           wanted);
  }
  if (inputs.empty()) return;
  rows = inputs[0].rank() > 0 ? inputs[0].dim(0) : 0;
  if (rows > INT32_MAX - DesignMatrix::kBlock) {
    throw invalid_argument("a linear model's solver got ", rows, " rows, but takes at most ",
                           INT32_MAX - DesignMatrix::kBlock,
                           "; choose a solver that goes by batches (ftrl), or train on a sample");
  }
  size_t next = 0;
  if (!spec.numbers.empty()) {
    numbers = &inputs[next++];
    check(*numbers, "numbers", kFloat32, rows, static_cast<int64_t>(spec.numbers.size()));
  }
  if (!spec.ids.empty()) {
    ids = &inputs[next++];
    check(*ids, "ids", kInt64, rows, static_cast<int64_t>(spec.ids.size()));
  }
  for (const PreparedSpec::Category& bag : spec.bags) {
    const Tensor& words = inputs[next++];
    const Tensor& weights = inputs[next++];
    check(words, str(bag.key, "/ids"), kInt64, rows, -1);
    check(weights, str(bag.key, "/weights"), kFloat32, rows, words.dim(1));
    bags.push_back({&words, &weights});
  }
}

}  // namespace thalweg::linear
