#include "thalweg/nn/summary.h"

#include "nn/nn_testing.h"
#include "thalweg/nn/image_layers.h"
#include "thalweg/nn/layers.h"

namespace thalweg {
namespace {

using testing::expect_error;

TEST(Summary, ListsLayersShapesAndParameters) {
  const Sequential net({Dense({.units = 128, .activation = "relu"}), BatchNorm(), Dropout(),
                        Dense({.units = 10, .name = "logits"})});
  EXPECT_EQ(summary(net, {kUnknownDim, 784}),
            "Layer (type)            Output shape  Parameters\n"
            "dense (Dense)           [?, 128]         100,480\n"
            "batch_norm (BatchNorm)  [?, 128]             512\n"
            "dropout (Dropout)       [?, 128]               0\n"
            "logits (Dense)          [?, 10]            1,290\n"
            "Total 102,282: trainable 102,026, non-trainable 256\n");
}

TEST(Summary, CountsSharedLayersOnce) {
  const Dense dense({.units = 4});
  EXPECT_EQ(summary(Sequential({dense, dense}), {kUnknownDim, 4}),
            "Layer (type)           Output shape  Parameters\n"
            "dense (Dense)          [?, 4]                20\n"
            "dense (Dense, shared)  [?, 4]                 0\n"
            "Total 20: trainable 20, non-trainable 0\n");
}

TEST(Summary, ShowsANamedBlockAsOne) {
  const Sequential block({Conv2d({.filters = 2}), BatchNorm()}, {.name = "block"});
  EXPECT_EQ(summary(Sequential({block, GlobalAvgPool2d()}), {kUnknownDim, 8, 8, 1}),
            "Layer (type)                         Output shape  Parameters\n"
            "block (Sequential)                   [?, 8, 8, 2]          28\n"
            "global_avg_pool2d (GlobalAvgPool2d)  [?, 2]                 0\n"
            "Total 28: trainable 24, non-trainable 4\n");
}

TEST(Summary, TakesIds) {
  EXPECT_NE(summary(Embedding({.vocabulary = 1000, .units = 16}), {kUnknownDim, 7}, kInt64)
                .find("[?, 7, 16]"),
            std::string::npos);
}

TEST(Summary, FailsAsACallWould) {
  expect_error(
      Code::kInvalidArgument,
      [] {
        summary(Conv2d({.filters = 1}), {kUnknownDim, 784});
      },
      "conv2d", "Reshape");
}

}  // namespace
}  // namespace thalweg
