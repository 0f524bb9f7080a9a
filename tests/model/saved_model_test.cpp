#include "thalweg/formats/saved_model.h"

#include <filesystem>
#include <set>

#include "proto/saved_model.pb.h"
#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/model/loaded_model.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/table.h"

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

TEST_F(SavedModels, AreWrittenUnderNamesWithASeparatorAtTheEnd) {
  write_saved_model(folder_ / "new/1/", graph_, signatures(), values_);
  expect_runs(*LoadedModel::load(folder_ / "new/1"));
  EXPECT_EQ(list_folder(folder_ / "new"), std::vector<std::string>{"1"});
}

// Everything that is written beside the model's own nodes must find names of its own.
TEST_F(SavedModels, KeepTheNamesOfTheirNodes) {
  const Output more = placeholder(graph_, kFloat32, Shape{}, {.name = "save/Const"});
  Output sum = more + placeholder(graph_, kFloat32, Shape{}, {.name = "save_1/x"});
  sum = sum + placeholder(graph_, kFloat32, Shape{}, {.name = "layer/w/Read/ReadVariableOp"});
  // A second handle of one variable, and rows of it.
  Node& again = graph_.add(
      "VarHandleOp", {},
      {{"dtype", kFloat32}, {"shape", Shape{2, 1}}, {"shared_name", std::string("layer/w")}},
      {.name = "again"});
  const Output index = constant(graph_, Tensor::of<int32_t>({1}));
  const Output rows =
      graph_.add("ResourceGather", {again.output(), index}, {{"dtype", kFloat32}}, {.name = "rows"})
          .output();
  sum = sum + placeholder(graph_, kFloat32, Shape{}, {.name = "rows/axis"});
  const Output result = rows + sum;
  SignatureSpec spec{.outputs = {{"sum", result}, {"y", y_}}};
  spec.inputs = {{"x", x_}};
  NamedTensors inputs = {{"x", Tensor::of<float>({1, 2}, {1, 2})}};
  for (const char* name : {"save/Const", "save_1/x", "layer/w/Read/ReadVariableOp", "rows/axis"}) {
    spec.inputs.push_back({name, graph_.output(name)});
    inputs[name] = Tensor(1.0f);
  }
  for (const bool variables : {false, true}) {
    const std::string path = folder_ / str(variables);
    write_saved_model(path, graph_, {spec}, values_, {.variables = variables});
    const auto model = LoadedModel::load(path);
    EXPECT_EQ(model->run(inputs).at("sum").data<float>()[0], 7) << variables;
    if (!variables) continue;
    tensorflow::SavedModel written;
    ASSERT_TRUE(written.ParseFromString(read_file(join_path(path, "saved_model.pb"))));
    const auto& meta = written.meta_graphs(0);
    std::set<std::string> names;
    for (const auto& node : meta.graph_def().node()) {
      EXPECT_TRUE(names.insert(node.name()).second) << node.name();
      if (node.name() == "rows") {
        EXPECT_EQ(node.input(0), "layer/w");
      }
      if (node.op() != "SaveV2") continue;
      ASSERT_EQ(node.input_size(), 3 + 2);  // each variable once
      EXPECT_EQ(node.input(3), "layer/w/Read/ReadVariableOp_1");
    }
    EXPECT_FALSE(names.contains("again"));
    EXPECT_EQ(meta.saver_def().restore_op_name(), "save_2/restore_all");
    EXPECT_TRUE(names.contains("save_2/restore_all"));
  }
}

TEST_F(SavedModels, SayWhichVariablesAreTrained) {
  for (const Output& handle : {w_, b_}) {
    graph_.add_variable({.name = handle.node()->attr<std::string>("shared_name"),
                         .handle = handle.node(),
                         .trainable = handle == w_,
                         .dtype = kFloat32});
  }
  write_saved_model(folder_ / "1", graph_, signatures(), values_, {.variables = true});
  tensorflow::SavedModel written;
  ASSERT_TRUE(written.ParseFromString(read_file(folder_ / "1/saved_model.pb")));
  const auto& collections = written.meta_graphs(0).collection_def();
  EXPECT_EQ(collections.at("variables").bytes_list().value_size(), 2);
  ASSERT_EQ(collections.at("trainable_variables").bytes_list().value_size(), 1);
  const std::string& only = collections.at("trainable_variables").bytes_list().value(0);
  EXPECT_NE(only.find("layer/w"), std::string::npos);
}

TEST_F(SavedModels, RefuseValuesThatTheirVariablesCannotHold) {
  write_saved_model(folder_ / "1", graph_, signatures(), values_, {.variables = true});
  const auto replace = [&](const Tensor& b) {
    BundleWriter writer(folder_ / "1/variables/variables");
    writer.add("layer/w", values_.at("layer/w"));
    writer.add("layer/b", b);
    writer.finish();
  };
  for (const Tensor& wrong : {Tensor::zeros(kFloat32, {4}), Tensor::zeros(kFloat64, {1})}) {
    replace(wrong);
    expect_error(
        Code::kInvalidArgument, [&] { LoadedModel::load(folder_ / "1"); },
        "variable `layer/b` is float32[1]", "variables/variables",
        str("is ", wrong.dtype(), wrong.shape()));
  }
  replace(values_.at("layer/b"));
  expect_runs(*LoadedModel::load(folder_ / "1"));
}

// A SavedModel as text: one graph with these nodes and other fields.
std::string model_text(const std::string& nodes, const std::string& more) {
  return "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } graph_def "
         "{ " +
         nodes + "} " + more + " }";
}

std::string text_node(const std::string& name, const std::string& op, const std::string& rest) {
  return "node { name: '" + name + "' op: '" + op + "' " + rest + "} ";
}

std::string text_attr(const std::string& name, const std::string& value) {
  return "attr { key: '" + name + "' value { " + value + " } } ";
}

TEST_F(SavedModels, RestoreThroughCirclesOfPassingNodesWithoutEnd) {
  const std::string type = text_attr("T", "type: DT_RESOURCE");
  write_file(folder_ / "saved_model.pbtxt",
             model_text(text_node("a", "Identity", "input: 'b' " + type) +
                            text_node("b", "Identity", "input: 'a' " + type) +
                            text_node("r", "RestoreV2", "input: 'n' input: 'n' input: 'n' ") +
                            text_node("s", "AssignVariableOp", "input: 'a' input: 'r' ") +
                            text_node("t", "AssignVariableOp", "input: 'a' input: 'a' "),
                        ""));
  const SavedModelFile file(folder_.path());
  EXPECT_FALSE(file.graph().summarize(standard_ops()).problem.empty());
}

// One list names the keys of all variables; reading all of it for each would take minutes.
TEST_F(SavedModels, TellWhereManyVariablesComeFrom) {
  constexpr int kVariables = 20000;
  tensorflow::SavedModel model;
  model.set_saved_model_schema_version(1);
  auto& def = *model.add_meta_graphs()->mutable_graph_def();
  const auto add = [&](const std::string& name, const char* op) -> tensorflow::NodeDef& {
    auto& node = *def.add_node();
    node.set_name(name);
    node.set_op(op);
    return node;
  };
  auto& names = *(*add("names", "Const").mutable_attr())["value"].mutable_tensor();
  names.set_dtype(tensorflow::DT_STRING);
  names.mutable_tensor_shape()->add_dim()->set_size(kVariables);
  auto& restore = add("restore", "RestoreV2");
  for (const char* input : {"prefix", "names", "slices"}) restore.add_input(input);
  for (int i = 0; i < kVariables; ++i) {
    names.add_string_val(str("key", i));
    add(str("v", i), "VarHandleOp");
    auto& assign = add(str("a", i), "AssignVariableOp");
    assign.add_input(str("v", i));
    assign.add_input(str("restore:", i));
  }
  write_file(folder_ / "saved_model.pb", model.SerializeAsString());
  const auto restored = SavedModelFile(folder_.path()).graphs()[0].restored();
  EXPECT_EQ(restored.size(), static_cast<size_t>(kVariables));
  EXPECT_EQ(restored.at("v19999").key, "key19999");
}

TEST_F(SavedModels, FindNodesWhoseNamesOnlyOthersAllow) {
  const std::string dtype = text_attr("dtype", "type: DT_FLOAT");
  write_file(
      folder_ / "saved_model.pbtxt",
      model_text(
          text_node("an input", "Placeholder", dtype) +
              text_node("an output", "Neg",
                        "input: 'an input' " + text_attr("T", "type: DT_FLOAT")) +
              text_node("in it", "NoOp", ""),
          "signature_def { key: 'serving_default' value { inputs { key: 'x' value { name: 'an "
          "input:0' dtype: DT_FLOAT } } outputs { key: 'y' value { name: 'an output:0' dtype: "
          "DT_FLOAT } } } } collection_def { key: 'saved_model_main_op' value { node_list { value: "
          "'in it' } } }"));
  const auto model = LoadedModel::load(folder_.path());
  EXPECT_EQ(model->run({{"x", Tensor(2.0f)}}).at("y").item<float>(), -2);
}

TEST_F(SavedModels, TakeNoMemoryForDefaultsThatAFewBytesClaim) {
  std::string inputs, defaults;
  for (int i = 0; i < 20; ++i) {
    inputs += str("inputs { key: 'x", i, "' value { name: 'x:0' dtype: DT_DOUBLE } } ");
    defaults += str("defaults { key: 'x", i,
                    "' value { dtype: DT_DOUBLE tensor_shape { dim { size: 16777216 } } } } ");
  }
  write_file(folder_ / "saved_model.pbtxt",
             model_text("", "signature_def { key: 's' value { " + inputs + defaults + "} }"));
  expect_error(
      Code::kResourceExhausted, [&] { SavedModelFile(folder_.path()); }, folder_.path(),
      "beyond what it holds");
}

TEST_F(SavedModels, AreMissedByTheirFolder) {
  expect_error(
      Code::kNotFound, [&] { LoadedModel::load(folder_.path()); }, "no SavedModel",
      "saved_model.pb");
}

// y = the line of a word in a file plus its number in a table of the graph.
class SavedVocabularies : public ::testing::Test {
 protected:
  SavedVocabularies() {
    write_file(folder_ / "animals.txt", "cat\ndog\n");
    word_ = placeholder(graph_, kString, Shape{-1}, {.name = "word"});
    const Output none = constant(graph_, Tensor(int64_t{-1}));
    const Output table = hash_table(graph_, kString, kInt64, {.name = "numbers"});
    fill_ = &initialize_table(table, constant(graph_, Tensor::of<std::string>({"dog", "ox"})),
                              constant(graph_, Tensor::of<int64_t>({10, 20})));
    const Output file_table = hash_table(graph_, kString, kInt64, {.name = "animals"});
    fill_from_file_ = &initialize_table_from_text_file(file_table, folder_ / "animals.txt");
    sum_ = lookup_table_find(table, word_, none) + lookup_table_find(file_table, word_, none);
  }
  std::vector<SignatureSpec> signatures() const {
    return {{.inputs = {{"word", word_}}, .outputs = {{"sum", sum_}}}};
  }
  SavedModelOptions options() const {
    return {.initializers = {fill_, fill_from_file_},
            .assets = {{fill_from_file_->input(1), folder_ / "animals.txt"}}};
  }

  const testing::TemporaryFolder folder_;
  Graph graph_{standard_ops()};
  Output word_, sum_;
  Node* fill_ = nullptr;
  Node* fill_from_file_ = nullptr;
};

TEST_F(SavedVocabularies, AreFilledWhenTheModelIsLoaded) {
  write_saved_model(folder_ / "1", graph_, signatures(), {}, options());
  EXPECT_EQ(read_file(folder_ / "1/assets/animals.txt"), "cat\ndog\n");
  std::filesystem::remove(folder_ / "animals.txt");
  std::filesystem::rename(folder_ / "1", folder_ / "moved");
  const auto model = LoadedModel::load(folder_ / "moved");
  ASSERT_EQ(model->signatures().size(), 1u);  // initialisation is no signature for callers
  const NamedTensors inputs = {{"word", Tensor::of<std::string>({"dog", "cat", "ox", ""})}};
  const Tensor sum = model->run(inputs).at("sum");
  EXPECT_TRUE(sum.same_bits(Tensor::of<int64_t>({11, -1, 19, -2}))) << sum.to_string();
}

// Callers see no signature but theirs, and tables have names by which all functions of a model find
// them.
TEST_F(SavedVocabularies, NameTheirInitialisationForLoaders) {
  write_saved_model(folder_ / "1", graph_, signatures(), {}, options());
  tensorflow::SavedModel model;
  ASSERT_TRUE(model.ParseFromString(read_file(folder_ / "1/saved_model.pb")));
  const auto& meta = model.meta_graphs(0);
  EXPECT_EQ(meta.signature_def_size(), 1);
  const std::string name = meta.collection_def().at("saved_model_main_op").node_list().value(0);
  ASSERT_EQ(meta.asset_file_def_size(), 1);
  EXPECT_EQ(meta.asset_file_def(0).filename(), "animals.txt");
  std::set<std::string> tables;
  for (const auto& node : meta.graph_def().node()) {
    if (node.name() == name) {
      EXPECT_EQ(node.input_size(), 2);
    }
    if (node.op() == "HashTableV2") tables.insert(node.attr().at("shared_name").s());
  }
  EXPECT_EQ(tables, (std::set<std::string>{"animals", "numbers"}));
}

TEST_F(SavedVocabularies, RefuseInitializersAndAssetsThatCannotBe) {
  const auto refuse = [&](SavedModelOptions options, const std::string& words) {
    expect_error(
        Code::kInvalidArgument,
        [&] { write_saved_model(folder_ / "1", graph_, signatures(), {}, options); }, words);
    EXPECT_FALSE(file_exists(folder_ / "1"));
  };
  Graph other(standard_ops());
  const Output stranger = constant(other, Tensor(std::string("x")));
  const Output fed = placeholder(graph_, kInt64, Shape{2}, {.name = "fed"});
  const Output table = hash_table(graph_, kString, kInt64);
  const Output keys = constant(graph_, Tensor::of<std::string>({"a", "b"}));
  const AssetSpec asset = options().assets[0];
  refuse({.initializers = {nullptr}}, "no node of its graph");
  refuse({.initializers = {stranger.node()}}, "no node of its graph");
  refuse({.initializers = {&initialize_table(table, keys, fed)}}, "`fed`, which is no asset");
  refuse({.assets = {{stranger, "a"}}}, "a placeholder of the graph, a string scalar");
  refuse({.assets = {{fed, "a"}}}, "fed:0 (int64[2])");
  refuse({.assets = {asset, asset}}, "two assets are named 'animals.txt'");
}

}  // namespace
}  // namespace thalweg
