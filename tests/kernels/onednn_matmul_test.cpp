// Matmul and inner product against double loops.

#include "onednn_testing.h"
#include "thalweg/base/error.h"

namespace thalweg::onednn {
namespace {

// One matrix product per batch; `batches` of 0 means 2-D operands.
struct MatMulCase {
  const char* name;
  std::int64_t batches, m, k, n;
  bool transpose_src, transpose_weights, any_weights, bias;
};

constexpr MatMulCase kMatMulCases[] = {
    {"plain", 0, 5, 7, 3, false, false, false, false},
    {"plain with bias", 0, 5, 16, 17, false, false, false, true},
    {"any weights", 0, 33, 17, 70, false, false, true, true},
    {"one row, any weights", 0, 1, 40, 30, false, false, true, false},
    {"transposed src", 0, 5, 7, 3, true, false, false, false},
    {"transposed weights", 0, 5, 7, 3, false, true, false, true},
    {"both transposed", 0, 17, 16, 3, true, true, false, false},
    {"batch", 3, 5, 7, 4, false, false, false, false},
    {"batch, weights transposed", 2, 5, 7, 4, false, true, false, true},
    {"inner dimension 1", 0, 4, 1, 6, false, false, false, false},
    {"one column", 0, 9, 5, 1, false, false, true, true},
};

Dims with_batch(std::int64_t batches, std::int64_t rows, std::int64_t columns) {
  return batches == 0 ? Dims{rows, columns} : Dims{batches, rows, columns};
}

// Logical [.., rows, columns]; in memory the last two are swapped when `transposed`.
Desc matrix(std::int64_t batches, std::int64_t rows, std::int64_t columns, bool transposed) {
  if (!transposed) return Desc::plain(with_batch(batches, rows, columns));
  const std::vector<int> swap = batches == 0 ? std::vector<int>{1, 0} : std::vector<int>{0, 2, 1};
  return Desc::plain(with_batch(batches, columns, rows)).permute(swap).value();
}

Array naive_matmul(const Array& a, const Array& b, const Array* bias, std::int64_t batches,
                   std::int64_t m, std::int64_t k, std::int64_t n) {
  Array y(with_batch(batches, m, n));
  for (std::int64_t q = 0; q < std::max<std::int64_t>(batches, 1); ++q) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = bias ? (*bias)[j] : 0;
        for (std::int64_t l = 0; l < k; ++l) sum += a[(q * m + i) * k + l] * b[(q * k + l) * n + j];
        y[(q * m + i) * n + j] = sum;
      }
    }
  }
  return y;
}

TEST(OneDnnMatMul, AgreesWithADoubleLoop) {
  for (const MatMulCase& c : kMatMulCases) {
    const Desc src = matrix(c.batches, c.m, c.k, c.transpose_src);
    const Desc weights = c.any_weights ? Desc::any(with_batch(c.batches, c.k, c.n))
                                       : matrix(c.batches, c.k, c.n, c.transpose_weights);
    const Dims bias_dims = c.batches == 0 ? Dims{1, c.n} : Dims{1, 1, c.n};
    const auto p = matmul({.src = src,
                           .weights = weights,
                           .bias = c.bias ? Desc::plain(bias_dims) : Desc(),
                           .dst = Desc::plain(with_batch(c.batches, c.m, c.n))});
    ASSERT_TRUE(p) << c.name;
    EXPECT_FALSE(p->is_reference()) << c.name;
    const Array a = random_array(src.dims(), 1), b = random_array(weights.dims(), 2),
                bias = random_array(bias_dims, 3);
    Values made = evaluate(*p, {{Arg::src, a}, {Arg::weights, b}, {Arg::bias, bias}});
    expect_near(to_array(made[Arg::dst]),
                naive_matmul(a, b, c.bias ? &bias : nullptr, c.batches, c.m, c.k, c.n), 1e-5,
                c.name);
  }
}

TEST(OneDnnMatMul, OneWeightMatrixServesAWholeBatch) {
  const Array a = random_array({3, 4, 5}, 1), b = random_array({1, 5, 6}, 2);
  const auto p = matmul(
      {.src = Desc::plain(a.dims), .weights = Desc::plain(b.dims), .dst = Desc::plain({3, 4, 6})});
  ASSERT_TRUE(p);
  Array expected = naive_matmul(Array({12, 5}, a.v), b, nullptr, 0, 12, 5, 6);
  expected.dims = {3, 4, 6};
  Values made = evaluate(*p, {{Arg::src, a}, {Arg::weights, b}});
  expect_near(to_array(made[Arg::dst]), expected, 1e-5, "dst");
}

TEST(OneDnnMatMul, SumAddsToWhatIsThereBeforeTheActivation) {
  const Array a = random_array({4, 5}, 1), b = random_array({5, 6}, 2),
              old = random_array({4, 6}, 3);
  const auto p = matmul({.src = Desc::plain(a.dims),
                         .weights = Desc::plain(b.dims),
                         .dst = Desc::plain({4, 6}),
                         .epilogue = {.sum_scale = 1.0f, .activation = Activation::relu}});
  ASSERT_TRUE(p);
  Array expected = naive_matmul(a, b, nullptr, 0, 4, 5, 6);
  for (std::int64_t i = 0; i < 24; ++i) expected[i] = std::max(0.0, expected[i] + old[i]);
  Values made = evaluate(*p, {{Arg::src, a}, {Arg::weights, b}, {Arg::dst, old}});
  expect_near(to_array(made[Arg::dst]), expected, 1e-5, "dst");
}

TEST(OneDnnMatMul, TakesBfloat16AndAccumulatesInFloat) {
  const Array a = random_array({8, 32}, 1), b = random_array({32, 16}, 2);
  const auto p = matmul({.src = Desc::plain(a.dims, Element::bf16),
                         .weights = Desc::any(b.dims, Element::bf16),
                         .dst = Desc::plain({8, 16})});
  if (!p) GTEST_SKIP() << "no bf16 kernel on this machine";
  EXPECT_EQ(p->desc(Arg::weights).element(), Element::bf16);
  Values made = evaluate(*p, {{Arg::src, a}, {Arg::weights, b}});
  expect_near(to_array(made[Arg::dst]), naive_matmul(a, b, nullptr, 0, 8, 32, 16), 1e-5, "dst");
}

TEST(OneDnnMatMul, RejectsDifferentInnerDimensions) {
  EXPECT_THROW(
      matmul(
          {.src = Desc::plain({2, 3}), .weights = Desc::plain({4, 5}), .dst = Desc::plain({2, 5})}),
      Error);
}

struct InnerProductCase {
  std::int64_t n, i, o;
  bool any;
};
constexpr InnerProductCase kInnerProductCases[] = {
    {5, 7, 3, false}, {5, 7, 3, true}, {1, 16, 10, true}, {33, 17, 70, true}, {16, 64, 128, true},
};

TEST(OneDnnInnerProduct, ForwardAndBothGradientsAgreeWithADoubleLoop) {
  for (const auto& [n, i, o, any] : kInnerProductCases) {
    const std::string label =
        std::to_string(n) + "x" + std::to_string(i) + "->" + std::to_string(o);
    // Not any: TensorFlow's [in, out] kernel.
    const InnerProduct op{.src = Desc::plain({n, i}),
                          .weights = any ? Desc::any({o, i}) : Desc::strided({o, i}, {1, o}),
                          .bias = Desc::plain({o}),
                          .dst = Desc::plain({n, o})};
    const Array x = random_array({n, i}, 1), w = random_array({o, i}, 2), b = random_array({o}, 3),
                dy = random_array({n, o}, 4);
    Array y({n, o}), dx({n, i}), dw({o, i}), db({o});
    for (std::int64_t r = 0; r < n; ++r) {
      for (std::int64_t c = 0; c < o; ++c) {
        y[r * o + c] = b[c];
        db[c] += dy[r * o + c];
        for (std::int64_t l = 0; l < i; ++l) {
          y[r * o + c] += x[r * i + l] * w[c * i + l];
          dx[r * i + l] += dy[r * o + c] * w[c * i + l];
          dw[c * i + l] += dy[r * o + c] * x[r * i + l];
        }
      }
    }
    const auto forward = inner_product_forward(op);
    const auto data = inner_product_backward_data(op);
    const auto weights = inner_product_backward_weights(op);
    ASSERT_TRUE(forward && data && weights) << label;
    Values f = evaluate(*forward, {{Arg::src, x}, {Arg::weights, w}, {Arg::bias, b}});
    expect_near(to_array(f[Arg::dst]), y, 1e-5, label.c_str());
    Values d = evaluate(*data, {{Arg::diff_dst, dy}, {Arg::weights, w}});
    expect_near(to_array(d[Arg::diff_src]), dx, 1e-5, label.c_str());
    Values g = evaluate(*weights, {{Arg::src, x}, {Arg::diff_dst, dy}});
    expect_near(to_array(g[Arg::diff_weights]), dw, 1e-5, label.c_str());
    expect_near(to_array(g[Arg::diff_bias]), db, 1e-5, label.c_str());
  }
}

// Master weights live in one layout, with no reorder in the step.
TEST(OneDnnInnerProduct, OneWeightLayoutServesForwardAndBothGradients) {
  for (const auto& [n, i, o] : {std::tuple<std::int64_t, std::int64_t, std::int64_t>{128, 784, 512},
                                {128, 512, 10},
                                {64, 1024, 10},
                                {3, 17, 5}}) {
    for (const Element e : {Element::f32, Element::bf16}) {
      InnerProduct op{.src = Desc::plain({n, i}, e),
                      .weights = Desc::any({o, i}, e),
                      .bias = Desc::plain({o}),
                      .dst = Desc::plain({n, o}, e)};
      const auto forward = inner_product_forward(op);
      if (!forward && e == Element::bf16) continue;
      ASSERT_TRUE(forward);
      op.weights = forward->desc(Arg::weights);
      const std::string layout = op.weights.to_string();
      const auto data = inner_product_backward_data(op);
      ASSERT_TRUE(data) << layout;
      EXPECT_TRUE(data->desc(Arg::weights) == op.weights) << layout;
      const auto weights = inner_product_backward_weights(op);
      ASSERT_TRUE(weights) << layout;
      EXPECT_TRUE(weights->desc(Arg::diff_weights) == op.weights) << layout;
      op.training = false;
      const auto inference = inner_product_forward(op);
      ASSERT_TRUE(inference) << layout;
    }
  }
}

TEST(OneDnnInnerProduct, FlattensABlockedImage) {
  const Array x = random_array({2, 17, 3, 5}, 1), w = random_array({4, 17, 3, 5}, 2);
  const auto p = inner_product_forward(
      {.src = Desc::nhwc(x.dims), .weights = Desc::any(w.dims), .dst = Desc::plain({2, 4})});
  ASSERT_TRUE(p);
  Array expected({2, 4});
  for (std::int64_t r = 0; r < 2; ++r) {
    for (std::int64_t c = 0; c < 4; ++c) {
      for (std::int64_t l = 0; l < 255; ++l) expected[r * 4 + c] += x[r * 255 + l] * w[c * 255 + l];
    }
  }
  Values made = evaluate(*p, {{Arg::src, x}, {Arg::weights, w}});
  expect_near(to_array(made[Arg::dst]), expected, 1e-5, "dst");
}

TEST(OneDnnInnerProduct, RejectsDifferentInnerDimensions) {
  EXPECT_THROW(
      inner_product_forward(
          {.src = Desc::plain({2, 3}), .weights = Desc::plain({4, 5}), .dst = Desc::plain({2, 4})}),
      Error);
}

}  // namespace
}  // namespace thalweg::onednn
