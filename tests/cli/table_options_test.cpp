// Options of fit, evaluate and predict that are of tables alone.
#include <cmath>

#include "cli_testing.h"

namespace thalweg::cli {
namespace {

// 120 people: an id beyond 2^53, a category, a number with gaps, a text without meaning.
std::string people() {
  std::string text = "id,town,age,note,y\n";
  for (int i = 0; i < 120; ++i) {
    const bool rich = i % 3 == 0;
    text += std::to_string(9007199254740993 + i) + "," +
            (rich    ? "Rome"
             : i % 2 ? "Oslo"
                     : "Bonn") +
            "," + (i % 10 == 0 ? "" : std::to_string(20 + i % 40)) + ",n" + std::to_string(i) +
            "," + (rich ? "yes" : "no") + "\n";
  }
  return text;
}

std::vector<std::string> fit(const std::string& data, const std::string& out,
                             const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"fit", data, "--out", out, "--label", "y"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << text << "\nlacks: " << word;
  }
}

TEST(TableFit, ChoosesAModelByItselfAndSaysWhy) {
  TemporaryFolder folder;
  put_file(folder / "people.csv", people());
  const Outcome fitted = run(fit(folder / "people.csv", folder / "m", {"--ids", "id", "--json"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const auto json = fitted.json();
  ASSERT_EQ(json["network"]["candidates"].size(), 3u);
  EXPECT_EQ(json["network"]["candidates"][0]["name"], "linear");
  EXPECT_EQ(json["network"]["candidates"][1]["name"], "boosted-trees");
  EXPECT_EQ(json["network"]["candidates"][2]["name"], "baseline");
  expect_words(json["network"]["choice"].get<std::string>(),
               {"was chosen", "log_loss", "baseline"});
  EXPECT_GT(json["metrics"]["validation"]["accuracy"].get<double>(), 0.99);
  EXPECT_LT(json["metrics"]["baseline"]["accuracy"].get<double>(), 0.7);
  EXPECT_EQ(json["data"]["columns"][0]["role"], "id");
  EXPECT_EQ(json["data"]["columns"][2]["missing"], 12);
  EXPECT_EQ(json["data"]["columns"][3]["role"], "ignored");
  EXPECT_GT(json["top_columns"]["town"].get<double>(), 0.1);
  EXPECT_EQ(json["classes"][1]["rows"], 40) << "of all rows";
  for (const char* file :
       {"report.md", "report.html", "report.json", "model_card.md", "config.toml", "model.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / "m/" + file)) << file;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "m/.candidates"));
  expect_words(file_text(folder / "m/report.html"), {"<svg", "Confusion", "town", "log_loss"});
  expect_words(file_text(folder / "m/model_card.md"), {"license:", "yes", "(to fill in)"});
  expect_words(run({"show", folder / "m"}).out,
               {"town", "3 categories learnt", "age", "yes", "baseline", "Command"});
}

TEST(TableFit, IsRepeatedByItsConfig) {
  TemporaryFolder folder;
  put_file(folder / "people.csv", people());
  ASSERT_EQ(run(fit(folder / "people.csv", folder / "m",
                    {"--model", "dnn", "--epochs", "2", "--ignore", "note", "--ids", "id",
                     "--hidden-units", "8,4", "--class-weights", "balanced", "--seed", "3"}))
                .status,
            0);
  expect_words(file_text(folder / "m/config.toml"),
               {"[fit]", "epochs = 2", "ignore = [\"note\"]", "seed = 3", "batch-size = 256",
                "task = \"classification\""});
  const Outcome again =
      run({"fit", "--config", folder / "m/config.toml", "--out", folder / "n", "--quiet"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(run({"predict", folder / "m", folder / "people.csv"}).out,
            run({"predict", folder / "n", folder / "people.csv"}).out);
  EXPECT_EQ(file_text(folder / "m/config.toml"), file_text(folder / "n/config.toml"));
}

TEST(TablePredict, EchoesIdsDigitForDigit) {
  TemporaryFolder folder;
  put_file(folder / "people.csv", people());
  ASSERT_EQ(
      run(fit(folder / "people.csv", folder / "m", {"--model", "linear", "--ids", "id"})).status,
      0);
  const Outcome predicted = run({"predict", folder / "m", folder / "people.csv"});
  EXPECT_EQ(predicted.out.rfind("id,y,p(no),p(yes)\n9007199254740993,yes,", 0), 0u)
      << predicted.out.substr(0, 200);
  EXPECT_NE(predicted.out.find("\n9007199254740994,no,"), std::string::npos);
  const Outcome lines = run({"predict", folder / "m", folder / "people.csv", "--json", "-q"});
  const auto first = nlohmann::json::parse(lines.out.substr(0, lines.out.find('\n')));
  EXPECT_EQ(first["ids"]["id"], "9007199254740993");
  EXPECT_EQ(first["label"], "yes");
  EXPECT_NEAR(
      first["probabilities"]["yes"].get<double>() + first["probabilities"]["no"].get<double>(), 1,
      1e-6);
  // Others, or none, when told so; and rows are numbered where there is no id.
  EXPECT_EQ(run({"predict", folder / "m", folder / "people.csv", "--ids", "town,note"})
                .out.rfind("town,note,y,", 0),
            0u);
  put_file(folder / "new.csv", "age,town\n30,Rome\n,Oslo\n");
  const Outcome numbered = run({"predict", folder / "m", folder / "new.csv"});
  EXPECT_EQ(numbered.status, 0);
  EXPECT_EQ(numbered.out.rfind("row,y,p(no),p(yes)\n1,yes,", 0), 0u) << numbered.out;
  expect_words(numbered.err, {"warning: ", "'id'"});
}

TEST(TablePredict, CountsWhatItHasNeverSeen) {
  TemporaryFolder folder;
  put_file(folder / "people.csv", people());
  ASSERT_EQ(
      run(fit(folder / "people.csv", folder / "m", {"--model", "linear", "--ignore", "id,note"}))
          .status,
      0);
  put_file(folder / "new.csv", "age,town\n30,Paris\n,Lima\n40,Rome\n");
  const Outcome predicted = run({"predict", folder / "m", folder / "new.csv"});
  EXPECT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 4);
  expect_words(predicted.err, {"'town': 2 cells", "'age': 1 cell missing"});
  ASSERT_EQ(run(fit(folder / "people.csv", folder / "s",
                    {"--model", "linear", "--ignore", "id,note", "--strict"}))
                .status,
            0);
  expect_failure(run({"predict", folder / "s", folder / "new.csv"}), 1, "town", "Paris");
}

TEST(TableFit, TakesSpreadsheetExports) {
  TemporaryFolder folder;
  std::string text =
      "\xEF\xBB\xBF"
      "age,income,y\r\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(20 + i * 7 % 40) + "," + std::to_string(900 + i * 11 % 60) + "," +
            std::to_string(i % 2) + (i == 39 ? "" : "\r\n");
  }
  put_file(folder / "x.csv", text);
  for (const std::string label : {"y", "age"}) {
    const Outcome fitted = run({"fit", folder / "x.csv", "--out", folder / label, "--label", label,
                                "--model", "linear", "--json", "--quiet"});
    ASSERT_EQ(fitted.status, 0) << fitted.err;
    EXPECT_EQ(fitted.json()["data"]["rows"], 40);
    EXPECT_EQ(fitted.json()["data"]["columns"][0]["name"], "age");
    EXPECT_EQ(fitted.json()["labels"][0], label);
    if (label != "y") continue;
    EXPECT_EQ(fitted.json()["classes"][1]["name"], "1");
  }
}

TEST(TableFit, TakesStrangeColumnNames) {
  TemporaryFolder folder;
  std::string text = "\"distance, km\",\"a\"\"b\",a\\b,[x].y,,y\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i * 7 % 40) + "," + std::to_string(i % 5) + "," + std::to_string(i % 4) +
            "," + std::to_string(i % 6) + "," + std::to_string(i % 9) + "," +
            (i * 7 % 40 < 20 ? "near" : "far") + "\n";
  }
  put_file(folder / "x.csv", text);
  const Outcome fitted =
      run(fit(folder / "x.csv", folder / "m", {"--model", "linear", "--json", "--quiet"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_EQ(fitted.json()["data"]["columns"][0]["name"], "distance, km");
  EXPECT_EQ(fitted.json()["data"]["columns"][1]["name"], "a\"b");
  EXPECT_EQ(run({"predict", folder / "m", folder / "x.csv"}).status, 0);
  put_file(folder / "twice.csv", "a,a,y\n1,2,0\n2,3,1\n");
  expect_failure(run(fit(folder / "twice.csv", folder / "n", {"--model", "linear"})), 1,
                 "twice.csv", "\"a\"");
}

TEST(TableFit, LeavesRowsWithoutALabelOutWhenTold) {
  TemporaryFolder folder;
  put_file(folder / "people.csv", people() + "1,Rome,30,x,\n2,Oslo,30,x,NA\n");
  expect_failure(run(fit(folder / "people.csv", folder / "m")), 1, "row 121", "2 rows", "'y'",
                 "--drop-unlabelled");
  const Outcome fitted = run(fit(folder / "people.csv", folder / "m",
                                 {"--drop-unlabelled", "--model", "linear", "--json", "-q"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_EQ(fitted.json()["data"]["dropped"][0], "2 rows without a label");
}

TEST(TableFit, WarnsOfTextsAmongNumbers) {
  TemporaryFolder folder;
  std::string text = two_classes(40, {"0", "1"});
  text.replace(text.find("\n7,") + 1, 1, "inf");
  put_file(folder / "x.csv", text);
  const Outcome fitted = run(fit(folder / "x.csv", folder / "m", {"--model", "linear"}));
  expect_words(fitted.err, {"warning: ", "column 'a'", "'inf' in row 2", "--types a=number"});
  expect_failure(
      run(fit(folder / "x.csv", folder / "n", {"--model", "linear", "--types", "a=number"})), 1,
      "x.csv", "'a'", "inf");
}

TEST(TableFit, LearnsSeveralLabels) {
  TemporaryFolder folder;
  std::string text = "a,b,p,q\n";
  for (int i = 0; i < 80; ++i) {
    const int a = i % 10, b = i / 10;
    text += std::to_string(a) + "," + std::to_string(b) + "," + (a > 4 ? "1" : "0") + "," +
            (b > 3 ? "1" : "0") + "\n";
  }
  put_file(folder / "x.csv", text);
  const auto labels = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"fit",     folder / "x.csv", "--label", "p,q",
                                      "--model", "linear",         "--out",   folder / out};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Outcome fitted = labels("m", {"--json"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_EQ(fitted.json()["task"], "multi-label");
  const Outcome predicted = run({"predict", folder / "m", folder / "x.csv", "-q"});
  EXPECT_EQ(predicted.out.rfind("row,labels,p(p),p(q)\n", 0), 0u) << predicted.out.substr(0, 80);
  ASSERT_EQ(labels("r", {"--task", "regression"}).status, 0);
  const Outcome numbers = run({"predict", folder / "r", folder / "x.csv", "-q"});
  EXPECT_EQ(numbers.out.rfind("row,prediction_p,prediction_q\n1,", 0), 0u);
  expect_failure(labels("c", {"--task", "classification"}), 2, "one --label");
}

TEST(TableFit, LearnsQuantilesAndCounts) {
  TemporaryFolder folder;
  std::string text = "a,y\n";
  for (int i = 0; i < 200; ++i) {
    text += std::to_string(i % 20) + "," + std::to_string(i % 20 + i % 7) + "\n";
  }
  put_file(folder / "x.csv", text);
  ASSERT_EQ(run(fit(folder / "x.csv", folder / "q",
                    {"--model", "dnn", "--epochs", "3", "--quantiles", "0.1,0.9"}))
                .status,
            0);
  EXPECT_EQ(run({"predict", folder / "q", folder / "x.csv", "-q"}).out.rfind("row,q0.1,q0.9\n", 0),
            0u);
  ASSERT_EQ(
      run(fit(folder / "x.csv", folder / "p", {"--model", "linear", "--task", "poisson"})).status,
      0);
  const auto json = run({"evaluate", folder / "p", folder / "x.csv", "--json"}).json();
  EXPECT_LT(json["metrics"]["deviance"].get<double>(), json["baseline"]["deviance"].get<double>());
}

TEST(TableFit, ValidatesAndTestsOnOtherFiles) {
  TemporaryFolder folder;
  put_file(folder / "people.csv", people());
  put_file(folder / "more.csv", people());
  const Outcome fitted = run(fit(folder / "people.csv", folder / "m",
                                 {"--model", "linear", "--validation", folder / "more.csv",
                                  "--test", folder / "more.csv", "--json", "--ignore", "id,note"}));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const auto json = fitted.json();
  EXPECT_EQ(json["data"]["training_rows"], 120);
  EXPECT_EQ(json["data"]["validation_rows"], 120);
  EXPECT_EQ(json["metrics"]["test"], json["metrics"]["validation"]);
}

TEST(TableFit, DryRunSaysWhatItFound) {
  TemporaryFolder folder;
  put_file(folder / "people.csv", people());
  const Outcome dry = run({"fit", folder / "people.csv", "--label", "y", "--dry-run"});
  ASSERT_EQ(dry.status, 0) << dry.err;
  expect_words(dry.out, {"120 rows, 5 columns", "classification of y", "town", "category", "note",
                         "left out", "no", "yes", "40", "108 rows to train, 12 to validate",
                         "Candidates, compared by log_loss", "a linear model", "boosted trees"});
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
}

TEST(TableEvaluate, GatesByAnyMetric) {
  TemporaryFolder folder;
  put_file(folder / "people.csv", people());
  ASSERT_EQ(run(fit(folder / "people.csv", folder / "m", {"--model", "linear"})).status, 0);
  const auto evaluate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"evaluate", folder / "m", folder / "people.csv"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Outcome good = evaluate({"--require", "accuracy>=0.9", "--require", "log_loss<0.3"});
  EXPECT_EQ(good.status, 0) << good.err;
  expect_words(good.out, {"accuracy", "auc", "log_loss", "baseline", "precision", "label \\ pred"});
  const Outcome bad = evaluate({"--require", "accuracy>=0.9", "--require", "auc<0.5"});
  EXPECT_EQ(bad.status, 1);
  expect_words(bad.err, {"auc<0.5", "(it is "});
  EXPECT_EQ(bad.err.find("accuracy>=0.9"), std::string::npos);
  expect_failure(evaluate({"--require", "acuracy>=0.9"}), 2, "'accuracy'");
  const auto json = evaluate({"--json"}).json();
  EXPECT_EQ(json["per_class"][1]["name"], "yes");
  EXPECT_EQ(json["confusion"][0][0].get<int>() + json["confusion"][0][1].get<int>(), 80);
}

TEST(TableExport, RunsAsASavedModel) {
  TemporaryFolder folder;
  put_file(folder / "people.csv", people());
  ASSERT_EQ(
      run(fit(folder / "people.csv", folder / "m", {"--model", "linear", "--ignore", "id,note"}))
          .status,
      0);
  const Outcome exported = run({"export", folder / "m", "--out", folder / "saved/1"});
  ASSERT_EQ(exported.status, 0) << exported.err;
  const Outcome called =
      run({"run", folder / "saved/1", "--input", "town=Rome", "--input", "age=30", "--json"});
  ASSERT_EQ(called.status, 0) << called.err;
}

}  // namespace
}  // namespace thalweg::cli
