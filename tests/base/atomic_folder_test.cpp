#include "thalweg/base/atomic_folder.h"

#include <sys/stat.h>

#include <csignal>

#include "testing.h"
#include "thalweg/base/file.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

TEST(AtomicFolder, AppearsWholeOrNotAtAll) {
  const TemporaryFolder folder;
  {
    AtomicFolder made(folder / "deep/model/");
    write_file(join_path(made.temporary(), "a"), "1");
    EXPECT_FALSE(file_exists(folder / "deep/model"));
    made.commit();
    EXPECT_EQ(read_file(folder / "deep/model/a"), "1");
  }
  EXPECT_EQ(list_folder(folder / "deep"), std::vector<std::string>{"model"});
  {
    const AtomicFolder given_up(folder / "other");
    make_folders(join_path(given_up.temporary(), "b/c"));
  }
  EXPECT_EQ(list_folder(folder.path()), std::vector<std::string>{"deep"});
}

TEST(AtomicFolder, ReplacesNothing) {
  const TemporaryFolder folder;
  AtomicFolder first(folder / "model"), second(folder / "model");
  EXPECT_NE(first.temporary(), second.temporary());
  write_file(join_path(first.temporary(), "a"), "1");
  first.commit();
  expect_error(
      Code::kAlreadyExists, [&] { second.commit(); }, "model", "is there already");
  expect_error(
      Code::kAlreadyExists, [&] { AtomicFolder(folder / "model/"); }, "model");
  for (const char* path : {"", "/", ".", "a/.."}) {
    EXPECT_THROW(AtomicFolder{path}, Error) << path;
  }
}

TEST(AtomicFolder, RemovesWhatKilledWritersLeft) {
  const TemporaryFolder folder;
  make_folders(folder / ".tmp-model-1-0/variables");
  make_folders(folder / ".tmp-other-1-0");
  AtomicFolder living(folder / "model");
  AtomicFolder made(folder / "model");
  EXPECT_TRUE(is_folder(living.temporary()));
  EXPECT_FALSE(is_folder(folder / ".tmp-model-1-0"));
  EXPECT_TRUE(is_folder(folder / ".tmp-other-1-0"));
}

}  // namespace
}  // namespace thalweg
