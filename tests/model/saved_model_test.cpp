#include "thalweg/formats/saved_model.h"

#include <filesystem>

#include "testing.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"

namespace thalweg {
namespace {

using testing::expect_error;

// y = x w + b, with two variables; z = y * 2 as a second signature.
class SavedModels : public ::testing::Test {
 protected:
  SavedModels() {
    x_ = placeholder(graph_, kFloat32, Shape{-1, 2}, {.name = "x"});
    w_ = handle("layer/w", Shape{2, 1});
    b_ = handle("layer/b", Shape{1});
    y_ = matmul(x_, read(w_), {.name = "y"}) + read(b_);
    z_ = y_ * 2.0;
  }

  Output handle(const std::string& name, const Shape& shape) {
    return graph_
        .add("VarHandleOp", {}, {{"dtype", kFloat32}, {"shape", shape}, {"shared_name", name}},
             {.name = name})
        .output();
  }
  Output read(Output handle) {
    return graph_.add("ReadVariableOp", {handle}, {{"dtype", kFloat32}}).output();
  }
  std::vector<SignatureSpec> signatures() const {
    return {{.inputs = {{"x", x_}}, .outputs = {{"y", y_}}},
            {.name = "double", .inputs = {{"x", x_}}, .outputs = {{"z", z_}}}};
  }

  const testing::TemporaryFolder folder_;
  Graph graph_{standard_ops()};
  Output x_, w_, b_, y_, z_;
  const std::map<std::string, Tensor> values_ = {{"layer/w", Tensor::of<float>({2, 3}, {2, 1})},
                                                 {"layer/b", Tensor::of<float>({0.5f})}};
};

void expect_runs(const LoadedModel& model) {
  const NamedTensors inputs = {{"x", Tensor::of<float>({1, 2, -1, 0}, {2, 2})}};
  const Tensor y = model.run(inputs).at("y");
  EXPECT_TRUE(y.same_bits(Tensor::of<float>({8.5f, -1.5f}, {2, 1}))) << y.to_string();
  const Tensor z = model.run(inputs, "double").at("z");
  EXPECT_TRUE(z.same_bits(Tensor::of<float>({17, -3}, {2, 1}))) << z.to_string();
}

TEST_F(SavedModels, RunAgainWithTheirWeightsAsConstants) {
  write_saved_model(folder_ / "1", graph_, signatures(), values_);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "1/variables"));
  const auto model = LoadedModel::load(folder_ / "1");
  expect_runs(*model);
  EXPECT_EQ(model->meta_graph().tags(), std::vector<std::string>{"serve"});
}

TEST_F(SavedModels, RunAgainWithVariables) {
  write_saved_model(folder_ / "1", graph_, signatures(), values_, {.variables = true});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "1/variables/variables.index"));
  const auto model = LoadedModel::load(folder_ / "1");
  expect_runs(*model);
  EXPECT_EQ(model->session().variables().names(), (std::vector<std::string>{"layer/b", "layer/w"}));
  EXPECT_EQ(model->meta_graph().restored().at("layer/w").key, "layer/w");
}

TEST_F(SavedModels, TellTheirSignatures) {
  write_saved_model(folder_ / "1", graph_, signatures(), values_);
  const SavedModelFile file(folder_ / "1");
  const std::vector<Signature>& found = file.graph({"serve"}).signatures();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].name, kServingSignature);
  EXPECT_EQ(found[1].method, kPredictMethod);
  EXPECT_EQ(found[1].inputs[0].tensor, "x:0");
  EXPECT_EQ(found[1].inputs[0].dtype, kFloat32);
  EXPECT_TRUE(found[1].inputs[0].shape == (Shape{-1, 2}));
}

TEST_F(SavedModels, AreNeverOverwritten) {
  write_saved_model(folder_ / "1", graph_, signatures(), values_);
  expect_error(
      Code::kAlreadyExists,
      [&] { write_saved_model(folder_ / "1", graph_, signatures(), values_); }, "is there");
}

TEST_F(SavedModels, LeaveNothingBehindWhenTheyFail) {
  expect_error(
      Code::kFailedPrecondition,
      [&] { write_saved_model(folder_ / "1", graph_, signatures(), {}); }, "`layer/");
  expect_error(
      Code::kFailedPrecondition,
      [&] { write_saved_model(folder_ / "1", graph_, signatures(), {}, {.variables = true}); },
      "`layer/b`");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(SavedModels, NeedEveryPlaceholderAsAnInput) {
  expect_error(
      Code::kInvalidArgument,
      [&] {
        write_saved_model(folder_ / "1", graph_, {{.outputs = {{"y", y_}}}}, values_);
      },
      "placeholder `x`", "none of its inputs");
}

TEST_F(SavedModels, SayWhatAnInputMustBe) {
  write_saved_model(folder_ / "1", graph_, signatures(), values_);
  const auto model = LoadedModel::load(folder_ / "1");
  expect_error(
      Code::kInvalidArgument, [&] { model->run({}); }, "needs the input `x`", "float32");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        model->run({{"x", Tensor::of<float>({1, 2, 3}, {1, 3})}});
      },
      "[1, 3]");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        model->run({{"x", Tensor::of<float>({1, 2}, {1, 2})}, {"y", Tensor(1.0f)}});
      },
      "no input `y`");
  expect_error(
      Code::kNotFound, [&] { model->run({}, "doubel"); }, "did you mean `double`");
}

TEST_F(SavedModels, AreFoundByTheirTags) {
  write_saved_model(folder_ / "1", graph_, signatures(), values_, {.tags = {"serve", "gpu"}});
  expect_error(
      Code::kNotFound, [&] { LoadedModel::load(folder_ / "1", {.tags = {"serve"}}); },
      "[serve,gpu]");
  EXPECT_NO_THROW(LoadedModel::load(folder_ / "1", {.tags = {"gpu", "serve"}}));
}

TEST_F(SavedModels, AreMissedByTheirFolder) {
  expect_error(
      Code::kNotFound, [&] { LoadedModel::load(folder_.path()); }, "no SavedModel",
      "saved_model.pb");
}

}  // namespace
}  // namespace thalweg
