#include <cstdlib>

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/model/restore.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

using testing::expect_error;

class RestoreVariables : public ::testing::Test {
 protected:
  RestoreVariables() {
    BundleWriter writer(folder_ / "c");
    writer.add("bert/kernel", Tensor::of<float>({1, 2, 3, 4}, {2, 2}));
    writer.add("bert/bias", Tensor::of<float>({5, 6}));
    writer.add("step", Tensor(int64_t{7}));
    writer.finish();
  }
  void variable(const std::string& name, const Shape& shape, DType dtype = kFloat32) {
    graph_.add("VarHandleOp", {}, {{"dtype", dtype}, {"shape", shape}, {"shared_name", name}},
               {.name = name});
  }
  RestoreReport restore(const RestoreOptions& options) {
    return restore_variables(BundleReader(folder_ / "c"), graph_, store_, options);
  }

  const testing::TemporaryFolder folder_;
  Graph graph_{standard_ops()};
  VariableStore store_;
};

TEST_F(RestoreVariables, TakesThemByTheirNames) {
  variable("bert/bias", {2});
  variable("step", {}, kInt64);
  const RestoreReport report = restore({});
  EXPECT_EQ(report.restored, (std::vector<std::string>{"bert/bias", "step"}));
  EXPECT_EQ(report.unused, std::vector<std::string>{"bert/kernel"});
  EXPECT_EQ(store_.get("step").item<int64_t>(), 7);
}

TEST_F(RestoreVariables, FollowsAnAssignmentMap) {
  variable("encoder/kernel", {2, 2});
  variable("encoder/bias", {2});
  variable("head/kernel", {2, 3});  // in no scope of the map: left alone
  variable("global_step", {}, kInt64);
  const RestoreReport report =
      restore({.assignment = {{"bert/", "encoder/"}, {"step", "global_step"}}});
  EXPECT_EQ(report.restored,
            (std::vector<std::string>{"encoder/bias", "encoder/kernel", "global_step"}));
  EXPECT_TRUE(report.complete());
  EXPECT_FALSE(store_.is_initialized("head/kernel"));
  EXPECT_EQ(store_.get("encoder/kernel").at(3), 4);
}

TEST_F(RestoreVariables, ChangesNothingWhenSomethingIsMissing) {
  variable("bert/bias", {3});
  variable("bert/kernel", {2, 2});
  variable("other", {1});
  expect_error(
      Code::kFailedPrecondition, [&] { restore({}); }, "1 of 3 variables",
      "missing in the checkpoint: other", "bert/bias: float32[3] here, float32[2]");
  EXPECT_TRUE(store_.names().empty());
}

TEST_F(RestoreVariables, TakesWhatFitsWhenAskedTo) {
  variable("bert/bias", {3});
  variable("bert/kernel", {2, 2});
  variable("other", {1});
  const RestoreReport report = restore({.partial = true});
  EXPECT_EQ(report.restored, std::vector<std::string>{"bert/kernel"});
  EXPECT_EQ(report.missing, std::vector<std::string>{"other"});
  EXPECT_EQ(report.mismatched.size(), 1u);
  EXPECT_FALSE(report.complete());
}

TEST_F(RestoreVariables, CutsThePartsOfPartitionedOnes) {
  const BundleReader reader(folder_ / "c");
  EXPECT_TRUE(
      read_slice(reader, "bert/kernel", "2 2 1,1:-").same_bits(Tensor::of<float>({3, 4}, {1, 2})));
  EXPECT_TRUE(read_slice(reader, "bert/kernel", "2 2 0,2:1,1")
                  .same_bits(Tensor::of<float>({2, 4}, {2, 1})));
  EXPECT_EQ(read_slice(reader, "bert/kernel", "").num_elements(), 4);
  for (const char* wrong : {"2 2 1,2:-", "2 2 -", "x", "2 2 1:1", "2 2 9,1:-"}) {
    expect_error(
        Code::kInvalidArgument, [&] { read_slice(reader, "bert/kernel", wrong); }, "slice");
  }
}

TEST(OldCheckpoints, AreRefusedByTheirName) {
  const char* const data = std::getenv("THALWEG_DATA");
  if (data == nullptr) GTEST_SKIP() << "THALWEG_DATA names no data folder";
  const std::string folder = join_path(data, "checkpoints/v1_format_half_plus_two");
  for (const char* name : {"export", "export-00000-of-00001"}) {
    expect_error(
        Code::kUnimplemented, [&] { BundleReader reader(join_path(folder, name)); }, "format V1",
        "write_version");
  }
}

}  // namespace
}  // namespace thalweg
