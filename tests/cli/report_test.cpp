#include <cmath>

#include "cli/report/document.h"
#include "cli/report/fit_document.h"
#include "cli/report/svg.h"
#include "cli/report/table_facts.h"
#include "cli_testing.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

TableFitFacts sample() {
  TableFitFacts facts{.data = "people.csv", .task = "classification"};
  facts.data_hash = "0123";
  facts.rows = 1000;
  facts.notes = {"separated by ';'"};
  facts.columns = {{.name = "age",
                    .role = "feature",
                    .type = "integer",
                    .missing = 3,
                    .distinct = 70,
                    .use = "standardised"},
                   {.name = "<b>", .role = "ignored", .type = "text"}};
  facts.labels = {"income"};
  facts.classes = {{"low", 700, 70, 0.9, 0.95, 0.924}, {"high", 300, 30, 0.85, 0.75, 0.797}};
  facts.training_rows = 900;
  facts.validation_rows = 100;
  facts.split = "at random";
  facts.family = "linear";
  facts.model = "a linear model";
  facts.parameters = 12;
  facts.settings = {{"epochs", "5", true}, {"seed", "1", false}};
  facts.candidates = {{"linear", "L-BFGS", {{"loss", 0.4}}, 1.5, ""},
                      {"trees", "", {}, 0.1, "no library"}};
  facts.choice = "linear has the lowest validation loss.";
  facts.history = {{1, 10, {{"loss", 0.9}}, {{"loss", 0.8}}, true},
                   {2, 20, {{"loss", 0.5}}, {{"loss", 0.6}}, true}};
  facts.best_step = 20;
  TableFitFacts::Metric accuracy{.name = "accuracy"};
  accuracy.training = 0.95;
  accuracy.validation = 0.89;
  accuracy.spread = 0.03;
  accuracy.baseline = 0.7;
  TableFitFacts::Metric auc{.name = "auc"};
  auc.undefined = "all rows are of one class";
  facts.metrics = {accuracy, auc};
  facts.baseline = "each class as often as in training";
  facts.confusion = {{66, 4}, {7, 23}};
  facts.roc = {{"high", {{0, 0}, {0.1, 0.8}, {1, 1}}, 0.9}};
  facts.calibration = {{0.2, 0.25, 60}, {0.8, 0.7, 40}};
  facts.top_columns = {{"age", 0.25}, {"<b>", 0.01}};
  facts.environment = {{"thalweg", "0.1"}};
  facts.started = "2026-01-31T12:00:00Z";
  facts.seconds = 3.25;
  facts.peak_memory = 300 << 20;
  facts.threads = 2;
  facts.command = "thalweg fit people.csv --label income --out m";
  facts.folder = "m";
  facts.events = "m/events";
  facts.next_command = "thalweg predict m people.csv";
  return facts;
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << text << "\nlacks: " << word;
  }
}

TEST(FitReport, HasAllFactsAsText) {
  expect_words(
      facts_text(sample()),
      {"A model of income, a linear model: accuracy 0.8900 \u00b1 0.0300 on 100 rows kept for "
       "validation\n  (baseline 0.7000).",
       "people.csv: 1,000 rows, 2 columns; fingerprint 0123", "separated by ';'",
       "age     feature  integer        3        70  standardised", "Split: at random",
       "linear has the lowest validation loss.", "epochs   5      given",
       "accuracy    0.9500      0.8900  0.0300    0.7000",
       "auc is undefined: all rows are of one class", "low     700",
       "label \\ predicted  low  high",
       "The weights are those of the best validation loss, at step 20.", "\nseed         1\n",
       "thalweg fit people.csv --label income --out m", "\npeak memory  300 MiB\n"});
}

TEST(FitReport, IsMarkdownThatNothingBreaks) {
  const std::string text = facts_markdown(sample());
  expect_words(text, {"# Report on m\n", "## Data\n", "| age | feature | integer | 3 | 70 |",
                      "| \\<b\\> | ignored |", "| --- | --- | --- | ---: | ---: | --- |",
                      "```sh\nthalweg fit people.csv --label income --out m\n```\n"});
  EXPECT_EQ(markdown_escaped("a|b*c\n"), "a\\|b\\*c\\\\n");
}

TEST(FitReport, IsOneHtmlFileForLightAndDark) {
  const std::string text = facts_html(sample());
  expect_words(text,
               {"<!DOCTYPE html>", "<html lang=\"en\">", "<meta charset=\"utf-8\">",
                "prefers-color-scheme: dark", "<svg role=\"img\"", "<title>Loss</title>",
                "<desc>training: from 0.9000 to 0.5000; validation: from 0.8000 to 0.6000</desc>",
                "<th scope=\"row\" class=\"left\">&lt;b&gt;</th>", "<title>Confusion</title>",
                "<title>ROC</title>", "<title>Calibration</title>",
                "<title>Columns that matter most</title>"});
  for (const char* word : {"<script", "src=", "href=", "url(", "<b>", "@import"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  }
  // Every element that is opened is closed.
  for (const std::string tag : {"table", "section", "svg", "figure", "tr", "p"}) {
    size_t opened = 0, closed = 0;
    for (size_t at = 0; (at = text.find("<" + tag, at)) != std::string::npos; ++at) {
      const char next = text[at + tag.size() + 1];
      if (next == '>' || next == ' ') ++opened;
    }
    for (size_t at = 0; (at = text.find("</" + tag + ">", at)) != std::string::npos; ++at) ++closed;
    EXPECT_EQ(opened, closed) << tag;
  }
}

TEST(FitReport, IsJsonWithASchema) {
  const auto json = nlohmann::json::parse(facts_json(sample()));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["verb"], "fit");
  EXPECT_EQ(json["metrics"]["validation"]["accuracy"], 0.89);
  EXPECT_EQ(json["metrics"]["baseline"]["accuracy"], 0.7);
  EXPECT_EQ(json["metrics"]["undefined"]["auc"], "all rows are of one class");
  EXPECT_EQ(json["data"]["columns"][0]["missing"], 3);
  EXPECT_TRUE(json["data"]["columns"][1]["missing"].is_null());
  EXPECT_EQ(json["network"]["candidates"][1]["failure"], "no library");
  EXPECT_EQ(json["network"]["settings"]["epochs"]["given"], true);
  EXPECT_EQ(json["confusion"][1][0], 7);
  EXPECT_EQ(json["history"].size(), 2u);
}

TEST(ModelCard, HasFactsAndLeavesTheRestToPeople) {
  const std::string text = model_card(sample());
  EXPECT_EQ(text.rfind("---\nlicense: unknown", 0), 0u);
  expect_words(text,
               {"library_name: thalweg", "pipeline_tag: tabular-classification",
                "- type: \"accuracy\"\n            value: 0.89\n", "# Model card: m",
                "## Use and limits", "(to fill in)", "95.0 % of the rows of low, but 75.0 %"});
}

TEST(FitReport, CutsLongTables) {
  TableFitFacts facts = sample();
  for (int i = 0; i < 100; ++i) {
    facts.columns.push_back({.name = str("c", i), .role = "feature", .type = "real"});
  }
  const std::string text = facts_text(facts);
  EXPECT_NE(text.find("and 62 more\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("c99"), std::string::npos);
  EXPECT_NE(facts_markdown(facts).find("c99"), std::string::npos);
}

TEST(Svg, PutsTicksAtRoundNumbers) {
  EXPECT_EQ(ticks(0, 1, 5), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ(ticks(-3, 27, 3), (std::vector<double>{0, 10, 20}));
  EXPECT_EQ(ticks(2, 2, 5), std::vector<double>{2});
  EXPECT_EQ(tick_text(0.6000000000000001), "0.6");
  EXPECT_EQ(tick_text(-1e-17), "0");
}

TEST(Svg, LeavesOutWhatIsNotFinite) {
  Chart chart("t", "d", {.label = "x"}, {.label = "y"});
  chart.line("a", {{0, 0}, {0.5, NAN}, {1, 1}});
  const std::string svg = chart.svg();
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find("<path class=\"first\" d=\"M62.0 236.0 L426.0 30.0\"/>"), std::string::npos)
      << svg;
}

}  // namespace
}  // namespace thalweg::cli
