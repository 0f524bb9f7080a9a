#include "estimator/table/table_rows.h"

#include <algorithm>
#include <set>

#include "estimator/table/table_network.h"
#include "table_testing.h"

namespace thalweg {
namespace {

using testing::expect_error;

const HeadSpec kHead = heads::classification("y");

/// A source that does not say how many rows it has: it is not held in memory.
class Endless : public TableSource {
 public:
  explicit Endless(Table table) : source_(data::table_source(std::move(table), "endless")) {
    name_ = "endless";
  }
  const std::vector<data::ColumnInfo>& columns() const override { return source_->columns(); }
  std::unique_ptr<data::TableReader> open() const override { return source_->open(); }
  std::optional<int64_t> rows() const override { return {}; }
  uint64_t fingerprint() const override { return source_->fingerprint(); }

 private:
  std::shared_ptr<const TableSource> source_;
};

/// 1, 2, ... in x; y in turn "a" and "b".
Table numbered(int64_t rows) {
  std::vector<int64_t> x;
  std::vector<std::string> y;
  for (int64_t i = 1; i <= rows; ++i) {
    x.push_back(i);
    y.push_back(i % 2 == 0 ? "a" : "b");
  }
  return Table({data::Column("x", x), data::Column("y", y)});
}

const std::vector<FeatureColumn> kPlain = {
    columns::numeric("x", {.scaling = columns::Scaling::kNone})};

std::vector<int64_t> x_of(const TableSource& source) {
  const Table table = source.read_all();
  const auto cells = table.column("x").integers();
  return {cells.begin(), cells.end()};
}

TEST(PartRows, PartsEachClassAlike) {
  const TableParts parts = part_rows(kHead, *data::table_source(numbered(100)), nullptr,
                                     {.validation_split = 0.2, .seed = 1});
  EXPECT_EQ(parts.training.rows(), 80);
  ASSERT_TRUE(parts.validation);
  const auto labels = parts.validation->labels.data<int64_t>();
  EXPECT_EQ(std::ranges::count(labels, 0), 10);
  std::vector<int64_t> all = x_of(*parts.training.table);
  for (const int64_t x : x_of(*parts.validation->table)) all.push_back(x);
  std::ranges::sort(all);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<int64_t>(i) + 1);
}

TEST(PartRows, PartsByHashWhatMemoryDoesNotHold) {
  const Endless source(numbered(20000));
  const TableParts parts = part_rows(kHead, source, nullptr, {.validation_split = 0.2, .seed = 1});
  ASSERT_TRUE(parts.validation);
  EXPECT_NEAR(static_cast<double>(parts.validation->rows()), 4000, 200);
  EXPECT_EQ(parts.training.rows() + parts.validation->rows(), 20000);
  const std::vector<int64_t> validation = x_of(*parts.validation->table);
  ASSERT_EQ(static_cast<int64_t>(validation.size()), parts.validation->rows());
  // Labels are those of the rows.
  for (size_t i = 0; i < validation.size(); ++i) {
    EXPECT_EQ(parts.validation->labels.at(static_cast<int64_t>(i)), validation[i] % 2 == 0 ? 0 : 1);
  }
  const TableParts again = part_rows(kHead, source, nullptr, {.validation_split = 0.2, .seed = 1});
  EXPECT_EQ(x_of(*again.validation->table), validation);
}

TEST(StreamedBatches, GiveEachRowOnceAnEpochInAnotherOrder) {
  const Endless source(numbered(1000));
  const TableParts parts = part_rows(kHead, source, nullptr, {});
  const Transform transform = Transform::fit(kPlain, *parts.training.table);
  const FitData data =
      prepare_parts(parts, transform, kHead, false, 64, 7, {.prepared_bytes = 100});
  EXPECT_EQ(data.training_rows, 1000);
  std::vector<std::vector<float>> epochs;
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    auto pass = data.batches->iterate({.epoch = epoch});
    std::vector<float> seen;
    int64_t batches = 0;
    while (const auto batch = pass.next()) {
      EXPECT_EQ((*batch)[0].dim(0), ++batches == 16 ? 40 : 64);
      for (int64_t i = 0; i < (*batch)[0].dim(0); ++i) {
        const float x = (*batch)[0].data<float>()[static_cast<size_t>(i)];
        EXPECT_EQ((*batch)[1].at(i), static_cast<int64_t>(x) % 2 == 0 ? 0 : 1);
        EXPECT_EQ((*batch)[2].at(i), 1);
        seen.push_back(x);
      }
    }
    EXPECT_EQ(std::set<float>(seen.begin(), seen.end()).size(), 1000u);
    epochs.push_back(seen);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_FALSE(std::ranges::is_sorted(epochs[0]));
}

TEST(PrepareParts, RefusesSolversWhatMemoryDoesNotHold) {
  const TableParts parts = part_rows(kHead, *data::table_source(numbered(100)), nullptr, {});
  const Transform transform = Transform::fit(kPlain, *parts.training.table);
  expect_error(
      Code::kResourceExhausted,
      [&] { prepare_parts(parts, transform, kHead, true, 64, 7, {.solver_bytes = 100}); },
      "100 rows", "ftrl");
}

TEST(JoinPrepared, WidensBags) {
  const Table first({data::Column("t", std::vector<std::string>{"a b", "a"})});
  const Table second({data::Column("t", std::vector<std::string>{"b a a b"})});
  const Transform transform = Transform::fit(
      {columns::text("t", {.min_count = 1, .tf_idf = false})}, *data::table_source(first));
  const data::Example joined =
      join_prepared(transform, {transform.prepare(first), transform.prepare(second)});
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].shape(), (Shape{3, 4}));
  EXPECT_EQ(joined[0].at(2), -1);
  EXPECT_EQ(joined[1].at(2), 0);
  EXPECT_GE(joined[0].at(11), 0);
}

// A table that is read piece by piece, through the whole of fit().
TEST(TableEstimator, LearnsFromTablesThatAreNotHeld) {
  const Endless source(small_table(600));
  const auto fit = [&](const std::string& folder, int64_t epochs, bool resume) {
    TableEstimator estimator(
        kHead, Linear{.columns = linear_columns(), .solver = LinearSolver::kFtrl, .l2 = 0},
        {.batch_size = 32, .model_folder = folder});
    estimator.fit(source, {.epochs = epochs, .resume = resume});
    return estimator;
  };
  const TableEstimator whole = fit({}, 20, false);
  EXPECT_GE(whole.evaluate(source)["accuracy"], 0.9);
  const testing::TemporaryFolder folder;
  fit(folder.path(), 7, false);
  expect_same_predictions(fit(folder.path(), 20, true).predict(small_table(40, 2)),
                          whole.predict(small_table(40, 2)));
}

}  // namespace
}  // namespace thalweg
