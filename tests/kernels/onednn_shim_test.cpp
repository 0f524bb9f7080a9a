// Layouts, executions, and the pitfalls of oneDNN that the shim keeps away from its callers.

#include <thread>

#include "onednn_testing.h"
#include "thalweg/base/error.h"

namespace thalweg::onednn {
namespace {

TEST(OneDnnDesc, PlainIsDenseRowMajor) {
  const Desc d = Desc::plain({2, 3, 5});
  EXPECT_TRUE(d.is_plain());
  EXPECT_FALSE(d.has_padding());
  EXPECT_FALSE(d.is_any());
  EXPECT_EQ(d.size_bytes(), 2u * 3 * 5 * 4);
  EXPECT_EQ(d.to_string(), "f32 abc 2x3x5");
  EXPECT_TRUE(d == Desc::strided({2, 3, 5}, {15, 5, 1}));
  EXPECT_FALSE(d == Desc::strided({2, 3, 5}, {15, 1, 3}));
  EXPECT_EQ(Desc::plain({3}, Element::bf16).size_bytes(), 6u);
}

TEST(OneDnnDesc, AnAbsentOperandIsFalseAndEqualsOnlyItself) {
  EXPECT_FALSE(Desc());
  EXPECT_TRUE(Desc() == Desc());
  EXPECT_FALSE(Desc() == Desc::plain({1}));
  EXPECT_EQ(Desc().to_string(), "none");
}

TEST(OneDnnDesc, TensorFlowMemoryOrdersAreStrides) {
  EXPECT_EQ(Desc::nhwc({2, 3, 5, 7}).to_string(), "f32 acdb 2x3x5x7");
  EXPECT_FALSE(Desc::nhwc({2, 3, 5, 7}).is_plain());
  EXPECT_TRUE(Desc::nhwc({2, 3, 5, 7}) == Desc::strided({2, 3, 5, 7}, {105, 1, 21, 3}));
  // [h=3, w=2, i=4, o=5]
  EXPECT_TRUE(Desc::hwio({5, 4, 3, 2}) == Desc::strided({5, 4, 3, 2}, {1, 5, 40, 20}));
  // [h=3, w=2, c=4, m=5]
  EXPECT_TRUE(Desc::depthwise({3, 2, 4, 5}) == Desc::strided({4, 5, 1, 3, 2}, {5, 1, 1, 40, 20}));
}

TEST(OneDnnDesc, PermuteFollowsTransposeAndMovesNothing) {
  const auto d = Desc::plain({2, 3, 5}).permute({2, 0, 1});
  ASSERT_TRUE(d);
  EXPECT_EQ(d->dims(), (Dims{5, 2, 3}));
  EXPECT_TRUE(*d == Desc::strided({5, 2, 3}, {1, 15, 5}));
  EXPECT_THROW((void)Desc::plain({2, 3}).permute({0, 0}), Error);
  EXPECT_THROW((void)Desc::plain({2, 3}).permute({0, -1}), Error);
}

TEST(OneDnnDesc, ReshapeSucceedsOnlyWhenNothingMoves) {
  const auto flat = Desc::plain({2, 3, 5}).reshape({2, 15});
  ASSERT_TRUE(flat);
  EXPECT_TRUE(*flat == Desc::plain({2, 15}));
  EXPECT_FALSE(Desc::nhwc({2, 3, 5, 7}).reshape({2, 105}));
  EXPECT_FALSE(Desc::plain({2, 3}).reshape({7}));
}

TEST(OneDnnDesc, RejectsWhatOneDnnCannotHold) {
  EXPECT_THROW(Desc::plain({}), Error);
  EXPECT_THROW(Desc::plain(Dims(13, 1)), Error);
  EXPECT_THROW(Desc::plain({2, -1}), Error);
  EXPECT_THROW(Desc::strided({2, 3}, {1}), Error);
  EXPECT_THROW(Desc::nhwc({2, 3}), Error);
}

// A blocked layout that rounds 3 channels up, as convolutions choose it.
Desc blocked(std::int64_t channels) {
  const auto p = convolution_forward({.src = Desc::any({2, 16, 6, 7}),
                                      .weights = Desc::any({channels, 16, 3, 3}),
                                      .dst = Desc::any({2, channels, 4, 5})});
  return p->desc(Arg::dst);
}

TEST(OneDnnReorder, RoundTripsKeepEveryValue) {
  const Array values = random_array({2, 17, 4, 5}, 1);
  for (const Desc& d : {Desc::plain(values.dims), Desc::nhwc(values.dims), blocked(17),
                        Desc::nhwc(values.dims, Element::bf16)}) {
    expect_near(to_array(to_value(values, d)), values, 0, d.to_string().c_str());
  }
}

TEST(OneDnnReorder, NeedsTwoFixedLayouts) {
  EXPECT_THROW(reorder(Desc::any({2}), Desc::plain({2})), Error);
  EXPECT_THROW(reorder(Desc::plain({3}), Desc::plain({2})), Error);
}

TEST(OneDnnExecution, WantsOnePointerPerArgument) {
  const auto p = reorder(Desc::plain({4}), Desc::plain({4}, Element::bf16));
  ASSERT_TRUE(p);
  float x = 0;
  void* const pointers[] = {&x};
  EXPECT_THROW(p->make_execution().run(pointers, nullptr), Error);
}

TEST(OneDnnExecution, FollowsItsPointersFromRunToRun) {
  const auto p = reorder(Desc::plain({2, 3}), Desc::strided({2, 3}, {1, 2}));
  Execution e = p->make_execution();
  const Memory scratch(p->scratch_bytes());
  std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {10, 20, 30, 40, 50, 60}, y(6), z(6);
  for (int repeat = 0; repeat < 2; ++repeat) {
    void* const first[] = {a.data(), y.data()};
    void* const second[] = {b.data(), z.data()};
    e.run(first, scratch.data.get());
    e.run(second, scratch.data.get());
    EXPECT_EQ(y, (std::vector<float>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(z, (std::vector<float>{10, 40, 20, 50, 30, 60}));
  }
}

TEST(OneDnnExecution, SeveralThreadsMayRunOnePrimitive) {
  const Array x = random_array({8, 32}, 1), w = random_array({16, 32}, 2);
  const auto p = inner_product_forward(
      {.src = Desc::plain(x.dims), .weights = Desc::any(w.dims), .dst = Desc::plain({8, 16})});
  ASSERT_TRUE(p);
  const Array expected = to_array(evaluate(*p, {{Arg::src, x}, {Arg::weights, w}})[Arg::dst]);
  std::vector<Array> results(2, Array({8, 16}));
  {
    std::vector<std::jthread> threads;
    for (Array& r : results) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) {
          r = to_array(evaluate(*p, {{Arg::src, x}, {Arg::weights, w}})[Arg::dst]);
        }
      });
    }
  }
  for (const Array& r : results) expect_near(r, expected, 1e-6, "dst");
}

// The number of f32 cells of `value` that hold exactly 0.
std::size_t zeros(const Value& value) {
  const auto* cells = static_cast<const float*>(value.data());
  std::size_t count = 0;
  for (std::size_t i = 0; i < value.desc.size_bytes() / 4; ++i) count += cells[i] == 0.0f;
  return count;
}

std::size_t padding_cells(const Desc& desc) {
  return desc.size_bytes() / 4 - Array(desc.dims()).v.size();
}

TEST(OneDnnPadding, OutputsArePaddedWithZeros) {
  const Desc d = blocked(17);
  if (!d.has_padding()) GTEST_SKIP() << "this machine's convolutions do not pad";
  const Array ones({2, 17, 4, 5}, 1.0);
  const Value filled = to_value(ones, d);
  EXPECT_EQ(zeros(filled), padding_cells(d)) << "reorder";

  const auto conv = convolution_forward({.src = Desc::any({2, 16, 6, 7}),
                                         .weights = Desc::any({17, 16, 3, 3}),
                                         .bias = Desc::plain({17}),
                                         .dst = d,
                                         .epilogue = {.activation = Activation::sigmoid}});
  ASSERT_TRUE(conv);
  const Values made = evaluate(*conv, {{Arg::src, Array({2, 16, 6, 7}, 1.0)},
                                       {Arg::weights, Array({17, 16, 3, 3}, 1.0)},
                                       {Arg::bias, Array({17}, 1.0)}});
  EXPECT_EQ(zeros(made.at(Arg::dst)), padding_cells(d)) << "convolution";

  const auto norm = batch_norm_inference({.data = d});
  ASSERT_TRUE(norm);
  const Array channel({17}, 1.0);
  const Values normed = evaluate(*norm,
                                 {{Arg::mean, channel},
                                  {Arg::variance, channel},
                                  {Arg::scale, channel},
                                  {Arg::shift, channel}},
                                 {{Arg::src, filled}});
  EXPECT_EQ(zeros(normed.at(Arg::dst)), padding_cells(d)) << "batch norm: shift reaches no padding";
}

TEST(OneDnnPadding, GradientsOfPaddedWeightsArePaddedWithZeros) {
  const InnerProduct op{
      .src = Desc::plain({8, 32}), .weights = Desc::any({10, 32}), .dst = Desc::plain({8, 10})};
  const auto p = inner_product_backward_weights(op);
  ASSERT_TRUE(p);
  const Desc d = p->desc(Arg::diff_weights);
  const Values made =
      evaluate(*p, {{Arg::src, Array({8, 32}, 1.0)}, {Arg::diff_dst, Array({8, 10}, 1.0)}});
  EXPECT_EQ(zeros(made.at(Arg::diff_weights)), padding_cells(d)) << d.to_string();
}

// performance.md 8.1: refuse the reference loops, and trust no silent success.
TEST(OneDnnPitfalls, ReferenceImplementationsAreRefused) {
  const Desc odd =
      Desc::strided({2, 16, 6, 7}, {672, 42, 1, 6});  // no kernel wants width before height
  EXPECT_FALSE(convolution_forward(
      {.src = odd, .weights = Desc::plain({17, 16, 3, 3}), .dst = Desc::plain({2, 17, 4, 5})}));
  EXPECT_FALSE(batch_norm_training({.data = odd}));
  EXPECT_FALSE(pooling_forward(
      {.src = odd, .dst = Desc::any({2, 16, 3, 3}), .kernel = {2, 2}, .strides = {2, 2}}, true));
  EXPECT_FALSE(matmul({.src = Desc::strided({4, 4}, {8, 2}),
                       .weights = Desc::plain({4, 4}),
                       .dst = Desc::plain({4, 4})}));
}

TEST(OneDnnPitfalls, ElementTypesWithoutAKernelAreDeclinedNotThrown) {
  const auto square = [](Element e) { return Desc::plain({4, 4}, e); };
  EXPECT_FALSE(matmul(
      {.src = square(Element::s32), .weights = square(Element::s32), .dst = square(Element::s32)}));
  EXPECT_FALSE(inner_product_forward({.src = square(Element::f32),
                                      .weights = square(Element::bf16),
                                      .dst = square(Element::f32)}));
}

// x through a product with 1 and the activation, for every kind of primitive that has an epilogue.
std::vector<std::pair<const char*, std::vector<double>>> through(const Epilogue& epilogue,
                                                                 const std::vector<double>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<std::pair<const char*, std::vector<double>>> results;
  const auto add = [&](const char* name, const std::optional<Primitive>& p, const Array& src,
                       const Array& weights) {
    ASSERT_TRUE(p) << name;
    Values made = evaluate(*p, {{Arg::src, src}, {Arg::weights, weights}});
    results.emplace_back(name, to_array(made[Arg::dst]).v);
  };
  add("matmul",
      matmul({.src = Desc::plain({n, 1}),
              .weights = Desc::any({1, 1}),
              .dst = Desc::plain({n, 1}),
              .epilogue = epilogue}),
      Array({n, 1}, x), Array({1, 1}, 1.0));
  add("inner product",
      inner_product_forward({.src = Desc::plain({n, 1}),
                             .weights = Desc::any({1, 1}),
                             .dst = Desc::plain({n, 1}),
                             .epilogue = epilogue}),
      Array({n, 1}, x), Array({1, 1}, 1.0));
  add("convolution",
      convolution_forward({.src = Desc::any({n, 1, 1, 1}),
                           .weights = Desc::any({1, 1, 1, 1}),
                           .dst = Desc::any({n, 1, 1, 1}),
                           .epilogue = epilogue}),
      Array({n, 1, 1, 1}, x), Array({1, 1, 1, 1}, 1.0));
  return results;
}

struct ActivationCase {
  const char* name;
  Activation activation;
  double (*f)(double);
  bool keeps_nan;
  double at_minus_infinity;
};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const ActivationCase kActivations[] = {
    {"none", Activation::none, [](double x) { return x; }, true, -kInfinity},
    {"relu", Activation::relu, [](double x) { return std::max(x, 0.0); }, false, 0},
    {"leaky_relu", Activation::leaky_relu, [](double x) { return x > 0 ? x : 0.25 * x; }, true,
     -kInfinity},
    {"relu6", Activation::relu6, [](double x) { return std::min(std::max(x, 0.0), 6.0); }, false,
     0},
    {"elu", Activation::elu, [](double x) { return x > 0 ? x : 0.25 * std::expm1(x); }, true,
     -0.25},
    {"tanh", Activation::tanh, [](double x) { return std::tanh(x); }, true, -1},
    {"sigmoid", Activation::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, true, 0},
    {"gelu_tanh", Activation::gelu_tanh,
     [](double x) {
       return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
     },
     true, kNaN},
    {"gelu_erf", Activation::gelu_erf,
     [](double x) { return 0.5 * x * (1 + std::erf(x * 0.7071067811865476)); }, true, kNaN},
    {"swish", Activation::swish, [](double x) { return x / (1 + std::exp(-0.25 * x)); }, true,
     kNaN},
};

TEST(OneDnnEpilogue, EveryActivationReachesTheResult) {
  const std::vector<double> x = {-9, -3, -1, -0.5, -0.0625, 0, 0.0625, 0.5, 1, 3, 9};
  for (const ActivationCase& c : kActivations) {
    std::vector<double> expected;
    for (const double v : x) expected.push_back(c.f(v));
    for (const auto& [name, y] : through({.activation = c.activation, .alpha = 0.25f}, x)) {
      expect_near(Array({11}, y), Array({11}, expected), 2e-6, c.name);
    }
  }
}

// performance.md 8.2, as callers must know it: what each activation makes of NaN and -infinity.
TEST(OneDnnEpilogue, SpecialValuesFollowTheDocumentedTable) {
  for (const ActivationCase& c : kActivations) {
    for (const auto& [name, y] :
         through({.activation = c.activation, .alpha = 0.25f}, {kNaN, -kInfinity, kInfinity})) {
      EXPECT_EQ(std::isnan(y[0]), c.keeps_nan) << c.name << " in " << name;
      EXPECT_TRUE(c.keeps_nan || y[0] == 0) << c.name << " in " << name;
      if (std::isnan(c.at_minus_infinity)) {
        EXPECT_TRUE(std::isnan(y[1])) << c.name << " in " << name;
      } else {
        EXPECT_EQ(y[1], c.at_minus_infinity) << c.name << " in " << name;
      }
    }
  }
}

// performance.md 8.3: plain nchw is the slow layout; left to choose, oneDNN blocks the channels.
TEST(OneDnnPitfalls, FreeChoiceIsNotPlain) {
  EXPECT_FALSE(blocked(32).is_plain()) << blocked(32).to_string();
  EXPECT_FALSE(blocked(32).has_padding());
}

// performance.md 8.5: memory objects never own or free what they are shown.
TEST(OneDnnPitfalls, BuffersOutliveExecutions) {
  const auto p = reorder(Desc::plain({1000}), Desc::plain({1000}));
  auto x = std::make_unique<float[]>(1000), y = std::make_unique<float[]>(1000);
  x[999] = 7;
  {
    void* const pointers[] = {x.get(), y.get()};
    const Memory scratch(p->scratch_bytes());
    p->make_execution().run(pointers, scratch.data.get());
  }
  EXPECT_EQ(y[999], 7);
}

}  // namespace
}  // namespace thalweg::onednn
