// Dense, Embedding, Flatten, Reshape, Activation.
#include "thalweg/nn/layers.h"

#include <cmath>

#include "nn/nn_testing.h"
#include "thalweg/nn/activations.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::expect_near;
using testing::GraphTest;

constexpr Mode kTraining = Mode::kTraining;

class DenseTest : public GraphTest {};

TEST_F(DenseTest, MultipliesAddsAndActivates) {
  const Dense dense({.units = 2,
                     .activation = "relu",
                     .kernel_initializer = "ones",
                     .bias_initializer = initializers::constant(-4)});
  const Output y = dense(given(Tensor::of<float>({1, 2, 3, 4}, {2, 2})), kTraining);
  EXPECT_EQ(numbers(y), (std::vector<double>{0, 0, 3, 3}));
}

TEST_F(DenseTest, WorksOnTheLastOfSeveralDimensions) {
  const Dense dense({.units = 2, .kernel_initializer = "ones"});
  const Output x = input({kUnknownDim, kUnknownDim, 3});
  const Output y = dense(x, kTraining);
  EXPECT_EQ(y.shape().dim(-1), 2);
  const Tensor result = run(y, {{x, Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 1, 3})}});
  EXPECT_EQ(result.shape(), (Shape{2, 1, 2}));
  EXPECT_EQ(testing::values(result), (std::vector<double>{6, 6, 15, 15}));
}

TEST_F(DenseTest, HasParametersOfInputsTimesUnitsPlusUnits) {
  const Dense dense({.units = 128});
  dense(input({kUnknownDim, 784}), kTraining);
  int64_t count = 0;
  for (const Variable& v : dense.variables(graph_)) count += v.shape().num_elements();
  EXPECT_EQ(count, 784 * 128 + 128);
}

TEST_F(DenseTest, LeavesTheBiasOut) {
  const Dense dense({.units = 2, .use_bias = false});
  dense(input({kUnknownDim, 3}), kTraining);
  EXPECT_EQ(variable_names(), std::vector<std::string>{"dense/kernel"});
}

TEST_F(DenseTest, TakesAnEmptyBatch) {
  const Output x = input({kUnknownDim, 3});
  EXPECT_EQ(run(Dense({.units = 2})(x, kTraining), {{x, Tensor(kFloat32, {0, 3})}}).shape(),
            (Shape{0, 2}));
}

TEST_F(DenseTest, HasWeightsOfTheInputsType) {
  const Dense dense({.units = 2});
  dense(input({kUnknownDim, 3}, kFloat64), kTraining);
  EXPECT_EQ(dense.variables(graph_)[0].dtype(), kFloat64);
}

TEST_F(DenseTest, RejectsWhatItCannotBuildFor) {
  const Dense dense({.units = 2});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        dense(input({kUnknownDim, kUnknownDim}), kTraining);
      },
      "last dimension", "[?, ?]", "must be known");
  expect_error(
      Code::kInvalidArgument, [&] { dense(input({kUnknownDim}), kTraining); },
      "[?] has 1 dimension,", "Reshape");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        dense(input({kUnknownDim, 3}, kInt64), kTraining);
      },
      "int64", "cast");
  expect_error(
      Code::kInvalidArgument, [&] { dense(input(Shape::unknown()), kTraining); }, "unknown rank");
}

TEST(DenseOptions, AreCheckedWhenTheLayerIsMade) {
  expect_error(
      Code::kInvalidArgument, [] { Dense({.activation = "relu"}); }, "units", "at least 1");
  expect_error(
      Code::kInvalidArgument, [] { Dense({.units = 2, .activation = "rellu"}); }, "rellu",
      "`relu`");
}

class EmbeddingTest : public GraphTest {};

TEST_F(EmbeddingTest, PicksRows) {
  const Embedding embedding({.vocabulary = 5, .units = 3});
  const Output y = embedding(given(Tensor::of<int64_t>({4, 0, 4, 1}, {2, 2})), kTraining);
  EXPECT_EQ(y.shape(), (Shape{2, 2, 3}));
  const std::vector<double> table = testing::values(variable("embedding/embeddings"));
  const std::vector<double> got = numbers(y);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(got[k], table[4 * 3 + k]);
    EXPECT_EQ(got[3 + k], table[k]);
    EXPECT_EQ(got[9 + k], table[3 + k]);
    EXPECT_LE(std::abs(table[k]), 0.05);
  }
}

TEST_F(EmbeddingTest, RejectsAnIdOutsideTheVocabularyWhenItRuns) {
  const Embedding embedding({.vocabulary = 3, .units = 2, .name = "words"});
  const Output y = embedding(given(Tensor::of<int32_t>({999})), kTraining);
  expect_error(
      Code::kInvalidArgument, [&] { run(y); }, "999", "words", "3");
}

TEST_F(EmbeddingTest, RejectsFloatingIds) {
  const Embedding embedding({.vocabulary = 3, .units = 2});
  expect_error(
      Code::kInvalidArgument, [&] { embedding(input({kUnknownDim}), kTraining); }, "float32",
      "int64");
}

class FlattenTest : public GraphTest {};

TEST_F(FlattenTest, KeepsTheBatch) {
  EXPECT_EQ(Flatten()(input({kUnknownDim, 2, 3}), kTraining).shape(), (Shape{kUnknownDim, 6}));
  EXPECT_EQ(Flatten()(input({4, 2, 3}), kTraining).shape(), (Shape{4, 6}));
  EXPECT_EQ(Flatten()(input({kUnknownDim}), kTraining).shape(), (Shape{kUnknownDim, 1}));
}

TEST_F(FlattenTest, FindsTheSizeOfOpenDimensionsWhenItRuns) {
  const Output x = input({kUnknownDim, kUnknownDim, 3});
  EXPECT_EQ(run(Flatten()(x, kTraining), {{x, Tensor(kFloat32, {2, 5, 3})}}).shape(),
            (Shape{2, 15}));
}

TEST_F(FlattenTest, TakesAnEmptyBatch) {
  const Output x = input({kUnknownDim, 2, 3});
  EXPECT_EQ(run(Flatten()(x, kTraining), {{x, Tensor(kFloat32, {0, 2, 3})}}).shape(),
            (Shape{0, 6}));
}

class ReshapeTest : public GraphTest {};

TEST_F(ReshapeTest, KeepsTheBatch) {
  const Output x = input({kUnknownDim, 784});
  EXPECT_EQ(Reshape({.shape = {28, 28, 1}})(x, kTraining).shape(), (Shape{kUnknownDim, 28, 28, 1}));
  EXPECT_EQ(Reshape({.shape = {-1, 28}})(x, kTraining).shape(), (Shape{kUnknownDim, 28, 28}));
}

TEST_F(ReshapeTest, NamesBothSizesWhenTheyDiffer) {
  expect_error(
      Code::kInvalidArgument,
      [&] {
        Reshape({.shape = {28, 28, 2}})(input({kUnknownDim, 784}), kTraining);
      },
      "layer `reshape` (Reshape)", "784", "[28, 28, 2]", "1568");
}

TEST(ReshapeOptions, AllowOneOpenDimension) {
  expect_error(
      Code::kInvalidArgument,
      [] {
        Reshape({.shape = {-1, -1}});
      },
      "at most one -1");
}

class ActivationTest : public GraphTest {};

TEST_F(ActivationTest, AppliesTheNamedFunction) {
  const Output x = given(Tensor::of<float>({-1, 0, 2}, {1, 3}));
  expect_near(numbers(Activation("relu")(x, kTraining)), {0, 0, 2});
  expect_near(numbers(Activation("linear")(x, kTraining)), {-1, 0, 2});
  expect_near(numbers(Activation("leaky_relu")(x, kTraining)), {-0.2, 0, 2});
  expect_near(numbers(Activation("tanh")(x, kTraining)), {std::tanh(-1), 0, std::tanh(2)});
  expect_near(numbers(Activation("gelu")(x, kTraining)), {-0.158655, 0, 1.954500});
}

TEST_F(ActivationTest, KnowsEveryNameItLists) {
  const Output x = given(Tensor::of<float>({-1, 0, 2}, {1, 3}));
  for (const std::string& name : activation_names()) {
    EXPECT_EQ(activate(x, name).shape(), x.shape()) << name;
  }
  EXPECT_EQ(activate(x, ""), x);
}

}  // namespace
}  // namespace thalweg
