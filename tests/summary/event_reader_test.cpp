#include "thalweg/summary/event_reader.h"

#include <cstdlib>

#include "proto/event.pb.h"
#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/tfrecord.h"
#include "thalweg/summary/event_writer.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

TEST(EventReader, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  FakeClock clock(100);
  EventWriter writer(folder.path(), {.clock = &clock});
  writer.add_session_start(0);
  writer.add_scalar("loss", 0.5, 1);
  clock.advance(2);
  writer.add_scalar("loss", 0.25, 2);
  writer.add_scalar("accuracy", 0.75, 2);
  writer.add_histogram("w", Tensor::of<float>({0, 1}), 2);
  const EventLog log = read_events(writer.path());
  EXPECT_EQ(log.file_version, "brain.Event:2");
  EXPECT_EQ(log.events, 6);
  EXPECT_EQ(log.session_starts, std::vector<int64_t>{0});
  EXPECT_TRUE(log.graph_def.empty());
  ASSERT_EQ(log.scalars.at("loss").size(), 2u);
  EXPECT_EQ(log.scalars.at("loss")[1].wall_time, 102);
  EXPECT_EQ(log.scalars.at("loss")[1].step, 2);
  EXPECT_EQ(log.scalars.at("loss")[1].value, 0.25);
  EXPECT_EQ(log.scalars.at("accuracy")[0].value, 0.75);
  EXPECT_EQ(log.histograms.at("w")[0].step, 2);
  EXPECT_EQ(log.histograms.at("w")[0].buckets.shape(), (Shape{30, 3}));
}

TEST(EventReader, FollowsAFileWhileItIsWritten) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  EventReader reader(writer.path());
  EventLog log;
  EXPECT_EQ(reader.read_more(log), 1);
  EXPECT_EQ(reader.read_more(log), 0);
  writer.add_scalar("loss", 1, 1);
  writer.add_scalar("loss", 2, 2);
  EXPECT_EQ(reader.read_more(log), 2);
  EXPECT_EQ(log.scalars.at("loss").size(), 2u);
}

TEST(EventReader, SkipsACutLastRecordInSilence) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path(), {.suffix = ".whole"});
  writer.add_scalar("loss", 1, 1);
  writer.add_scalar("loss", 2, 2);
  const std::string bytes = read_file(writer.path());
  for (size_t cut = 1; cut < 40; ++cut) {
    write_file(folder / "cut", bytes.substr(0, bytes.size() - cut));
    EXPECT_EQ(read_events(folder / "cut").scalars.at("loss").size(), 1u);
  }
}

TEST(EventReader, KeepsWhatCameBeforeDamage) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  writer.add_scalar("loss", 1, 1);
  std::string bytes = read_file(writer.path());
  const size_t damage = bytes.size();
  append_record(bytes, "no event");
  write_file(folder / "damaged", bytes);
  EventReader reader(folder / "damaged");
  EventLog log;
  expect_error(
      Code::kDataLoss, [&] { reader.read_more(log); }, folder / "damaged", str("byte ", damage));
  EXPECT_EQ(log.scalars.at("loss").size(), 1u);
}

// As TensorFlow 1 writes it: few buckets in the middle hold anything, the ends are endless.
TEST(EventReader, DropsEmptyBucketsAtTheEndsOfOlderHistograms) {
  const TemporaryFolder folder;
  const auto read = [&](const std::vector<double>& counts) {
    tensorflow::Event event;
    event.set_step(1);
    auto& value = *event.mutable_summary()->add_value();
    value.set_tag("w");
    auto& histogram = *value.mutable_histo();
    histogram.set_min(0.25);
    histogram.set_max(2.5);
    for (const double limit : {-1.0, 0.0, 1.0, 2.0, 3.0, 1.7e308}) {
      histogram.add_bucket_limit(limit);
    }
    for (const double count : counts) histogram.add_bucket(count);
    std::string bytes;
    append_record(bytes, event.SerializeAsString());
    write_file(folder / "old", bytes);
    return read_events(folder / "old").histograms.at("w")[0].buckets.to_string();
  };
  EXPECT_EQ(read({0, 0, 4, 0, 5, 0}), "float64[3, 3] [[0.25, 1, 4], [1, 2, 0], [2, 2.5, 5]]");
  EXPECT_EQ(read({0, 0, 0, 7, 0, 0}), "float64[1, 3] [[0.25, 2.5, 7]]");
  EXPECT_EQ(read({0, 0, 0, 0, 0, 0}), "float64[0, 3] []");
}

TEST(EventReader, ReadsAFolderInTheOrderOfNamesAndOnlyEventFiles) {
  const TemporaryFolder folder;
  FakeClock clock(1000);
  EventWriter(folder.path(), {.clock = &clock, .suffix = ".a"}).add_scalar("loss", 1, 1);
  clock.advance(10);
  EventWriter(folder.path(), {.clock = &clock, .suffix = ".b"}).add_scalar("loss", 2, 2);
  write_file(folder / "checkpoint", "not an event");
  make_folders(folder / "tfevents");
  const EventLog log = read_event_folder(folder.path());
  ASSERT_EQ(log.scalars.at("loss").size(), 2u);
  EXPECT_EQ(log.scalars.at("loss")[1].value, 2);
}

// Files of many programs, where the data folder is at hand (THALWEG_DATA).
class EventFilesInTheWild : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("THALWEG_DATA") == nullptr) GTEST_SKIP() << "THALWEG_DATA names no data folder";
  }
  static EventLog read(const char* name) {
    return read_event_folder(join_path(join_path(std::getenv("THALWEG_DATA"), "events"), name));
  }
};

TEST_F(EventFilesInTheWild, OfTensorFlow1) {
  const EventLog graph = read("graph_linear_regression");
  EXPECT_FALSE(graph.graph_def.empty());
  EXPECT_FALSE(read("graph_word2vec").graph_def.empty());
  const EventLog keras = read("keras_tf1");
  EXPECT_EQ(keras.events, 83);
  EXPECT_FALSE(keras.graph_def.empty());
  EXPECT_EQ(keras.scalars.size(), 4u);
  for (const auto& [tag, points] : keras.scalars) EXPECT_EQ(points.size(), 20u) << tag;
  const EventLog taxi = read("taxi_estimator_train");
  EXPECT_EQ(taxi.events, 28);
  size_t scalars = 0;
  size_t histograms = 0;
  for (const auto& [tag, points] : taxi.scalars) scalars += points.size();
  for (const auto& [tag, points] : taxi.histograms) histograms += points.size();
  EXPECT_EQ(scalars, 99u);
  EXPECT_EQ(histograms, 60u);
  EXPECT_FALSE(taxi.session_starts.empty());
}

TEST_F(EventFilesInTheWild, OfTensorFlow2) {
  const EventLog keras = read("keras_tf2");
  EXPECT_EQ(keras.events, 11);
  size_t scalars = 0;
  for (const auto& [tag, points] : keras.scalars) scalars += points.size();
  EXPECT_EQ(scalars, 10u);
  EXPECT_EQ(read("profile_empty").events, 1);
}

TEST_F(EventFilesInTheWild, OfPyTorch) {
  size_t scalars = 0;
  for (const auto& [tag, points] : read("pytorch_scalars/run_1").scalars) scalars += points.size();
  EXPECT_EQ(scalars, 100u);
  EXPECT_EQ(read("pytorch_duplicate_steps").events, 421);
}

}  // namespace
}  // namespace thalweg
