#include <cmath>

#include "cli_testing.h"
#include "thalweg/estimator/model_folder.h"

namespace thalweg::cli {
namespace {

std::vector<std::string> fit(const std::string& data, const std::string& out,
                             const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"fit",      data, "--out",           out,
                                        "--label",  "y",  "--model",         "dnn",
                                        "--epochs", "15", "--learning-rate", "0.02"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> fit_linear(const std::string& data, const std::string& out,
                                    const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"fit",     data, "--out",   out,
                                        "--label", "y",  "--model", "linear"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Table, GoesFromFitToEvaluateToPredict) {
  TemporaryFolder folder;
  const std::string data = folder / "дані file.csv", model = folder / "Ñoño 数据";
  put_file(data, two_classes(200, {"cat", "dog"}, "größe,b,y"));
  const Outcome fitted = run(fit(data, model));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  for (const char* word : {"180 rows to train, 20 to validate", "cat", "dog", "größe", "128,64",
                           "validation", "baseline", "seed", "thalweg predict"}) {
    EXPECT_NE(fitted.out.find(word), std::string::npos) << fitted.out << "\nlacks: " << word;
  }
  EXPECT_NE(fitted.err.find("taken for classes, as they are text"), std::string::npos);

  const Outcome evaluated = run({"evaluate", model, data, "--json"});
  ASSERT_EQ(evaluated.status, 0) << evaluated.err;
  const auto json = evaluated.json();
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["examples"], 200);
  EXPECT_GT(json["metrics"]["accuracy"].get<double>(), 0.9);
  EXPECT_EQ(json["classes"], nlohmann::json({"cat", "dog"}));
  EXPECT_LT(json["baseline"]["accuracy"].get<double>(), 0.8);

  const Outcome predicted = run({"predict", model, data});
  EXPECT_EQ(predicted.out.rfind("row,y,p(cat),p(dog)\n1,", 0), 0u) << predicted.out;
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 201);
  const Outcome lines = run({"predict", model, data, "--json", "-q"});
  const auto first = nlohmann::json::parse(lines.out.substr(0, lines.out.find('\n')));
  EXPECT_EQ(first["row"], 1);
  EXPECT_TRUE(first["label"] == "cat" || first["label"] == "dog");
  EXPECT_EQ(first["probabilities"].size(), 2u);
  EXPECT_EQ(lines.err, "");

  const std::string file = folder / "out.csv";
  EXPECT_EQ(run({"predict", model, data, "--out", file}).out, "");
  EXPECT_EQ(file_text(file), predicted.out);
}

TEST(Table, KeepsTheLabelsAsTheyAre) {
  const std::vector<std::vector<std::string>> kinds = {
      {"3", "5"}, {"cat", "dog"}, {"-1", "1"}, {"0", "2"}, {"2", "10"}};
  for (const auto& names : kinds) {
    TemporaryFolder folder;
    put_file(folder / "x.csv", two_classes(40, names));
    ASSERT_EQ(run(fit(folder / "x.csv", folder / "m", {"--epochs", "1"})).status, 0);
    const Outcome predicted = run({"predict", folder / "m", folder / "x.csv"});
    EXPECT_EQ(predicted.out.rfind("row,y,p(" + names[0] + "),p(" + names[1] + ")\n", 0), 0u)
        << predicted.out;
  }
}

TEST(Table, RefusesALabelNeverSeen) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"cat", "dog"}));
  put_file(folder / "new.csv", "a,b,y\n1,2,cat\n1,2,bird\n");
  ASSERT_EQ(run(fit(folder / "x.csv", folder / "m", {"--epochs", "1"})).status, 0);
  expect_failure(run({"evaluate", folder / "m", folder / "new.csv"}), 1, "'bird'", "row 2",
                 "new.csv");
}

TEST(Table, IsNeverOverwrittenByItsPredictions) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"cat", "dog"}));
  ASSERT_EQ(run(fit(folder / "x.csv", folder / "m", {"--epochs", "1"})).status, 0);
  const std::string before = file_text(folder / "x.csv");
  expect_failure(run({"predict", folder / "m", folder / "x.csv", "--out", folder / "x.csv"}), 2,
                 "data file itself");
  EXPECT_EQ(file_text(folder / "x.csv"), before);
}

TEST(Table, FindsColumnsByName) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  ASSERT_EQ(run(fit(folder / "x.csv", folder / "m", {"--epochs", "2"})).status, 0);
  put_file(folder / "plain.csv", "a,b\n1,2\n8,3\n");
  put_file(folder / "labelled.csv", "y,a,b\n1,1,2\n0,8,3\n");
  put_file(folder / "mixed.csv", "b,extra,a,y\n2,9,1,\n3,9,8,\n");
  const Outcome plain = run({"predict", folder / "m", folder / "plain.csv"});
  EXPECT_EQ(plain.err, "");
  const Outcome labelled = run({"predict", folder / "m", folder / "labelled.csv"});
  EXPECT_EQ(labelled.out, plain.out);
  EXPECT_EQ(labelled.err, "the label column y of the data is not looked at\n");
  const Outcome mixed = run({"predict", folder / "m", folder / "mixed.csv"});
  EXPECT_EQ(mixed.out, plain.out);
  EXPECT_NE(mixed.err.find("columns not used: extra\n"), std::string::npos) << mixed.err;

  expect_failure(run({"evaluate", folder / "m", folder / "plain.csv"}), 1, "'y'");
  put_file(folder / "short.csv", "a,c\n1,2\n");
  expect_failure(run({"predict", folder / "m", folder / "short.csv"}), 1, "'b'", "a, c");
}

TEST(Table, GoesOnWithItsOwnDataOnly) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  put_file(folder / "other.csv", two_classes(41, {"0", "1"}));
  ASSERT_EQ(run(fit(folder / "x.csv", folder / "m", {"--epochs", "2"})).status, 0);
  const std::vector<std::string> go_on = {"--out", folder / "m", "--resume", "--epochs", "3"};
  const auto resume = [&](const std::string& data, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"fit", folder / data};
    words.insert(words.end(), go_on.begin(), go_on.end());
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  expect_failure(resume("other.csv", {}), 1, "data");
  expect_failure(resume("x.csv", {"--seed", "2"}), 2, "--seed", "config.toml", "--overwrite");
  expect_failure(resume("x.csv", {"--model", "linear"}), 2, "--model");
  const Outcome resumed = resume("x.csv", {"--json"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed.json()["history"].size(), 3u);
  const Outcome over = resume("x.csv", {});
  EXPECT_EQ(over.status, 0) << over.err;
  EXPECT_NE(over.err.find("--epochs 6"), std::string::npos) << over.err;
}

TEST(Table, SaysWhenAPredictionIsNoNumber) {
  TemporaryFolder folder;
  std::string text = "a,y\n";
  for (int i = 0; i < 40; ++i)
    text += "0." + std::to_string(10 + i) + "," + std::to_string(i) + ".5\n";
  put_file(folder / "x.csv", text);
  ASSERT_EQ(run(fit_linear(folder / "x.csv", folder / "m")).status, 0);
  put_file(folder / "far.csv", "a\n0.2\n3e38\n0.3\n-3e38\n");
  const Outcome predicted = run({"predict", folder / "m", folder / "far.csv", "-q"});
  EXPECT_EQ(predicted.status, 0);
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 5) << "no row is lost";
  for (const char* word : {"warning: ", "2 rows", "row 2"}) {
    EXPECT_NE(predicted.err.find(word), std::string::npos) << predicted.err;
  }
  // A class that cannot be told is left open.
  ASSERT_EQ(run(fit_linear(folder / "x.csv", folder / "c", {"--task", "classification"})).status,
            0);
  const Outcome classes = run({"predict", folder / "c", folder / "far.csv", "--json"});
  EXPECT_NE(classes.err.find("warning: "), std::string::npos) << classes.err;
  EXPECT_NE(classes.out.find("\"row\":2,\"label\":null"), std::string::npos) << classes.out;
}

TEST(Table, LearnsNumbersWhenTheLabelsAreNoClasses) {
  TemporaryFolder folder;
  std::string text = "a,b,y\n";
  for (int i = 0; i < 120; ++i) {
    const int a = i % 11, b = i * 5 % 13;
    text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(100.5 + 3 * a - b) +
            "\n";
  }
  put_file(folder / "x.csv", text);
  const Outcome fitted = run(fit_linear(folder / "x.csv", folder / "m", {"--json"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_NE(fitted.err.find("taken for numbers"), std::string::npos);
  const auto json = fitted.json();
  EXPECT_EQ(json["task"], "regression");
  EXPECT_EQ(json["verb"], "fit");
  EXPECT_GT(json["metrics"]["baseline"]["rmse"].get<double>(), 5);
  const auto validation = json["metrics"]["validation"];
  EXPECT_NEAR(validation["rmse"].get<double>(), std::sqrt(validation["mse"].get<double>()), 1e-6);
  EXPECT_GT(validation["r2"].get<double>(), 0.9);
  EXPECT_GT(json["metrics"]["train"]["rmse"].get<double>(), 0);
  const auto evaluated = run({"evaluate", folder / "m", folder / "x.csv", "--json"}).json();
  EXPECT_GT(evaluated["metrics"]["r2"].get<double>(), 0.98);
  const Outcome predicted = run({"predict", folder / "m", folder / "x.csv"});
  EXPECT_EQ(predicted.out.rfind("row,y\n1,", 0), 0u);
  expect_failure(run({"predict", folder / "m", folder / "x.csv", "--show", "1"}), 2, "--show");
}

nlohmann::json class_names(const Outcome& fitted) {
  const nlohmann::json json = fitted.json();
  nlohmann::json names;
  for (const auto& c : json["classes"]) names.push_back(c["name"]);
  return names;
}

TEST(Table, TakesWholeNumbersForClassesHoweverWritten) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"0.0", "1.0"}));
  const Outcome fitted = run(fit(folder / "x.csv", folder / "m", {"--epochs", "1", "--json"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_EQ(fitted.json()["task"], "classification");
  EXPECT_EQ(class_names(fitted), nlohmann::json({"0", "1"}));
  EXPECT_NE(fitted.err.find("taken for classes, as they are 2 different whole numbers"),
            std::string::npos)
      << fitted.err;
  // One number is one class, in other data too.
  put_file(folder / "plain.csv", two_classes(40, {"0", "1"}));
  EXPECT_EQ(run({"evaluate", folder / "m", folder / "plain.csv"}).status, 0);
  put_file(folder / "mixed.csv", "a,b,y\n1,2,1\n2,1,1.0\n3,4,0\n4,3,1\n");
  const auto mixed = run(fit(folder / "mixed.csv", folder / "n", {"--epochs", "1", "--json"}));
  ASSERT_EQ(mixed.status, 0) << mixed.err;
  EXPECT_EQ(class_names(mixed), nlohmann::json({"0", "1"}));
  put_file(folder / "half.csv", two_classes(40, {"0.5", "1.0"}));
  EXPECT_EQ(run(fit(folder / "half.csv", folder / "h", {"--epochs", "1", "--json"})).json()["task"],
            "regression");
}

// U+009B begins what ESC [ begins too, and is text.
TEST(Table, WritesOutWhatWouldMoveTheCursor) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"\xC2\x9B"
                                              "2Jcat",
                                              "dog"}));
  const Outcome fitted = run(fit(folder / "x.csv", folder / "m", {"--epochs", "1"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  for (const Outcome& outcome :
       {fitted, run({"show", folder / "m"}), run({"evaluate", folder / "m", folder / "x.csv"})}) {
    EXPECT_EQ(outcome.out.find("\xC2\x9B"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("\\u009b2Jcat"), std::string::npos) << outcome.out;
  }
  put_file(folder / "new.csv",
           "a,b,y\n1,2,\xC2\x9B"
           "31mbird\n");
  expect_failure(run({"evaluate", folder / "m", folder / "new.csv"}), 1, "'\\u009b31mbird'");
  EXPECT_NE(run({"predict", folder / "m", folder / "x.csv"})
                .out.find("p(\xC2\x9B"
                          "2Jcat)"),
            std::string::npos)
      << "data stay as they are";
}

TEST(Table, IsFittedInAFolderOfItsOwn) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  std::filesystem::create_directories(folder / "work");
  put_file(folder / "work/best", "precious");
  const std::vector<std::string> once = {"--epochs", "1"};
  expect_failure(run(fit(folder / "x.csv", folder / "work", once)), 2, "--out", "best",
                 "another folder");
  expect_failure(run(fit(folder / "x.csv", folder / "work", {"--epochs", "1", "--overwrite"})), 2,
                 "best");
  EXPECT_EQ(file_text(folder / "work/best"), "precious");
  {
    const TrainingLock other(folder / "m");
    expect_failure(run(fit(folder / "x.csv", folder / "m", once)), 1, "another training",
                   "process");
  }
  // A training that saved nothing is in nobody's way.
  const std::vector<std::string> wild = {"--epochs",        "1",        "--optimizer",  "sgd",
                                         "--schedule",      "constant", "--batch-size", "16",
                                         "--learning-rate", "1e38"};
  ASSERT_EQ(run(fit(folder / "x.csv", folder / "m", wild)).status, 1);
  const std::vector<std::string> one_step = {"--epochs",   "1",        "--optimizer",     "sgd",
                                             "--schedule", "constant", "--learning-rate", "1e38"};
  const Outcome useless = run(fit(folder / "x.csv", folder / "u", one_step));
  EXPECT_NE(useless.err.find("warning: the model is of no use"), std::string::npos) << useless.err;
  const Outcome again = run(fit(folder / "x.csv", folder / "m", once));
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.err.find("begins anew"), std::string::npos) << again.err;
  expect_failure(run(fit(folder / "x.csv", folder / "m", once)), 2, "holds a model", "--overwrite");
}

TEST(Table, TakesTheTaskThatIsAskedFor) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  const Outcome fitted =
      run(fit(folder / "x.csv", folder / "m", {"--task", "regression", "--json", "--epochs", "1"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_EQ(fitted.json()["task"], "regression");
  EXPECT_EQ(fitted.err, "");
}

TEST(Table, AsksForTheLabelAndNamesTheColumns) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(10, {"0", "1"}));
  expect_failure(run({"fit", folder / "x.csv", "--out", folder / "m"}), 2, "--label", "a, b, y");
  expect_failure(run({"fit", folder / "x.csv", "--out", folder / "m", "--label", "z"}), 1, "'z'");
  expect_failure(run(fit(folder / "x.csv", folder / "m", {"--model", "cnn"})), 2, "images");
  expect_failure(run(fit(folder / "x.csv", folder / "m", {"--model", "mlpp"})), 2, "'mlp'");
}

TEST(Table, TakesANetworkFromAFile) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  put_file(
      folder / "net.json",
      R"({"layers": [{"type": "Dense", "units": 5, "activation": "tanh"}, {"type": "Dense"}]})");
  const Outcome fitted = run(fit(folder / "x.csv", folder / "m",
                                 {"--model", folder / "net.json", "--json", "--epochs", "1"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_EQ(fitted.json()["network"]["parameters"], 2 * 5 + 5 + 5 + 1);
  const Outcome predicted = run({"predict", folder / "m", folder / "x.csv", "-q"});
  EXPECT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_EQ(predicted.out.rfind("row,y,p(0),p(1)\n", 0), 0u);
  put_file(folder / "cut.json", "{\"layers\": [\n  {\"type\": oops}\n]}");
  const Outcome cut = run(fit(folder / "x.csv", folder / "n", {"--model", folder / "cut.json"}));
  expect_failure(cut, 1, "cut.json", "line 2, column", "oops");
  EXPECT_EQ(cut.err.find("json.exception"), std::string::npos) << cut.err;
  put_file(folder / "bad.json", R"({"layers": [{"type": "Dens"}]})");
  expect_failure(run(fit(folder / "x.csv", folder / "n", {"--model", folder / "bad.json"})), 1,
                 "bad.json", "Dense");
}

TEST(Table, NamesTheOptionsThatHelp) {
  TemporaryFolder folder;
  put_file(folder / "data.csv", "0.5,0.2,0\n0.1,0.3,1\n");
  expect_failure(run(fit(folder / "data.csv", folder / "m")), 1, "'y'", "c1");
  put_file(folder / "x.csv", two_classes(40, {"0", "1"}));
  ASSERT_EQ(run(fit(folder / "x.csv", folder / "m", {"--epochs", "1"})).status, 0);
  std::filesystem::remove(folder / "m/model.json");
  expect_failure(run(fit(folder / "x.csv", folder / "m", {"--epochs", "1"})), 1, "(--resume)",
                 "(--overwrite)");
}

TEST(Table, NeverCrashesOnDamagedFiles) {
  TemporaryFolder folder;
  std::string noise;
  for (int i = 0; i < 1024; ++i) noise += static_cast<char>((i * 7919 + i * i * 31) % 251 + 3);
  const std::vector<std::pair<std::string, std::string>> files = {
      {"empty.csv", ""},
      {"header.csv", "a,b,y\n"},
      {"label.csv", "y\n1\n0\n"},
      {"one.csv", "a,b,y\n1,2,0\n"},
      {"data.txt", "0.5,0.2,0\n0.1,0.3,1\n"},
      {"noise.csv", noise},
      {"ragged.csv", "a,b,y\n1,2,0\n1,2,3,1\n"},
      {"nolabel.csv", "a,b,y\n1,2,\n2,3,1\n"},
      {"open.csv", "a,b,y\n1,2,0\n1,\"2,1\n"}};
  for (const auto& [name, bytes] : files) {
    put_file(folder / name, bytes);
    expect_failure(run(fit(folder / name, folder / "m")), 1, name == "one.csv" ? "classes" : name);
  }
  expect_failure(run(fit(folder / "ragged.csv", folder / "m")), 1, ":3", "4", "3");
  expect_failure(run(fit(folder / "nolabel.csv", folder / "m")), 1, "row 1", "'y'",
                 "--drop-unlabelled");
  std::filesystem::create_directory(folder / "empty");
  expect_failure(run({"fit", folder / "empty", "--out", folder / "m"}), 1, "MNIST");
  expect_failure(run(fit(folder / "none.csv", folder / "m")), 1, "none.csv");
  EXPECT_FALSE(std::filesystem::exists(folder / "m")) << "nothing is left of a fit that failed";
  // Without a header the same file loads.
  EXPECT_EQ(run({"fit", folder / "data.txt", "--out", folder / "m", "--label", "c3", "--no-header",
                 "--model", "linear"})
                .status,
            0);
}

TEST(Table, FindsDelimiters) {
  TemporaryFolder folder;
  const std::string text = two_classes(30, {"0", "1"});
  put_file(folder / "x.csv", text);
  ASSERT_EQ(run(fit_linear(folder / "x.csv", folder / "m")).status, 0);
  const std::string wanted = run({"predict", folder / "m", folder / "x.csv"}).out;
  for (const char delimiter : {';', '\t', '|'}) {
    std::string other = text;
    std::replace(other.begin(), other.end(), ',', delimiter);
    put_file(folder / "other.csv", other);
    EXPECT_EQ(run({"predict", folder / "m", folder / "other.csv"}).out, wanted) << delimiter;
    EXPECT_EQ(run({"predict", folder / "m", folder / "other.csv", "--delimiter",
                   delimiter == '\t' ? std::string("tab") : std::string(1, delimiter)})
                  .out,
              wanted);
  }
  expect_failure(run(fit_linear(folder / "x.csv", folder / "n", {"--delimiter", "ab"})), 2,
                 "--delimiter");
}

TEST(Table, ReadsDecimalCommasOnlyWhenTold) {
  TemporaryFolder folder;
  put_file(folder / "x.csv", two_classes(30, {"0", "1"}));
  ASSERT_EQ(run(fit_linear(folder / "x.csv", folder / "m")).status, 0);
  const std::string wanted = run({"predict", folder / "m", folder / "x.csv"}).out;
  std::string other = two_classes(30, {"0", "1"});
  std::replace(other.begin(), other.end(), ',', ';');
  std::replace(other.begin(), other.end(), '.', ',');
  put_file(folder / "comma.csv", other);
  EXPECT_EQ(run({"predict", folder / "m", folder / "comma.csv", "--decimal-comma"}).out, wanted);
  expect_failure(run({"predict", folder / "m", folder / "comma.csv"}), 1, "'b'", "0,5");
}

}  // namespace
}  // namespace thalweg::cli
