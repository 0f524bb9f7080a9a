#include "thalweg/formats/checkpoint_state.h"

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

void save(const std::string& prefix) {
  BundleWriter writer(prefix);
  writer.add("x", 1.0f);
  writer.finish();
}

TEST(CheckpointState, IsTensorFlowsTextFile) {
  const TemporaryFolder folder;
  write_checkpoint_state(folder.path(), {.latest = "model-200", .all = {"model-100", "model-200"}});
  EXPECT_EQ(read_file(folder / "checkpoint"),
            "model_checkpoint_path: \"model-200\"\n"
            "all_model_checkpoint_paths: \"model-100\"\n"
            "all_model_checkpoint_paths: \"model-200\"\n");
}

TEST(CheckpointState, ComesBack) {
  const TemporaryFolder folder;
  const std::string odd = "mo\"del\\größe\n-3";
  write_checkpoint_state(folder.path(), {.latest = odd,
                                         .all = {odd},
                                         .timestamps = {1700000000.25},
                                         .last_preserved_timestamp = 1.5});
  const auto state = read_checkpoint_state(folder.path());
  ASSERT_TRUE(state);
  EXPECT_EQ(state->latest, odd);
  EXPECT_EQ(state->all, std::vector<std::string>{odd});
  EXPECT_EQ(state->timestamps, std::vector<double>{1700000000.25});
  EXPECT_EQ(state->last_preserved_timestamp, 1.5);
}

TEST(CheckpointState, OfAFolderWithoutOneIsNothing) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_checkpoint_state(folder.path()));
  EXPECT_FALSE(latest_checkpoint(folder.path()));
}

TEST(CheckpointState, NamesFileAndLineOfAMistake) {
  const TemporaryFolder folder;
  write_file(folder / "checkpoint",
             "model_checkpoint_path: \"a\"\nall_model_checkpoint_paths: oops\n");
  expect_error(
      Code::kDataLoss, [&] { read_checkpoint_state(folder.path()); }, folder / "checkpoint",
      "line 2");
}

TEST(LatestCheckpoint, IsTheNewestThatExists) {
  const TemporaryFolder folder;
  save(folder / "model-100");
  save(folder / "model-300");
  write_checkpoint_state(folder.path(),
                         {.latest = "model-300", .all = {"model-100", "model-200", "model-300"}});
  EXPECT_EQ(latest_checkpoint(folder.path()), folder / "model-300");
  remove_checkpoint(folder / "model-300");
  EXPECT_EQ(latest_checkpoint(folder.path()), folder / "model-100");
  remove_checkpoint(folder / "model-100");
  EXPECT_FALSE(latest_checkpoint(folder.path()));
}

TEST(LatestCheckpoint, MayHaveAnAbsolutePath) {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  save(elsewhere / "model-1");
  write_checkpoint_state(folder.path(), {.latest = elsewhere / "model-1"});
  EXPECT_EQ(latest_checkpoint(folder.path()), elsewhere / "model-1");
}

}  // namespace
}  // namespace thalweg
