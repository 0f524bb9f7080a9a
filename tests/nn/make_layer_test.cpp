#include "thalweg/nn/make_layer.h"

#include <algorithm>

#include "nn/nn_testing.h"
#include "thalweg/nn/image_layers.h"
#include "thalweg/nn/layers.h"
#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

using testing::expect_error;

void expect_same(const AttrMap& a, const AttrMap& b) {
  ASSERT_EQ(a.size(), b.size());
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    EXPECT_EQ(i->first, j->first);
    EXPECT_TRUE(same_attr(i->second, j->second))
        << i->first << ": " << to_string(i->second) << " and " << to_string(j->second);
  }
}

std::vector<Layer> every_layer() {
  return {
      Dense({.units = 5,
             .activation = "relu",
             .use_bias = false,
             .kernel_initializer = "uniform(-0.1, 0.1)",
             .kernel_regularizer = "l2(1e-4)",
             .name = "fc"}),
      Embedding({.vocabulary = 7, .units = 3, .regularizer = regularizers::l1(0.5)}),
      BatchNorm({.momentum = 0.9, .epsilon = 1e-5, .center = false}),
      Dropout({.rate = 0.3}),
      Activation("gelu"),
      Flatten({.name = "flat"}),
      Reshape({.shape = {2, -1}}),
      Conv2d({.filters = 4, .kernel_size = {5}, .strides = {2, 2}, .padding = "VALID"}),
      DepthwiseConv2d({.multiplier = 2, .dilations = {2, 2}}),
      MaxPool2d({.pool_size = {3, 2}}),
      AvgPool2d({.strides = {1, 1}, .padding = "SAME"}),
      GlobalAvgPool2d(),
      Sequential({Dense({.units = 2}), Sequential({Activation("relu"), Dropout()}, {.name = "in"}),
                  Dense({.units = 1})}),
  };
}

TEST(MakeLayer, ReadsBackEveryTypeOfLayer) {
  std::vector<std::string> types;
  for (const Layer& layer : every_layer()) {
    SCOPED_TRACE(layer.type());
    types.emplace_back(layer.type());
    const Layer made = make_layer(layer.type(), layer.config());
    EXPECT_EQ(made.type(), layer.type());
    expect_same(made.config(), layer.config());
    EXPECT_EQ(made.base().name(), layer.base().name());
  }
  std::sort(types.begin(), types.end());
  EXPECT_TRUE(std::equal(types.begin(), types.end(), layer_types().begin(), layer_types().end()));
}

TEST(MakeLayer, GivesTheSameNetworkInAnotherGraph) {
  const Sequential net({Reshape({.shape = {4, 4, 1}}), Conv2d({.filters = 2}), BatchNorm(),
                        MaxPool2d(), Flatten(), Dense({.units = 3, .activation = "softmax"})});
  std::vector<std::vector<double>> results;
  for (const Layer& layer : {Layer(net), make_layer(net.type(), net.config())}) {
    Graph graph(standard_ops());
    Tensor x(kFloat32, {2, 16});
    for (size_t i = 0; i < 32; ++i) x.mutable_data<float>()[i] = static_cast<float>(i % 5);
    const Output y = layer(constant(graph, x), Mode::kPredicting);
    Session session(graph);
    session.initialize();
    results.push_back(testing::values(session.run(y)));
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(MakeLayer, LeavesDefaultsAndTakesWholeNumbersForRealOnes) {
  const Layer dense = make_layer("Dense", {{"units", int64_t{3}}});
  expect_same(dense.config(), Dense({.units = 3}).config());
  EXPECT_EQ(make_layer("Dropout", {{"rate", int64_t{0}}}).type(), "Dropout");
}

TEST(MakeLayer, NamesWhatIsUnknown) {
  expect_error(
      Code::kInvalidArgument, [] { make_layer("Dens", {}); }, "Dens", "`Dense`");
  expect_error(
      Code::kInvalidArgument,
      [] {
        make_layer("Dense", {{"unit", int64_t{3}}});
      },
      "Dense: unknown option `unit`", "`units`");
  expect_error(
      Code::kInvalidArgument,
      [] {
        make_layer("Dense", {{"units", 3.0f}});
      },
      "`units`", "float", "int");
  expect_error(
      Code::kInvalidArgument, [] { make_layer("Sequential", {}); }, "layers");
  expect_error(
      Code::kInvalidArgument,
      [] {
        make_layer("Sequential", {{"layers", std::vector<std::string>{"Flatten", "Dense"}},
                                  {"1/untis", int64_t{3}}});
      },
      "Sequential: layer 1: Dense", "`untis`");
  expect_error(
      Code::kInvalidArgument,
      [] {
        make_layer("Sequential",
                   {{"layers", std::vector<std::string>{"Flatten"}}, {"1/units", int64_t{3}}});
      },
      "1/units");
}

class Double : public LayerBase {
 public:
  std::string_view type() const override { return "Double"; }
  Output call(Output x, Mode) override { return x + x; }
};

TEST(MakeLayer, MakesOnesOwnTypes) {
  const LayerMakers makers = {
      {"Double", [](const AttrMap&) { return Layer(std::make_shared<Double>()); }}};
  const Sequential net({std::make_shared<Double>(), Flatten()});
  const Layer made = make_layer("Sequential", net.config(), makers);
  EXPECT_EQ(made.layers()[0].type(), "Double");
  expect_error(
      Code::kInvalidArgument, [&] { make_layer("Sequential", net.config()); }, "Double");
}

}  // namespace
}  // namespace thalweg
