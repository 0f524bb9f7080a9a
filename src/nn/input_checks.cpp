#include "nn/input_checks.h"

#include <algorithm>
#include <cmath>

#include "thalweg/ops/array.h"
#include "thalweg/ops/indexing.h"

namespace thalweg {
namespace {

std::string dimensions(int rank) { return str(rank, rank == 1 ? " dimension" : " dimensions"); }

// The Reshape that makes an image of what was given, as far as that can be told.
std::string image_remedy(const Shape& shape) {
  if (shape.rank() == 3) {
    if (shape[1] < 0 || shape[2] < 0) return "; add a channel with Reshape or expand_dims()";
    return str("; add Reshape({.shape = {", shape[1], ", ", shape[2], ", 1}})");
  }
  if (shape.rank() == 2 && shape[1] > 0) {
    const auto side = std::llround(std::sqrt(static_cast<double>(shape[1])));
    if (side * side == shape[1]) {
      return str("; add Reshape({.shape = {", side, ", ", side, ", 1}})");
    }
    return str("; add Reshape({.shape = {height, width, channels}}) of product ", shape[1]);
  }
  return "";
}

}  // namespace

void require_floating(const Output& x) {
  if (is_floating(x.dtype())) return;
  throw invalid_argument("input ", x.shape(), " is of dtype ", x.dtype(),
                         ", a floating one is wanted; use cast(x, kFloat32)",
                         is_integer(x.dtype()) ? ", or an Embedding for ids" : "");
}

int64_t require_features(const Output& x) {
  require_floating(x);
  const Shape& shape = x.shape();
  if (!shape.has_rank()) {
    throw invalid_argument(
        "input of unknown rank, [batch, ..., features] is wanted; give the "
        "placeholder a shape");
  }
  if (shape.rank() < 2) {
    throw invalid_argument("input ", shape, " has ", dimensions(shape.rank()),
                           ", [batch, ..., features] is wanted",
                           shape.rank() == 1 ? "; add Reshape({.shape = {1}})" : "");
  }
  if (shape.dim(-1) == kUnknownDim) {
    throw invalid_argument("the last dimension of input ", shape,
                           " must be known, as variables are made by it; give the placeholder its "
                           "size, or add Reshape");
  }
  return shape.dim(-1);
}

int64_t require_image(const Output& x) {
  require_floating(x);
  const Shape& shape = x.shape();
  if (shape.rank() != 4) {
    throw invalid_argument("input ", shape,
                           shape.has_rank() ? str(" has ", dimensions(shape.rank())) : "",
                           ", [batch, height, width, channels] is wanted", image_remedy(shape));
  }
  if (shape[3] == kUnknownDim) {
    throw invalid_argument("the channels of input ", shape,
                           " must be known, as variables are made by them; give the placeholder "
                           "their number");
  }
  return shape[3];
}

void require_built_for(const Output& x, int axis, int64_t size, const Output& variable) {
  const int64_t got = x.shape().dim(axis);
  if (got == size) return;
  const Shape shape = variable.node()->attr<Shape>("shape");
  throw invalid_argument("input ", x.shape(), " has ", got,
                         x.shape().rank() == 4 ? " channels" : " features", ", but variable `",
                         variable.node()->name(), "` ", shape, " was made for ", size,
                         "; a layer's weights fit one size, make another layer for this input");
}

void require_positive(std::string_view option, int64_t value) {
  if (value < 1) throw invalid_argument("option `", option, "` must be at least 1, got ", value);
}

std::vector<int64_t> require_window(std::string_view option, std::vector<int64_t> value) {
  if (value.size() == 1) value.push_back(value[0]);
  if (value.size() != 2 ||
      std::any_of(value.begin(), value.end(), [](int64_t n) { return n < 1; })) {
    throw invalid_argument(
        "option `", option,
        "` must be {height, width}, each at least 1, or one number for both, got ", value);
  }
  return value;
}

void require_padding(std::string_view padding) {
  if (padding == "SAME" || padding == "VALID") return;
  throw invalid_argument("option `padding` must be \"SAME\" or \"VALID\", got \"", padding, "\"");
}

Output reshape_like(const Output& x, const Output& like, int dropped, std::vector<int64_t> tail) {
  const int kept = like.shape().rank() - dropped;
  std::vector<int64_t> dims;
  for (int i = 0; i < kept; ++i) dims.push_back(like.shape()[i]);
  dims.insert(dims.end(), tail.begin(), tail.end());
  if (std::count(dims.begin(), dims.end(), kUnknownDim) <= 1) return reshape(x, dims);
  const Output head = slice(shape_of(like), {0}, {kept});
  const Output rest = IntVector(std::move(tail)).in(x.graph(), kInt32);
  return reshape(x, concat({head, rest}, 0));
}

}  // namespace thalweg
