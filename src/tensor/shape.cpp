#include "thalweg/tensor/shape.h"

#include <algorithm>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

void check_dim(int64_t dim) {
  if (dim < kUnknownDim) {
    throw invalid_argument("dimension is ", dim, ", expected 0 or more, or -1 for unknown");
  }
}

void check_rank(int64_t rank) {
  if (rank < 0 || rank > Shape::kMaxRank) {
    throw invalid_argument("shape has ", rank, " dimensions, expected 0 to ", Shape::kMaxRank);
  }
}

}  // namespace

Shape::Shape(std::initializer_list<int64_t> dims)
    : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const int64_t> dims) {
  check_rank(static_cast<int64_t>(dims.size()));
  for (const int64_t dim : dims) check_dim(dim);
  std::copy(dims.begin(), dims.end(), dims_.begin());
  rank_ = static_cast<int>(dims.size());
}

Shape Shape::unknown() {
  Shape shape;
  shape.dims_.fill(kUnknownDim);
  shape.rank_ = -1;
  return shape;
}

Shape Shape::unknown_of_rank(int rank) {
  check_rank(rank);
  Shape shape = unknown();
  shape.rank_ = rank;
  return shape;
}

int64_t Shape::dim(int i) const {
  if (!has_rank()) return kUnknownDim;
  const int index = i < 0 ? i + rank_ : i;
  if (index < 0 || index >= rank_) throw out_of_range("no dimension ", i, " in shape ", *this);
  return dims_[static_cast<size_t>(index)];
}

void Shape::set_dim(int i, int64_t value) {
  check_dim(value);
  const int index = i < 0 ? i + rank_ : i;
  if (index < 0 || index >= rank_) throw out_of_range("no dimension ", i, " in shape ", *this);
  dims_[static_cast<size_t>(index)] = value;
}

bool Shape::is_fully_defined() const {
  return has_rank() && std::ranges::none_of(dims(), [](int64_t dim) { return dim == kUnknownDim; });
}

int64_t Shape::num_elements() const {
  if (!is_fully_defined()) return kUnknownDim;
  if (std::ranges::find(dims(), 0) != dims().end())
    return 0;  // also when the others would overflow
  int64_t product = 1;
  for (const int64_t dim : dims()) {
    if (__builtin_mul_overflow(product, dim, &product)) {
      throw invalid_argument("shape ", *this, " has more elements than 64 bits can count");
    }
  }
  return product;
}

bool Shape::is_compatible_with(const Shape& other) const {
  if (!has_rank() || !other.has_rank()) return true;
  return std::ranges::equal(dims(), other.dims(), [](int64_t a, int64_t b) {
    return a == b || a == kUnknownDim || b == kUnknownDim;
  });
}

Shape Shape::merge(const Shape& other) const {
  if (!has_rank()) return other;
  if (!other.has_rank()) return *this;
  if (rank_ != other.rank_) {
    throw invalid_argument("shapes ", *this, " and ", other, " differ in rank: ", rank_,
                           " against ", other.rank_);
  }
  Shape merged = *this;
  for (int i = 0; i < rank_; ++i) {
    const int64_t a = (*this)[i], b = other[i];
    if (a != kUnknownDim && b != kUnknownDim && a != b) {
      throw invalid_argument("shapes ", *this, " and ", other, " differ: dimension ", i, " is ", a,
                             " against ", b);
    }
    merged.set_dim(i, a == kUnknownDim ? b : a);
  }
  return merged;
}

Shape Shape::concat(const Shape& tail) const {
  if (!has_rank() || !tail.has_rank()) return unknown();
  check_rank(rank_ + tail.rank_);
  Shape joined = *this;
  std::ranges::copy(tail.dims(), joined.dims_.begin() + rank_);
  joined.rank_ += tail.rank_;
  return joined;
}

Shape Shape::slice(int begin, int end) const {
  if (!has_rank()) return unknown();
  const int first = begin < 0 ? begin + rank_ : begin;
  const int last = end < 0 ? end + rank_ : end;
  if (first < 0 || last > rank_ || first > last) {
    throw out_of_range("no dimensions [", begin, ", ", end, ") in shape ", *this);
  }
  return Shape(dims().subspan(static_cast<size_t>(first), static_cast<size_t>(last - first)));
}

std::string Shape::to_string() const {
  if (!has_rank()) return "<unknown rank>";
  std::string out = "[";
  for (int i = 0; i < rank_; ++i) {
    if (i != 0) out += ", ";
    if ((*this)[i] == kUnknownDim) {
      out += '?';
    } else {
      append(out, (*this)[i]);
    }
  }
  return out += ']';
}

bool operator==(const Shape& a, const Shape& b) {
  return a.rank_ == b.rank_ && std::ranges::equal(a.dims(), b.dims());
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return Shape::unknown();
  Shape result = a.rank() >= b.rank() ? a : b;
  for (int i = -1; i >= -std::min(a.rank(), b.rank()); --i) {
    const int64_t x = a.dim(i), y = b.dim(i);
    if (x == y || y == 1) {
      result.set_dim(i, x);
    } else if (x == 1 || x == kUnknownDim) {
      result.set_dim(i, y);  // an unknown dimension must be 1 or y, either way the result is y
    } else if (y == kUnknownDim) {
      result.set_dim(i, x);
    } else {
      throw invalid_argument("shapes ", a, " and ", b, " cannot be broadcast together: dimension ",
                             i, " is ", x, " against ", y);
    }
  }
  return result;
}

bool can_broadcast(const Shape& a, const Shape& b) {
  for (int i = -1; i >= -std::min(a.rank(), b.rank()); --i) {
    const int64_t x = a.dim(i), y = b.dim(i);
    if (x != y && x != 1 && y != 1 && x != kUnknownDim && y != kUnknownDim) return false;
  }
  return true;
}

}  // namespace thalweg
