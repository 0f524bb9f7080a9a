// FFT ops: one-dimensional transforms along the last dimensions, one after the other. Real signals
// go through complex ones; half of their spectrum says all.
#include <complex>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/fourier.h"

namespace thalweg {
namespace {

using reference::Fourier;
using reference::Ints;
using reference::IntsInput;
using reference::Offsets;
using reference::OutputPlace;
using Complex = std::complex<double>;
using Complexes = std::vector<Complex>;

enum class Kind { kComplex, kRealInput, kRealOutput };

Complex load(DType dtype, const void* data, int64_t i) {
  switch (dtype) {
    case kFloat32: return static_cast<const float*>(data)[i];
    case kFloat64: return static_cast<const double*>(data)[i];
    case kComplex64: return Complex(static_cast<const std::complex<float>*>(data)[i]);
    default: return static_cast<const Complex*>(data)[i];
  }
}

void store(DType dtype, void* data, int64_t i, Complex value) {
  switch (dtype) {
    case kFloat32: static_cast<float*>(data)[i] = static_cast<float>(value.real()); break;
    case kFloat64: static_cast<double*>(data)[i] = value.real(); break;
    case kComplex64: static_cast<std::complex<float>*>(data)[i] = std::complex<float>(value); break;
    default: static_cast<Complex*>(data)[i] = value;
  }
}

int64_t product(const Ints& dims) {
  int64_t result = 1;
  for (int64_t dim : dims) result *= dim;
  return result;
}

Shape shape_of(const Ints& dims) { return Shape(std::span<const int64_t>(dims)); }

// The corner of `kept` cells along each dimension of a tensor of `dims`.
Offsets corner(const Ints& dims, const Ints& kept) {
  const Ints strides = reference::row_major_strides(shape_of(dims));
  Offsets offsets;
  for (size_t i = 0; i < dims.size(); ++i)
    offsets.push_back(reference::evenly(0, strides[i], kept[i]));
  return offsets;
}

// Transforms the row-major `data` of `dims` along one axis.
void transform_along(Complexes& data, const Ints& dims, size_t axis, bool inverse) {
  const Ints strides = reference::row_major_strides(shape_of(dims));
  const int64_t length = dims[axis], stride = strides[axis];
  const Fourier fourier(length);
  Complexes line(static_cast<size_t>(length));
  Ints starts = dims;
  starts[axis] = 1;
  reference::for_each_offset(corner(dims, starts), [&](int64_t, int64_t start) {
    for (int64_t n = 0; n < length; ++n)
      line[static_cast<size_t>(n)] = data[static_cast<size_t>(start + n * stride)];
    fourier.transform(line.data(), inverse);
    for (int64_t n = 0; n < length; ++n)
      data[static_cast<size_t>(start + n * stride)] = line[static_cast<size_t>(n)];
  });
}

// Rows of `length` from their first length / 2 + 1 values: the rest are the conjugates of those.
// What imaginary parts the first and the middle value have does not count.
Complexes complete_rows(const Complexes& half, int64_t length) {
  const auto n = static_cast<size_t>(length), kept = n / 2 + 1;
  const size_t rows = n == 0 ? 0 : half.size() / kept;
  Complexes full(rows * n);
  for (size_t r = 0; r < rows; ++r) {
    const Complex* from = &half[r * kept];
    Complex* to = &full[r * n];
    for (size_t k = 0; k < kept && k < n; ++k) {
      if (2 * k == n || k == 0) {
        to[k] = from[k].real();
      } else {
        to[k] = from[k];
        to[n - k] = std::conj(from[k]);
      }
    }
  }
  return full;
}

class Transform {
 public:
  Transform(const KernelRequest& request, Kind kind, size_t rank, bool inverse)
      : kind_(kind),
        rank_(rank),
        inverse_(inverse),
        from_(request.inputs[0].dtype),
        to_(request.outputs[0].dtype),
        place_(request, 0) {
    const Shape& shape = request.inputs[0].shape;
    const int batch_rank = shape.rank() - static_cast<int>(rank);
    batch_ = shape.slice(0, batch_rank);
    dims_.assign(shape.dims().begin() + batch_rank, shape.dims().end());
    if (kind != Kind::kComplex) lengths_.emplace_back(request, 1);
  }

  void compute(KernelContext& context) const {
    const Ints lengths = kind_ == Kind::kComplex ? dims_ : lengths_[0].read(context);
    check_lengths(lengths);
    Ints halved = lengths;  // of which the last dimension is half of the spectrum
    if (kind_ != Kind::kComplex) halved.back() = lengths.back() / 2 + 1;
    const Ints& input_dims = kind_ == Kind::kRealOutput ? halved : lengths;
    const Ints& output_dims = kind_ == Kind::kRealInput ? halved : lengths;
    check_input(input_dims);
    Complexes data = read(context, input_dims);
    Ints dims = with_batch(input_dims);
    const size_t first = 1, last = rank_;
    if (kind_ == Kind::kRealOutput) {
      for (size_t axis = first; axis < last; ++axis) transform_along(data, dims, axis, inverse_);
      data = complete_rows(data, lengths.back());
      dims = with_batch(lengths);
      transform_along(data, dims, last, inverse_);
    } else {
      for (size_t axis = first; axis <= last; ++axis) transform_along(data, dims, axis, inverse_);
    }
    void* out = place_.memory(context, batch_.concat(shape_of(output_dims)));
    reference::for_each_offset(
        corner(dims, with_batch(output_dims)),
        [&](int64_t n, int64_t offset) { store(to_, out, n, data[static_cast<size_t>(offset)]); });
  }

 private:
  Ints with_batch(const Ints& dims) const {
    Ints all{batch_.num_elements()};
    all.insert(all.end(), dims.begin(), dims.end());
    return all;
  }
  void check_lengths(const Ints& lengths) const {
    if (lengths.size() != rank_) {
      throw invalid_argument("`fft_length` must have ", rank_, " entries, got ", lengths);
    }
    for (int64_t length : lengths) {
      if (length < 0) throw invalid_argument("`fft_length` holds the negative ", length);
    }
  }
  void check_input(const Ints& needed) const {
    for (size_t i = 0; i < rank_; ++i) {
      if (dims_[i] < needed[i]) {
        throw invalid_argument("`fft_length` needs ", needed[i], " values along dimension ",
                               static_cast<int>(i) - static_cast<int>(rank_),
                               " of `input`, which has ", dims_[i], "; pad it with zeros");
      }
    }
  }
  Complexes read(const KernelContext& context, const Ints& dims) const {
    Complexes data(static_cast<size_t>(batch_.num_elements() * product(dims)));
    const void* in = context.input_pointer(0);
    reference::for_each_offset(
        corner(with_batch(dims_), with_batch(dims)),
        [&](int64_t n, int64_t offset) { data[static_cast<size_t>(n)] = load(from_, in, offset); });
    return data;
  }

  Kind kind_;
  size_t rank_;
  bool inverse_;
  DType from_, to_;
  OutputPlace place_;
  Shape batch_;
  Ints dims_;                       // the input's last `rank` dimensions
  std::vector<IntsInput> lengths_;  // one, or none
};

template <Kind kKind, size_t kRank, bool kInverse>
KernelPtr make(const KernelRequest& request) {
  return make_kernel([transform = Transform(request, kKind, kRank, kInverse)](
                         KernelContext& context) { transform.compute(context); });
}

constexpr KernelDef kKernels[] = {
    {"FFT", "reference", make<Kind::kComplex, 1, false>},
    {"IFFT", "reference", make<Kind::kComplex, 1, true>},
    {"FFT2D", "reference", make<Kind::kComplex, 2, false>},
    {"IFFT2D", "reference", make<Kind::kComplex, 2, true>},
    {"FFT3D", "reference", make<Kind::kComplex, 3, false>},
    {"IFFT3D", "reference", make<Kind::kComplex, 3, true>},
    {"RFFT", "reference", make<Kind::kRealInput, 1, false>},
    {"IRFFT", "reference", make<Kind::kRealOutput, 1, true>},
    {"RFFT2D", "reference", make<Kind::kRealInput, 2, false>},
    {"IRFFT2D", "reference", make<Kind::kRealOutput, 2, true>},
    {"RFFT3D", "reference", make<Kind::kRealInput, 3, false>},
    {"IRFFT3D", "reference", make<Kind::kRealOutput, 3, true>},
};

}  // namespace

std::span<const KernelDef> reference_fft_kernels() { return kKernels; }

}  // namespace thalweg
