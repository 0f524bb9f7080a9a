#include "cli/spread.h"

#include <cmath>

#include "cli/table_survey.h"
#include "cli_testing.h"
#include "thalweg/base/error.h"
#include "thalweg/base/philox.h"

namespace thalweg::cli {
namespace {

TEST(Spread, OfASharesIsTheBinomials) {
  ClassRows rows;
  for (int i = 0; i < 400; ++i) {
    rows.right.push_back(i % 5 == 0 ? 0 : 1);
    rows.probability.push_back(0.5);
  }
  const auto found = class_spreads(rows, 1);
  EXPECT_NEAR(found.at("accuracy"), std::sqrt(0.8 * 0.2 / 400), 0.003);
  EXPECT_NEAR(found.at("log_loss"), 0, 1e-6);
  EXPECT_FALSE(found.contains("auc"));
  EXPECT_EQ(found, class_spreads(rows, 1)) << "the same by the same seed";
}

TEST(Spread, OfARankingIsThatOfHanleyAndMcNeil) {
  ClassRows rows;
  Philox random(3);
  for (int i = 0; i < 600; ++i) {
    const bool positive = i % 3 == 0;
    rows.right.push_back(1);
    rows.probability.push_back(1);
    rows.positive.push_back(positive);
    rows.score.push_back(random.normal() + (positive ? 1.2 : 0));
  }
  // Hanley, McNeil 1982, with an area of 0.80.
  const double area = 0.80, positives = 200, negatives = 400;
  const double q1 = area / (2 - area), q2 = 2 * area * area / (1 + area);
  const double expected = std::sqrt((area * (1 - area) + (positives - 1) * (q1 - area * area) +
                                     (negatives - 1) * (q2 - area * area)) /
                                    (positives * negatives));
  EXPECT_NEAR(class_spreads(rows, 1).at("auc"), expected, 0.005);
}

TEST(Spread, OfNumbersShrinksWithTheRoot) {
  std::vector<double> labels, predictions;
  Philox random(5);
  for (int i = 0; i < 1600; ++i) {
    labels.push_back(random.normal() * 3);
    predictions.push_back(labels.back() + random.normal());
  }
  const auto all = number_spreads(labels, predictions, 1);
  // Of a mean of squares of normal numbers: sqrt(2 / n).
  EXPECT_NEAR(all.at("mse"), std::sqrt(2.0 / 1600), 0.006);
  EXPECT_NEAR(all.at("rmse"), all.at("mse") / 2, 0.002);
  EXPECT_GT(all.at("r2"), 0);
  const std::span<const double> some(labels.data(), 100);
  EXPECT_GT(number_spreads(some, std::span<const double>(predictions.data(), 100), 1).at("mse"),
            2.5 * all.at("mse"));
  EXPECT_TRUE(number_spreads(some.first(1), some.first(1), 1).empty());
}

Table little() {
  return Table({data::Column("a", std::vector<int64_t>{1, 2, 3, 4, 5, 6}),
                data::Column("y", std::vector<std::string>{"n", "y", "n", "y", "n", "y"})});
}

TEST(SelectRows, GivesTheRowsOfAPartInPieces) {
  const auto parts = std::make_shared<std::vector<Part>>(
      std::vector<Part>{Part::kTraining, Part::kValidation, Part::kTraining, Part::kLeftOut,
                        Part::kTraining, Part::kTraining});
  const auto all = data::table_source(little());
  const auto training = select_rows(all, parts, Part::kTraining);
  EXPECT_EQ(training->rows(), 4);
  EXPECT_NE(training->fingerprint(), select_rows(all, parts, Part::kValidation)->fingerprint());
  const auto reader = training->open();
  const auto first = reader->next(3), second = reader->next(3);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->rows(), 3);
  EXPECT_EQ(first->column("a").integers()[2], 5);
  EXPECT_EQ(second->rows(), 1);
  EXPECT_EQ(second->column("a").integers()[0], 6);
  EXPECT_FALSE(reader->next(3).has_value());
  EXPECT_EQ(training->read_all().rows(), 4);
}

TEST(Survey, CountsLabelsAndWhatIsMissing) {
  data::Texts cells;
  for (const char* cell : {"1", "2", "", "x", "5", "6"}) cells.add(cell);
  const Table table = little().with(data::Column("b", cells, {0, 0, 1, 0, 0, 0}));
  const auto source = data::table_source(table, "t.csv");
  const TableSurvey survey = survey_table(*source, {"y"});
  EXPECT_EQ(survey.rows, 6);
  EXPECT_EQ(survey.missing, (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(survey.labels[0].counts, (std::map<std::string, int64_t>{{"n", 3}, {"y", 3}}));
  EXPECT_EQ(survey.label_ids, (std::vector<int64_t>{0, 1, 0, 1, 0, 1}));
  const RowSplit split = split_rows(survey, 1.0 / 3, 1, true);
  EXPECT_EQ(split.validation, 2);
  EXPECT_EQ(split.training, 4);
  const RowSplit again = split_rows(survey, 1.0 / 3, 1, true);
  EXPECT_EQ(*split.parts, *again.parts);

  const TableSurvey gaps = survey_table(*source, {"b"});
  EXPECT_EQ(gaps.labels[0].first_missing, 3);
  EXPECT_EQ(gaps.label_ids[2], -1);
  EXPECT_THROW(check_labels(gaps, *source, false), Error);
  check_labels(gaps, *source, true);
  EXPECT_EQ(split_rows(gaps, 0, 1, false).left_out, 1);
  EXPECT_THROW(survey_table(*source, {"z"}), Error);
}

TEST(Survey, GuessesTheTask) {
  const auto task = [](LabelSurvey label) { return guess_task({label}).task; };
  EXPECT_EQ(task({.counts = {{"a", 1}}, .all_numbers = false, .all_whole = false}),
            "classification");
  EXPECT_EQ(task({.counts = {{"1", 1}, {"2", 1}}}), "classification");
  EXPECT_EQ(task({.counts = {{"0.5", 1}}, .all_whole = false}), "regression");
  LabelSurvey many;
  for (int i = 0; i < 21; ++i) many.counts[std::to_string(i)] = 1;
  EXPECT_EQ(task(many), "regression");
  EXPECT_EQ(guess_task({LabelSurvey{}, LabelSurvey{}}).task, "multi-label");
  EXPECT_EQ(guess_task({LabelSurvey{.all_binary = false}, LabelSurvey{}}).task, "regression");
}

}  // namespace
}  // namespace thalweg::cli
