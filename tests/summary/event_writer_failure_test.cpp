// Watching a run never ends it (row B21 of the known failures).
#include <limits>
#include <string>
#include <vector>

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_fault.h"
#include "thalweg/base/log.h"
#include "thalweg/summary/event_reader.h"
#include "thalweg/summary/event_writer.h"

namespace thalweg {
namespace {

using testing::TemporaryFolder;

class EventWriterFailure : public ::testing::Test {
 protected:
  EventWriterFailure() {
    set_log_sink([this](LogLevel level, std::string_view component, std::string_view message) {
      if (level == LogLevel::kWarning) warnings_.push_back(str(component, ": ", message));
    });
  }
  ~EventWriterFailure() override { set_log_sink({}); }

  void expect_one_warning(const std::string& word) const {
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_EQ(warnings_[0].find("summary: "), 0u);
    EXPECT_NE(warnings_[0].find(word), std::string::npos) << warnings_[0];
  }

  const TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

void add_everything(EventWriter& writer) {
  writer.add_scalar("loss", 1, 1);
  writer.add_histogram("w", Tensor::of<float>({1, 2}), 1);
  const std::vector<float> values = {1, 2};
  writer.add_histogram("v", values, 1);
  const OpRegistry no_ops;
  writer.add_graph(Graph(no_ops));
  writer.add_session_start(1);
  writer.flush();
}

TEST_F(EventWriterFailure, AFolderThatCannotBeMadeIsOneWarning) {
  write_file(folder_ / "file", "");
  EventWriter writer(folder_ / "file/logs");
  EXPECT_FALSE(writer.healthy());
  EXPECT_EQ(writer.path(), "");
  add_everything(writer);
  expect_one_warning(folder_ / "file");
}

TEST_F(EventWriterFailure, AFullDiskIsOneWarningAndWholeRecordsStay) {
  EventWriter writer(folder_.path());
  writer.add_scalar("loss", 1, 1);
  EXPECT_TRUE(writer.healthy());
  {
    const ScopedDiskFull full(0);
    writer.add_scalar("loss", 2, 2);
    EXPECT_FALSE(writer.healthy());
    add_everything(writer);
  }
  add_everything(writer);  // a gap would be worse than an end
  expect_one_warning(writer.path());
  const EventLog log = read_events(writer.path());
  EXPECT_EQ(log.scalars.at("loss").size(), 1u);
  EXPECT_EQ(log.events, 2);
}

TEST_F(EventWriterFailure, AFullDiskAtTheStartIsOneWarning) {
  const ScopedDiskFull full(0);
  EventWriter writer(folder_.path());
  EXPECT_FALSE(writer.healthy());
  add_everything(writer);
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(EventWriterFailure, AGatheringWriterFailsInSilenceToo) {
  const ScopedDiskFull full(1000);
  {
    EventWriter writer(folder_.path(), {.flush_seconds = 3600});
    for (int step = 0; step < 100; ++step) writer.add_scalar("loss", step, step);
    EXPECT_TRUE(writer.healthy());
  }
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(EventWriterFailure, AValueThatHasNoHistogramIsSkipped) {
  EventWriter writer(folder_.path());
  writer.add_histogram("text", Tensor("abc"), 1);
  writer.add_histogram("nothing", Tensor(), 1);
  writer.add_scalar("loss", 1, 1);
  EXPECT_TRUE(writer.healthy());
  EXPECT_EQ(warnings_.size(), 2u);
  EXPECT_EQ(read_events(writer.path()).scalars.size(), 1u);
}

TEST_F(EventWriterFailure, ValuesThatAreNotFiniteAreNamedOncePerTag) {
  EventWriter writer(folder_.path());
  const Tensor values = Tensor::of<float>({1, std::numeric_limits<float>::quiet_NaN(), 3});
  for (int step = 0; step < 3; ++step) writer.add_histogram("broken/kernel", values, step);
  expect_one_warning("`broken/kernel`");
  EXPECT_NE(warnings_[0].find("1 of 3"), std::string::npos);
  EXPECT_EQ(read_events(writer.path()).histograms.at("broken/kernel").size(), 3u);
}

TEST_F(EventWriterFailure, ScalarsThatAreNotFiniteAreWritten) {
  EventWriter writer(folder_.path());
  writer.add_scalar("loss", std::numeric_limits<double>::quiet_NaN(), 1);
  writer.add_scalar("loss", 1e300, 2);
  const auto points = read_events(writer.path()).scalars.at("loss");
  EXPECT_TRUE(points[0].value != points[0].value);
  EXPECT_EQ(points[1].value, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(warnings_.empty());
}

}  // namespace
}  // namespace thalweg
