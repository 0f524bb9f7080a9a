#include "thalweg/tensor/reshape.h"

#include <algorithm>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

Error cannot(const Shape& from, const Shape& target, std::string_view why) {
  return invalid_argument("cannot reshape ", from, " (", from.num_elements(), " elements) to ",
                          target, why);
}

// Product of the dimensions that are known; zeros are left out when `skip_zeros`.
int64_t known_product(const Shape& from, const Shape& target, const Shape& shape, bool skip_zeros) {
  int64_t product = 1;
  for (int64_t dim : shape.dims()) {
    if (dim == kUnknownDim || (dim == 0 && skip_zeros)) continue;
    if (__builtin_mul_overflow(product, dim, &product)) throw cannot(from, target, ": too large");
  }
  return product;
}

}  // namespace

Shape resolve_reshape(const Shape& from, const Shape& target) {
  const auto open = std::ranges::count(target.dims(), kUnknownDim);
  if (open > 1) throw cannot(from, target, ": at most one dimension may be left open");
  Shape result = target;
  if (open == 1) {
    const bool beside_zero = std::ranges::count(target.dims(), 0) > 0;
    const bool is_empty = std::ranges::count(from.dims(), 0) > 0;
    // Overflow matters only where the numbers are compared.
    const int64_t known = known_product(from, target, target, true);
    const int64_t elements =
        is_empty && !beside_zero ? 0 : known_product(from, target, from, beside_zero);
    if (!beside_zero && elements % known != 0) {
      throw cannot(from, target, str(": they do not divide by ", known));
    }
    const auto place = std::ranges::find(target.dims(), kUnknownDim) - target.dims().begin();
    result.set_dim(static_cast<int>(place), elements / known);
  }
  if (result.num_elements() != from.num_elements()) throw cannot(from, target, "");
  return result;
}

}  // namespace thalweg
