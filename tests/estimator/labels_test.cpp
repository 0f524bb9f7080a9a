#include "estimator/labels.h"

#include "estimator/class_cells.h"
#include "estimator/head_json.h"
#include "gtest/gtest.h"
#include "testing.h"

namespace thalweg {
namespace {

using data::Column;
using data::Texts;
using Integers = std::vector<int64_t>;
using Reals = std::vector<double>;
using Words = std::vector<std::string>;
using Flags = std::vector<uint8_t>;

template <class F, class... Text>
void expect_invalid(F&& f, const Text&... words) {
  testing::expect_error(Code::kInvalidArgument, f, words...);
}

template <class Cells>
Table table_of(Cells cells, Flags missing = {}) {
  return Table({Column("y", std::move(cells), std::move(missing))});
}
Table table_of(const Words& cells) { return Table({Column("y", cells)}); }

// A text column with an empty cell.
Table with_gap(const Words& cells, size_t gap) {
  Texts texts;
  Flags missing(cells.size());
  for (const std::string& cell : cells) texts.add(cell);
  missing[gap] = 1;
  return Table({Column("y", std::move(texts), missing)});
}

LabelSpec learn(const HeadSpec& spec, const Table& table) {
  LabelLearner learner(spec);
  learner.add(table);
  return learner.label();
}

std::vector<int64_t> places(const HeadSpec& spec, const LabelSpec& label, const Table& table) {
  const Tensor encoded = label_tensor(spec, label, table);
  const auto values = encoded.data<int64_t>();
  return {values.begin(), values.end()};
}
std::vector<float> floats(const Tensor& tensor) {
  const auto values = tensor.data<float>();
  return {values.begin(), values.end()};
}

const HeadSpec kClasses = heads::classification("y");

TEST(LabelLearner, OrdersNumbersByValueAndTextsByAlphabet) {
  EXPECT_EQ(learn(kClasses, table_of(Integers{5, 3, 4, 3})).class_names, (Words{"3", "4", "5"}));
  EXPECT_EQ(learn(kClasses, table_of(Integers{1, -1, 1})).class_names, (Words{"-1", "1"}));
  EXPECT_EQ(learn(kClasses, table_of(Integers{2, 0})).class_names, (Words{"0", "2"}));
  EXPECT_EQ(learn(kClasses, table_of(Words{"10", "1", "2"})).class_names, (Words{"1", "2", "10"}));
  EXPECT_EQ(learn(kClasses, table_of(Words{"dog", "cat"})).class_names, (Words{"cat", "dog"}));
  EXPECT_EQ(learn(kClasses, table_of(Reals{1, 2, 1})).class_names, (Words{"1", "2"}));
  EXPECT_EQ(learn(kClasses, table_of(Words{"01", "02", "01"})).class_names, (Words{"01", "02"}));
}

TEST(LabelLearner, CountsRowsOverSeveralTables) {
  LabelLearner learner(kClasses);
  learner.add(table_of(Integers{3, 4, 3}));
  learner.add(table_of(Integers{5, 3}));
  const LabelSpec label = learner.label();
  EXPECT_EQ(label.column, "y");
  EXPECT_EQ(label.class_names, (Words{"3", "4", "5"}));
  EXPECT_EQ(label.class_counts, (Integers{3, 1, 1}));
}

TEST(LabelLearner, TakesTheOrderThatIsGiven) {
  HeadSpec spec = kClasses;
  spec.classes = {"low", "middle", "high"};
  const LabelSpec label = learn(spec, table_of(Words{"high", "low", "high"}));
  EXPECT_EQ(label.class_names, spec.classes);
  EXPECT_EQ(label.class_counts, (Integers{1, 0, 2}));
  expect_invalid([&] { learn(spec, table_of(Words{"low", "hihg"})); }, "hihg", "low, middle, high");
}

TEST(LabelLearner, RefusesLabelsThatCannotBeLearnt) {
  expect_invalid([] { learn(kClasses, table_of(Words{"a", "a"})); }, "'a'", "two classes");
  expect_invalid([] { learn(kClasses, with_gap({"a", "", "b"}, 1)); }, "row 2", "'y'");
  expect_invalid([] { learn(kClasses, Table({Column("x", Integers{1})})); }, "y", "x");
  Reals many;
  for (int i = 0; i < 500; ++i) many.push_back(i + 0.5);
  expect_invalid([&] { learn(kClasses, table_of(many)); }, "500", "regression");
  expect_invalid([] { LabelLearner(kClasses).label(); }, "no rows");
  LabelLearner learner(kClasses);
  learner.add(table_of(Words{"a", "b"}));
  expect_invalid([&] { learner.add(with_gap({"a", ""}, 1)); }, "row 4");
}

TEST(LabelTensor, FindsClassesHoweverTheFileSpellsTheirNumbers) {
  const LabelSpec label = learn(kClasses, table_of(Integers{3, 4, 5}));
  EXPECT_EQ(places(kClasses, label, table_of(Integers{5, 3})), (Integers{2, 0}));
  EXPECT_EQ(places(kClasses, label, table_of(Reals{4, 5})), (Integers{1, 2}));
  EXPECT_EQ(places(kClasses, label, table_of(Words{"3", "4.0"})), (Integers{0, 1}));
  // And numbers where the training had texts.
  const LabelSpec texts = learn(kClasses, table_of(Words{"1.0", "2.0", "x"}));
  EXPECT_EQ(places(kClasses, texts, table_of(Integers{2, 1})), (Integers{1, 0}));
}

TEST(LabelTensor, KeepsLeadingZerosApart) {
  const LabelSpec label = learn(kClasses, table_of(Words{"01", "1", "x"}));
  EXPECT_EQ(label.class_names.size(), 3u);
  EXPECT_EQ(places(kClasses, label, table_of(Words{"01", "1"})), (Integers{0, 1}));
  const LabelSpec numbers = learn(kClasses, table_of(Integers{1, 2}));
  expect_invalid([&] { label_tensor(kClasses, numbers, table_of(Words{"01"})); }, "'01'");
}

TEST(LabelTensor, NamesRowAndClassesOfAnUnseenLabel) {
  const LabelSpec label = learn(kClasses, table_of(Words{"cat", "dog"}));
  expect_invalid(
      [&] {
        label_tensor(kClasses, label, table_of(Words{"dog", "cow"}), 101);
      },
      "row 102", "'cow'", "cat, dog");
  expect_invalid(
      [&] {
        label_tensor(kClasses, label, with_gap({"dog", ""}, 1));
      },
      "row 2", "no label");
}

TEST(LabelTensor, ReadsNumbersOfRegressions) {
  const HeadSpec two = heads::regression({"y", "z"});
  const Table table({Column("y", Reals{1.5, 2}), Column("z", Integers{3, 4})});
  const LabelSpec label = learn(two, table);
  EXPECT_TRUE(label.standardized);
  const Tensor encoded = label_tensor(two, label, table);
  EXPECT_EQ(encoded.shape(), (Shape{2, 2}));
  EXPECT_EQ(floats(encoded), (std::vector<float>{1.5, 3, 2, 4}));
  const HeadSpec one = heads::regression({"y"});
  EXPECT_EQ(label_tensor(one, {}, table).shape(), Shape{2});
  expect_invalid(
      [&] {
        label_tensor(one, {}, table_of(Words{"1", "many"}));
      },
      "row 2", "'many'", "finite number");
  expect_invalid([&] { label_tensor(one, {}, table_of(Words{"1", "inf"})); }, "row 2");
  expect_invalid([&] { label_tensor(one, {}, table_of(Reals{1e300})); }, "float32");
  expect_invalid(
      [&] {
        label_tensor(one, {}, table_of(Reals{1, std::nan("")}));
      },
      "row 2", "no label");
  expect_invalid(
      [&] {
        label_tensor(heads::poisson("y"), {}, table_of(Integers{0, -1}));
      },
      "row 2", "-1", "0 or more");
}

TEST(LabelTensor, ReadsListsOfLabels) {
  const HeadSpec spec = heads::multi_label({"y"});
  const Table table = with_gap({"red|blue", "", "blue | green|", "red|red"}, 1);
  const LabelSpec label = learn(spec, table);
  EXPECT_EQ(label.class_names, (Words{"blue", "green", "red"}));
  EXPECT_EQ(label.class_counts, (Integers{2, 1, 2}));
  EXPECT_EQ(floats(label_tensor(spec, label, table)),
            (std::vector<float>{1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1}));
  expect_invalid(
      [&] {
        label_tensor(spec, label, table_of(Words{"red", "blue|pink"}));
      },
      "row 2", "'pink'", "blue, green, red");
}

TEST(LabelTensor, ReadsAColumnALabel) {
  const HeadSpec spec = heads::multi_label({"a", "b"});
  const Table table({Column("a", Integers{0, 1}), Column("b", Words{"yes", "False"})});
  const LabelSpec label = learn(spec, table);
  EXPECT_EQ(label.class_names, (Words{"a", "b"}));
  EXPECT_EQ(label.class_counts, (Integers{1, 1}));
  EXPECT_EQ(floats(label_tensor(spec, label, table)), (std::vector<float>{0, 1, 1, 0}));
  const Table bad({Column("a", Integers{0, 2}), Column("b", Integers{0, 1})});
  expect_invalid([&] { learn(spec, bad); }, "row 2", "'2'", "'a'");
}

TEST(LabelTensor, PutsSeveralHeadsSideBySide) {
  const HeadSpec spec = heads::multi({{.name = "kind", .head = heads::classification("k")},
                                      {.name = "size", .head = heads::regression({"s", "t"})}});
  const Table table(
      {Column("k", Words{"b", "a"}), Column("s", Reals{.5, 1}), Column("t", Reals{2, 3})});
  const LabelSpec label = learn(spec, table);
  ASSERT_EQ(label.parts.size(), 2u);
  EXPECT_EQ(label.parts[0].class_names, (Words{"a", "b"}));
  EXPECT_EQ(floats(label_tensor(spec, label, table)), (std::vector<float>{1, .5, 2, 0, 1, 3}));
  EXPECT_EQ(label_columns(spec), (Words{"k", "s", "t"}));
}

TEST(WeightTensor, ReadsWeightsAndNamesBadRows) {
  HeadSpec spec = kClasses;
  EXPECT_FALSE(weight_tensor(spec, table_of(Integers{1, 2})).is_valid());
  spec.weight = std::string("y");
  EXPECT_EQ(floats(weight_tensor(spec, table_of(Reals{0, 2.5}))), (std::vector<float>{0, 2.5}));
  expect_invalid([&] { weight_tensor(spec, table_of(Reals{1, -2})); }, "row 2", "-2");
  expect_invalid([&] { weight_tensor(spec, table_of(Words{"1", "inf"})); }, "row 2", "finite");
  expect_invalid(
      [&] {
        weight_tensor(spec, table_of(Words{"1", "heavy"}), 11);
      },
      "row 12", "heavy");
  expect_invalid([&] { weight_tensor(spec, with_gap({"1", ""}, 1)); }, "row 2", "no weight");
}

TEST(NumberText, WritesEqualNumbersAlike) {
  EXPECT_EQ(number_text("1.0"), "1");
  EXPECT_EQ(number_text("1e0"), "1");
  EXPECT_EQ(number_text("-2.50"), "-2.5");
  for (const char* text : {"01", "", "-", "a", "1a", "+1", " 1", "nan", "inf", "-inf", "1e999"}) {
    EXPECT_FALSE(number_text(text)) << text;
  }
}

TEST(CheckHead, RefusesWhatCannotBeLearnt) {
  const auto refuse = [](HeadSpec spec, std::string_view words) {
    expect_invalid([&] { check_head(spec); }, std::string(words));
  };
  HeadSpec spec;
  refuse(spec, "0 label columns");
  refuse(heads::regression({"a", "a"}), "'a' twice");
  refuse(heads::regression({""}), "empty");
  spec = kClasses;
  spec.weight = "y";
  refuse(spec, "both label and weight");
  spec = kClasses;
  spec.class_weights.balanced = true;
  spec.class_weights.given = {{"a", 2}};
  refuse(spec, "choose one");
  spec.class_weights.balanced = false;
  spec.class_weights.given = {{"a", -2}};
  refuse(spec, "'a' is -2");
  spec = heads::regression({"y"});
  spec.class_weights.balanced = true;
  refuse(spec, "for classification");
  refuse(heads::quantile("y", {}), "no quantiles");
  refuse(heads::quantile("y", {0.5, 1}), "between 0 and 1");
  refuse(heads::quantile("y", {0.5, 0.5}), "twice");
  refuse(heads::multi({}), "no heads");
  refuse(heads::multi({{.name = "a", .head = kClasses}, {.name = "a", .head = kClasses}}),
         "'a' twice");
  refuse(heads::multi({{.name = "a", .head = kClasses, .weight = 0}}), "above 0");
  refuse(heads::multi({{.name = "a", .head = heads::multi({})}}), "multi itself");
  refuse(heads::multi({{.name = "a", .head = heads::quantile("y", {2})}}), "head 'a'");
}

TEST(HeadJson, GivesTheSameHeadAgain) {
  HeadSpec classes = heads::classification("y");
  classes.weight = "w";
  classes.class_weights.given = {{"a", 2}, {"b", 0.5}};
  classes.classes = {"b", "a"};
  classes.positive = "b";
  HeadSpec lists = heads::multi_label({"tags"});
  lists.separator = ";";
  for (const HeadSpec& spec :
       {classes, lists, heads::regression({"a", "b"}), heads::poisson("n"),
        heads::quantile("y", {0.25, 0.75}),
        heads::multi({{.name = "one", .head = heads::classification("y"), .weight = 2},
                      {.name = "two", .head = heads::poisson("n")}})}) {
    const Json json = from_head(spec);
    EXPECT_EQ(from_head(to_head(parse_json(json.dump()))), json);
  }
  const HeadSpec again = to_head(from_head(classes));
  EXPECT_EQ(again.class_weights.given.at("b"), 0.5);
  EXPECT_EQ(again.classes, classes.classes);
  expect_invalid([] { to_head(parse_json(R"({"kind": "svm"})")); }, "svm", "quantile");
}

TEST(LabelJson, GivesTheSameLabelAgain) {
  LabelSpec label;
  label.column = "y";
  label.class_names = {"a", "b"};
  label.class_counts = {3, 4};
  label.prior = {0.25, 0.75};
  label.class_weights = {1, 2};
  LabelSpec numbers;
  numbers.mean = {1, 2};
  numbers.deviation = {3, 4};
  numbers.standardized = true;
  LabelSpec both;
  both.parts = {label, numbers};
  const Json json = from_label(both);
  const LabelSpec again = to_label(parse_json(json.dump()));
  EXPECT_EQ(from_label(again), json);
  EXPECT_EQ(again.parts[1].mean, numbers.mean);
  // Of before there were several outputs.
  const LabelSpec old =
      to_label(parse_json(R"({"mean": 5.5, "deviation": 2, "standardized": true})"));
  EXPECT_EQ(old.mean, (std::vector<double>{5.5}));
  EXPECT_EQ(old.deviation, (std::vector<double>{2}));
}

}  // namespace
}  // namespace thalweg
