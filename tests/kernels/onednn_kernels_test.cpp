// The kernels on oneDNN against the reference kernels, over layouts, shapes and attributes.

#include "kernels/families.h"
#include "kernels/kernel_testing.h"
#include "kernels/onednn/images.h"
#include "kernels/onednn/layout.h"
#include "kernels/onednn/shim_build.h"
#include "kernels/onednn/views.h"

namespace thalweg {
namespace {

using namespace testing;  // NOLINT

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
using Ints = std::vector<int64_t>;
using Strings = std::vector<std::string>;

const KernelRegistry& fast() {
  static const KernelRegistry registry = [] {
    KernelRegistry kernels;
    for (auto family : {onednn_matmul_kernels, onednn_convolution_kernels, onednn_pooling_kernels,
                        onednn_batch_norm_kernels, onednn_bias_kernels}) {
      kernels.add(family());
    }
    kernels.add(reference_linalg_kernels());  // for what the fast ones decline
    kernels.add(reference_convolution_kernels());
    kernels.add(reference_pooling_kernels());
    return kernels;
  }();
  return registry;
}

// Runs the node and compares all its outputs with the reference's.
KernelRun check(const LoneNode& lone, const std::string& what, const Arrival& arrival = {},
                double tolerance = 1e-5) {
  KernelRun run = lone.run(fast(), arrival);
  EXPECT_EQ(run.provider, "onednn") << what;
  const std::vector<Tensor>& expected = lone.expected();

  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].num_elements() == 0) continue;
    expect_close(run.outputs[i], expected[i], tolerance, str(what, " output ", i));
  }
  return run;
}

LayoutPtr blocked_images(const Shape& images, const std::string& format, int block = 16) {
  return onednn::layout_in({block}, onednn::image_view(images, format));
}

Tensor int_vector(const Shape& shape) {
  Tensor result(kInt32, Shape{shape.rank()});
  for (int i = 0; i < shape.rank(); ++i) {
    result.mutable_data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(shape[i]);
  }
  return result;
}

void set(Tensor& tensor, int64_t i, float value) {
  tensor.mutable_data<float>()[static_cast<size_t>(i)] = value;
}

// --- layouts ---------------------------------------------------------------------------------

TEST(OneDnnLayout, BlocksOfChannelsThereAndBackAreTheIdentity) {
  for (const std::string format : {"NHWC", "NCHW"}) {
    const Shape shape = format == "NHWC" ? Shape{2, 3, 5, 17} : Shape{2, 17, 3, 5};
    const LayoutPtr layout = blocked_images(shape, format);
    EXPECT_TRUE(layout->has_padding());
    EXPECT_EQ(layout->size_bytes(), 2u * 3 * 5 * 32 * sizeof(float));
    const Tensor x = some_tensor(shape);
    std::vector<float> blocked(layout->size_bytes() / sizeof(float), kNaN);
    convert_layout(kFloat32, shape, nullptr, x.raw(), layout, blocked.data());
    // Image 0, block 1, pixel 0: channel 16, then padding.
    const float* pixel = blocked.data() + 3 * 5 * 16;
    EXPECT_EQ(pixel[0], x.at(format == "NHWC" ? 16 : 16 * 15));
    for (int lane = 1; lane < 16; ++lane) EXPECT_EQ(pixel[lane], 0) << "padding is zero";
    Tensor back(kFloat32, shape);
    convert_layout(kFloat32, shape, layout, blocked.data(), nullptr, back.mutable_raw());
    EXPECT_TRUE(back.same_bits(x));
  }
}

TEST(OneDnnLayout, EqualityLooksAtTheOrderAndAtTheView) {
  const Shape shape{1, 4, 4, 16};
  EXPECT_TRUE(blocked_images(shape, "NHWC")->equals(*blocked_images(shape, "NHWC")));
  EXPECT_FALSE(blocked_images(shape, "NHWC")->equals(*blocked_images(shape, "NHWC", 8)));
  const Shape other{1, 16, 4, 4};
  EXPECT_FALSE(blocked_images(shape, "NHWC")->equals(*blocked_images(other, "NCHW")))
      << "the same memory, but another tensor";
  EXPECT_EQ(onednn::layout_in({0}, onednn::image_view(shape, "NHWC")), nullptr) << "plain";
  EXPECT_EQ(blocked_images(shape, "NHWC")->to_string(), "f32 aBcd16b 1x16x4x4");
}

TEST(OneDnnLayout, ConversionsBetweenViewsGoThroughThePlainTensor) {
  // A square matrix as weights [o, i] and as a transposed one.
  const Shape shape{64, 64};
  const auto weights = onednn::Desc::any({64, 64});
  const auto layer = onednn::inner_product_forward({.src = onednn::Desc::plain({8, 64}),
                                                    .weights = weights,
                                                    .bias = {},
                                                    .dst = onednn::Desc::plain({8, 64})});
  ASSERT_TRUE(layer);
  const onednn::Desc desc = layer->desc(onednn::Arg::weights);
  const LayoutPtr a = onednn::to_layout(desc, onednn::dense_view(64, 64));
  const LayoutPtr b = onednn::to_layout(desc, onednn::Desc::plain({64, 64}));
  if (a == nullptr || b == nullptr) GTEST_SKIP() << "no blocked weights on this machine";
  const Tensor x = some_tensor(shape);
  std::vector<float> in_a(64 * 64), in_b(64 * 64);
  convert_layout(kFloat32, shape, nullptr, x.raw(), a, in_a.data());
  convert_layout(kFloat32, shape, a, in_a.data(), b, in_b.data());
  Tensor back(kFloat32, shape);
  convert_layout(kFloat32, shape, b, in_b.data(), nullptr, back.mutable_raw());
  EXPECT_TRUE(back.same_bits(x));
}

TEST(OneDnnLayout, PlainToPlainCopiesAndOtherTypesAreRefused) {
  const Tensor x = Tensor::of<int32_t>({1, 2, 3});
  Tensor y(kInt32, Shape{3});
  convert_layout(kInt32, x.shape(), nullptr, x.raw(), nullptr, y.mutable_raw());
  EXPECT_TRUE(x.same_bits(y));
  const Shape shape{1, 2, 2, 16};
  std::vector<double> values(64);
  try {
    convert_layout(kFloat64, shape, nullptr, values.data(), blocked_images(shape, "NHWC"),
                   values.data());
    FAIL() << "float64 has no layouts";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnimplemented);
    EXPECT_NE(error.message().find("float64"), std::string::npos);
  }
}

// --- matrices --------------------------------------------------------------------------------

struct MatMulCase {
  int64_t m, k, n;
};
constexpr MatMulCase kMatMuls[] = {{3, 5, 7},      {1, 1, 1},     {128, 64, 10},
                                   {4, 200, 300},  {2, 784, 512}, {64, 784, 512},
                                   {33, 130, 150}, {17, 512, 10}, {1, 300, 257}};

TEST(OneDnnMatMul, AgreesWithTheReferenceForAllTransposes) {
  for (const auto& [m, k, n] : kMatMuls) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        const Tensor a = some_tensor(ta ? Shape{k, m} : Shape{m, k}, 1);
        const Tensor b = some_tensor(tb ? Shape{n, k} : Shape{k, n}, 2);
        const LoneNode lone("MatMul", {{"transpose_a", ta}, {"transpose_b", tb}}, {a, b});
        const std::string what = str(m, "x", k, "x", n, ta ? " a^T" : "", tb ? " b^T" : "");
        check(lone, what, {}, 3e-5);
        check(lone, what + " of a variable", {.flexible = {false, true}}, 3e-5);
      }
    }
  }
}

TEST(OneDnnMatMul, AllThreeProductsOfALayerShareTheLayoutOfItsWeights) {
  for (const auto& [m, k, n] : {MatMulCase{64, 784, 512}, MatMulCase{32, 130, 150}}) {
    const Tensor x = some_tensor({m, k}, 1), w = some_tensor({k, n}, 2),
                 dy = some_tensor({m, n}, 3);
    const LoneNode forward("MatMul", {}, {x, w});
    const KernelRun y = check(forward, "x w", {.flexible = {false, true}}, 3e-5);
    const LayoutPtr weights = y.input_layouts[1];
    if (weights == nullptr) GTEST_SKIP() << "no blocked weights on this machine";
    EXPECT_EQ(y.output_layouts[0], nullptr);

    const Arrival in_layout{.flexible = {}, .layouts = {nullptr, weights}};
    const LoneNode data("MatMul", {{"transpose_b", true}}, {dy, w});
    EXPECT_TRUE(same_layout(check(data, "dy w^T", in_layout, 3e-5).input_layouts[1], weights));
    // Another batch size, as when the model is evaluated.
    const LoneNode other("MatMul", {}, {some_tensor({5, k}, 4), w});
    EXPECT_TRUE(same_layout(check(other, "5 rows", in_layout, 3e-5).input_layouts[1], weights));

    const LoneNode gradient("MatMul", {{"transpose_a", true}}, {x, dy});
    EXPECT_TRUE(same_layout(check(gradient, "x^T dy", {}, 3e-5).output_layouts[0], weights));
    const LoneNode with_bias("_MatMulBiasGrad", {}, {x, dy});
    EXPECT_TRUE(same_layout(check(with_bias, "x^T dy, bias", {}, 3e-5).output_layouts[0], weights));
  }
}

TEST(OneDnnMatMul, NarrowLayersStayPlain) {
  const Tensor x = some_tensor({64, 512}, 1), w = some_tensor({512, 10}, 2),
               dy = some_tensor({64, 10});
  const KernelRun y =
      check(LoneNode("MatMul", {}, {x, w}), "x w", {.flexible = {false, true}}, 3e-5);
  EXPECT_EQ(y.input_layouts[1], nullptr);
  const KernelRun dw = check(LoneNode("_MatMulBiasGrad", {}, {x, dy}), "x^T dy", {}, 3e-5);
  EXPECT_EQ(dw.output_layouts[0], nullptr);
}

TEST(OneDnnMatMul, WeightsStoredAsOutputsByInputsAreALayerToo) {
  const Tensor x = some_tensor({16, 200}, 1), w = some_tensor({300, 200}, 2);
  const LoneNode lone("MatMul", {{"transpose_b", true}}, {x, w});
  const KernelRun y = check(lone, "x w^T", {.flexible = {false, true}}, 3e-5);
  const Arrival arrival{.flexible = {}, .layouts = {nullptr, y.input_layouts[1]}};
  const KernelRun again = check(lone, "x w^T", arrival, 3e-5);
  EXPECT_TRUE(same_layout(again.input_layouts[1], y.input_layouts[1]));
}

TEST(OneDnnMatMul, BiasAndActivationsAreFused) {
  for (const std::string activation :
       {"", "Relu", "Relu6", "Elu", "Tanh", "Sigmoid", "LeakyRelu"}) {
    for (const bool bias : {false, true}) {
      if (!bias && activation.empty()) continue;
      Strings ops;
      if (bias) ops.push_back("BiasAdd");
      if (!activation.empty()) ops.push_back(activation);
      for (const auto& [m, k, n] : {MatMulCase{9, 40, 11}, MatMulCase{9, 200, 150}}) {
        for (const bool tb : {false, true}) {
          std::vector<Tensor> inputs = {some_tensor({m, k}, 1),
                                        some_tensor(tb ? Shape{n, k} : Shape{k, n}, 2)};
          if (bias) inputs.push_back(some_tensor({n}, 3));
          const LoneNode lone("_FusedMatMul",
                              {{"transpose_b", tb},
                               {"num_args", int64_t{bias}},
                               {"fused_ops", ops},
                               {"alpha", 0.3f}},
                              inputs);
          const std::string what = str(activation, bias ? " bias " : " ", k, tb ? " b^T" : "");
          check(lone, what, {}, 1e-4);
          check(lone, what + " variable", {.flexible = {false, true}}, 1e-4);
        }
      }
    }
  }
}

TEST(OneDnnMatMul, ActivationsKeepNaN) {
  for (const std::string activation : {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid", "LeakyRelu"}) {
    Tensor bias = some_tensor({150}, 3);
    set(bias, 7, kNaN);
    set(bias, 8, -std::numeric_limits<float>::infinity());
    const LoneNode lone("_FusedMatMul",
                        {{"num_args", int64_t{1}}, {"fused_ops", Strings{"BiasAdd", activation}}},
                        {some_tensor({4, 200}, 1), some_tensor({200, 150}, 2), bias});
    const KernelRun run = check(lone, activation, {.flexible = {false, true}}, 1e-4);
    EXPECT_TRUE(std::isnan(run.outputs[0].at(7))) << activation;
  }
}

TEST(OneDnnMatMul, BatchesBroadcastAndTranspose) {
  struct Case {
    Shape a, b;
    bool adj_x = false, adj_y = false;
  };
  const Case cases[] = {{{4, 3, 5}, {4, 5, 6}},
                        {{4, 5, 3}, {4, 5, 6}, true},
                        {{4, 3, 5}, {4, 6, 5}, false, true},
                        {{2, 3, 5, 4}, {2, 3, 6, 5}, true, true},
                        {{2, 3, 4, 5}, {1, 3, 5, 6}},
                        {{3, 4, 5}, {2, 3, 5, 6}},
                        {{2, 1, 4, 5}, {3, 5, 6}},
                        {{2, 3, 4, 5}, {5, 6}},
                        {{2, 3, 5, 4}, {5, 6}, true}};
  for (const Case& c : cases) {
    for (const char* op : {"BatchMatMulV2", "BatchMatMul", "BatchMatMulV3"}) {
      AttrMap attrs = {{"adj_x", c.adj_x}, {"adj_y", c.adj_y}};
      if (std::string_view(op) == "BatchMatMulV3") attrs["Tout"] = kFloat32;
      const LoneNode lone(op, attrs, {some_tensor(c.a, 1), some_tensor(c.b, 2)});
      check(lone, str(op, " ", c.a, " x ", c.b), {});
    }
  }
  const LoneNode layer("BatchMatMulV2", {},
                       {some_tensor({3, 4, 200}, 1), some_tensor({200, 150}, 2)});
  check(layer, "a layer on sequences", {.flexible = {false, true}}, 3e-5);
}

TEST(OneDnnMatMul, LeavesEmptyAndOtherTypesToTheReference) {
  const LoneNode empty("MatMul", {}, {Tensor(kFloat32, Shape{0, 3}), some_tensor({3, 2})});
  EXPECT_EQ(empty.run(fast()).provider, "reference");
  const LoneNode no_inner("MatMul", {},
                          {Tensor(kFloat32, Shape{2, 0}), Tensor(kFloat32, Shape{0, 2})});
  EXPECT_EQ(no_inner.run(fast()).outputs[0].at(3), 0);
  const LoneNode wide("MatMul", {},
                      {some_tensor({2, 3}).cast(kFloat64), some_tensor({3, 2}).cast(kFloat64)});
  EXPECT_EQ(wide.run(fast()).provider, "reference");
}

// --- convolutions ----------------------------------------------------------------------------

struct ConvCase {
  const char* name;
  int64_t n, h, w, in, kh, kw, out;  // `in` of the image
  int64_t stride = 1, dilation = 1;
  std::string padding = "SAME";
  int64_t groups = 1;
  Ints explicit_hw = {};
  double tolerance = 3e-5;
};

const ConvCase kConvolutions[] = {
    {"first layer", 2, 9, 8, 1, 5, 5, 32},
    {"rgb", 2, 9, 8, 3, 3, 3, 16},
    {"blocked", 2, 7, 6, 16, 3, 3, 32},
    {"odd channels", 2, 7, 6, 17, 3, 3, 19},
    {"few channels", 2, 8, 8, 6, 5, 5, 16, 1, 1, "VALID"},
    {"stride 2", 2, 8, 7, 16, 3, 3, 16, 2},
    {"stride 2, odd", 1, 7, 9, 3, 3, 2, 5, 2},
    {"even kernel", 1, 6, 5, 32, 2, 4, 32},
    {"1x1", 3, 5, 5, 32, 1, 1, 48},
    {"1x1 stride 2", 3, 5, 5, 32, 1, 1, 16, 2},
    {"dilated", 2, 9, 8, 16, 3, 3, 16, 1, 2},
    {"valid", 2, 8, 7, 16, 3, 3, 16, 2, 1, "VALID"},
    {"explicit", 2, 6, 6, 16, 3, 3, 16, 1, 1, "EXPLICIT", 1, {2, 1, 0, 3}},
    {"winograd", 4, 21, 22, 32, 3, 3, 48, 1, 1, "SAME", 1, {}, 2e-4},
    {"groups", 1, 6, 6, 12, 3, 3, 8, 1, 1, "SAME", 4},
    {"groups of 16", 1, 6, 6, 32, 3, 3, 32, 1, 1, "SAME", 2},
};

AttrMap conv_attrs(const ConvCase& c, const std::string& format) {
  const bool nhwc = format == "NHWC";
  AttrMap attrs = {{"data_format", format}, {"padding", c.padding}};
  attrs["strides"] = nhwc ? Ints{1, c.stride, c.stride, 1} : Ints{1, 1, c.stride, c.stride};
  attrs["dilations"] =
      nhwc ? Ints{1, c.dilation, c.dilation, 1} : Ints{1, 1, c.dilation, c.dilation};
  if (!c.explicit_hw.empty()) {
    Ints pads(8, 0);
    std::copy(c.explicit_hw.begin(), c.explicit_hw.end(), pads.begin() + (nhwc ? 2 : 4));
    attrs["explicit_paddings"] = pads;
  }
  return attrs;
}

Shape images(int64_t n, int64_t h, int64_t w, int64_t c, const std::string& format) {
  return format == "NHWC" ? Shape{n, h, w, c} : Shape{n, c, h, w};
}

// Forward and both gradients, from plain tensors and from blocked ones.
void check_convolution(const ConvCase& c, const std::string& format, bool depthwise) {
  const std::string prefix = depthwise ? "DepthwiseConv2dNative" : "Conv2D";
  const AttrMap attrs = conv_attrs(c, format);
  const Shape image = images(c.n, c.h, c.w, c.in, format);
  const Shape filter{c.kh, c.kw, c.in / c.groups, c.out};
  const Tensor x = some_tensor(image, 1), w = some_tensor(filter, 2);
  const std::string what = str(prefix, " ", c.name, " ", format);

  const LoneNode forward(prefix, attrs, {x, w});
  const KernelRun y = check(forward, what, {.flexible = {false, true}}, c.tolerance);
  const Arrival blocked{.flexible = {},
                        .layouts = {blocked_images(image, format), y.input_layouts[1]}};
  check(forward, what + " blocked", blocked, c.tolerance);

  const Shape output = forward.node().output_shape(0);
  const LayoutPtr blocked_output = blocked_images(output, format);
  const Tensor dy = some_tensor(output, 3);
  const LoneNode data(prefix + "BackpropInput", attrs, {int_vector(image), w, dy});
  check(data, what + " dx", {}, c.tolerance);
  check(data, what + " dx blocked",
        {.flexible = {}, .layouts = {nullptr, y.input_layouts[1], blocked_output}}, c.tolerance);

  const LoneNode gradient(prefix + "BackpropFilter", attrs, {x, int_vector(filter), dy});
  check(gradient, what + " dw", {}, c.tolerance);
  check(gradient, what + " dw blocked",
        {.flexible = {}, .layouts = {blocked_images(image, format), nullptr, blocked_output}},
        c.tolerance);
  if (!depthwise) {
    check(LoneNode("_Conv2DBackpropFilterBias", attrs, {x, int_vector(filter), dy}),
          what + " dw, db",
          {.flexible = {}, .layouts = {y.input_layouts[0], nullptr, y.output_layouts[0]}},
          c.tolerance);
  }
}

TEST(OneDnnConvolution, AgreesWithTheReference) {
  for (const ConvCase& c : kConvolutions) {
    for (const std::string format : {"NHWC", "NCHW"}) check_convolution(c, format, false);
  }
}

TEST(OneDnnConvolution, DepthwiseAgreesWithTheReference) {
  for (const ConvCase& c : {ConvCase{"of 32", 2, 7, 6, 32, 3, 3, 1},
                            {"of 17", 1, 7, 6, 17, 3, 3, 1},
                            {"stride 2", 1, 8, 8, 16, 3, 3, 1, 2},
                            {"multiplier", 1, 6, 6, 3, 3, 3, 4}}) {
    for (const std::string format : {"NHWC", "NCHW"}) check_convolution(c, format, true);
  }
}

TEST(OneDnnConvolution, LayoutsFlowThroughARegion) {
  const AttrMap attrs = conv_attrs(kConvolutions[2], "NHWC");
  const LoneNode first("Conv2D", attrs,
                       {some_tensor({2, 8, 8, 16}, 1), some_tensor({3, 3, 16, 32}, 2)});
  const KernelRun y = check(first, "first", {.flexible = {false, true}}, 3e-5);
  const LayoutPtr between = y.output_layouts[0];
  if (between == nullptr) GTEST_SKIP() << "no blocked convolution on this machine";

  const LoneNode second("Conv2D", attrs,
                        {some_tensor({2, 8, 8, 32}, 1), some_tensor({3, 3, 32, 16}, 2)});
  const Arrival arrival{.flexible = {false, true}, .layouts = {between}};
  EXPECT_TRUE(same_layout(check(second, "second", arrival, 2e-4).input_layouts[0], between));

  const AttrMap pool = {{"ksize", Ints{1, 2, 2, 1}},
                        {"strides", Ints{1, 2, 2, 1}},
                        {"padding", std::string("VALID")}};
  const LoneNode pooled("MaxPool", pool, {some_tensor({2, 8, 8, 32})});
  const KernelRun p = check(pooled, "pool", arrival);
  EXPECT_TRUE(same_layout(p.input_layouts[0], between));
  EXPECT_NE(p.output_layouts[0], nullptr);

  // The gradient of the filter lies as the filter does, and the bias gradient stays plain.
  const LoneNode gradient(
      "_Conv2DBackpropFilterBias", attrs,
      {some_tensor({2, 8, 8, 16}, 1), int_vector({3, 3, 16, 32}), some_tensor({2, 8, 8, 32}, 3)});
  const KernelRun dw =
      check(gradient, "dw", {.flexible = {}, .layouts = {nullptr, nullptr, between}}, 3e-5);
  EXPECT_TRUE(same_layout(dw.output_layouts[0], y.input_layouts[1]));
  EXPECT_TRUE(same_layout(dw.input_layouts[2], between));
  EXPECT_EQ(dw.output_layouts[1], nullptr);
}

TEST(OneDnnConvolution, BiasAndActivationsAreFusedAndKeepNaN) {
  for (const std::string activation :
       {"", "Relu", "Relu6", "Elu", "Tanh", "Sigmoid", "LeakyRelu"}) {
    for (const int64_t channels : {32, 19}) {
      Strings ops = {"BiasAdd"};
      if (!activation.empty()) ops.push_back(activation);
      Tensor bias = some_tensor({channels}, 3);
      set(bias, 7, kNaN);
      AttrMap attrs = conv_attrs(kConvolutions[0], "NHWC");
      attrs["num_args"] = int64_t{1};
      attrs["fused_ops"] = ops;
      attrs["alpha"] = 0.3f;
      const Shape image = channels == 32 ? Shape{4, 21, 22, 32} : Shape{2, 6, 5, 32};  // Winograd
      const LoneNode lone("_FusedConv2D", attrs,
                          {some_tensor(image, 1), some_tensor({3, 3, 32, channels}, 2), bias});
      const KernelRun run =
          check(lone, activation + str(channels), {.flexible = {false, true}}, 2e-4);
      EXPECT_TRUE(std::isnan(run.outputs[0].at(7))) << activation;
    }
  }
}

// --- pooling ---------------------------------------------------------------------------------

struct PoolCase {
  const char* name;
  int64_t h, w, c, size, stride;
  std::string padding = "VALID";
  Ints explicit_hw = {};
};

const PoolCase kPools[] = {
    {"2x2", 6, 8, 32, 2, 2},
    {"2x2, left over", 5, 7, 17, 2, 2},
    {"overlapping", 7, 6, 20, 3, 2, "SAME"},
    {"same", 5, 5, 3, 3, 1, "SAME"},
    {"gaps", 9, 9, 16, 2, 3},
    {"one channel", 6, 6, 1, 2, 2, "SAME"},
    {"whole", 4, 4, 40, 4, 4},
    {"explicit", 5, 5, 16, 3, 2, "EXPLICIT", {1, 2, 0, 1}},
};

AttrMap pool_attrs(const PoolCase& p, const std::string& format) {
  const bool nhwc = format == "NHWC";
  AttrMap attrs = {{"data_format", format}, {"padding", p.padding}};
  attrs["ksize"] = nhwc ? Ints{1, p.size, p.size, 1} : Ints{1, 1, p.size, p.size};
  attrs["strides"] = nhwc ? Ints{1, p.stride, p.stride, 1} : Ints{1, 1, p.stride, p.stride};
  if (!p.explicit_hw.empty()) {
    Ints pads(8, 0);
    std::copy(p.explicit_hw.begin(), p.explicit_hw.end(), pads.begin() + (nhwc ? 2 : 4));
    attrs["explicit_paddings"] = pads;
  }
  return attrs;
}

TEST(OneDnnPooling, AgreesWithTheReferenceInEveryLayout) {
  for (const PoolCase& p : kPools) {
    for (const std::string format : {"NHWC", "NCHW"}) {
      const AttrMap attrs = pool_attrs(p, format);
      const Shape shape = images(3, p.h, p.w, p.c, format);
      Tensor x = some_tensor(shape, 5);
      for (int64_t i = 0; i < x.num_elements(); i += 13) set(x, i, kNaN);
      for (const int block : {0, 8, 16}) {
        const LayoutPtr layout = block == 0 ? nullptr : blocked_images(shape, format, block);
        const std::string what = str(p.name, " ", format, " blocks of ", block);
        const Arrival arrival{.flexible = {}, .layouts = {layout, nullptr, nullptr}};
        const LoneNode forward("MaxPool", attrs, {x});
        const KernelRun y = check(forward, what, arrival);
        const Shape pooled = forward.node().output_shape(0);
        const Tensor dy = some_tensor(pooled, 6);
        check(LoneNode("MaxPoolGrad", attrs, {x, y.outputs[0], dy}), what + " gradient", arrival);
        if (p.padding == "EXPLICIT") continue;  // not for averages
        const Tensor z = some_tensor(shape, 5);
        check(LoneNode("AvgPool", attrs, {z}), what + " average", arrival);
        const LayoutPtr dy_layout = block == 0 ? nullptr : blocked_images(pooled, format, block);
        check(LoneNode("AvgPoolGrad", attrs, {int_vector(shape), dy}), what + " average gradient",
              {.flexible = {}, .layouts = {nullptr, dy_layout}});
      }
    }
  }
}

TEST(OneDnnPooling, EqualMaximaGiveTheGradientToTheFirst) {
  const AttrMap attrs = pool_attrs({"", 2, 2, 16, 2, 2}, "NHWC");
  Tensor x = Tensor::zeros(kFloat32, {1, 2, 2, 16});
  const KernelRun run =
      check(LoneNode("MaxPoolGrad", attrs,
                     {x, Tensor::zeros(kFloat32, {1, 1, 1, 16}), some_tensor({1, 1, 1, 16})}),
            "ties");
  for (int64_t i = 16; i < 64; ++i) EXPECT_EQ(run.outputs[0].at(i), 0);
}

TEST(OneDnnPooling, WindowsOfNothingButPaddingAreLeftToTheReference) {
  const AttrMap attrs = pool_attrs({"", 4, 4, 16, 2, 2, "EXPLICIT", {2, 0, 0, 0}}, "NHWC");
  const KernelRun run = LoneNode("MaxPool", attrs, {some_tensor({1, 4, 4, 16})}).run(fast());
  EXPECT_EQ(run.provider, "reference");
}

// --- batch normalisation ---------------------------------------------------------------------

TEST(OneDnnBatchNorm, AgreesWithTheReference) {
  for (const int64_t channels : {32, 17}) {
    for (const std::string format : {"NHWC", "NCHW"}) {
      for (const bool training : {true, false}) {
        for (const float factor : {1.0f, 0.25f}) {
          for (const bool blocked : {false, true}) {
            const Shape shape = images(3, 5, 4, channels, format);
            const AttrMap attrs = {{"data_format", format},
                                   {"is_training", training},
                                   {"exponential_avg_factor", factor}};
            const bool running = !training || factor != 1;
            Tensor variance = some_tensor({channels}, 5);
            for (float& v : variance.mutable_data<float>()) v = 1.5f + v;
            const Tensor none(kFloat32, Shape{0});
            const LayoutPtr layout = blocked ? blocked_images(shape, format) : nullptr;
            const LoneNode lone(
                "FusedBatchNormV3", attrs,
                {some_tensor(shape, 1), some_tensor({channels}, 2), some_tensor({channels}, 3),
                 running ? some_tensor({channels}, 4) : none, running ? variance : none});
            const std::string what =
                str(format, channels, training ? " training " : " ", factor, blocked);
            check(lone, what, {.flexible = {}, .layouts = {layout}}, 1e-4);
            if (factor != 1) continue;
            const AttrMap grad_attrs = {{"data_format", format}, {"is_training", training}};
            const LoneNode gradient(
                "FusedBatchNormGradV3", grad_attrs,
                {some_tensor(shape, 6), some_tensor(shape, 1), some_tensor({channels}, 2),
                 some_tensor({channels}, 4), variance, Tensor(0.0f)});
            check(gradient, what + " gradient", {.flexible = {}, .layouts = {layout, nullptr}},
                  1e-4);
          }
        }
      }
    }
  }
}

// --- bias ------------------------------------------------------------------------------------

TEST(OneDnnBias, WorksOnBlocksOfChannelsAndLeavesPlainTensors) {
  for (const int64_t channels : {32, 17, 5}) {
    for (const std::string format : {"NHWC", "NCHW"}) {
      for (const int block : {8, 16}) {
        const Shape shape = images(2, 5, 3, channels, format);
        const AttrMap attrs = {{"data_format", format}};
        const Arrival blocked{.flexible = {}, .layouts = {blocked_images(shape, format, block)}};
        const LoneNode add("BiasAdd", attrs, {some_tensor(shape, 1), some_tensor({channels}, 2)});
        check(add, str(format, channels), blocked);
        EXPECT_EQ(add.run(fast()).provider, "reference");
        check(LoneNode("BiasAddGrad", attrs, {some_tensor(shape, 1)}), str(format, channels),
              blocked);
      }
    }
  }
}

}  // namespace
}  // namespace thalweg
