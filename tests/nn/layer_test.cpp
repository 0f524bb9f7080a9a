// Layers as such: names, sharing, modes, errors, one's own layers and networks without a class.
#include "thalweg/nn/layer.h"

#include "nn/nn_testing.h"
#include "thalweg/nn/image_layers.h"
#include "thalweg/nn/layers.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::GraphTest;

using Names = std::vector<std::string>;
constexpr Mode kTraining = Mode::kTraining;
constexpr Mode kPredicting = Mode::kPredicting;

class LayerTest : public GraphTest {};

TEST_F(LayerTest, NamesVariablesByTypeAndNumber) {
  const Dense first({.units = 3}), second({.units = 2}), named({.units = 1, .name = "head"});
  named(second(first(input({kUnknownDim, 4}), kTraining), kTraining), kTraining);
  EXPECT_EQ(variable_names(), (Names{"dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias",
                                     "head/kernel", "head/bias"}));
  EXPECT_EQ(second.name_in(graph_), "dense_1");
}

TEST_F(LayerTest, PutsVariablesUnderTheCurrentScope) {
  const Dense dense({.units = 3});
  const NameScope scope(graph_, "tower");
  dense(input({kUnknownDim, 4}), kTraining);
  EXPECT_EQ(variable_names(), (Names{"tower/dense/kernel", "tower/dense/bias"}));
}

TEST_F(LayerTest, SharesWeightsBetweenCallsModesAndCopies) {
  const Dense dense({.units = 3});
  const Layer copy = dense;
  const Output x = given(Tensor::of<float>({1, 2}, {1, 2}));
  const Output a = dense(x, kTraining), b = copy(x, kPredicting);
  EXPECT_EQ(graph_.variables().size(), 2u);
  EXPECT_EQ(numbers(a), numbers(b));
}

TEST_F(LayerTest, MakesTwoLayersOfTwoObjects) {
  const Dense one({.units = 3}), two({.units = 3});
  const Output x = given(Tensor::of<float>({1, 2}, {1, 2}));
  EXPECT_NE(numbers(one(x, kTraining)), numbers(two(x, kTraining)));
}

// Otherwise a graph that trains and one that predicts would disagree about names of variables.
TEST_F(LayerTest, GivesNamesThatDoNotDependOnTheNumberOfCalls) {
  const Dense first({.units = 3}), second({.units = 3});
  const Output x = input({kUnknownDim, 3});
  second(first(x, kTraining), kTraining);
  const Names once = variable_names();

  Graph other(standard_ops());
  const Output z = placeholder(other, kFloat32, {kUnknownDim, 3});
  second(first(first(first(z, kTraining), kPredicting), kTraining), kPredicting);
  Names twice;
  for (const auto& record : other.variables()) twice.push_back(record.name);
  EXPECT_EQ(once, twice);
}

TEST_F(LayerTest, MakesNewVariablesInAnotherGraph) {
  const Dense dense({.units = 3});
  dense(input({kUnknownDim, 4}), kTraining);
  for (int i = 0; i < 3; ++i) {  // also where a new graph gets the memory of an old one
    auto other = std::make_unique<Graph>(standard_ops());
    EXPECT_TRUE(dense.variables(*other).empty());
    dense(placeholder(*other, kFloat32, {kUnknownDim, 7}), kTraining);
    ASSERT_EQ(dense.variables(*other).size(), 2u);
    EXPECT_EQ(dense.variables(*other)[0].shape(), (Shape{7, 3}));
  }
  EXPECT_EQ(dense.variables(graph_)[0].shape(), (Shape{4, 3}));
}

TEST_F(LayerTest, ComposesBranchesAndResidualsWithoutAClass) {
  const Dense left({.units = 2}), right({.units = 2}), shared({.units = 2});
  const Network network = [=](Output x, Mode mode) {
    const Output a = left(x, mode), b = right(x, mode);
    return shared(a, mode) + shared(b, mode) + x;
  };
  const Output y = network(input({kUnknownDim, 2}), kTraining);
  EXPECT_EQ(y.shape(), (Shape{kUnknownDim, 2}));
  EXPECT_EQ(graph_.variables().size(), 6u);
}

TEST_F(LayerTest, IsANetwork) {
  const Network network = Sequential({Dense({.units = 2}), Activation("relu")});
  EXPECT_EQ(network(input({kUnknownDim, 2}), kPredicting).shape(), (Shape{kUnknownDim, 2}));
}

TEST_F(LayerTest, NamesLayerInputAndRemedyWhenTheShapeIsWrong) {
  const Conv2d conv({.filters = 8, .name = "conv2"});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        conv(input({kUnknownDim, 28, 28}), kTraining);
      },
      "layer `conv2` (Conv2d)", "input [?, 28, 28] has 3 dimensions",
      "[batch, height, width, channels] is wanted", "add Reshape({.shape = {28, 28, 1}})",
      "called on `x:0`");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        conv(input({kUnknownDim, 784}), kTraining);
      },
      "Reshape({.shape = {28, 28, 1}})");
}

TEST_F(LayerTest, NamesBothSizesWhenBuiltForAnother) {
  const Dense dense({.units = 128});
  dense(input({kUnknownDim, 784}), kTraining);
  expect_error(
      Code::kInvalidArgument,
      [&] {
        dense(input({kUnknownDim, 100}), kTraining);
      },
      "layer `dense` (Dense)", "[?, 100] has 100 features", "`dense/kernel` [784, 128]",
      "made for 784");
}

TEST_F(LayerTest, NamesTheInnerLayerOfANamedBlock) {
  const Sequential block({Flatten(), Conv2d({.filters = 1})}, {.name = "block"});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        block(input({kUnknownDim, 4, 4, 1}), kTraining);
      },
      "layer `block` (Sequential): layer `block/conv2d` (Conv2d)", "`block/flatten/Reshape:0`");
}

TEST_F(LayerTest, LeavesNothingBehindAFailedBuild) {
  const Dense dense({.units = 2});
  EXPECT_THROW(dense(input({kUnknownDim, kUnknownDim}), kTraining), Error);
  EXPECT_TRUE(dense.name_in(graph_).empty());
  EXPECT_TRUE(dense.variables(graph_).empty());
  dense(input({kUnknownDim, 3}), kTraining);
  EXPECT_EQ(dense.variables(graph_)[0].shape(), (Shape{3, 2}));
  EXPECT_EQ(variable_names(), (Names{"dense/kernel", "dense/bias"}));
}

TEST_F(LayerTest, RejectsAnEmptyInput) {
  const Dense dense({.units = 2});
  expect_error(
      Code::kInvalidArgument, [&] { dense(Output(), kTraining); }, "empty Output");
}

TEST_F(LayerTest, SaysThatItIsEmpty) {
  const Layer empty{std::shared_ptr<LayerBase>()};
  const Output x = input({kUnknownDim, 2});
  const std::vector<std::function<void()>> uses = {[&] { empty(x, kTraining); },
                                                   [&] { empty.type(); },
                                                   [&] { empty.config(); },
                                                   [&] { empty.layers(); },
                                                   [&] { empty.variables(graph_); },
                                                   [&] { empty.name_in(graph_); },
                                                   [&] {
                                                     Sequential({Dense({.units = 2}), empty});
                                                   }};
  for (const auto& use : uses) expect_error(Code::kInvalidArgument, use, "Layer is empty");
}

TEST_F(LayerTest, SaysThatItCallsItselfWithoutEnd) {
  struct Mirror : LayerBase {
    std::string_view type() const override { return "Mirror"; }
    Output call(Output x, Mode mode) override {
      return --left < 0 ? (*self)(x, mode) : left == 0 ? x : (*self)(x, mode);
    }
    const Layer* self = nullptr;
    int left = 5;
  };
  const auto base = std::make_shared<Mirror>();
  const Layer mirror = base;
  base->self = &mirror;
  const Output x = input({kUnknownDim, 2});
  EXPECT_EQ(mirror(x, kTraining), x);
  for (int i = 0; i < 2; ++i) {
    expect_error(
        Code::kInvalidArgument, [&] { mirror(x, kTraining); }, "layer `mirror` (Mirror)",
        "calls itself");
  }
}

class Scale : public LayerBase {
 public:
  std::string_view type() const override { return "Scale"; }
  void build(Output x) override {
    add_weight(x, "scale", {x.shape().dim(-1)}, {.initializer = initializers::constant(3)});
  }
  Output call(Output x, Mode) override { return x * weight(x.graph(), "scale"); }
};

class Nothing : public LayerBase {
 public:
  std::string_view type() const override { return "Nothing"; }
  Output call(Output, Mode) override { return {}; }
};

class Residual : public LayerBase {
 public:
  explicit Residual(Layer inner) : inner_(std::move(inner)) {}
  std::string_view type() const override { return "Residual"; }
  std::vector<Layer> layers() const override { return {inner_}; }
  Output call(Output x, Mode mode) override { return x + inner_(x, mode); }

 private:
  Layer inner_;
};

TEST_F(LayerTest, MayBeOfOnesOwnType) {
  const Layer scale = std::make_shared<Scale>();
  EXPECT_EQ(numbers(scale(given(Tensor::of<float>({1, 2}, {1, 2})), kTraining)),
            (std::vector<double>{3, 6}));
  EXPECT_EQ(variable_names(), Names{"scale/scale"});
}

TEST_F(LayerTest, NamesTheLayerThatReturnsNothing) {
  Layer nothing = std::make_shared<Nothing>();
  expect_error(
      Code::kInvalidArgument,
      [&] {
        nothing(given(Tensor::of<float>({1, 2}, {1, 2})), kTraining);
      },
      "layer `nothing` (Nothing)", "empty Output");
}

TEST_F(LayerTest, MayBeMadeOfLayers) {
  const Layer residual = std::make_shared<Residual>(std::make_shared<Scale>());
  EXPECT_EQ(numbers(residual(given(Tensor::of<float>({1, 2}, {1, 2})), kTraining)),
            (std::vector<double>{4, 8}));
  EXPECT_EQ(variable_names(), Names{"residual/scale/scale"});
  EXPECT_EQ(residual.variables(graph_).size(), 1u);
}

TEST_F(LayerTest, CountsASharedPartOnce) {
  const Dense dense({.units = 2});
  const Sequential twice({dense, dense});
  twice(input({kUnknownDim, 2}), kTraining);
  EXPECT_EQ(twice.variables(graph_).size(), 2u);
}

TEST_F(LayerTest, OfASequentialNestAndPrefixOnlyWhenNamed) {
  const Sequential inner({Dense({.units = 2}), Activation("relu")}, {.name = "block"});
  const Sequential net({Dense({.units = 3}), inner, Sequential({Dense({.units = 1})})});
  EXPECT_EQ(net.layers().size(), 3u);
  const Output y = net(input({kUnknownDim, 4}), kTraining);
  EXPECT_EQ(y.shape(), (Shape{kUnknownDim, 1}));
  EXPECT_EQ(variable_names(), (Names{"dense/kernel", "dense/bias", "block/dense/kernel",
                                     "block/dense/bias", "dense_1/kernel", "dense_1/bias"}));
}

TEST(SequentialOptions, WantALayer) {
  expect_error(
      Code::kInvalidArgument, [] { Sequential(std::vector<Layer>{}); }, "at least one");
}

}  // namespace
}  // namespace thalweg
