#include "kernels/reference/block_copy.h"

#include <algorithm>
#include <complex>
#include <string>

#include "thalweg/base/parallel.h"
#include "thalweg/tensor/variant.h"

namespace thalweg::reference {
namespace {

// The rows [begin, end), where a row is one step of all dimensions but the last.
template <class T>
void copy_rows(const Box& box, const T* from, T* to, int64_t begin, int64_t end) {
  const BoxDim last = box.dims.back();
  for (int64_t row = begin; row < end; ++row) {
    const T* source = from + box.from;
    T* target = to + box.to;
    int64_t rest = row;
    for (size_t i = box.dims.size() - 1; i-- > 0;) {
      const BoxDim& dim = box.dims[i];
      source += rest % dim.size * dim.from;
      target += rest % dim.size * dim.to;
      rest /= dim.size;
    }
    for (int64_t i = 0; i < last.size; ++i, source += last.from, target += last.to) {
      if (box.run == 1) {
        *target = *source;
      } else {
        std::copy_n(source, box.run, target);
      }
    }
  }
}

template <class T>
void copy_typed(const Box& box, const void* from, void* to) {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < box.dims.size(); ++i) rows *= box.dims[i].size;
  const int64_t width = box.dims.back().size * box.run;
  if (rows == 0 || width == 0) return;
  parallel_for(rows, 1 + 16384 / width, [&](int64_t begin, int64_t end) {
    copy_rows(box, static_cast<const T*>(from), static_cast<T*>(to), begin, end);
  });
}

}  // namespace

void copy_box(DType dtype, const Box& box, const void* from, void* to) {
  if (dtype == kString) return copy_typed<std::string>(box, from, to);
  if (dtype == kVariant) return copy_typed<Variant>(box, from, to);
  switch (element_size(dtype)) {
    case 1: return copy_typed<uint8_t>(box, from, to);
    case 2: return copy_typed<uint16_t>(box, from, to);
    case 4: return copy_typed<uint32_t>(box, from, to);
    case 8: return copy_typed<uint64_t>(box, from, to);
    case 16: return copy_typed<std::complex<double>>(box, from, to);
    default: throw unimplemented("elements of dtype ", dtype, " cannot be moved");
  }
}

}  // namespace thalweg::reference
