#include <sys/stat.h>

#include "cli/verbs.h"
#include "cli_testing.h"
#include "thalweg/base/version.h"

namespace thalweg::cli {
namespace {

TEST(Help, GoesToStdoutWithAnExampleFirst) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"help"}, {"--help"}, {"-h"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out.rfind("Example: thalweg fit", 0), 0u) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_EQ(run({"help", "help"}).out, run({"help"}).out);
}

TEST(Help, OfEachVerbFitsAScreen) {
  for (const Verb& verb : verbs()) {
    const std::string name(verb.name);
    const Outcome outcome = run({"help", name});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out.rfind("Example: thalweg " + name, 0), 0u) << outcome.out;
    EXPECT_EQ(outcome.out, run({name, "--help"}).out);
    EXPECT_EQ(outcome.out, run({name, "x", "-h"}).out);
    EXPECT_LT(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 45);
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 90u) << line;
  }
}

TEST(Help, OfAllOptionsIsThereWhereOneScreenIsTooSmall) {
  const Outcome all = run({"fit", "--help-all"});
  EXPECT_EQ(all.status, 0);
  for (const char* option : {"--class-weights", "--hidden-units", "--trees", "--decimal-comma",
                             "--config FILE", "--label"}) {
    EXPECT_NE(all.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(run({"fit", "--help"}).out.find("--hidden-units"), std::string::npos);
}

TEST(Help, WithoutAVerbIsWrongUse) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("Usage"), std::string::npos);
}

TEST(Version, IsThatOfTheProject) {
  EXPECT_EQ(kVersion, THALWEG_PROJECT_VERSION);
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* word : {THALWEG_PROJECT_VERSION, "oneDNN", "SIMD", "threads"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << outcome.out;
  }
}

TEST(WrongUse, NamesTheNearestVerbAndOption) {
  expect_failure(run({"fitt"}), 2, "'fitt'", "'fit'");
  expect_failure(run({"fti"}), 2, "'fti'", "'fit'");
  expect_failure(run({"fit", "d", "--ecpohs", "3"}), 2, "'--epochs'");
  expect_failure(run({"help", "evalate"}), 2, "'evaluate'");
  expect_failure(run({"--versoin"}), 2, "'--version'");
  expect_failure(run({"fit", "data.csv", "--epoch", "3"}), 2, "'--epoch'", "'--epochs'");
  expect_failure(run({"fit", "--ouput=x", "data.csv"}), 2, "'--ouput'");
  expect_failure(run({"fit", "d", "--out", "m", "--optimizer", "adm"}), 2, "adm", "'adam'");
}

TEST(WrongUse, NamesTheOptionAndWhatItTakes) {
  expect_failure(run({"fit", "d", "--out", "m", "--epochs", "many"}), 2, "--epochs", "'many'");
  expect_failure(run({"fit", "d", "--out", "m", "--epochs=0"}), 2, "--epochs", "0");
  for (const char* rate : {"-1", "0", "1e39", "1e-60"}) {
    expect_failure(run({"fit", "d", "--out", "m", "--learning-rate", rate}), 2, "--learning-rate");
  }
  expect_failure(run({"fit", "d", "--out", "m", "--epochs", "1000000001"}), 2,
                 "--epochs takes at most");
  expect_failure(run({"fit", "d", "--out", "m", "--validation-split", "1"}), 2,
                 "--validation-split");
  expect_failure(run({"fit", "d", "--out", "m", "--overwrite", "--resume"}), 2, "exclude");
  expect_failure(run({"fit", "d", "--out", "m", "--threads", "0"}), 2, "--threads");
  expect_failure(run({"fit", "d"}), 2, "--out");
  expect_failure(run({"fit", "--out", "m"}), 2, "DATA");
  expect_failure(run({"evaluate", "m"}), 2, "DATA");
  expect_failure(run({"evaluate", "m", "d", "e"}), 2, "'e'");
  for (const char* requirement : {"accuracy=0.9", "accuracy>=nan", "accuracy>=inf", "loss<-inf",
                                  "loss<1e999", "accuracy>=0.9x", ">=0.9"}) {
    expect_failure(run({"evaluate", "m", "d", "--require", requirement}), 2, "accuracy>=0.9",
                   requirement);
  }
  expect_failure(run({"fit", "d", "--dry-run", "--json"}), 2, "--dry-run", "--json");
  expect_failure(run({"predict", "m", "d", "--split", "tests"}), 2, "'tests'", "'test'");
}

TEST(WrongUse, IsToldInOurOwnWords) {
  expect_failure(run({"fit", "d", "--out"}), 2, "--out wants a value: --out MODEL",
                 "thalweg help fit");
  expect_failure(run({"run", "m", "--input"}), 2, "--input wants a value: --input NAME=VALUES");
  expect_failure(run({"fit", "d", "--out", "--epochs", "3"}), 2, "--out wants a value");
  expect_failure(run({"fit", "d", "--resume=maybe"}), 2, "--resume is given alone");
  expect_failure(run({"help", "fit", "run"}), 2, "unexpected argument 'run'");
  expect_failure(run({"--version", "now"}), 2, "unexpected argument 'now'");
}

TEST(WrongUse, IsEveryOptionThatWouldBeIgnored) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  put_image_folder(folder / "images", 30, 6);
  const auto fit = [&](const std::string& data, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"fit", folder / data, "--epochs",
                                      "1",   "--out",       folder / data};
    words.back() += "-model";
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  ASSERT_EQ(fit("x.csv", {"--label", "y", "--model", "dnn"}).status, 0);
  ASSERT_EQ(fit("images", {"--model", "linear"}).status, 0);
  for (const std::string verb : {"evaluate", "predict"}) {
    expect_failure(run({verb, folder / "x.csv-model", folder / "x.csv", "--split", "train"}), 2,
                   "--split", "one file");
    expect_failure(run({verb, folder / "images-model", folder / "images", "--delimiter", ";"}), 2,
                   "--delimiter", "images");
    expect_failure(run({verb, folder / "images-model", folder / "images", "--no-header"}), 2,
                   "--no-header", "images");
  }
  expect_failure(fit("images", {"--overwrite", "--no-header"}), 2, "--no-header", "images");
  expect_failure(fit("images", {"--overwrite", "--trees", "3"}), 2, "--trees", "tables");
  expect_failure(fit("images", {"--overwrite", "--missing", "x"}), 2, "--missing", "images");
  const auto refit = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"--overwrite", "--label", "y"};
    words.insert(words.end(), more.begin(), more.end());
    return fit("x.csv", words);
  };
  expect_failure(refit({"--class-names", "a,b"}), 2, "--class-names", "images");
  expect_failure(refit({}), 2, "--epochs says nothing to --model auto", "dnn");
  expect_failure(refit({"--model", "dnn", "--trees", "3"}), 2, "--trees", "boosted-trees");
  expect_failure(refit({"--model", "dnn", "--quantiles", "0.5", "--task", "regression"}), 2,
                 "--quantiles");
  expect_failure(
      run({"predict", folder / "images-model", folder / "images", "--show", "1", "--json"}), 2,
      "--show", "--json");
}

TEST(Show, PrintsATensorOfAModel) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  ASSERT_EQ(
      run({"fit", folder / "x.csv", "--label", "y", "--model", "linear", "--out", folder / "m"})
          .status,
      0);
  const Outcome outcome = run({"show", folder / "m", "--tensor", "linear/a/weights", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["shape"], nlohmann::json::parse("[1, 1]"));
  expect_failure(run({"show", folder / "m", "--tensor", "linear/a/weihgts"}), 2,
                 "linear/a/weights");
  expect_failure(run({"show", folder / "m", "--tensor", ""}), 2, "no tensor ''");
}

TEST(Show, SaysWhatIsNoModelAndWhatToDo) {
  TemporaryFolder folder;
  const auto show = [&](const std::string& name, const std::string& bytes) {
    put_file(folder / name, bytes);
    return run({"show", folder / name});
  };
  expect_failure(show("a.h5", "\x89HDF\r\n\x1a\n........"), 1, "Keras", "model.export");
  expect_failure(show("a.keras", "PK\x03\x04........"), 1, "Keras");
  expect_failure(show("a.npz", "PK\x03\x04........"), 1, "NumPy", "--input");
  expect_failure(show("a.pt", "PK\x03\x04........"), 1, "PyTorch");
  expect_failure(show("a.npy", "\x93NUMPY......"), 1, "NumPy");
  expect_failure(show("a.onnx", "......"), 1, "ONNX");
  expect_failure(show("a.tflite", "....TFL3...."), 1, "TensorFlow Lite");
  expect_failure(show("a.csv", "a,b\n1,2\n"), 1, "a table");
  std::filesystem::create_directories(folder / "empty");
  expect_failure(run({"show", folder / "empty"}), 1, "an empty folder");
  put_image_folder(folder / "images", 30, 6);
  expect_failure(run({"show", folder / "images"}), 1, "images", "fit");
  expect_failure(run({"show", folder / "none"}), 1, "there is no such file");

  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  ASSERT_EQ(
      run({"fit", folder / "x.csv", "--label", "y", "--model", "linear", "--out", folder / "m"})
          .status,
      0);
  ASSERT_EQ(run({"export", folder / "m", "--out", folder / "s/1", "--variables"}).status, 0);
  expect_failure(run({"show", folder / "s"}), 1, "models in it (1)", "s/1");
  expect_failure(run({"show", folder / "s/1/variables"}), 1, "checkpoints (variables)",
                 "variables/variables");
  expect_failure(run({"evaluate", folder / "s/1", folder / "x.csv"}), 1, "SavedModel",
                 "thalweg run");
  expect_failure(run({"predict", folder / "images", folder / "x.csv"}), 1, "is no model", "images");
}

TEST(Help, TellsOfCtrlCAndOfQuiet) {
  const Outcome outcome = run({"help", "fit"});
  for (const char* word : {"second Ctrl-C", "--resume goes on", "results and warnings stay",
                           "Test files", "{\"layers\": [", "--help-all lists", "report.html"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << outcome.out;
  }
}

TEST(Paths, ThatMayNeverEndAreRefused) {
  TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto fit = [&](const std::string& data) {
    return run({"fit", data, "--out", folder / "m", "--label", "y"});
  };
  for (const std::string& data : {std::string("/dev/zero"), std::string("/dev/full")}) {
    expect_failure(fit(data), 1, data, "device", "file");
  }
  expect_failure(fit(folder / "pipe"), 1, "pipe");
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  ASSERT_EQ(
      run({"fit", folder / "x.csv", "--out", folder / "m", "--label", "y", "--model", "linear"})
          .status,
      0);
  expect_failure(run({"predict", folder / "m", folder / "pipe"}), 1, "pipe");
  expect_failure(run({"evaluate", folder / "m", "/dev/zero"}), 1, "device");
  expect_failure(run({"fit", folder / "x.csv", "--out", folder / "n", "--label", "y", "--model",
                      folder / "pipe"}),
                 1, "pipe");
}

TEST(Paths, OfFilesInAModelMayBeNoPipes) {
  TemporaryFolder folder;
  for (const std::string name : {"model.json", "saved_model.pb"}) {
    const std::string model = folder / ("m-" + name);
    std::filesystem::create_directory(model);
    ASSERT_EQ(mkfifo((model + "/" + name).c_str(), 0600), 0);
    expect_failure(run({"show", model}), 1, name, "pipe");
    expect_failure(run({"run", model}), 1, name, "pipe");
    expect_failure(run({"predict", model, "x.csv"}), 1, name, "pipe");
    expect_failure(run({"fit", "x.csv", "--out", model}), 1, name, "pipe");
  }
}

TEST(Paths, OfOutFitWhatIsWritten) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  put_file(folder / "file", "precious");
  const auto fit = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"fit", folder / "x.csv", "--out", folder / "file", "--label",
                                      "y",   "--model",        "linear"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  expect_failure(fit({}), 2, "--out", "is a file", "folder");
  expect_failure(fit({"--overwrite"}), 2, "--out", "is a file");
  expect_failure(fit({"--resume"}), 2, "--out", "is a file");
  EXPECT_EQ(file_text(folder / "file"), "precious");
  ASSERT_EQ(
      run({"fit", folder / "x.csv", "--out", folder / "m", "--label", "y", "--model", "linear"})
          .status,
      0);
  expect_failure(run({"predict", folder / "m", folder / "x.csv", "--out", folder / "m"}), 2,
                 "is a folder", "file");
}

TEST(Ops, ListsEveryOpWithItsSignature) {
  const Outcome outcome = run({"ops"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("MatMul(a: T, b: T) -> product: T  [onednn"), std::string::npos);
}

TEST(Ops, ExplainsOneOp) {
  const Outcome outcome = run({"ops", "MatMul"});
  for (const char* word : {"transpose_a: bool = false", "Gradient  yes", "onednn, ", "reference"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << outcome.out;
  }
  expect_failure(run({"ops", "MatMull"}), 2, "MatMull", "MatMul");
}

TEST(Ops, WritesTheManualAsMarkdown) {
  const Outcome outcome = run({"ops", "--markdown"});
  EXPECT_EQ(outcome.out.rfind("# Operations\n", 0), 0u);
  EXPECT_NE(outcome.out.find("\n## Conv2D\n"), std::string::npos);
  EXPECT_NE(outcome.out.find("- `a: T` Left operand"), std::string::npos);
}

}  // namespace
}  // namespace thalweg::cli
