#include "thalweg/base/file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "testing.h"
#include "thalweg/base/file_fault.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

std::vector<std::string> names(std::initializer_list<std::string> items) { return items; }

TEST(ReadFile, GivesBackEveryByte) {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 300000; ++i) bytes += static_cast<char>(i * 31);
  write_file(folder / "a", bytes);
  EXPECT_EQ(read_file(folder / "a"), bytes);
  write_file(folder / "a", "");
  EXPECT_EQ(read_file(folder / "a"), "");
}

TEST(ReadFile, ReadsFilesThatDoNotKnowTheirSize) {
  EXPECT_FALSE(read_file("/proc/self/status").empty());
}

TEST(ReadFile, NamesPathAndReasonOfAFailure) {
  const TemporaryFolder folder;
  expect_error(
      Code::kNotFound, [&] { read_file(folder / "none"); }, "none", "No such file");
  expect_error(
      Code::kInvalidArgument, [&] { read_file(folder.path()); }, folder.path(), "directory");
  expect_error(
      Code::kInvalidArgument, [&] { read_file(""); }, "empty");
  expect_error(
      Code::kInvalidArgument, [&] { read_file(std::string("a\0b", 3)); }, "zero byte");
  write_file(folder / "file", "");
  expect_error(
      Code::kNotFound, [&] { read_file(folder / "file/child"); }, "child");
  if (::geteuid() != 0) {
    ::chmod((folder / "file").c_str(), 0);
    expect_error(
        Code::kPermissionDenied, [&] { read_file(folder / "file"); }, "ermission");
  }
}

TEST(WriteFile, ReplacesAndLeavesNothingElseBehind) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  write_file(folder / "a", "new");
  EXPECT_EQ(read_file(folder / "a"), "new");
  EXPECT_EQ(list_folder(folder.path()), names({"a"}));
}

TEST(WriteFile, TakesNamesInAnyScriptAndOfFullLength) {
  const TemporaryFolder folder;
  make_folders(folder / "модели/größe 模型");
  write_file(folder / "модели/größe 模型/точка", "x");
  EXPECT_EQ(list_folder(folder / "модели/größe 模型"), names({"точка"}));
  const std::string longest(255, 'n');
  write_file(folder / longest, "x");
  EXPECT_EQ(read_file(folder / longest), "x");
}

TEST(WriteFile, WritesThroughSymbolicLinks) {
  const TemporaryFolder folder;
  make_folders(folder / "there");
  write_file(folder / "there/file", "old");
  ASSERT_EQ(::symlink("there/file", (folder / "link").c_str()), 0);
  ASSERT_EQ(::symlink("link", (folder / "second").c_str()), 0);
  ASSERT_EQ(::symlink("there/new", (folder / "dangling").c_str()), 0);
  write_file(folder / "second", "new");
  EXPECT_EQ(read_file(folder / "there/file"), "new");
  write_file(folder / "dangling", "made");
  EXPECT_EQ(read_file(folder / "there/new"), "made");
  for (const char* name : {"link", "second", "dangling"}) {
    struct stat info {};
    ASSERT_EQ(::lstat((folder / name).c_str(), &info), 0);
    EXPECT_TRUE(S_ISLNK(info.st_mode)) << name;
  }
  EXPECT_EQ(list_folder(folder.path()), names({"dangling", "link", "second", "there"}));
  ASSERT_EQ(::symlink("circle", (folder / "circle").c_str()), 0);
  expect_error(
      Code::kInvalidArgument, [&] { write_file(folder / "circle", ""); }, "circle");
}

TEST(WriteFile, RefusesNamesThatAreTooLongAtOnce) {
  const TemporaryFolder folder;
  expect_error(
      Code::kInvalidArgument, [&] { AtomicFile(folder / std::string(256, 'n')); }, "too long");
}

TEST(WriteFile, KeepsThePermissionsOfTheOldFile) {
  const TemporaryFolder folder;
  write_file(folder / "secret", "a");
  ASSERT_EQ(::chmod((folder / "secret").c_str(), 0600), 0);
  write_file(folder / "secret", "b");
  struct stat info {};
  ASSERT_EQ(::stat((folder / "secret").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(WriteFile, RefusesWhatIsNotARegularFile) {
  const TemporaryFolder folder;
  expect_error(
      Code::kInvalidArgument, [&] { write_file(folder.path(), "x"); }, folder.path());
  expect_error(
      Code::kInvalidArgument, [&] { write_file("/dev/null", "x"); }, "regular");
  expect_error(
      Code::kNotFound, [&] { write_file(folder / "no/a", "x"); }, "no/a", "No such file");
  expect_error(
      Code::kInvalidArgument, [&] { write_file("", "x"); }, "empty");
}

TEST(WriteFile, LeavesTheOldFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  write_file(folder / "model", "the old one");
  const std::string large(1 << 20, 'x');
  for (const uint64_t room : {0, 1, 1000, 1 << 19, (1 << 20) - 1}) {
    const ScopedDiskFull full(room);
    expect_error(
        Code::kResourceExhausted, [&] { write_file(folder / "model", large); }, "model",
        "No space");
  }
  EXPECT_EQ(read_file(folder / "model"), "the old one");
  EXPECT_EQ(list_folder(folder.path()), names({"model"}));
  {
    const ScopedDiskFull full(1 << 20);
    write_file(folder / "model", large);
  }
  EXPECT_EQ(read_file(folder / "model"), large);
}

TEST(AtomicFile, IsNotSeenBeforeCommit) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a");
  file.append("one ");
  file.append("two");
  EXPECT_EQ(file.size(), 7u);
  EXPECT_FALSE(file_exists(folder / "a"));
  file.finish();
  EXPECT_FALSE(file_exists(folder / "a"));
  expect_error(
      Code::kFailedPrecondition, [&] { file.append("three"); }, "finished");
  file.commit();
  EXPECT_EQ(read_file(folder / "a"), "one two");
}

TEST(AtomicFile, VanishesWithoutCommit) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "a");
    file.append("x");
    AtomicFile moved = std::move(file);
    moved.append("y");
    EXPECT_EQ(list_folder(folder.path()).size(), 1u);
  }
  EXPECT_TRUE(list_folder(folder.path()).empty());
}

TEST(AtomicFile, CannotBeCommittedAfterAFailedWrite) {
  const TemporaryFolder folder;
  const std::string large(1 << 20, 'x');
  {
    AtomicFile file(folder / "a");
    {
      const ScopedDiskFull full(10);
      expect_error(
          Code::kResourceExhausted, [&] { file.append(large); }, "No space");
    }
    expect_error(
        Code::kFailedPrecondition, [&] { file.append("x"); }, "earlier");
    expect_error(
        Code::kFailedPrecondition, [&] { file.commit(); }, "earlier");
  }
  EXPECT_TRUE(list_folder(folder.path()).empty());
}

TEST(AtomicFile, JoinsSmallAndLargePiecesInOrder) {
  const TemporaryFolder folder;
  std::string all;
  AtomicFile file(folder / "a");
  for (int i = 0; i < 200; ++i) {
    const std::string piece(static_cast<size_t>(i * i * 3), static_cast<char>('a' + i % 26));
    file.append(piece);
    all += piece;
  }
  file.commit();
  EXPECT_EQ(read_file(folder / "a"), all);
}

TEST(AtomicFile, KilledWriterLeavesTheOldFileAndARemovableRest) {
  const TemporaryFolder folder;
  write_file(folder / "model", "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(folder / "model");
    file.append(std::string(1 << 20, 'x'));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));

  EXPECT_EQ(read_file(folder / "model"), "old");
  EXPECT_EQ(list_folder(folder.path()).size(), 2u);
  AtomicFile in_progress(folder / "other");
  EXPECT_EQ(remove_temporaries(folder.path()), 1);
  in_progress.append("kept");
  in_progress.commit();
  EXPECT_EQ(list_folder(folder.path()), names({"model", "other"}));
  EXPECT_EQ(remove_temporaries(folder.path()), 0);
  EXPECT_EQ(remove_temporaries(folder / "none"), 0);
}

TEST(Folder, IsMadeWithItsParentsAndListedSorted) {
  const TemporaryFolder folder;
  make_folders(folder / "a//b/c/");
  make_folders(folder / "a/b");
  EXPECT_TRUE(is_folder(folder / "a/b/c"));
  write_file(folder / "a/z", "");
  write_file(folder / "a/A", "");
  EXPECT_EQ(list_folder(folder / "a"), names({"A", "b", "z"}));
  EXPECT_TRUE(list_folder(folder / "none").empty());
  expect_error(
      Code::kNotFound, [&] { list_folder(folder / "a/z"); }, "a/z");
  expect_error(
      Code::kAlreadyExists, [&] { make_folders(folder / "a/z"); }, "a/z");
  expect_error(
      Code::kAlreadyExists, [&] { make_folders(folder / "a/z/y"); }, "a/z");
  EXPECT_FALSE(is_folder(folder / "a/z"));
  EXPECT_TRUE(file_exists(folder / "a/z"));
}

TEST(RemoveFile, SaysWhetherItWasThere) {
  const TemporaryFolder folder;
  write_file(folder / "a", "");
  EXPECT_TRUE(remove_file(folder / "a"));
  EXPECT_FALSE(remove_file(folder / "a"));
  EXPECT_THROW(remove_file(folder.path()), Error);
}

TEST(Path, IsJoinedAndTakenApart) {
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(join_path("a", "/b"), "/b");
  EXPECT_EQ(join_path("/", "b"), "/b");
  EXPECT_EQ(base_name("a/b.ckpt"), "b.ckpt");
  EXPECT_EQ(base_name("b"), "b");
  EXPECT_EQ(base_name("a/"), "");
  EXPECT_EQ(folder_name("a/b"), "a");
  EXPECT_EQ(folder_name("b"), ".");
  EXPECT_EQ(folder_name("/b"), "/");
  EXPECT_EQ(folder_name("/a/b"), "/a");
}

}  // namespace
}  // namespace thalweg
