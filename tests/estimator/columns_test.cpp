#include "thalweg/estimator/columns.h"

#include "testing.h"

namespace thalweg {
namespace {

using namespace columns;  // NOLINT: the names are the subject
using testing::expect_error;

TEST(FeatureColumns, AreNamedAsTensorFlowNamesThem) {
  const FeatureColumn age = bucketized("age", {.boundaries = {18, 65}});
  const FeatureColumn work = hashed("work", 100);
  EXPECT_EQ(numeric("age").key(), "age");
  EXPECT_EQ(age.key(), "age_bucketized");
  EXPECT_EQ(crossed({work, age}, 10).key(), "age_bucketized_X_work");
  EXPECT_EQ(indicator(work).key(), "work_indicator");
  EXPECT_EQ(embedding(work, 4).key(), "work_embedding");
  EXPECT_EQ(weighted(work, "hours").key(), "work_weighted_by_hours");
  const auto shared = shared_embedding({work, hashed("job", 100)}, 4);
  EXPECT_EQ(shared[0].key(), "work_shared_embedding");
  EXPECT_EQ(shared[1].key(), "job_shared_embedding");
}

TEST(FeatureColumns, SayWhichColumnsOfTheTableTheyRead) {
  const FeatureColumn cross =
      crossed({bucketized("age", {.quantiles = 4}), crossed({"a", "age"}, 5)}, 10);
  EXPECT_EQ(cross.table_columns(), (std::vector<std::string>{"age", "a"}));
  EXPECT_EQ(indicator(weighted(hashed("x", 3), "w")).table_columns(),
            (std::vector<std::string>{"x", "w"}));
}

TEST(FeatureColumns, TellCategoriesFromNumbers) {
  EXPECT_FALSE(numeric("x").is_categorical());
  EXPECT_FALSE(date("x").is_categorical());
  EXPECT_FALSE(indicator(text("x")).is_categorical());
  EXPECT_TRUE(text("x").is_categorical());
  EXPECT_TRUE(crossed({"a", "b"}, 3).is_categorical());
}

TEST(FeatureColumns, AreEqualWhenTheySayTheSame) {
  EXPECT_TRUE(numeric("x") == numeric("x"));
  EXPECT_FALSE(numeric("x") == numeric("x", {.scaling = Scaling::kLog}));
  EXPECT_FALSE(numeric("x") == vocabulary("x"));
}

TEST(FeatureColumns, ComeBackFromJson) {
  const FeatureColumn age = bucketized("größe \"a\\b\"", {.boundaries = {0.1, 1e300}});
  const std::vector<FeatureColumn> all = {
      numeric("distance, km", {.scaling = Scaling::kGiven,
                               .missing = Impute::kMedian,
                               .missing_indicator = false,
                               .shift = 0.1,
                               .scale = 3}),
      numeric("x", {.scaling = Scaling::kLog}),
      numeric(""),
      crossed({"", "a"}, 10),
      age,
      bucketized("q", {.quantiles = 7}),
      vocabulary("v", {.values = {"a", "\xff\xfe", "數據"}, .oov_buckets = 0}),
      vocabulary("v", {.min_count = 3, .most = 12}),
      vocabulary_file("f", "/a b/c.txt", 5),
      hashed("h", int64_t{1} << 40),
      identity("i", 5),
      identity("i", 5, 4),
      crossed({age, hashed("h", 3)}, 17),
      crossed({"a", "b", "c"}, 17),
      weighted(list("l", {.separator = "|"}), "w"),
      text("t", {.lower_case = false, .ngrams = 3, .hash_buckets = 9, .tf_idf = false}),
      list("l", {.separator = ", ", .min_count = 2, .most = 7, .most_values = 3}),
      date("d"),
      indicator(text("t")),
      embedding(hashed("h", 3), 8, {.combiner = Combiner::kSqrtN, .deviation = 0.3}),
      shared_embedding({hashed("h", 3), hashed("g", 3)}, 2)[1],
  };
  for (const FeatureColumn& column : all) {
    const FeatureColumn again = parse_feature_column(to_json(column));
    EXPECT_TRUE(again == column) << to_json(column) << "\n" << to_json(again);
    EXPECT_EQ(again.key(), column.key());
    EXPECT_EQ(again.table_columns(), column.table_columns());
  }
}

TEST(FeatureColumns, RefuseWhatCannotBeMeant) {
  const auto refused = [](auto make, const auto&... words) {
    expect_error(Code::kInvalidArgument, make, words...);
  };
  refused([] { numeric("x", {.scaling = Scaling::kGiven, .scale = 0}); }, "'x'", "scale");
  refused([] { numeric("x", {.shift = 3}); }, "'x'", "kGiven");
  refused([] { bucketized("x", {}); }, "boundaries", "quantiles");
  refused([] { bucketized("x", {.boundaries = {1}, .quantiles = 2}); }, "either");
  refused([] { bucketized("x", {.boundaries = {1, 3, 2}}); }, "rise", "2 comes after 3");
  refused([] { bucketized("x", {.quantiles = 1}); }, "quantiles", "at least 2");
  refused([] { vocabulary("x", {.values = {"a", "b", "a"}}); }, "'a'", "twice");
  refused([] { vocabulary("x", {.values = {"a", ""}}); }, "value 2", "missing");
  refused([] { vocabulary("x", {.oov_buckets = -1}); }, "oov_buckets", "-1");
  refused([] { hashed("x", 0); }, "buckets", "at least 1");
  refused([] { identity("x", 3, 3); }, "otherwise", "[0, 3)");
  refused([] { crossed({hashed("x", 3)}, 10); }, "at least two");
  refused([] { crossed({hashed("x", 3), numeric("y")}, 10); }, "'y'", "bucketized()");
  refused([] { crossed({hashed("x", 3), weighted(hashed("y", 3), "w")}, 10); }, "weights");
  refused([] { weighted(text("t"), "w"); }, "cannot be given weights");
  refused([] { weighted(numeric("t"), "w"); }, "expected categories");
  refused([] { text("t", {.ngrams = 0}); }, "ngrams");
  refused([] { list("t", {.separator = ""}); }, "separator");
  refused([] { indicator(numeric("x")); }, "indicator", "categories");
  refused([] { embedding(hashed("x", 3), 0); }, "dimension");
  refused([] { embedding(hashed("x", 3), 2, {.deviation = -1}); }, "deviation");
  refused([] { shared_embedding({hashed("x", 3)}, 2); }, "at least two");
}

TEST(FeatureColumns, SayWhatIsWrongInJson) {
  const auto refused = [](const std::string& json, const auto&... words) {
    expect_error(
        Code::kInvalidArgument, [&] { parse_feature_column(json); }, words...);
  };
  refused("{", "line 1");
  refused(R"({"kind": "magic", "column": "x"})", "`kind`", "'magic'", "numeric");
  refused(R"({"kind": "hashed", "column": "x"})", "`buckets` is missing");
  refused(R"({"kind": "hashed", "column": "x", "buckets": "many"})", "`buckets`", "a number");
  refused(R"({"kind": "indicator", "of": []})", "`of`", "list of 1");
}

}  // namespace
}  // namespace thalweg
