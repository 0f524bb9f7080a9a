#include "formats/tensor_claims.h"

#include <algorithm>
#include <string>

#include "thalweg/base/error.h"
#include "thalweg/tensor/dtype.h"

namespace thalweg {
namespace {

#ifdef THALWEG_FUZZ
constexpr int64_t kMost = int64_t{1} << 26;  // a search should not spend its time on filling memory
#else
constexpr int64_t kMost = int64_t{2} << 30;
#endif

}  // namespace

void TensorClaims::count(const tensorflow::TensorProto& tensor) {
  const auto dtype = static_cast<DType>(tensor.dtype());
  auto bytes = static_cast<int64_t>(dtype == kString ? sizeof(std::string) : element_size(dtype));
  if (bytes == 0) return;  // of no dtype that has values: refused when it is read
  for (const auto& dim : tensor.tensor_shape().dim()) {
    if (dim.size() <= 0) return;  // nothing, or refused when it is read
  }
  for (const auto& dim : tensor.tensor_shape().dim()) {
    if (__builtin_mul_overflow(bytes, dim.size(), &bytes)) return;  // refused when it is read
  }
  const auto given = static_cast<int64_t>(tensor.ByteSizeLong());
  const int64_t claimed = std::max<int64_t>(bytes - given, 0);
  if (claimed > kMost - bytes_) {
    throw resource_exhausted("the file's tensors would take more than ", kMost >> 30,
                             " GiB beyond what it holds for them");
  }
  bytes_ += claimed;
}

}  // namespace thalweg
