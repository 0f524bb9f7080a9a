// show, run and export on files that TensorFlow reads and writes.
#include "cli/console.h"
#include "cli_testing.h"

namespace thalweg::cli {
namespace {

const std::string kGraph =
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: "
    "'shape' value { shape { dim { size: -1 } dim { size: 2 } } } } } node { name: 'y' op: 'Neg' "
    "input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }";

class FilesOfOthers : public ::testing::Test {
 protected:
  FilesOfOthers() { put_file(graph_, kGraph); }
  // A model of two classes, trained for a moment.
  void train() {
    put_file(folder_ / "d.csv", two_classes(60, {"less", "more"}));
    ASSERT_EQ(run({"fit", folder_ / "d.csv", "--label", "y", "--epochs", "1", "--out",
                   folder_ / "m", "--quiet"})
                  .status,
              kDone);
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
  expect_failure(run({"run", graph_, "--output", "yy"}), kFailed, "did you mean `y`");
}

TEST_F(FilesOfOthers, ExportedModelsRunTheSame) {
  train();
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
  expect_failure(run({"show", prefix, "--tensor", name + "x"}), kFailed, "did you mean");
}

}  // namespace
}  // namespace thalweg::cli
