#include "thalweg/ops/fft.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/complex.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using Context = GradientContext;

constexpr std::string_view kNames[3][4] = {{"FFT", "IFFT", "RFFT", "IRFFT"},
                                           {"FFT2D", "IFFT2D", "RFFT2D", "IRFFT2D"},
                                           {"FFT3D", "IFFT3D", "RFFT3D", "IRFFT3D"}};
enum Which { kForward, kInverse, kReal, kInverseReal };

Output transform(int rank, Which which, std::vector<Output> inputs, std::string name = {}) {
  AttrMap attrs;
  const bool wide = inputs[0].dtype() == kFloat64 || inputs[0].dtype() == kComplex128;
  if (which == kReal) attrs.emplace("Tcomplex", wide ? kComplex128 : kComplex64);
  if (which == kInverseReal) attrs.emplace("Treal", wide ? kFloat64 : kFloat32);
  return add_op(kNames[rank - 1][which], std::move(inputs), std::move(attrs), std::move(name));
}

template <int kRank>
void complex_shape(ShapeContext& c) {
  c.set_output(0, c.with_rank_at_least(0, kRank));
}

template <int kRank, bool kIsInverse>
void real_shape(ShapeContext& c) {
  const Shape input = c.with_rank_at_least(0, kRank);
  const Shape lengths_shape = c.with_rank(1, 1);
  if (lengths_shape[0] != kUnknownDim && lengths_shape[0] != kRank) {
    throw c.error("`fft_length` must have ", kRank, " entries, got shape ", lengths_shape);
  }
  if (!input.has_rank()) return c.set_output(0, Shape::unknown());
  Shape output = input;
  const auto lengths = known_entries(c, 1);
  for (int i = 0; i < kRank; ++i) {
    const bool last = i == kRank - 1;
    int64_t length = kUnknownDim;
    if (lengths) length = (*lengths)[static_cast<size_t>(i)].value_or(kUnknownDim);
    if (length < kUnknownDim) throw c.error("`fft_length` holds the negative ", length);
    const int64_t half = length == kUnknownDim ? kUnknownDim : length / 2 + 1;
    const int dim = input.rank() - kRank + i;
    const int64_t needed = last && kIsInverse ? half : length;
    if (input[dim] != kUnknownDim && needed > input[dim]) {
      throw c.error("`fft_length` needs ", needed, " values along dimension ", i - kRank,
                    " of `input`, which is ", input, "; pad it with zeros");
    }
    output.set_dim(dim, last && !kIsInverse ? half : length);
  }
  c.set_output(0, output);
}

// The number of cells in the last `rank` dimensions of x, as a scalar of `dtype`.
Output transform_size(Output x, int rank, DType dtype) {
  const Shape& shape = x.shape();
  if (shape.has_rank() && shape.slice(-rank).is_fully_defined()) {
    const auto size = static_cast<double>(shape.slice(-rank).num_elements());
    return constant(x.graph(), Tensor(size).cast(dtype));
  }
  const Output dims = strided_slice(shape_of(x), {-rank}, {0}, {1}, {.end_mask = 1});
  return cast(reduce_prod(dims), dtype);
}

// The adjoint of the sum with one sign is the sum with the other.
template <int kRank>
void forward_gradient(Context& c) {
  const Output g = c.grad();
  c.set(0, transform(kRank, kInverse, {g}) * transform_size(g, kRank, g.dtype()));
}

template <int kRank>
void inverse_gradient(Context& c) {
  const Output g = c.grad();
  c.set(0, transform(kRank, kForward, {g}) / transform_size(g, kRank, g.dtype()));
}

// How often each value of half a spectrum stands in the whole: twice, but the first, and in an even
// length the last, once.
Output multiplicity(Output fft_length, DType dtype) {
  const Output length =
      strided_slice(fft_length, {-1}, {0}, {1}, {.end_mask = 1, .shrink_axis_mask = 1});
  Graph& graph = fft_length.graph();
  const Output zero = constant(graph, Tensor(int32_t{0})),
               one = constant(graph, Tensor(int32_t{1}));
  const Output k = range(zero, floor_div(length, 2.0) + one, one);
  const Output single = logical_or(equal(k, zero), equal(k + k, length));
  return cast(select(single, ones_like(k), ones_like(k) + ones_like(k)), dtype);
}

// `gradient` with zeros behind it up to the shape of x, of which the transform saw the beginning.
Output pad_to_shape_of(Output gradient, Output x) {
  const Shape &have = gradient.shape(), &want = x.shape();
  if (have.is_fully_defined() && have == want) return gradient;
  const Output missing = shape_of(x) - shape_of(gradient);
  return x.graph().add("Pad", {gradient, pack({zeros_like(missing), missing}, 1)}).output();
}

// The real part of the adjoint of the complex transform, fed with the half of the spectrum that
// there is: the inverse real transform counts its values twice, so they are halved.
template <int kRank>
void real_gradient(Context& c) {
  const Output g = c.grad(), lengths = c.input(1);
  const Output halved = g / multiplicity(lengths, g.dtype());
  const Output x = transform(kRank, kInverseReal, {halved, lengths});
  c.set(0, pad_to_shape_of(x * transform_size(x, kRank, x.dtype()), c.input(0)));
}

template <int kRank>
void inverse_real_gradient(Context& c) {
  const Output g = c.grad(), lengths = c.input(1);
  const Output spectrum = transform(kRank, kReal, {g, lengths});
  const Output weights = multiplicity(lengths, spectrum.dtype());
  const Output gradient = spectrum * (weights / transform_size(g, kRank, spectrum.dtype()));
  c.set(0, pad_to_shape_of(gradient, c.input(0)));
}

constexpr const char* kComplexType =
    "Tcomplex: {complex64, complex128} = complex64 | Complex type.";
constexpr const char* kRealType = "Treal: {float, double} = float | Real type.";

constexpr OpDef complex_row(std::string_view name, std::string_view doc, ShapeFunction shape,
                            GradientFunction gradient) {
  return {.name = name,
          .inputs = {"input: Tcomplex | Of at least as many dimensions as are transformed."},
          .outputs = {"output: Tcomplex | The shape of `input`."},
          .attrs = {kComplexType},
          .doc = doc,
          .shape = shape,
          .gradient = gradient};
}

constexpr OpDef real_row(std::string_view name, std::string_view doc, ShapeFunction shape,
                         GradientFunction gradient) {
  return {.name = name,
          .inputs = {"input: Treal | Real values; along each transformed dimension at least "
                     "`fft_length` of them.",
                     "fft_length: int32 | How many count, one entry a transformed dimension."},
          .outputs = {"output: Tcomplex | The last dimension is fft_length / 2 + 1, other "
                      "transformed ones are `fft_length`."},
          .attrs = {kRealType, kComplexType},
          .doc = doc,
          .shape = shape,
          .gradient = gradient};
}

constexpr OpDef inverse_real_row(std::string_view name, std::string_view doc, ShapeFunction shape,
                                 GradientFunction gradient) {
  return {.name = name,
          .inputs = {"input: Tcomplex | A spectrum of at least fft_length / 2 + 1 values along the "
                     "last dimension, `fft_length` along other transformed ones.",
                     "fft_length: int32 | Size of the result, one entry a transformed dimension."},
          .outputs = {"output: Treal | Transformed dimensions are `fft_length`."},
          .attrs = {kRealType, kComplexType},
          .doc = doc,
          .shape = shape,
          .gradient = gradient};
}

constexpr OpDef kOps[] = {
    complex_row("FFT", "Fourier transform along the last dimension.", complex_shape<1>,
                forward_gradient<1>),
    complex_row("IFFT", "Inverse Fourier transform along the last dimension.", complex_shape<1>,
                inverse_gradient<1>),
    complex_row("FFT2D", "Fourier transform over the last two dimensions.", complex_shape<2>,
                forward_gradient<2>),
    complex_row("IFFT2D", "Inverse Fourier transform over the last two dimensions.",
                complex_shape<2>, inverse_gradient<2>),
    complex_row("FFT3D", "Fourier transform over the last three dimensions.", complex_shape<3>,
                forward_gradient<3>),
    complex_row("IFFT3D", "Inverse Fourier transform over the last three dimensions.",
                complex_shape<3>, inverse_gradient<3>),
    real_row("RFFT",
             "Fourier transform of real values along the last dimension: the half of the spectrum "
             "that tells the other, its conjugate mirrored.",
             real_shape<1, false>, real_gradient<1>),
    inverse_real_row("IRFFT", "Inverse of RFFT: real values from half of their spectrum.",
                     real_shape<1, true>, inverse_real_gradient<1>),
    real_row("RFFT2D", "RFFT along the last dimension, then FFT along the one before.",
             real_shape<2, false>, real_gradient<2>),
    inverse_real_row("IRFFT2D", "Inverse of RFFT2D.", real_shape<2, true>,
                     inverse_real_gradient<2>),
    real_row("RFFT3D", "RFFT along the last dimension, then FFT along the two before.",
             real_shape<3, false>, real_gradient<3>),
    inverse_real_row("IRFFT3D", "Inverse of RFFT3D.", real_shape<3, true>,
                     inverse_real_gradient<3>),
};

// `given`, or what the last `rank` dimensions of x say.
Output lengths_for(Output x, int rank, const IntVector& given, bool halved) {
  if (!given.is_constant() || !given.values().empty()) return given.in(x.graph(), kInt32);
  const Shape& shape = x.shape();
  if (!shape.has_rank() || shape.rank() < rank || !shape.slice(-rank).is_fully_defined()) {
    throw invalid_argument("the Fourier transform of ", x.name(), ", which is ", shape,
                           ", needs `fft_length`");
  }
  Shape lengths = shape.slice(-rank);
  if (halved) lengths.set_dim(rank - 1, std::max<int64_t>(0, 2 * (shape.dim(-1) - 1)));
  return IntVector(lengths).in(x.graph(), kInt32);
}

Output real_forward(int rank, Output x, const IntVector& lengths, const std::string& name) {
  return transform(rank, kReal, {x, lengths_for(x, rank, lengths, false)}, name);
}

Output real_inverse(int rank, Output x, const IntVector& lengths, const std::string& name) {
  return transform(rank, kInverseReal, {x, lengths_for(x, rank, lengths, true)}, name);
}

}  // namespace

std::span<const OpDef> fft_ops() { return kOps; }

Output fft(Output x, const FftOptions& o) { return transform(1, kForward, {x}, o.name); }
Output ifft(Output x, const FftOptions& o) { return transform(1, kInverse, {x}, o.name); }
Output fft2d(Output x, const FftOptions& o) { return transform(2, kForward, {x}, o.name); }
Output ifft2d(Output x, const FftOptions& o) { return transform(2, kInverse, {x}, o.name); }
Output fft3d(Output x, const FftOptions& o) { return transform(3, kForward, {x}, o.name); }
Output ifft3d(Output x, const FftOptions& o) { return transform(3, kInverse, {x}, o.name); }

Output rfft(Output x, const IntVector& fft_length, const FftOptions& o) {
  return real_forward(1, x, fft_length, o.name);
}
Output rfft2d(Output x, const IntVector& fft_length, const FftOptions& o) {
  return real_forward(2, x, fft_length, o.name);
}
Output rfft3d(Output x, const IntVector& fft_length, const FftOptions& o) {
  return real_forward(3, x, fft_length, o.name);
}
Output irfft(Output x, const IntVector& fft_length, const FftOptions& o) {
  return real_inverse(1, x, fft_length, o.name);
}
Output irfft2d(Output x, const IntVector& fft_length, const FftOptions& o) {
  return real_inverse(2, x, fft_length, o.name);
}
Output irfft3d(Output x, const IntVector& fft_length, const FftOptions& o) {
  return real_inverse(3, x, fft_length, o.name);
}

}  // namespace thalweg
