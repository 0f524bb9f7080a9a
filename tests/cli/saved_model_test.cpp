// show, run and export on files that TensorFlow reads and writes.
#include <sys/stat.h>

#include "cli/console.h"
#include "cli_testing.h"
#include "thalweg/data/numeric_csv.h"
#include "thalweg/estimator/classifier.h"
#include "thalweg/estimator/network_file.h"
#include "thalweg/tensor/npy.h"

namespace thalweg::cli {
namespace {

const std::string kGraph =
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: "
    "'shape' value { shape { dim { size: -1 } dim { size: 2 } } } } } node { name: 'y' op: 'Neg' "
    "input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }";

class FilesOfOthers : public ::testing::Test {
 protected:
  FilesOfOthers() { put_file(graph_, kGraph); }
  // A model of two classes, trained for a moment on tensors of two features.
  void train() {
    put_file(folder_ / "d.csv", two_classes(60, {"less", "more"}));
    const auto table = data::read_numeric_csv(folder_ / "d.csv", {.label = "y"});
    const std::vector<std::string> names = {"less", "more"};
    Classifier model(make_network("mlp", 2), {.class_names = names,
                                              .batch_size = 32,
                                              .standardize = true,
                                              .model_folder = folder_ / "m",
                                              .feature_names = table.columns,
                                              .label_name = table.label_column});
    model.fit(table.features, data::class_indices(table.labels, names), {.epochs = 1});
  }
  const TemporaryFolder folder_;
  const std::string graph_ = folder_ / "g.pbtxt";
};

TEST_F(FilesOfOthers, ShowTellsWhatAGraphHolds) {
  const Outcome outcome = run({"show", graph_});
  EXPECT_EQ(outcome.status, kDone) << outcome.err;
  for (const char* part :
       {"Input        x", "float32[?, 2]", "Output       y", "2 nodes", "yes, all of it", "Neg"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
  }
  const auto json = run({"show", graph_, "--json"}).json();
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["graph"]["ops"]["Neg"], 1);
  EXPECT_EQ(json["placeholders"]["x"]["shape"], nlohmann::json::parse("[-1, 2]"));
  EXPECT_EQ(json["outputs"], nlohmann::json::parse("[\"y\"]"));
}

TEST_F(FilesOfOthers, ShowNamesWhatCannotRun) {
  put_file(graph_, kGraph + " node { name: 'z' op: 'Foo' input: 'y' }");
  const auto json = run({"show", graph_, "--json"}).json();
  EXPECT_EQ(json["graph"]["unknown_ops"], nlohmann::json::parse("[\"Foo\"]"));
  EXPECT_EQ(json["graph"]["runs"], false);
}

TEST_F(FilesOfOthers, RunComputesAGraph) {
  const Outcome outcome = run({"run", graph_, "--input", "x=1,2,3,-4", "--output", "y", "--json"});
  ASSERT_EQ(outcome.status, kDone) << outcome.err;
  EXPECT_EQ(outcome.json()["outputs"]["y"]["value"], nlohmann::json::parse("[[-1,-2],[-3,4]]"));
  EXPECT_EQ(run({"run", graph_, "--input", "x=[[1,2]]", "--output", "y"}).out,
            "y  float32[1, 2] [[-1, -2]]\n");
}

TEST_F(FilesOfOthers, RunSaysWhatIsWrong) {
  expect_failure(run({"run", graph_}), kWrongUse, "--output");
  expect_failure(run({"run", graph_, "--input", "x", "--output", "y"}), kWrongUse, "NAME=VALUES");
  expect_failure(run({"run", graph_, "--input", "x=1,b", "--output", "y"}), kWrongUse,
                 "'b' is no number");
  expect_failure(run({"run", graph_, "--input", "x=[[1],[2,3]]", "--output", "y"}), kWrongUse,
                 "equally long");
  for (const char* values : {"x=1,2,3", "x=[[1,2,3]]", "x=7"}) {
    expect_failure(run({"run", graph_, "--input", values, "--output", "y"}), kWrongUse, "--input x",
                   "float32[?, 2]");
  }
}

TEST_F(FilesOfOthers, NamesThatAreNotThereAreWrongUse) {
  const auto compute = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", graph_};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  expect_failure(compute({"--output", "yy"}), kWrongUse, "did you mean `y`");
  expect_failure(compute({"--output", "y:3", "--input", "x=1,2"}), kWrongUse, "y");
  expect_failure(compute({"--output", "y", "--input", "z=1,2"}), kWrongUse, "z");
  expect_failure(compute({"--output", "y"}), kWrongUse, "needs --input x=VALUES", "float32[?, 2]");
  expect_failure(compute({"--output", "y", "--input", "x=1,2", "--tags", "a"}), kWrongUse,
                 "--tags");
  train();
  ASSERT_EQ(run({"export", folder_ / "m", "--out", folder_ / "1"}).status, kDone);
  const auto call = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", folder_ / "1"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  expect_failure(call({"--input", "feature=1,2"}), kWrongUse, "did you mean 'features'?");
  expect_failure(call({"--input", "x=1,2"}), kWrongUse, "no input", "features");
  expect_failure(call({}), kWrongUse, "needs --input features=VALUES");
  expect_failure(call({"--input", "features=1,2", "--output", "x"}), kWrongUse, "no output",
                 "predictions");
  expect_failure(call({"--signature", "x"}), kWrongUse, "no signature", "serving_default");
  expect_failure(call({"--tags", "x", "--input", "features=1,2"}), kWrongUse, "--tags", "serve");
}

TEST_F(FilesOfOthers, RunTakesWhatJsonHasNoNameFor) {
  const auto value = [&](const std::string& text) {
    return run({"run", graph_, "--input", "x=" + text, "--output", "y"}).out;
  };
  EXPECT_EQ(value("[[NaN, Infinity]]"), "y  float32[1, 2] [[nan, -inf]]\n");
  EXPECT_EQ(value("[[-inf,1],[+inf,nan]]"), "y  float32[2, 2] [[inf, -1], [-inf, nan]]\n");
}

TEST_F(FilesOfOthers, RunTakesArraysOfFiles) {
  write_npy(folder_ / "x.npy", Tensor::of<float>({1, 2}).reshape({1, 2}));
  write_npy(folder_ / "double.npy", Tensor::of<double>({0.1, 2}).reshape({1, 2}));
  write_npy(folder_ / "large.npy", Tensor::of<double>({1e300, 2}).reshape({1, 2}));
  write_npy(folder_ / "whole.npy", Tensor::of<int64_t>({3, 4}).reshape({1, 2}));
  write_npy(folder_ / "odd.npy", Tensor::of<int64_t>({16777217, 4}).reshape({1, 2}));
  write_npz(folder_ / "one.npz", {{"a", Tensor::of<float>({1, 2}).reshape({1, 2})}});
  write_npz(folder_ / "two.npz", {{"a", Tensor::of<float>({5, 6}).reshape({1, 2})},
                                  {"b", Tensor::of<float>({7, 8}).reshape({1, 2})}});
  const auto compute = [&](const std::string& file) {
    return run({"run", graph_, "--input", "x=" + folder_ / file, "--output", "y"});
  };
  EXPECT_EQ(compute("x.npy").out, "y  float32[1, 2] [[-1, -2]]\n");
  EXPECT_EQ(compute("double.npy").out, "y  float32[1, 2] [[-0.1, -2]]\n");
  EXPECT_NE(compute("double.npy").err.find("is taken as float32, rounded"), std::string::npos);
  EXPECT_EQ(compute("whole.npy").out, "y  float32[1, 2] [[-3, -4]]\n");
  EXPECT_NE(compute("whole.npy").err.find("exactly"), std::string::npos);
  EXPECT_EQ(compute("one.npz").out, "y  float32[1, 2] [[-1, -2]]\n");
  EXPECT_EQ(compute("two.npz:b").out, "y  float32[1, 2] [[-7, -8]]\n");
  expect_failure(compute("two.npz"), kWrongUse, "2 arrays: a, b", "two.npz:NAME");
  expect_failure(compute("two.npz:c"), kWrongUse, "'c'", "a, b");
  expect_failure(compute("odd.npy"), kWrongUse, "exactly", "save the array as float32");
  expect_failure(compute("large.npy"), kWrongUse, "too large");
  const std::string graph = folder_ / "int.pbtxt";
  put_file(graph,
           "node { name: 'i' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } } "
           "node { name: 'j' op: 'Neg' input: 'i' attr { key: 'T' value { type: DT_INT32 } } }");
  const auto negated = [&](const std::string& file) {
    return run({"run", graph, "--input", "i=" + folder_ / file, "--output", "j"});
  };
  EXPECT_EQ(negated("whole.npy").out, "j  int32[1, 2] [[-3, -4]]\n");
  expect_failure(negated("double.npy"), kWrongUse, "float64", "int32", "no fractions");
  write_npy(folder_ / "far.npy", Tensor::of<int64_t>({int64_t{1} << 40, 1}));
  expect_failure(negated("far.npy"), kWrongUse, "exactly");
}

TEST_F(FilesOfOthers, RunTakesNoPipesForArrays) {
  for (const char* name : {"f.npy", "f.npz"}) {
    ASSERT_EQ(mkfifo((folder_ / name).c_str(), 0600), 0);
    expect_failure(run({"run", graph_, "--input", "x=" + (folder_ / name), "--output", "y"}),
                   kFailed, name, "pipe");
  }
}

TEST_F(FilesOfOthers, RunSaysThatAVariableHasNoValue) {
  put_file(graph_,
           "node { name: 'v' op: 'VarHandleOp' attr { key: 'dtype' value { type: DT_FLOAT } } attr "
           "{ key: 'shape' value { shape { } } } attr { key: 'shared_name' value { s: 'v' } } } "
           "node { name: 'r' op: 'ReadVariableOp' input: 'v' attr { key: 'dtype' value { type: "
           "DT_FLOAT } } }");
  const Outcome outcome = run({"run", graph_, "--output", "r"});
  expect_failure(outcome, kFailed, "no value for variable `v`", "SavedModel");
  EXPECT_EQ(outcome.err.find("session"), std::string::npos) << outcome.err;
}

TEST_F(FilesOfOthers, ShowSaysThatFunctionsCallThemselvesWithoutEnd) {
  const std::string call =
      "op: 'PartitionedCall' attr { key: 'f' value { func { name: 'f' } } } attr { key: 'Tin' "
      "value "
      "{ list { type: DT_FLOAT } } } attr { key: 'Tout' value { list { type: DT_FLOAT } } }";
  const std::string negate = "op: 'Neg' attr { key: 'T' value { type: DT_FLOAT } }";
  const auto with_body = [&](const std::string& inside, const std::string& output) {
    return "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "
           "node { name: 'y' input: 'x' " +
           call +
           " } library { function { signature { name: 'f' input_arg { name: 'a' type: DT_FLOAT } "
           "output_arg { name: 'b' type: DT_FLOAT } } node_def { name: 'c' input: 'a' " +
           inside + " } ret { key: 'b' value: 'c:" + output + ":0' } } }";
  };
  put_file(graph_, with_body(negate, "y"));
  EXPECT_EQ(run({"show", graph_, "--json"}).json()["graph"]["runs"], true);
  put_file(graph_, with_body(call, "output"));
  const auto graph = run({"show", graph_, "--json"}).json()["graph"];
  EXPECT_EQ(graph["runs"], false);
  EXPECT_NE(graph["problem"].get<std::string>().find("f -> f"), std::string::npos) << graph;
}

TEST_F(FilesOfOthers, ShowSaysWhoWroteAModel) {
  train();
  ASSERT_EQ(run({"export", folder_ / "m", "--out", folder_ / "1"}).status, kDone);
  EXPECT_NE(run({"show", folder_ / "1"}).out.find("Written by   thalweg "), std::string::npos);
  const auto json = run({"show", folder_ / "1", "--json"}).json()["graphs"][0];
  EXPECT_EQ(json["written_by"].get<std::string>().rfind("thalweg ", 0), 0u);
  EXPECT_EQ(json["tensorflow_version"], "1.15.0") << "what TensorFlow looks at";
}

TEST_F(FilesOfOthers, ShowWritesOutBytesThatAreNoText) {
  put_file(graph_,
           "node { name: 'x' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } attr { "
           "key: 'value' value { tensor { dtype: DT_STRING tensor_shape { } string_val: "
           "'\\033[2J\\377' } } } }");
  EXPECT_EQ(run({"run", graph_, "--output", "x"}).out, "x  string \"\\x1b[2J\\xff\"\n");
  const Outcome json = run({"run", graph_, "--output", "x", "--json"});
  EXPECT_EQ(json.json()["outputs"]["x"]["value"], "\\x1b[2J\\xff");
}

TEST_F(FilesOfOthers, ExportedModelsRunTheSame) {
  train();
  expect_failure(run({"run", folder_ / "m"}), kFailed, "thalweg predict", "thalweg export");
  for (const bool variables : {false, true}) {
    const std::string saved = folder_ / (variables ? "2" : "1");
    std::vector<std::string> command = {"export", folder_ / "m", "--out", saved};
    if (variables) command.emplace_back("--variables");
    ASSERT_EQ(run(command).status, kDone);
    const auto shown = run({"show", saved, "--json"}).json();
    EXPECT_EQ(shown["graphs"][0]["tags"], nlohmann::json::parse("[\"serve\"]"));
    EXPECT_EQ(shown["graphs"][0]["graph"]["runs"], true) << shown.dump(2);
    const Outcome outcome = run({"run", saved, "--input", "features=[[1,2.5],[7,0.5]]", "--json"});
    ASSERT_EQ(outcome.status, kDone) << outcome.err;
    const auto rows = outcome.json()["outputs"]["predictions"]["value"];
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_NEAR(rows[0][0].get<double>() + rows[0][1].get<double>(), 1, 1e-6);
    expect_failure(run(command), kFailed, "there already");
  }
  EXPECT_EQ(run({"run", folder_ / "1", "--input", "features=1,2"}).out,
            run({"run", folder_ / "2", "--input", "features=1,2"}).out);
}

TEST_F(FilesOfOthers, ShowListsACheckpoint) {
  train();
  ASSERT_EQ(run({"export", folder_ / "m", "--out", folder_ / "1", "--variables"}).status, kDone);
  const std::string prefix = folder_ / "1/variables/variables";
  const auto json = run({"show", prefix, "--json"}).json();
  ASSERT_FALSE(json["tensors"].empty());
  const std::string name = json["tensors"].begin().key();
  EXPECT_EQ(json["tensors"][name]["dtype"], "float32");
  EXPECT_EQ(run({"show", prefix + ".index", "--json"}).json()["tensors"], json["tensors"]);
  const auto value = run({"show", prefix, "--tensor", name, "--json"}).json();
  EXPECT_EQ(value["shape"], json["tensors"][name]["shape"]);
  expect_failure(run({"show", prefix, "--tensor", name + "x"}), kWrongUse, "did you mean");
}

}  // namespace
}  // namespace thalweg::cli
