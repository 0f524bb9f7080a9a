// What is left of checkpoints by full disks, killed processes and bad sectors (row B17 of the known
// failures).
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_fault.h"
#include "thalweg/formats/checkpoint.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

Tensor filled(float value) {
  Tensor tensor(kFloat32, {100000});
  for (float& x : tensor.mutable_data<float>()) x = value;
  return tensor;
}

void save(const std::string& prefix, float value) {
  BundleWriter writer(prefix);
  writer.add("a", filled(value));
  writer.add("b", filled(value));
  writer.finish();
}

float value_of(const std::string& prefix) {
  const BundleReader reader(prefix);
  const Tensor a = reader.read("a");
  EXPECT_TRUE(a.same_bits(reader.read("b")));
  return a.data<float>()[0];
}

TEST(CheckpointDamage, AFullDiskLeavesTheOldCheckpointAsItWas) {
  const TemporaryFolder folder;
  save(folder / "model", 1);
  const auto files = list_folder(folder.path());
  for (const uint64_t bytes : {0, 1, 300000, 500000, 799999, 800000, 800050}) {
    const ScopedDiskFull full(bytes);
    expect_error(
        Code::kResourceExhausted, [&] { save(folder / "model", 2); }, folder / "model");
    EXPECT_EQ(list_folder(folder.path()), files) << bytes;
    EXPECT_EQ(value_of(folder / "model"), 1) << bytes;
  }
  save(folder / "model", 3);
  EXPECT_EQ(value_of(folder / "model"), 3);
}

// A rename that fails after all has been written.
TEST(CheckpointDamage, AFailureAtTheEndLeavesTheOldCheckpointAsItWas) {
  const TemporaryFolder folder;
  save(folder / "model", 1);
  const std::string index = read_file(folder / "model.index");
  BundleWriter writer(folder / "model");
  writer.add("a", filled(2));
  const std::string data = folder / "model.data-00000-of-00001";
  remove_file(data);
  make_folders(join_path(data, "in_the_way"));
  EXPECT_THROW(writer.finish(), Error);
  EXPECT_EQ(read_file(folder / "model.index"), index);
}

TEST(CheckpointDamage, AReplacedCheckpointLeavesNothingElseBehind) {
  const TemporaryFolder folder;
  save(folder / "model", 1);
  const auto files = list_folder(folder.path());
  save(folder / "model", 2);
  EXPECT_EQ(list_folder(folder.path()), files);
  EXPECT_EQ(value_of(folder / "model"), 2);
}

TEST(CheckpointDamage, AWriterGivenUpLeavesNothing) {
  const TemporaryFolder folder;
  {
    BundleWriter writer(folder / "model");
    writer.add("a", filled(1));
  }
  EXPECT_TRUE(list_folder(folder.path()).empty());
}

// A child saves without end, each time under a new prefix, and is killed at various moments.
TEST(CheckpointDamage, AKilledWriterNeverLeavesAPartUnderTheFinalName) {
  const TemporaryFolder folder;
  for (int round = 0; round < 12; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int step = 0;; ++step)
        save(folder / str("model-", round, "-", step), static_cast<float>(step));
    }
    ::usleep(static_cast<useconds_t>(2000 + 3500 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (const std::string& name : list_folder(folder.path())) {
      if (!name.ends_with(".index")) continue;
      const std::string prefix = folder / name.substr(0, name.size() - 6);
      EXPECT_EQ(str(value_of(prefix)), prefix.substr(prefix.rfind('-') + 1));
      remove_checkpoint(prefix);
    }
    remove_temporaries(folder.path());
    for (const std::string& name : list_folder(folder.path())) {
      EXPECT_TRUE(name.ends_with(".data-00000-of-00001"))
          << name;  // data whose index was still to come
    }
  }
}

TEST(CheckpointDamage, ACutDataFileIsNamedAtOnce) {
  const TemporaryFolder folder;
  save(folder / "model", 1);
  const std::string path = folder / "model.data-00000-of-00001";
  const std::string bytes = read_file(path);
  for (const size_t size : {bytes.size() / 2, bytes.size() - 1, size_t{0}}) {
    write_file(path, bytes.substr(0, size));
    expect_error(
        Code::kDataLoss, [&] { BundleReader(folder / "model"); }, path, "cut short",
        "older checkpoint");
  }
}

TEST(CheckpointDamage, ACutIndexIsNamed) {
  const TemporaryFolder folder;
  save(folder / "model", 1);
  const std::string path = folder / "model.index";
  const std::string bytes = read_file(path);
  for (size_t size = 0; size < bytes.size(); ++size) {
    write_file(path, bytes.substr(0, size));
    expect_error(
        Code::kDataLoss, [&] { BundleReader(folder / "model"); }, path, "older checkpoint");
  }
}

TEST(CheckpointDamage, AChangedByteIsFoundWhenItsTensorIsRead) {
  const TemporaryFolder folder;
  save(folder / "model", 1);
  const std::string path = folder / "model.data-00000-of-00001";
  std::string bytes = read_file(path);
  bytes[500000] ^= 1;
  write_file(path, bytes);
  const BundleReader reader(folder / "model");
  EXPECT_EQ(reader.read("a").data<float>()[0], 1);
  expect_error(
      Code::kDataLoss, [&] { reader.read("b"); }, path, "`b`", "checksum", "older checkpoint");
}

TEST(CheckpointDamage, DamagedStringsAreFound) {
  const TemporaryFolder folder;
  BundleWriter writer(folder / "model");
  writer.add("s", Tensor::of<std::string>({"ab", "c"}));
  writer.finish();
  const std::string path = folder / "model.data-00000-of-00001";
  const std::string good = read_file(path);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 2;
    write_file(path, bad);
    expect_error(
        Code::kDataLoss, [&] { BundleReader(folder / "model").read("s"); }, path, "`s`");
  }
}

}  // namespace
}  // namespace thalweg
