// Convolution, forward and both gradients, against double loops.

#include <functional>

#include "onednn_testing.h"
#include "thalweg/base/error.h"

namespace thalweg::onednn {
namespace {

enum class Layout { any, nhwc, plain };

struct ConvCase {
  const char* name;
  std::int64_t n, groups, ic, oc, h, w, kernel_h, kernel_w;  // ic and oc per group
  Dims strides = {1, 1}, dilations = {1, 1}, before = {0, 0}, after = {0, 0};
  Layout layout = Layout::any;

  std::int64_t out(int axis) const {
    const std::int64_t in = (axis == 0 ? h : w) + before[axis] + after[axis];
    return (in - dilations[axis] * ((axis == 0 ? kernel_h : kernel_w) - 1) - 1) / strides[axis] + 1;
  }
  Dims src_dims() const { return {n, groups * ic, h, w}; }
  Dims dst_dims() const { return {n, groups * oc, out(0), out(1)}; }
  Dims weights_dims() const {
    if (groups == 1) return {oc, ic, kernel_h, kernel_w};
    return {groups, oc, ic, kernel_h, kernel_w};
  }
};

const ConvCase kCases[] = {
    {"3 to 16", 2, 1, 3, 16, 7, 6, 3, 3},
    {"16 to 17, padded", 2, 1, 16, 17, 7, 6, 3, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {"17 to 3, SAME with stride 2", 1, 1, 17, 3, 8, 7, 3, 3, {2, 2}, {1, 1}, {0, 1}, {1, 1}},
    {"32 to 32, even kernel", 1, 1, 32, 32, 6, 5, 2, 4, {1, 1}, {1, 1}, {0, 1}, {1, 2}},
    {"dilation 2", 2, 1, 16, 16, 9, 8, 3, 3, {1, 1}, {2, 2}, {2, 2}, {2, 2}},
    {"1x1, stride 2", 2, 1, 16, 32, 7, 7, 1, 1, {2, 2}},
    {"one input channel", 2, 1, 1, 32, 8, 8, 5, 5, {1, 1}, {1, 1}, {2, 2}, {2, 2}},
    {"groups of 2", 1, 3, 2, 2, 6, 6, 3, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {"depthwise", 2, 17, 1, 1, 7, 6, 3, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {"depthwise, stride 2", 1, 32, 1, 1, 8, 8, 3, 3, {2, 2}, {1, 1}, {0, 0}, {1, 1}},
    {"nhwc, 3 to 16", 2, 1, 3, 16, 7, 6, 3, 3, {1, 1}, {1, 1}, {1, 0}, {0, 1}, Layout::nhwc},
    {"nhwc, 17 to 16, stride 2",
     1,
     1,
     17,
     16,
     8,
     7,
     3,
     3,
     {2, 2},
     {1, 1},
     {0, 1},
     {1, 1},
     Layout::nhwc},
    {"plain, 3 to 17", 2, 1, 3, 17, 7, 6, 3, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}, Layout::plain},
};

using Visit = std::function<void(std::int64_t src, std::int64_t weights, std::int64_t dst)>;

// Calls `visit` with the row-major offsets of every product in the definition of the convolution.
void for_each_product(const ConvCase& c, const Visit& visit) {
  const std::int64_t out_h = c.out(0), out_w = c.out(1), channels = c.groups * c.ic;
  for (std::int64_t n = 0; n < c.n; ++n) {
    for (std::int64_t o = 0; o < c.groups * c.oc; ++o) {
      for (std::int64_t i = 0; i < c.ic; ++i) {
        for (std::int64_t y = 0; y < out_h; ++y) {
          for (std::int64_t x = 0; x < out_w; ++x) {
            for (std::int64_t ky = 0; ky < c.kernel_h; ++ky) {
              for (std::int64_t kx = 0; kx < c.kernel_w; ++kx) {
                const std::int64_t sy = y * c.strides[0] + ky * c.dilations[0] - c.before[0];
                const std::int64_t sx = x * c.strides[1] + kx * c.dilations[1] - c.before[1];
                if (sy < 0 || sy >= c.h || sx < 0 || sx >= c.w) continue;
                const std::int64_t channel = o / c.oc * c.ic + i;
                visit(((n * channels + channel) * c.h + sy) * c.w + sx,
                      ((o * c.ic + i) * c.kernel_h + ky) * c.kernel_w + kx,
                      ((n * c.groups * c.oc + o) * out_h + y) * out_w + x);
              }
            }
          }
        }
      }
    }
  }
}

Convolution describe(const ConvCase& c, bool bias) {
  const auto activation = [&](const Dims& d) {
    return c.layout == Layout::nhwc    ? Desc::nhwc(d)
           : c.layout == Layout::plain ? Desc::plain(d)
                                       : Desc::any(d);
  };
  const bool plain_weights = c.layout == Layout::plain;
  return {.src = activation(c.src_dims()),
          .weights = plain_weights ? Desc::plain(c.weights_dims()) : Desc::any(c.weights_dims()),
          .bias = bias ? Desc::plain({c.groups * c.oc}) : Desc(),
          .dst = activation(c.dst_dims()),
          .strides = c.strides,
          .dilations = c.dilations,
          .pads_before = c.before,
          .pads_after = c.after};
}

Array add_bias(Array y, const Array& bias) {
  const std::int64_t channels = y.dims[1], plane = y.dims[2] * y.dims[3];
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(y.v.size()); ++i) {
    y[i] += bias[i / plane % channels];
  }
  return y;
}

TEST(OneDnnConvolution, ForwardAgreesWithADoubleLoop) {
  for (const ConvCase& c : kCases) {
    const auto p = convolution_forward(describe(c, true));
    ASSERT_TRUE(p) << c.name;
    const Array x = random_array(c.src_dims(), 1), w = random_array(c.weights_dims(), 2),
                b = random_array({c.groups * c.oc}, 3);
    Array y(c.dst_dims());
    for_each_product(c, [&](auto s, auto k, auto d) { y[d] += x[s] * w[k]; });
    Values made = evaluate(*p, {{Arg::src, x}, {Arg::weights, w}, {Arg::bias, b}});
    expect_near(to_array(made[Arg::dst]), add_bias(y, b), 1e-5, c.name);
  }
}

TEST(OneDnnConvolution, BackwardDataAgreesWithADoubleLoop) {
  for (const ConvCase& c : kCases) {
    const auto p = convolution_backward_data(describe(c, false));
    ASSERT_TRUE(p) << c.name;
    const Array w = random_array(c.weights_dims(), 2), dy = random_array(c.dst_dims(), 4);
    Array dx(c.src_dims());
    for_each_product(c, [&](auto s, auto k, auto d) { dx[s] += dy[d] * w[k]; });
    Values made = evaluate(*p, {{Arg::diff_dst, dy}, {Arg::weights, w}});
    expect_near(to_array(made[Arg::diff_src]), dx, 1e-5, c.name);
  }
}

TEST(OneDnnConvolution, BackwardWeightsAgreesWithADoubleLoop) {
  for (const ConvCase& c : kCases) {
    const auto p = convolution_backward_weights(describe(c, true));
    ASSERT_TRUE(p) << c.name;
    const Array x = random_array(c.src_dims(), 1), dy = random_array(c.dst_dims(), 4);
    Array dw(c.weights_dims()), db({c.groups * c.oc});
    for_each_product(c, [&](auto s, auto k, auto d) { dw[k] += x[s] * dy[d]; });
    const std::int64_t plane = c.out(0) * c.out(1);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(dy.v.size()); ++i) {
      db[i / plane % (c.groups * c.oc)] += dy[i];
    }
    Values made = evaluate(*p, {{Arg::src, x}, {Arg::diff_dst, dy}});
    expect_near(to_array(made[Arg::diff_weights]), dw, 1e-5, c.name);
    expect_near(to_array(made[Arg::diff_bias]), db, 1e-5, c.name);
  }
}

// TensorFlow's filters are strided views, so importing one is a single reorder.
TEST(OneDnnConvolution, TensorFlowFiltersReorderIntoTheChosenLayout) {
  const ConvCase& c = kCases[1];
  const auto p = convolution_forward(describe(c, false));
  ASSERT_TRUE(p);
  const Array w = random_array(c.weights_dims(), 2);
  const Value in_tensorflow = to_value(w, Desc::hwio(c.weights_dims()));
  const auto* memory = static_cast<const float*>(in_tensorflow.data());
  EXPECT_EQ(memory[1], w[1 * c.ic * 9]) << "the output channel is innermost";
  expect_near(to_array(convert(in_tensorflow, p->desc(Arg::weights))), w, 0, "weights");
}

TEST(OneDnnConvolution, DepthwiseFilterKeepsTensorFlowsChannelOrder) {
  // 2 channels, multiplier 3, 1x1 kernel: output channel c * 3 + m is x[c] * filter[0, 0, c, m].
  const Desc filter = Desc::depthwise({1, 1, 2, 3});
  const auto p = convolution_forward({.src = Desc::plain({1, 2, 1, 1}),
                                      .weights = Desc::any(filter.dims()),
                                      .dst = Desc::plain({1, 6, 1, 1})});
  ASSERT_TRUE(p);
  Value w = empty_value(filter);
  for (int i = 0; i < 6; ++i) static_cast<float*>(w.data())[i] = static_cast<float>(i + 1);
  Values made = evaluate(*p, {{Arg::src, Array({1, 2, 1, 1}, std::vector<double>{1, 10})}},
                         {{Arg::weights, convert(w, p->desc(Arg::weights))}});
  EXPECT_EQ(to_array(made[Arg::dst]).v, (std::vector<double>{1, 2, 3, 40, 50, 60}));
}

TEST(OneDnnConvolution, ResidualAndReluAreFused) {
  const ConvCase& c = kCases[1];
  Convolution op = describe(c, false);
  op.epilogue = {.sum_scale = 1.0f, .activation = Activation::relu};
  const auto p = convolution_forward(op);
  ASSERT_TRUE(p);
  const Array x = random_array(c.src_dims(), 1), w = random_array(c.weights_dims(), 2),
              old = random_array(c.dst_dims(), 3);
  Array y = old;
  for_each_product(c, [&](auto s, auto k, auto d) { y[d] += x[s] * w[k]; });
  for (double& v : y.v) v = std::max(v, 0.0);
  Values made = evaluate(*p, {{Arg::src, x}, {Arg::weights, w}, {Arg::dst, old}});
  expect_near(to_array(made[Arg::dst]), y, 1e-5, "dst");
}

TEST(OneDnnConvolution, WinogradAgreesOrDeclines) {
  ConvCase c{"winograd", 2, 1, 32, 32, 8, 8, 3, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  Convolution op = describe(c, false);
  op.winograd = true;
  if (const auto p = convolution_forward(op)) {
    const Array x = random_array(c.src_dims(), 1), w = random_array(c.weights_dims(), 2);
    Array y(c.dst_dims());
    for_each_product(c, [&](auto s, auto k, auto d) { y[d] += x[s] * w[k]; });
    Values made = evaluate(*p, {{Arg::src, x}, {Arg::weights, w}});
    expect_near(to_array(made[Arg::dst]), y, 1e-4, p->impl().c_str());
  }
  op.strides = {2, 2};
  op.dst = Desc::any({2, 32, 4, 4});
  EXPECT_FALSE(convolution_forward(op)) << "Winograd has no stride 2";
}

TEST(OneDnnConvolution, TakesBfloat16InAllDirections) {
  ConvCase c{"bf16", 2, 1, 16, 32, 6, 6, 3, 3, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  const auto bf16 = [](const Dims& d) { return Desc::any(d, Element::bf16); };
  Convolution op = describe(c, false);
  op.src = bf16(c.src_dims());
  op.weights = bf16(c.weights_dims());
  op.dst = bf16(c.dst_dims());
  const auto forward = convolution_forward(op);
  if (!forward) GTEST_SKIP() << "no bf16 kernel on this machine";
  Convolution gradient = op;
  gradient.src = Desc::any(c.src_dims());  // f32 gradients of bf16 operands
  EXPECT_TRUE(convolution_backward_data(gradient));
  gradient = op;
  gradient.weights = Desc::any(c.weights_dims());
  const auto p = convolution_backward_weights(gradient);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->desc(Arg::diff_weights).element(), Element::f32);
  const Array x = random_array(c.src_dims(), 1), dy = random_array(c.dst_dims(), 4);
  Array dw(c.weights_dims());
  for_each_product(c, [&](auto s, auto k, auto d) { dw[k] += x[s] * dy[d]; });
  Values made = evaluate(*p, {{Arg::src, x}, {Arg::diff_dst, dy}});
  expect_near(to_array(made[Arg::diff_weights]), dw, 1e-5, "diff_weights");
}

// performance.md 8.4: backward may want another weight layout. The plan compares and reorders.
TEST(OneDnnConvolution, BackwardWeightsLayoutIsReachableFromForwards) {
  for (const ConvCase& c : kCases) {
    const auto forward = convolution_forward(describe(c, false));
    const auto data = convolution_backward_data(describe(c, false));
    ASSERT_TRUE(forward && data) << c.name;
    const Desc from = forward->desc(Arg::weights), to = data->desc(Arg::weights);
    EXPECT_TRUE(from == to || reorder(from, to)) << from.to_string() << " " << to.to_string();
  }
}

TEST(OneDnnConvolution, WorksInOneAndThreeDimensions) {
  const auto line = convolution_forward({.src = Desc::any({2, 16, 9}),
                                         .weights = Desc::any({16, 16, 3}),
                                         .dst = Desc::any({2, 16, 7})});
  const auto volume = convolution_forward({.src = Desc::any({1, 16, 5, 5, 5}),
                                           .weights = Desc::any({16, 16, 3, 3, 3}),
                                           .dst = Desc::any({1, 16, 3, 3, 3})});
  ASSERT_TRUE(line && volume);
  Values made = evaluate(*volume, {{Arg::src, Array({1, 16, 5, 5, 5}, 1.0)},
                                   {Arg::weights, Array({16, 16, 3, 3, 3}, 1.0)}});
  EXPECT_EQ(to_array(made[Arg::dst])[0], 16 * 27);
}

TEST(OneDnnConvolution, RejectsShapesThatDoNotFit) {
  EXPECT_THROW(convolution_forward({.src = Desc::any({1, 3, 5, 5}),
                                    .weights = Desc::any({4, 2, 3, 3}),
                                    .dst = Desc::any({1, 4, 3, 3})}),
               Error);
  EXPECT_THROW(convolution_forward({.src = Desc::any({1, 3, 5, 5}),
                                    .weights = Desc::any({4, 3, 3, 3}),
                                    .dst = Desc::any({1, 4, 4, 4})}),
               Error);
  EXPECT_THROW(convolution_forward({.src = Desc::any({1, 3, 5, 5}),
                                    .weights = Desc::any({4, 3, 3, 3}),
                                    .dst = Desc::any({1, 4, 3, 3}),
                                    .dilations = {0, 1}}),
               Error);
  EXPECT_THROW(convolution_forward({.src = Desc::any({1, 3, 5, 5}),
                                    .weights = Desc::any({4, 3, 3, 3}),
                                    .dst = Desc::any({1, 4, 3, 3}),
                                    .strides = {1}}),
               Error);
}

}  // namespace
}  // namespace thalweg::onednn
