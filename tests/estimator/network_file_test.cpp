#include "estimator_testing.h"
#include "thalweg/nn/image_layers.h"
#include "thalweg/nn/summary.h"

namespace thalweg {
namespace {

constexpr char kText[] = R"json({"layers": [
  {"type": "Conv2d", "filters": 4, "kernel_size": [3, 3], "activation": "relu"},
  {"type": "MaxPool2d", "pool_size": [2, 2]},
  {"type": "Flatten"},
  {"type": "Dropout", "rate": 0.1},
  {"type": "Sequential", "name": "top", "layers": [
    {"type": "Dense", "kernel_regularizer": "l2(0.001)"}]}
]})json";

TEST(NetworkFile, MakesTheLayersItLists) {
  const Layer network = parse_network(kText, 7);
  EXPECT_EQ(network.layers().size(), 5u);
  const std::string table = summary(network, {kUnknownDim, 8, 8, 1});
  EXPECT_NE(table.find("conv2d (Conv2d)"), std::string::npos) << table;
  EXPECT_NE(table.find("[?, 7]"), std::string::npos) << "the last Dense has the outputs' units";
}

TEST(NetworkFile, ReadsBackWhatItWrites) {
  const std::string text = network_to_json(parse_network(kText, 7));
  EXPECT_EQ(network_to_json(parse_network(text, 3)), text);
  EXPECT_NE(text.find("\"rate\": 0.1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"units\": 7"), std::string::npos) << text;
  // A single layer is a network too.
  EXPECT_EQ(parse_network(network_to_json(Dense({.units = 2})), 2).layers().size(), 1u);
}

TEST(NetworkFile, NamesPlaceAndFault) {
  const auto fails = [](const char* text, auto... words) {
    expect_error(
        Code::kInvalidArgument, [&] { parse_network(text, 2); }, words...);
  };
  fails("{", "JSON", "line 1, column 2", "ends too early");
  fails("{\"layers\":\n [1,}", "line 2, column 5", "`}`");
  fails("{\"layers\": 1e999}", "too large");
  fails("{\"a\": \"\xff\"}", "line 1, column 8");
  fails("[]", "layers");
  fails(R"({"layers": []})", "at least one");
  fails(R"({"layers": [{"type": "Dens"}]})", "layer 0", "Dens", "Dense");
  fails(R"({"layers": [{"type": "Flatten"}, {"type": "Dense", "unit": 3}]})", "layer 1", "unit");
  fails(R"({"layers": [{"type": "Dense", "units": {"a": 1}}]})", "units");
  fails(R"({"layers": [{"units": 3}]})", "type");
  fails(R"({"layers": [{"type": "Flatten"}], "layer": 1})", "`layer`");
}

std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

// Deep enough to run out of stack, were it read.
TEST(NetworkFile, RefusesWhatIsNestedWithoutMeasure) {
  constexpr int kDeep = 100000;
  const auto fails = [](const std::string& text, auto... words) {
    expect_error(
        Code::kInvalidArgument, [&] { parse_network(text, 2); }, words...);
  };
  const std::string lists = repeated("[", kDeep) + repeated("]", kDeep);
  fails("{\"layers\":\n[{\"type\": \"Dense\", \"units\": " + lists + "}]}", "line 2, column 126",
        "nested more than 100 deep");
  fails("{\"layers\":\r[{\"type\": \"Dense\", \"units\": " + lists + "}]}", "line 2, column 126");
  const std::string layers = "{\"type\": \"Sequential\", \"layers\": [";
  fails("{\"layers\": [" + repeated(layers, kDeep) + repeated("]}", kDeep) + "]}",
        "nested more than 100 deep");
  // Brackets in texts nest nothing.
  const std::string name = repeated("[{\\\"", kDeep);
  const Layer network =
      parse_network("{\"name\": \"" + name + "\", \"layers\": [{\"type\": \"Flatten\"}]}", 2);
  EXPECT_EQ(network.layers().size(), 1u);
}

TEST(NetworkFile, HoldsWhateverItWrites) {
  Layer deep = Dense({.units = 2});
  const auto enclose = [&] { deep = Sequential(std::vector<Layer>{deep}); };
  for (int i = 0; i < 40; ++i) enclose();
  const std::string text = network_to_json(deep);
  EXPECT_EQ(network_to_json(parse_network(text, 2)), text);
  for (int i = 0; i < 40; ++i) enclose();
  expect_error(
      Code::kInvalidArgument, [&] { network_to_json(deep); }, "nested more than");
}

TEST(MakeNetwork, KnowsItsNames) {
  for (const std::string& name : network_names()) {
    const Layer network = make_network(name, 3);
    EXPECT_NE(summary(network, {kUnknownDim, 8, 8, 1}).find("[?, 3]"), std::string::npos) << name;
  }
  expect_error(
      Code::kInvalidArgument, [] { make_network("cmn", 3); }, "cmn", "cnn");
}

TEST(OptimizerChoice, MakesEachNamedOptimizer) {
  for (const std::string& name : optimizer_names()) {
    for (const std::string& schedule : schedule_names()) {
      const NamedOptimizer choice{.name = name, .schedule = schedule};
      EXPECT_FALSE(make_optimizer(choice, 100).to_string().empty()) << name;
    }
  }
  EXPECT_EQ(to_string(OptimizerChoice(NamedOptimizer{})), "adam, learning rate 0.001, constant");
  EXPECT_EQ(to_string(OptimizerChoice(Sgd({.learning_rate = 0.5}))),
            Sgd({.learning_rate = 0.5}).to_string());
  expect_error(
      Code::kInvalidArgument, [] { make_optimizer(NamedOptimizer{.schedule = "cosin"}, 1); },
      "cosine");
  expect_error(
      Code::kInvalidArgument, [] { make_optimizer(NamedOptimizer{.learning_rate = -1}, 1); }, "-1");
}

}  // namespace
}  // namespace thalweg
