// Pooling and batch normalization against double loops.

#include <functional>

#include "onednn_testing.h"
#include "thalweg/base/error.h"

namespace thalweg::onednn {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The three memory orders in which activations occur.
std::vector<Desc> layouts(const Dims& nchw) {
  std::vector<Desc> all = {Desc::plain(nchw), Desc::nhwc(nchw)};
  const auto p = convolution_forward({.src = Desc::any({nchw[0], 16, nchw[2], nchw[3]}),
                                      .weights = Desc::any({nchw[1], 16, 1, 1}),
                                      .dst = Desc::any(nchw)});
  if (p) all.push_back(p->desc(Arg::dst));
  return all;
}

struct PoolCase {
  const char* name;
  Dims src;
  Dims kernel, strides, before, after;
};

const PoolCase kPoolCases[] = {
    {"2x2 over 3 channels", {2, 3, 4, 6}, {2, 2}, {2, 2}, {0, 0}, {0, 0}},
    {"3x3 stride 2 over 17 channels, SAME", {2, 17, 7, 6}, {3, 3}, {2, 2}, {1, 0}, {1, 1}},
    {"3x2 stride 1 over 16 channels", {1, 16, 5, 5}, {3, 2}, {1, 1}, {1, 0}, {1, 1}},
};

Dims out_dims(const PoolCase& c) {
  Dims d = c.src;
  for (int i = 0; i < 2; ++i) {
    d[i + 2] = (d[i + 2] + c.before[i] + c.after[i] - c.kernel[i]) / c.strides[i] + 1;
  }
  return d;
}

// Calls `visit` with each output offset and the offsets of the window's real cells in row order.
void for_each_window(
    const PoolCase& c,
    const std::function<void(std::int64_t, const std::vector<std::int64_t>&)>& visit) {
  const Dims out = out_dims(c);
  std::int64_t index = 0;
  for (std::int64_t plane = 0; plane < out[0] * out[1]; ++plane) {
    for (std::int64_t y = 0; y < out[2]; ++y) {
      for (std::int64_t x = 0; x < out[3]; ++x) {
        std::vector<std::int64_t> cells;
        for (std::int64_t ky = 0; ky < c.kernel[0]; ++ky) {
          for (std::int64_t kx = 0; kx < c.kernel[1]; ++kx) {
            const std::int64_t sy = y * c.strides[0] + ky - c.before[0];
            const std::int64_t sx = x * c.strides[1] + kx - c.before[1];
            if (sy < 0 || sy >= c.src[2] || sx < 0 || sx >= c.src[3]) continue;
            cells.push_back((plane * c.src[2] + sy) * c.src[3] + sx);
          }
        }
        visit(index++, cells);
      }
    }
  }
}

Pooling describe(const PoolCase& c, PoolingKind kind, const Desc& src, const Desc& dst) {
  return {.kind = kind,
          .src = src,
          .dst = dst,
          .kernel = c.kernel,
          .strides = c.strides,
          .pads_before = c.before,
          .pads_after = c.after};
}

TEST(OneDnnMaxPool, ForwardAndGradientAgreeWithADoubleLoopTiesIncluded) {
  for (const PoolCase& c : kPoolCases) {
    Array x = random_array(c.src, 1);
    for (double& v : x.v) v = std::round(v * 2);  // five values only: many ties
    const Dims out = out_dims(c);
    const Array dy = random_array(out, 2);
    Array y(out), dx(c.src);
    for_each_window(c, [&](std::int64_t o, const std::vector<std::int64_t>& cells) {
      std::int64_t best = cells[0];
      for (const std::int64_t i : cells) best = x[i] > x[best] ? i : best;
      y[o] = x[best];
      dx[best] += dy[o];
    });
    for (const Desc& layout : layouts(c.src)) {
      const std::string label = c.name + (" " + layout.to_string());
      Pooling op = describe(c, PoolingKind::max, layout, Desc::any(out));
      const auto forward = pooling_forward(op, true);
      const auto inference = pooling_forward(op, false);
      ASSERT_TRUE(forward && inference) << label;
      EXPECT_FALSE(inference->desc(Arg::workspace)) << label;
      op.dst = forward->desc(Arg::dst);
      const auto backward = pooling_backward(op);
      ASSERT_TRUE(backward) << label;
      EXPECT_TRUE(backward->desc(Arg::workspace) == forward->desc(Arg::workspace)) << label;
      Values f = evaluate(*forward, {{Arg::src, x}});
      expect_near(to_array(f[Arg::dst]), y, 0, label.c_str());
      Values i = evaluate(*inference, {{Arg::src, x}});
      expect_near(to_array(i[Arg::dst]), y, 0, label.c_str());
      Values b = evaluate(*backward, {{Arg::diff_dst, dy}}, {{Arg::workspace, f[Arg::workspace]}});
      expect_near(to_array(b[Arg::diff_src]), dx, 1e-6, label.c_str());
    }
  }
}

// failures.md B10: one window 1, 2, 2, 2 and one of zeros; the first maximum in row order takes
// all.
TEST(OneDnnMaxPool, TheFirstOfEqualMaximaTakesTheWholeGradient) {
  const Array x({1, 1, 2, 4}, std::vector<double>{1, 2, 0, 0, 2, 2, 0, 0});
  for (const Desc& layout : layouts(x.dims)) {
    Pooling op{.src = layout, .dst = Desc::any({1, 1, 1, 2}), .kernel = {2, 2}, .strides = {2, 2}};
    const auto forward = pooling_forward(op, true);
    op.dst = forward->desc(Arg::dst);
    const auto backward = pooling_backward(op);
    ASSERT_TRUE(backward);
    Values f = evaluate(*forward, {{Arg::src, x}});
    Values b = evaluate(*backward, {{Arg::diff_dst, Array({1, 1, 1, 2}, 1.0)}},
                        {{Arg::workspace, f[Arg::workspace]}});
    EXPECT_EQ(to_array(b[Arg::diff_src]).v, (std::vector<double>{0, 1, 1, 0, 0, 0, 0, 0}))
        << layout.to_string();
  }
}

TEST(OneDnnMaxPool, IgnoresNaNAndReplacesAnEmptyMaximum) {
  const Array x({1, 1, 1, 6}, std::vector<double>{1, kNaN, kNaN, kNaN, -kInfinity, -kInfinity});
  const auto p = pooling_forward({.src = Desc::plain(x.dims),
                                  .dst = Desc::any({1, 1, 1, 3}),
                                  .kernel = {1, 2},
                                  .strides = {1, 2}},
                                 false);
  ASSERT_TRUE(p);
  Values made = evaluate(*p, {{Arg::src, x}});
  const double lowest = std::numeric_limits<float>::lowest();
  EXPECT_EQ(to_array(made[Arg::dst]).v, (std::vector<double>{1, lowest, lowest}));
}

TEST(OneDnnAveragePool, ForwardAndGradientAgreeWithADoubleLoop) {
  for (const PoolCase& c : kPoolCases) {
    const Array x = random_array(c.src, 1);
    const Dims out = out_dims(c);
    const Array dy = random_array(out, 2);
    for (const auto kind :
         {PoolingKind::average_with_padding, PoolingKind::average_without_padding}) {
      Array y(out), dx(c.src);
      for_each_window(c, [&](std::int64_t o, const std::vector<std::int64_t>& cells) {
        const double count = kind == PoolingKind::average_with_padding
                                 ? static_cast<double>(c.kernel[0] * c.kernel[1])
                                 : static_cast<double>(cells.size());
        for (const std::int64_t i : cells) {
          y[o] += x[i] / count;
          dx[i] += dy[o] / count;
        }
      });
      for (const Desc& layout : layouts(c.src)) {
        const std::string label = c.name + (" " + layout.to_string());
        Pooling op = describe(c, kind, layout, Desc::any(out));
        const auto forward = pooling_forward(op, true);
        ASSERT_TRUE(forward) << label;
        EXPECT_FALSE(forward->desc(Arg::workspace)) << label;
        op.dst = forward->desc(Arg::dst);
        const auto backward = pooling_backward(op);
        ASSERT_TRUE(backward) << label;
        Values f = evaluate(*forward, {{Arg::src, x}});
        expect_near(to_array(f[Arg::dst]), y, 1e-6, label.c_str());
        Values b = evaluate(*backward, {{Arg::diff_dst, dy}});
        expect_near(to_array(b[Arg::diff_src]), dx, 1e-6, label.c_str());
      }
    }
  }
}

struct Norm {
  Array y, mean, variance, dx, dscale, dshift;
};

// The definition, with gradients by the chain rule. `given` statistics are constants.
Norm naive_norm(const Array& x, const Array& scale, const Array& shift, const Array& dy,
                double epsilon, bool relu, const Array* given_mean, const Array* given_variance) {
  const std::int64_t n = x.dims[0], c = x.dims[1], plane = x.dims[2] * x.dims[3];
  Norm r{Array(x.dims), Array({c}), Array({c}), Array(x.dims), Array({c}), Array({c})};
  const double count = static_cast<double>(n * plane);
  for (std::int64_t k = 0; k < c; ++k) {
    std::vector<std::int64_t> cells;
    for (std::int64_t b = 0; b < n; ++b) {
      for (std::int64_t p = 0; p < plane; ++p) cells.push_back((b * c + k) * plane + p);
    }
    for (const std::int64_t i : cells) r.mean[k] += x[i] / count;
    if (given_mean) r.mean[k] = (*given_mean)[k];
    for (const std::int64_t i : cells) {
      r.variance[k] += (x[i] - r.mean[k]) * (x[i] - r.mean[k]) / count;
    }
    if (given_variance) r.variance[k] = (*given_variance)[k];
    const double rstd = 1 / std::sqrt(r.variance[k] + epsilon);
    for (const std::int64_t i : cells) {
      const double xhat = (x[i] - r.mean[k]) * rstd, y = scale[k] * xhat + shift[k];
      const double d = relu && y <= 0 ? 0 : dy[i];
      r.y[i] = relu ? std::max(y, 0.0) : y;
      r.dscale[k] += d * xhat;
      r.dshift[k] += d;
    }
    for (const std::int64_t i : cells) {
      const double xhat = (x[i] - r.mean[k]) * rstd, y = scale[k] * xhat + shift[k];
      const double d = relu && y <= 0 ? 0 : dy[i];
      const double through_statistics = given_mean ? 0 : (r.dshift[k] + xhat * r.dscale[k]) / count;
      r.dx[i] = scale[k] * rstd * (d - through_statistics);
    }
  }
  return r;
}

struct NormInputs {
  explicit NormInputs(std::int64_t channels)
      : x(random_array({3, channels, 4, 5}, 1)),
        dy(random_array({3, channels, 4, 5}, 2)),
        scale(random_array({channels}, 3)),
        shift(random_array({channels}, 4)) {}
  Array x, dy, scale, shift;
};

TEST(OneDnnBatchNorm, TrainingAndItsGradientsAgreeWithADoubleLoop) {
  for (const std::int64_t channels : {3, 16, 17}) {
    const NormInputs in(channels);
    for (const bool relu : {false, true}) {
      const Norm expected =
          naive_norm(in.x, in.scale, in.shift, in.dy, 1e-3, relu, nullptr, nullptr);
      for (const Desc& layout : layouts(in.x.dims)) {
        const BatchNorm op{.data = layout, .epsilon = 1e-3f, .relu = relu};
        const auto forward = batch_norm_training(op);
        const auto backward = batch_norm_backward(op);
        ASSERT_TRUE(forward && backward) << layout.to_string();
        EXPECT_EQ(static_cast<bool>(forward->desc(Arg::workspace)), relu);
        EXPECT_TRUE(forward->desc(Arg::workspace) == backward->desc(Arg::workspace));
        const std::string label = layout.to_string() + (relu ? " relu" : "");
        const char* what = label.c_str();
        Values f =
            evaluate(*forward, {{Arg::src, in.x}, {Arg::scale, in.scale}, {Arg::shift, in.shift}});
        expect_near(to_array(f[Arg::dst]), expected.y, 1e-5, what);
        expect_near(to_array(f[Arg::mean]), expected.mean, 1e-5, what);
        expect_near(to_array(f[Arg::variance]), expected.variance, 1e-5, what);
        Values b = evaluate(*backward, {{Arg::diff_dst, in.dy}, {Arg::scale, in.scale}}, f);
        expect_near(to_array(b[Arg::diff_src]), expected.dx, 1e-5, what);
        expect_near(to_array(b[Arg::diff_scale]), expected.dscale, 1e-4, what);
        expect_near(to_array(b[Arg::diff_shift]), expected.dshift, 1e-4, what);
      }
    }
  }
}

TEST(OneDnnBatchNorm, InferenceUsesTheGivenStatistics) {
  const NormInputs in(17);
  const Array mean = random_array({17}, 5);
  Array variance = random_array({17}, 6);
  for (double& v : variance.v) v = std::abs(v) + 0.5;
  for (const bool relu : {false, true}) {
    const Norm expected = naive_norm(in.x, in.scale, in.shift, in.dy, 1e-3, relu, &mean, &variance);
    for (const Desc& layout : layouts(in.x.dims)) {
      const auto p = batch_norm_inference({.data = layout, .epsilon = 1e-3f, .relu = relu});
      ASSERT_TRUE(p) << layout.to_string();
      Values made = evaluate(*p, {{Arg::src, in.x},
                                  {Arg::mean, mean},
                                  {Arg::variance, variance},
                                  {Arg::scale, in.scale},
                                  {Arg::shift, in.shift}});
      expect_near(to_array(made[Arg::dst]), expected.y, 1e-5, layout.to_string().c_str());
    }
  }
}

TEST(OneDnnBatchNorm, FixedStatisticsCarryNoGradient) {
  const NormInputs in(16);
  const Array mean = random_array({16}, 5), variance({16}, 0.75);
  const Norm expected = naive_norm(in.x, in.scale, in.shift, in.dy, 1e-3, false, &mean, &variance);
  for (const Desc& layout : layouts(in.x.dims)) {
    const auto p =
        batch_norm_backward({.data = layout, .epsilon = 1e-3f, .fixed_statistics = true});
    ASSERT_TRUE(p) << layout.to_string();
    Values b = evaluate(*p, {{Arg::src, in.x},
                             {Arg::diff_dst, in.dy},
                             {Arg::mean, mean},
                             {Arg::variance, variance},
                             {Arg::scale, in.scale}});
    expect_near(to_array(b[Arg::diff_src]), expected.dx, 1e-5, layout.to_string().c_str());
    expect_near(to_array(b[Arg::diff_scale]), expected.dscale, 1e-4, layout.to_string().c_str());
    expect_near(to_array(b[Arg::diff_shift]), expected.dshift, 1e-4, layout.to_string().c_str());
  }
}

}  // namespace
}  // namespace thalweg::onednn
