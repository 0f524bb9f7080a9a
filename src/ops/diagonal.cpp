// Matrices and their diagonals.
#include "thalweg/ops/diagonal.h"

#include <algorithm>

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using Context = GradientContext;

struct Band {
  int64_t lower = 0;
  int64_t upper = 0;
};

// The diagonals that input `i` names, when it is known.
std::optional<Band> known_band(const ShapeContext& c, int i) {
  if (c.input(i).rank() > 1) throw c.error("`k` must be a scalar or a vector, got ", c.input(i));
  const auto k = known_values(c.node(), i);
  if (!k) return std::nullopt;
  if (k->empty() || k->size() > 2) throw c.error("`k` must have 1 or 2 entries, got ", k->size());
  const Band band{k->front(), k->back()};
  if (band.lower > band.upper)
    throw c.error("`k` is [", band.lower, ", ", band.upper, "]; the lower diagonal comes first");
  return band;
}

void diag_v1_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 1);
  c.set_output(0, x.has_rank() ? x.concat(Shape{x.dim(-1)}) : x);
}

void diag_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 1);
  for (int i = 2; i < 5; ++i) c.with_rank(i, 0);
  const auto band = known_band(c, 1);
  if (!x.has_rank() || !band) return c.set_output(0, Shape::unknown());
  const bool many = band->lower != band->upper;
  const int64_t count = band->upper - band->lower + 1;
  if (many && (x.rank() < 2 || !Shape{x.dim(-2)}.is_compatible_with(Shape{count}))) {
    throw c.error("`diagonal` has shape ", x, ", expected ", count, " diagonals in its rows");
  }
  const auto rows = known_scalar(c, 2), columns = known_scalar(c, 3);
  int64_t m = kUnknownDim, n = kUnknownDim;
  if (x.dim(-1) != kUnknownDim && rows && columns) {
    const int64_t low_m = x.dim(-1) - std::min<int64_t>(band->upper, 0);
    const int64_t low_n = x.dim(-1) + std::max<int64_t>(band->lower, 0);
    m = *rows != -1 ? *rows : *columns != -1 ? low_m : std::max(low_m, low_n);
    n = *columns != -1 ? *columns : *rows != -1 ? low_n : std::max(low_m, low_n);
    if (m < low_m || n < low_n || (m != low_m && n != low_n)) {
      throw c.error("diagonals of length ", x.dim(-1), " do not fit a matrix of ", m, " rows and ",
                    n, " columns; at least ", low_m, " and ", low_n,
                    " are needed, and one of them just so");
    }
  }
  c.set_output(0, x.slice(0, x.rank() - (many ? 2 : 1)).concat(Shape{m, n}));
}

// Length of the longest diagonal of a band of a matrix.
int64_t longest(const ShapeContext& c, const Shape& x, const Band& band) {
  const int64_t m = x.dim(-2), n = x.dim(-1);
  if (m == kUnknownDim || n == kUnknownDim) return kUnknownDim;
  if ((band.upper <= -m || band.upper >= n || band.lower <= -m || band.lower >= n) &&
      !(band.lower == 0 && band.upper == 0)) {
    throw c.error("`k` [", band.lower, ", ", band.upper, "] is outside matrices of shape ", x);
  }
  return std::min(m + std::min<int64_t>(band.upper, 0), n - std::max<int64_t>(band.lower, 0));
}

Shape band_shape(const ShapeContext& c, const Shape& x, const Band& band) {
  Shape shape = x.slice(0, x.rank() - 2);
  if (band.lower != band.upper) shape = shape.concat(Shape{band.upper - band.lower + 1});
  return shape.concat(Shape{longest(c, x, band)});
}

void diag_part_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 2);
  const auto band = c.num_inputs() > 1 ? known_band(c, 1) : Band{};
  if (c.num_inputs() > 2) c.with_rank(2, 0);
  c.set_output(0, x.has_rank() && band ? band_shape(c, x, *band) : Shape::unknown());
}

void set_diag_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 2);
  const Shape diagonal = c.with_rank_at_least(1, 1);
  const auto band = c.num_inputs() > 2 ? known_band(c, 2) : Band{};
  if (x.has_rank() && band) {
    const Shape expected = band_shape(c, x, *band);
    if (!diagonal.is_compatible_with(expected))
      throw c.error("`diagonal` has shape ", diagonal, ", expected ", expected);
  }
  c.set_output(0, x);
}

void band_part_shape(ShapeContext& c) {
  c.with_rank(1, 0);
  c.with_rank(2, 0);
  c.set_output(0, c.with_rank_at_least(0, 2));
}

void tensor_diag_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 1);
  c.set_output(0, x.concat(x));
}

void tensor_diag_part_shape(ShapeContext& c) {
  const Shape& x = c.input(0);
  if (!x.has_rank()) return c.set_output(0, Shape::unknown());
  const int half = x.rank() / 2;
  if (x.rank() % 2 != 0 || x.rank() == 0 || !x.slice(0, half).is_compatible_with(x.slice(half))) {
    throw c.error("`input` has shape ", x, ", expected a shape and the same again");
  }
  c.set_output(0, x.slice(0, half).merge(x.slice(half)));
}

// The attribute `align` of the third versions; the second ones align all to the left.
std::string align_of(const Context& c) {
  return c.node().op().find_attr("align") == nullptr ? "LEFT_LEFT" : c.attr<std::string>("align");
}

Output diag_part(const Context& c, Output matrix, Output k) {
  return add_op("MatrixDiagPartV3", {matrix, k, scalar_like(matrix, 0)}, {{"align", align_of(c)}});
}

Output set_diag(const Context& c, Output matrix, Output diagonal, Output k) {
  return add_op("MatrixSetDiagV3", {matrix, diagonal, k}, {{"align", align_of(c)}});
}

Output main_diagonal(const Context& c) { return constant(c.graph(), Tensor(int32_t{0})); }

void diag_gradient(Context& c) {
  const Output k = c.num_inputs() > 1 ? c.input(1) : main_diagonal(c);
  c.set(0, diag_part(c, c.grad(), k));
}

void diag_part_gradient(Context& c) {
  const Output k = c.num_inputs() > 1 ? c.input(1) : main_diagonal(c);
  c.set(0, set_diag(c, zeros_like(c.input(0)), c.grad(), k));
}

void set_diag_gradient(Context& c) {
  const Output k = c.num_inputs() > 2 ? c.input(2) : main_diagonal(c);
  c.set(0, set_diag(c, c.grad(), zeros_like(c.input(1)), k));
  c.set(1, diag_part(c, c.grad(), k));
}

void band_part_gradient(Context& c) {
  c.set(0, add_op("MatrixBandPart", {c.grad(), c.input(1), c.input(2)}));
}

constexpr const char* kAny = "T: type | Element type.";
constexpr const char* kDiagonal = "diagonal: T | Diagonals, `[..., n]`, or `[..., diagonals, n]`.";
constexpr const char* kMatrices = "input: T | Matrices `[..., m, n]`.";
constexpr const char* kBandOf =
    "k: int32 | The diagonal, or `[lowest, highest]` of a band; 0 is the main one, positive above.";
constexpr const char* kRowCount = "num_rows: int32 | Rows of the matrices; -1: as few as fit.";
constexpr const char* kColumnCount =
    "num_cols: int32 | Columns of the matrices; -1: as few as fit.";
constexpr const char* kPadding = "padding_value: T | What fills cells that nothing else does.";
constexpr const char* kAlign =
    "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT' | How shorter "
    "diagonals lie in their rows: those above the main one, then those below.";
constexpr const char* kOut = "output: T | Matrices `[..., m, n]`.";
constexpr const char* kBand = "band: T | The shape of `input`, zeros outside the band.";

constexpr OpDef part(std::string_view name, const Specs& inputs, const Specs& attrs,
                     std::string_view doc) {
  return {.name = name,
          .inputs = inputs,
          .outputs = {kDiagonal},
          .attrs = attrs,
          .doc = doc,
          .shape = diag_part_shape,
          .gradient = diag_part_gradient};
}

constexpr OpDef matrix(std::string_view name, const Specs& inputs, const Specs& attrs,
                       std::string_view doc, ShapeFunction shape, GradientFunction gradient) {
  return {.name = name,
          .inputs = inputs,
          .outputs = {kOut},
          .attrs = attrs,
          .doc = doc,
          .shape = shape,
          .gradient = gradient};
}

constexpr OpDef band(std::string_view name, const Specs& inputs, const Specs& attrs) {
  return {.name = name,
          .inputs = inputs,
          .outputs = {kBand},
          .attrs = attrs,
          .doc = "Matrices with zeros outside a band around the main diagonal.",
          .shape = band_part_shape,
          .gradient = band_part_gradient};
}

constexpr const char* kFew = "T: {bfloat16, half, float, double, int32, int64} | Element type.";
constexpr std::string_view kDiagDoc = "Matrices with given main diagonals and zeros elsewhere.";
constexpr std::string_view kPartDoc = "The main diagonals of matrices.";
constexpr std::string_view kSetDoc = "Matrices with their main diagonals replaced.";

constexpr OpDef kOps[] = {
    matrix("MatrixDiag", {kDiagonal}, {kAny}, kDiagDoc, diag_v1_shape, diag_gradient),
    matrix("BatchMatrixDiag", {kDiagonal}, {kAny}, kDiagDoc, diag_v1_shape, diag_gradient),
    matrix("MatrixDiagV2", {kDiagonal, kBandOf, kRowCount, kColumnCount, kPadding}, {kAny},
           "Matrices with given diagonals, packed to the left.", diag_shape, diag_gradient),
    matrix("MatrixDiagV3", {kDiagonal, kBandOf, kRowCount, kColumnCount, kPadding}, {kAny, kAlign},
           "Matrices with given diagonals.", diag_shape, diag_gradient),
    part("MatrixDiagPart", {kMatrices}, {kAny}, kPartDoc),
    part("BatchMatrixDiagPart", {kMatrices}, {kAny}, kPartDoc),
    part("MatrixDiagPartV2", {kMatrices, kBandOf, kPadding}, {kAny},
         "Diagonals of matrices, packed to the left."),
    part("MatrixDiagPartV3", {kMatrices, kBandOf, kPadding}, {kAny, kAlign},
         "Diagonals of matrices."),
    matrix("MatrixSetDiag", {kMatrices, kDiagonal}, {kAny}, kSetDoc, set_diag_shape,
           set_diag_gradient),
    matrix("BatchMatrixSetDiag", {kMatrices, kDiagonal}, {kAny}, kSetDoc, set_diag_shape,
           set_diag_gradient),
    matrix("MatrixSetDiagV2", {kMatrices, kDiagonal, kBandOf}, {kAny},
           "Matrices with diagonals replaced by ones packed to the left.", set_diag_shape,
           set_diag_gradient),
    matrix("MatrixSetDiagV3", {kMatrices, kDiagonal, kBandOf}, {kAny, kAlign},
           "Matrices with diagonals replaced.", set_diag_shape, set_diag_gradient),
    band("MatrixBandPart",
         {kMatrices, "num_lower: Tindex | Diagonals below the main one; negative: all.",
          "num_upper: Tindex | Diagonals above the main one; negative: all."},
         {kAny, "Tindex: {int32, int64} = int64 | Type of the counts."}),
    band("BatchMatrixBandPart",
         {kMatrices, "num_lower: int64 | Diagonals below the main one; negative: all.",
          "num_upper: int64 | Diagonals above the main one; negative: all."},
         {kAny}),
    {.name = "Diag",
     .inputs = {"diagonal: T | A tensor, not a scalar."},
     .outputs = {"output: T | Its shape twice, zeros but where both halves of the position agree."},
     .attrs = {kFew},
     .doc = "A tensor as the diagonal of one of twice its dimensions.",
     .shape = tensor_diag_shape,
     .gradient = [](Context& c) { c.set(0, add_op("DiagPart", {c.grad()})); }},
    {.name = "DiagPart",
     .inputs = {"input: T | A tensor whose shape is one twice."},
     .outputs = {"diagonal: T | Of that shape."},
     .attrs = {kFew},
     .doc = "The elements at positions both of whose halves agree.",
     .shape = tensor_diag_part_shape,
     .gradient = [](Context& c) { c.set(0, add_op("Diag", {c.grad()})); }},
};

Output band_vector(Output x, const DiagonalOptions& options) {
  return IntVector({options.lower, options.upper}).in(x.graph());
}

}  // namespace

std::span<const OpDef> diagonal_ops() { return kOps; }

Output matrix_diag(Output diagonal, const DiagonalOptions& options) {
  const Output open = constant(diagonal.graph(), Tensor(int32_t{-1}));
  return add_op("MatrixDiagV3",
                {diagonal, band_vector(diagonal, options), open, open,
                 scalar_like(diagonal, options.padding)},
                {{"align", options.align}}, options.name);
}

Output matrix_diag_part(Output x, const DiagonalOptions& options) {
  return add_op("MatrixDiagPartV3", {x, band_vector(x, options), scalar_like(x, options.padding)},
                {{"align", options.align}}, options.name);
}

Output matrix_set_diag(Output x, Output diagonal, const DiagonalOptions& options) {
  return add_op("MatrixSetDiagV3", {x, diagonal, band_vector(x, options)},
                {{"align", options.align}}, options.name);
}

Output matrix_band_part(Output x, int64_t lower, int64_t upper, const BandOptions& options) {
  return add_op("MatrixBandPart",
                {x, constant(x.graph(), Tensor(lower)), constant(x.graph(), Tensor(upper))}, {},
                options.name);
}

Output lower_triangle(Output x, const BandOptions& options) {
  return matrix_band_part(x, -1, 0, options);
}
Output upper_triangle(Output x, const BandOptions& options) {
  return matrix_band_part(x, 0, -1, options);
}

}  // namespace thalweg
