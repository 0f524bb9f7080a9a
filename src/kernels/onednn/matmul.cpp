// Products of matrices, as oneDNN's inner product where one operand is the weights of a dense layer
// (a variable or a constant, or what arrives in their layout), else as its matmul or gemm.
//
// Which product of a layer y = x w it is shows in the transposes: x w is the forward pass, dy w^T
// the gradient of x, x^T dy that of w. All three agree on one blocked layout of w, so that the
// optimizer can update it without conversions.
#include "kernels/families.h"
#include "kernels/onednn/prepared.h"
#include "kernels/onednn/views.h"

namespace thalweg {
namespace {

using namespace onednn;  // NOLINT: this file is written in its terms

// out [m, n] = a [m, k] b [k, n], with a or b stored transposed.
struct Product {
  int64_t m, k, n;
  bool transpose_a, transpose_b;
  Fusion fusion = {};
  bool bias_gradient = false;  // output 1: the column sums of b

  Desc bias_view() const { return fusion.bias ? Desc::plain({n}) : Desc(); }
};

// A layer too narrow for oneDNN's blocks gains nothing from them, and would pay with padding. As
// measured at 512x10, 10x100 and 64x64.
bool is_worth_blocking(int64_t inputs, int64_t outputs) {
  return inputs >= 32 && outputs >= 32 && inputs * outputs >= 128 * 128;
}

// Whether the layout of these weights is ours to choose.
bool is_free(const TensorSpec& weights) {
  return weights.layout == nullptr && (weights.flexible || weights.constant != nullptr);
}

// Weights that may be put in a layout, or that arrive in one: what to ask oneDNN for. An empty Desc
// when they are an ordinary plain matrix.
Desc weights_of(const TensorSpec& spec, const Desc& view) {
  if (spec.layout != nullptr) return arriving(spec, view);
  if (!is_free(spec) || !is_worth_blocking(view.dims()[1], view.dims()[0])) return Desc();
  return Desc::any(view.dims());
}

KernelPtr bind_forward(const Primitive& primitive, const Product& p, const Desc& weights_view) {
  return bind(primitive,
              {in(Arg::src, 0, Desc::plain({p.m, p.k})), in(Arg::weights, 1, weights_view),
               in(Arg::bias, 2, Desc::plain({p.n})), out(Arg::dst, 0, Desc::plain({p.m, p.n}))},
              p.fusion.finish);
}

KernelPtr forward(const Product& p, const Desc& weights, const Desc& weights_view) {
  const auto primitive = inner_product_forward({.src = Desc::plain({p.m, p.k}),
                                                .weights = weights,
                                                .bias = p.bias_view(),
                                                .dst = Desc::plain({p.m, p.n}),
                                                .epilogue = p.fusion.epilogue});
  return primitive ? bind_forward(*primitive, p, weights_view) : nullptr;
}

KernelPtr backward_data(const Product& p, const Desc& weights, const Desc& weights_view) {
  const auto primitive = inner_product_backward_data(
      {.src = Desc::plain({p.m, p.n}), .weights = weights, .dst = Desc::plain({p.m, p.k})});
  if (!primitive) return nullptr;
  return bind(*primitive,
              {in(Arg::diff_dst, 0, Desc::plain({p.m, p.k})), in(Arg::weights, 1, weights_view),
               out(Arg::diff_src, 0, Desc::plain({p.m, p.n}))},
              p.fusion.finish);
}

// Here k is the batch: weights [m, n] of m inputs and n outputs.
KernelPtr backward_weights(const Product& p, const Desc& weights) {
  const auto primitive =
      inner_product_backward_weights({.src = Desc::plain({p.k, p.m}),
                                      .weights = weights,
                                      .bias = p.bias_gradient ? Desc::plain({p.n}) : Desc(),
                                      .dst = Desc::plain({p.k, p.n})});
  if (!primitive) return nullptr;
  return bind(*primitive, {in(Arg::src, 0, Desc::plain({p.k, p.m})),
                           in(Arg::diff_dst, 1, Desc::plain({p.k, p.n})),
                           out(Arg::diff_weights, 0, dense_view(p.m, p.n)),
                           out(Arg::diff_bias, 1, Desc::plain({p.n}))});
}

KernelPtr blocked_weights_gradient(const Product& p) {
  const Desc any = Desc::any({p.n, p.m});
  const auto layer = inner_product_forward(
      {.src = Desc::plain({p.k, p.m}), .weights = any, .dst = Desc::plain({p.k, p.n})});
  if (layer) {
    if (KernelPtr kernel = backward_weights(p, layer->desc(Arg::weights))) return kernel;
  }
  return backward_weights(p, any);
}

// matmul copies b on every call, which at few rows costs more than the product; gemm under the
// inner product's name does not, but is slower on small matrices and on a transposed b.
KernelPtr plain(const Product& p) {
  const bool is_large = p.k * p.n >= 1 << 15;
  const bool is_bare = !p.fusion.bias && p.fusion.epilogue.activation == Activation::none;
  KernelPtr kernel;
  if (!p.transpose_a && !p.transpose_b && is_large) {
    kernel = forward(p, dense_view(p.k, p.n), dense_view(p.k, p.n));
  } else if (!p.transpose_a && p.transpose_b && is_large && p.m <= 4 && is_bare) {
    kernel = backward_data(p, dense_view(p.n, p.k), dense_view(p.n, p.k));
  } else if (p.transpose_a && !p.transpose_b && (p.bias_gradient || p.m * p.n >= 1 << 15)) {
    kernel = backward_weights(p, dense_view(p.m, p.n));
  }
  if (kernel != nullptr || p.bias_gradient) return kernel;

  const Desc a = p.transpose_a ? matrix_view(p.k, p.m, true) : matrix_view(p.m, p.k, false);
  const Desc b = p.transpose_b ? matrix_view(p.n, p.k, true) : matrix_view(p.k, p.n, false);
  const Desc bias = p.fusion.bias ? Desc::plain({1, p.n}) : Desc();
  const Desc dst = Desc::plain({p.m, p.n});
  const auto primitive =
      matmul({.src = a, .weights = b, .bias = bias, .dst = dst, .epilogue = p.fusion.epilogue});
  if (!primitive) return nullptr;
  return bind(
      *primitive,
      {in(Arg::src, 0, a), in(Arg::weights, 1, b), in(Arg::bias, 2, bias), out(Arg::dst, 0, dst)},
      p.fusion.finish);
}

KernelPtr multiply(const KernelRequest& request, const Product& p) {
  const TensorSpec& b = request.inputs[1];
  const bool is_bare = !p.fusion.bias && p.fusion.epilogue.activation == Activation::none;
  KernelPtr kernel;
  if (p.transpose_a) {
    if (!p.transpose_b && is_worth_blocking(p.m, p.n) && is_bare && p.fusion.finish == nullptr) {
      kernel = blocked_weights_gradient(p);
    }
  } else if (!p.transpose_b) {
    const Desc view = dense_view(p.k, p.n);
    if (const Desc weights = weights_of(b, view)) kernel = forward(p, weights, view);
  } else {
    // dy w^T with w as its layer's forward pass had it; or a layer whose weights are [o, i].
    const Desc view = dense_view(p.n, p.k);
    const Desc own_view = Desc::plain({p.n, p.k});
    if (b.layout != nullptr && is_bare) {
      if (const Desc weights = arriving(b, view)) kernel = backward_data(p, weights, view);
    }
    if (kernel == nullptr) {
      if (const Desc weights = weights_of(b, own_view)) kernel = forward(p, weights, own_view);
    }
  }
  return kernel != nullptr ? std::move(kernel) : plain(p);
}

Product product_of(const Shape& a, const Shape& b, bool transpose_a, bool transpose_b) {
  return {.m = a.dim(transpose_a ? -1 : -2),
          .k = a.dim(transpose_a ? -2 : -1),
          .n = b.dim(transpose_b ? -2 : -1),
          .transpose_a = transpose_a,
          .transpose_b = transpose_b};
}

KernelPtr make_matmul(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  Product p =
      product_of(request.inputs[0].shape, request.inputs[1].shape,
                 request.node.attr<bool>("transpose_a"), request.node.attr<bool>("transpose_b"));
  const auto fusion = fusion_of(request.node);
  if (!fusion) return nullptr;
  p.fusion = *fusion;
  return multiply(request, p);
}

KernelPtr make_matmul_bias_grad(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  Product p = product_of(request.inputs[0].shape, request.inputs[1].shape, true, false);
  p.bias_gradient = true;
  return multiply(request, p);
}

// The batch dimensions in front of a matrix, with ones put before them up to `rank`.
Dims batch_of(const Shape& shape, int rank) {
  Dims batch(static_cast<size_t>(rank - shape.rank()), 1);
  for (int i = 0; i + 2 < shape.rank(); ++i) batch.push_back(shape[i]);
  return batch;
}

Desc batched(Dims batch, int64_t rows, int64_t columns, bool transposed) {
  Dims dims = std::move(batch);
  dims.insert(dims.end(), {rows, columns});
  const Desc stored = Desc::plain(dims);
  if (!transposed) return stored;
  std::vector<int> perm;
  for (size_t i = 0; i < dims.size(); ++i) perm.push_back(static_cast<int>(i));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return *stored.permute(perm);
}

KernelPtr make_batch_matmul(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  const Shape& a = request.inputs[0].shape;
  const Shape& b = request.inputs[1].shape;
  const Shape& out_shape = request.outputs[0].shape;
  Product p = product_of(a, b, request.node.attr<bool>("adj_x"), request.node.attr<bool>("adj_y"));
  if (b.rank() == 2 && !p.transpose_a) {
    p.m = a.slice(0, -1).num_elements();  // the batch is only more rows
    return multiply(request, p);
  }
  const int rank = out_shape.rank();
  Dims a_batch = batch_of(a, rank), b_batch = batch_of(b, rank),
       out_batch = batch_of(out_shape, rank);
  if (a_batch == b_batch) {
    a_batch = b_batch = out_batch = {out_shape.slice(0, -2).num_elements()};
  }
  const Desc a_view = batched(a_batch, a.dim(-2), a.dim(-1), p.transpose_a);
  const Desc b_view = batched(b_batch, b.dim(-2), b.dim(-1), p.transpose_b);
  const Desc out_view = batched(out_batch, p.m, p.n, false);
  const auto primitive = matmul({.src = a_view, .weights = b_view, .bias = {}, .dst = out_view});
  if (!primitive) return nullptr;
  return bind(*primitive,
              {in(Arg::src, 0, a_view), in(Arg::weights, 1, b_view), out(Arg::dst, 0, out_view)});
}

constexpr KernelDef kKernels[] = {
    {"MatMul", "onednn", make_matmul},
    {"_FusedMatMul", "onednn", make_matmul},
    {"_MatMulBiasGrad", "onednn", make_matmul_bias_grad},
    {"BatchMatMul", "onednn", make_batch_matmul},
    {"BatchMatMulV2", "onednn", make_batch_matmul},
    {"BatchMatMulV3", "onednn", make_batch_matmul},
};

}  // namespace

std::span<const KernelDef> onednn_matmul_kernels() { return kKernels; }

}  // namespace thalweg
