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
  EXPECT_TRUE(Desc::depthwise({3, 2, 4, 5}) ==
              Desc::strided({4, 5, 1, 3, 2}, {5, 1, 1, 40, 20}));
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
    a[0] = 1;
  }
}

TEST(OneDnnExecution, SeveralThreadsMayRunOnePrimitive) {
  const Array x = random_array({8, 32}, 1), w = random_array({16, 32}, 2);
  const auto p = inner_product_forward({.src = Desc::plain(x.dims), .weights = Desc::any(w.dims),
                                        .dst = Desc::plain({8, 16})});
  ASSERT_TRUE(p);
  const Array expected = to_array(evaluate(*p, {{Arg::src, x}, {Arg::weights, w}})[Arg::dst]);
  std::vector<Array> results(4, Array({8, 16}));
  {
    std::vector<std::jthread> threads;
    for (Array& r : results) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          r = to_array(evaluate(*p, {{Arg::src, x}, {Arg::weights, w}})[Arg::dst]);
        }
      });
    }
  }
  for (const Array& r : results) expect_near(r, expected, 1e-6, "dst");
}

// Padding: the primitive that writes a padded operand leaves zeros past the last channel.
TEST(OneDnnPadding, OutputsArePaddedWithZeros) {
  const auto p = convolution_forward({.src = Desc::plain({1, 16, 5, 5}),
                                      .weights = Desc::any({17, 16, 3, 3}),
                                      .bias = Desc::plain({17}),
                                      .dst = blocked(17)
                                                 .permute({0, 1, 2, 3})
                                                 .value()});
  EXPECT_FALSE(p.has_value()) << "shapes disagree, so this must have thrown";
}

}  // namespace
}  // namespace thalweg::onednn
