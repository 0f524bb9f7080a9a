#include "thalweg/nn/image_layers.h"

#include "nn/nn_testing.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::expect_near;
using testing::GraphTest;

constexpr Mode kTraining = Mode::kTraining;

int64_t parameters(const Layer& layer, const Graph& graph) {
  int64_t count = 0;
  for (const Variable& v : layer.variables(graph)) count += v.shape().num_elements();
  return count;
}

class Conv2dTest : public GraphTest {};

TEST_F(Conv2dTest, InfersShapesAndParameters) {
  const Output x = input({kUnknownDim, 28, 28, 3});
  const Conv2d same({.filters = 8}), valid({.filters = 4,
                                            .kernel_size = {5, 3},
                                            .strides = {2, 1},
                                            .padding = "VALID",
                                            .use_bias = false});
  EXPECT_EQ(same(x, kTraining).shape(), (Shape{kUnknownDim, 28, 28, 8}));
  EXPECT_EQ(valid(x, kTraining).shape(), (Shape{kUnknownDim, 12, 26, 4}));
  EXPECT_EQ(parameters(same, graph_), 3 * 3 * 3 * 8 + 8);
  EXPECT_EQ(parameters(valid, graph_), 5 * 3 * 3 * 4);
}

TEST_F(Conv2dTest, ConvolvesAddsAndActivates) {
  const Conv2d conv({.filters = 1,
                     .kernel_size = {2, 2},
                     .padding = "VALID",
                     .activation = "relu",
                     .kernel_initializer = "ones",
                     .bias_initializer = "constant(-12)"});
  const Output x = given(Tensor::of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 3, 3, 1}));
  EXPECT_EQ(numbers(conv(x, kTraining)), (std::vector<double>{0, 4, 12, 16}));
}

TEST_F(Conv2dTest, DilatesItsKernel) {
  const Conv2d conv({.filters = 1,
                     .kernel_size = {2},
                     .padding = "VALID",
                     .dilations = {2},
                     .kernel_initializer = "ones"});
  const Output x = given(Tensor::of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 3, 3, 1}));
  EXPECT_EQ(numbers(conv(x, kTraining)), (std::vector<double>{1 + 3 + 7 + 9}));
}

// The op convolves a multiple of the channels in groups; a layer must not do so unasked.
TEST_F(Conv2dTest, RejectsOtherChannelsThanItWasBuiltFor) {
  const Conv2d conv({.filters = 4});
  conv(input({kUnknownDim, 8, 8, 2}), kTraining);
  expect_error(
      Code::kInvalidArgument,
      [&] {
        conv(input({kUnknownDim, 8, 8, 4}), kTraining);
      },
      "4 channels", "`conv2d/kernel`", "made for 2");
}

TEST_F(Conv2dTest, RejectsUnknownChannels) {
  expect_error(
      Code::kInvalidArgument,
      [&] {
        Conv2d({.filters = 1})(input({kUnknownDim, 8, 8, kUnknownDim}), kTraining);
      },
      "channels", "must be known");
}

TEST(Conv2dOptions, AreCheckedWhenTheLayerIsMade) {
  const auto fails = [](Conv2dOptions options, const char* word) {
    expect_error(
        Code::kInvalidArgument, [&] { const Conv2d conv(options); }, word);
  };
  fails({}, "filters");
  fails({.filters = 1, .kernel_size = {3, 3, 3}}, "kernel_size");
  fails({.filters = 1, .strides = {0, 1}}, "strides");
  fails({.filters = 1, .padding = "same"}, "\"SAME\"");
  fails({.filters = 1, .dilations = {}}, "dilations");
  fails({.filters = 1, .activation = "tanhh"}, "`tanh`");
}

class DepthwiseConv2dTest : public GraphTest {};

TEST_F(DepthwiseConv2dTest, ConvolvesEachChannelAlone) {
  const DepthwiseConv2d conv(
      {.kernel_size = {1, 2}, .multiplier = 2, .padding = "VALID", .kernel_initializer = "ones"});
  const Output x = given(Tensor::of<float>({1, 10, 2, 20}, {1, 1, 2, 2}));
  EXPECT_EQ(numbers(conv(x, kTraining)), (std::vector<double>{3, 3, 30, 30}));
  EXPECT_EQ(parameters(conv, graph_), 1 * 2 * 2 * 2 + 4);
}

TEST(DepthwiseConv2dOptions, WantEqualStrides) {
  expect_error(
      Code::kInvalidArgument,
      [] {
        DepthwiseConv2d({.strides = {1, 2}});
      },
      "strides", "equal");
}

class PoolTest : public GraphTest {
 protected:
  Output image() { return given(Tensor::of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 3, 3, 1})); }
};

TEST_F(PoolTest, TakesTheLargest) {
  EXPECT_EQ(numbers(MaxPool2d({.pool_size = {2}, .strides = {1}})(image(), kTraining)),
            (std::vector<double>{5, 6, 8, 9}));
}

TEST_F(PoolTest, StepsByItsSizeByDefault) {
  EXPECT_EQ(numbers(MaxPool2d()(image(), kTraining)), (std::vector<double>{5}));
  EXPECT_EQ(MaxPool2d({.padding = "SAME"})(image(), kTraining).shape(), (Shape{1, 2, 2, 1}));
}

TEST_F(PoolTest, TakesTheMeanWithoutPadding) {
  expect_near(numbers(AvgPool2d({.padding = "SAME"})(image(), kTraining)), {3, 4.5, 7.5, 9});
}

TEST_F(PoolTest, TakesTheMeanOfEachChannel) {
  const Output x = given(Tensor::of<float>({1, 10, 3, 30}, {1, 1, 2, 2}));
  const Output y = GlobalAvgPool2d()(x, kTraining);
  EXPECT_EQ(y.shape(), (Shape{1, 2}));
  expect_near(numbers(y), {2, 20});
}

}  // namespace
}  // namespace thalweg
