#include "thalweg/base/file_access.h"

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_fault.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

TEST(ReadableFile, ReadsAnyPart) {
  const TemporaryFolder folder;
  write_file(folder / "a", "0123456789");
  const ReadableFile file(folder / "a");
  EXPECT_EQ(file.size(), 10u);
  char out[8] = {};
  EXPECT_EQ(file.read(3, out, 4), 4u);
  EXPECT_EQ(std::string(out, 4), "3456");
  EXPECT_EQ(file.read(8, out, 8), 2u);
  EXPECT_EQ(std::string(out, 2), "89");
  EXPECT_EQ(file.read(10, out, 8), 0u);
  EXPECT_EQ(file.read(1000, out, 8), 0u);
  EXPECT_EQ(file.path(), folder / "a");
}

TEST(ReadableFile, NamesPathAndReasonOfAFailure) {
  const TemporaryFolder folder;
  expect_error(
      Code::kNotFound, [&] { ReadableFile(folder / "none"); }, "none");
  expect_error(
      Code::kInvalidArgument, [&] { ReadableFile(folder.path()); }, folder.path(), "directory");
}

TEST(AppendFile, CanBeFollowedWhileItGrows) {
  const TemporaryFolder folder;
  AppendFile file(folder / "log");
  file.append("one");
  EXPECT_EQ(read_file(folder / "log"), "one");
  file.append("two");
  file.sync();
  EXPECT_EQ(read_file(folder / "log"), "onetwo");
  EXPECT_EQ(file.size(), 6u);
}

TEST(AppendFile, NeverWritesOverAnotherFile) {
  const TemporaryFolder folder;
  write_file(folder / "log", "kept");
  expect_error(
      Code::kAlreadyExists, [&] { AppendFile(folder / "log"); }, "log");
  expect_error(
      Code::kNotFound, [&] { AppendFile(folder / "no/log"); }, "no/log");
  EXPECT_EQ(read_file(folder / "log"), "kept");
}

TEST(AppendFile, TakesBackWhatDidNotFitTheDisk) {
  const TemporaryFolder folder;
  AppendFile file(folder / "log");
  file.append("whole ");
  {
    const ScopedDiskFull full(3);
    expect_error(
        Code::kResourceExhausted, [&] { file.append("record"); }, "log", "No space");
  }
  EXPECT_EQ(read_file(folder / "log"), "whole ");
  file.append("again");
  EXPECT_EQ(read_file(folder / "log"), "whole again");
}

}  // namespace
}  // namespace thalweg
