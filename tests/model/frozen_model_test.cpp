// Signatures served with weights as constants.
#include "testing.h"
#include "thalweg/formats/saved_model.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"

namespace thalweg {
namespace {

// y = x * w + count; the signature "step" adds x to count, and gives what it was plus w.
class FrozenModels : public ::testing::Test {
 protected:
  FrozenModels() {
    Graph graph(standard_ops());
    const Output x = placeholder(graph, kFloat32, Shape{}, {.name = "x"});
    const Output w = handle(graph, "w"), count = handle(graph, "count");
    const auto read = [&](Output handle) {
      return graph.add("ReadVariableOp", {handle}, {{"dtype", kFloat32}}).output();
    };
    const Output y = x * read(w) + read(count);
    const Output before = read(count) + read(w);
    Node& step =
        graph.add("AssignAddVariableOp", {count, x}, {}, {.control_inputs = {before.node()}});
    const Output done = graph.add("Identity", {before}, {}, {.control_inputs = {&step}}).output();
    write_saved_model(folder_ / "1", graph,
                      {{.inputs = {{"x", x}}, .outputs = {{"y", y}}},
                       {.name = "step", .inputs = {{"x", x}}, .outputs = {{"was", done}}}},
                      {{"w", Tensor(2.0f)}, {"count", Tensor(10.0f)}}, {.variables = true});
  }
  static Output handle(Graph& graph, const std::string& name) {
    return graph
        .add("VarHandleOp", {}, {{"dtype", kFloat32}, {"shape", Shape{}}, {"shared_name", name}},
             {.name = name})
        .output();
  }
  static float y(const LoadedModel& model) {
    return model.run({{"x", Tensor(3.0f)}}).at("y").item<float>();
  }
  static float step(const LoadedModel& model) {
    return model.run({{"x", Tensor(1.0f)}}, "step").at("was").item<float>();
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(FrozenModels, KeepTheWeightsOfTheFirstRun) {
  const auto model = LoadedModel::load(folder_ / "1");
  EXPECT_EQ(y(*model), 16);
  model->session().variables().set("w", Tensor(100.0f));
  EXPECT_EQ(y(*model), 16);
  EXPECT_EQ(model->session().variables().get("w").item<float>(), 100);
}

// Rows are gathered behind the batch dimensions, as constants and as variables alike.
TEST_F(FrozenModels, GatherInBatches) {
  Graph graph(standard_ops());
  const Output table =
      graph
          .add("VarHandleOp", {},
               {{"dtype", kFloat32}, {"shape", Shape{2, 3}}, {"shared_name", std::string("table")}})
          .output();
  const Output indices = placeholder(graph, kInt32, Shape{2, 1}, {.name = "indices"});
  const Output rows = graph
                          .add("ResourceGather", {table, indices},
                               {{"dtype", kFloat32}, {"batch_dims", int64_t{1}}}, {.name = "rows"})
                          .output();
  const std::map<std::string, Tensor> values = {
      {"table", Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3})}};
  for (const bool variables : {true, false}) {
    const std::string path = folder_ / str("gather", variables);
    write_saved_model(path, graph, {{.inputs = {{"i", indices}}, .outputs = {{"y", rows}}}}, values,
                      {.variables = variables});
    for (const bool freeze : {true, false}) {
      const Tensor y = LoadedModel::load(path, {.freeze = freeze})
                           ->run({{"i", Tensor::of<int32_t>({2, 0}, {2, 1})}})
                           .at("y");
      EXPECT_TRUE(y.same_bits(Tensor::of<float>({3, 4}, {2, 1})))
          << variables << freeze << y.to_string();
    }
  }
}

TEST_F(FrozenModels, ShareWhatASignatureWrites) {
  for (const bool freeze : {true, false}) {
    const auto model = LoadedModel::load(folder_ / "1", {.freeze = freeze});
    EXPECT_EQ(y(*model), 16);
    EXPECT_EQ(step(*model), 12);
    EXPECT_EQ(step(*model), 13);
    EXPECT_EQ(y(*model), 18);
    EXPECT_EQ(model->session().variables().get("count").item<float>(), 12);
    EXPECT_EQ(model->session().variables().get("w").item<float>(), 2);
  }
}

TEST_F(FrozenModels, FollowTheirVariablesWhenToldTo) {
  const auto model = LoadedModel::load(folder_ / "1", {.freeze = false});
  EXPECT_EQ(y(*model), 16);
  model->session().variables().set("w", Tensor(100.0f));
  EXPECT_EQ(y(*model), 310);
}

TEST_F(FrozenModels, KeepWeightsThatOnlyAnUnloadedSignatureWrites) {
  const auto model =
      LoadedModel::load(folder_ / "1", {.signatures = {std::string(kServingSignature)}});
  EXPECT_EQ(y(*model), 16);
  model->session().variables().set("count", Tensor(0.0f));
  EXPECT_EQ(y(*model), 16);
}

TEST_F(FrozenModels, AreUntouchedByWritesInPlace) {
  Graph graph(standard_ops());
  const Output count = handle(graph, "v");
  Node& add = graph.add("AssignAddVariableOp", {count, constant(graph, Tensor(1.0f))});
  Session session(graph);
  session.variables().set("v", Tensor(5.0f));
  const Tensor shared = session.variables().share("v");
  session.run(add);
  session.run(add);
  EXPECT_EQ(shared.item<float>(), 5);
  EXPECT_EQ(session.variables().get("v").item<float>(), 7);
}

}  // namespace
}  // namespace thalweg
