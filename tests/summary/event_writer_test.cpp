#include "thalweg/summary/event_writer.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "hex.h"
#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/tfrecord.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/summary/event_reader.h"

namespace thalweg {
namespace {

using testing::from_hex;
using testing::TemporaryFolder;
using testing::to_hex;

constexpr OpDef kOps[] = {
    {.name = "Placeholder",
     .outputs = {"output: dtype | Value."},
     .attrs = {"dtype: type | Type.", "shape: shape | Shape."},
     .doc = "Fed.",
     .shape = [](ShapeContext& c) { c.set_output(0, c.attr<Shape>("shape")); },
     .no_gradient = "No inputs."},
    {.name = "Const",
     .outputs = {"output: dtype | Value."},
     .attrs = {"value: tensor | Value.", "dtype: type | Type."},
     .doc = "Constant.",
     .shape = [](ShapeContext& c) { c.set_output(0, c.attr<Tensor>("value").shape()); },
     .no_gradient = "No inputs."},
};

std::vector<std::string> records(const std::string& path) {
  RecordReader reader(path);
  std::vector<std::string> result;
  std::string record;
  while (reader.next(record) == RecordReader::Next::kRecord) result.push_back(record);
  return result;
}

TEST(EventWriter, NamesItsFileAsTensorBoardExpects) {
  const TemporaryFolder folder;
  const FakeClock clock(1234567.5);
  const EventWriter named(folder.path(), {.clock = &clock, .suffix = ".host.7.0"});
  EXPECT_EQ(named.path(), folder / "events.out.tfevents.0001234567.host.7.0");
  const EventWriter usual(folder.path(), {.clock = &clock});
  EXPECT_EQ(base_name(usual.path()).find("events.out.tfevents.0001234567."), 0u);
  EXPECT_NE(usual.path().find(str(".", ::getpid(), ".")), std::string::npos);
}

TEST(EventWriter, MakesTheFolder) {
  const TemporaryFolder folder;
  const EventWriter writer(folder / "a/b");
  EXPECT_TRUE(writer.healthy());
  EXPECT_EQ(list_folder(folder / "a/b").size(), 1u);
}

TEST(EventWriter, TwoInOneFolderGetTwoFilesEvenWithEqualNames) {
  const TemporaryFolder folder;
  const FakeClock clock(1700000000);
  EventWriter a(folder.path(), {.clock = &clock, .suffix = ".same"});
  EventWriter b(folder.path(), {.clock = &clock, .suffix = ".same"});
  EXPECT_NE(a.path(), b.path());
  for (int step = 0; step < 10; ++step) {
    a.add_scalar("a", step, step);
    b.add_scalar("b", step, step);
  }
  const EventLog log = read_event_folder(folder.path());
  EXPECT_EQ(log.scalars.at("a").size(), 10u);
  EXPECT_EQ(log.scalars.at("b").size(), 10u);
}

TEST(EventWriter, WritesTheBytesThatTensorBoardWrites) {
  const TemporaryFolder folder;
  const FakeClock clock(1);
  EventWriter writer(folder.path(), {.clock = &clock});
  writer.add_scalar("loss", 0.5, 5);
  const std::string summary =
      "0a 1f 0a 04 6c 6f 73 73 42 0a 08 01 12 00 2a 04 00 00 00 3f 4a 0b 0a 09 0a 07 73 63 61 6c "
      "61 72 73 ";
  EXPECT_EQ(to_hex(read_file(writer.path())),
            "18 00 00 00 00 00 00 00 a3 7f 4b 22 09 00 00 00 00 00 00 f0 3f 1a 0d 62 72 61 69 6e "
            "2e 45 76 65 6e 74 "
            "3a 32 86 bf 57 7a "
            "2e 00 00 00 00 00 00 00 c5 cb 57 fa 09 00 00 00 00 00 00 f0 3f 10 05 2a 21 " +
                summary + "7a 13 2a c9");
}

TEST(EventWriter, WritesHistogramsOfTheNewerKind) {
  const TemporaryFolder folder;
  const FakeClock clock(1);
  EventWriter writer(folder.path(), {.clock = &clock});
  writer.add_histogram("w", Tensor::of<float>({0, 1, 2, 3}), 0);
  const std::vector<float> values = {0, 1, 2, 3};
  writer.add_histogram("w", values, 1);
  // wall_time, then field 5 (the summary), value, tag "w", tensor DT_DOUBLE [30, 3] with 720 bytes
  // of content.
  const std::string start =
      "09 00 00 00 00 00 00 f0 3f 2a f8 05 0a f5 05 0a 01 77 42 df 05 08 02 12 08 12 02 08 1e "
      "12 02 08 03 22 d0 05 ";
  EXPECT_EQ(to_hex(records(writer.path())[1]).substr(0, start.size()), start);
  const std::string end = " 4a 0e 0a 0c 0a 0a 68 69 73 74 6f 67 72 61 6d 73";
  EXPECT_TRUE(to_hex(records(writer.path())[1]).ends_with(end));
  EXPECT_EQ(records(writer.path())[2].substr(13),
            records(writer.path())[1].substr(11));  // but for the step
}

TEST(EventWriter, WritesTheGraphWithShapesAndWithoutLargeConstants) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  OpRegistry registry;
  registry.add(kOps);
  Graph graph(registry);
  graph.add("Placeholder", {}, {{"dtype", kFloat32}, {"shape", Shape{-1, 3}}}, {.name = "x"});
  graph.add("Const", {}, {{"dtype", kFloat32}, {"value", Tensor::zeros(kFloat32, {100000})}},
            {.name = "w"});
  writer.add_graph(graph);
  const std::string graph_def = read_events(writer.path()).graph_def;
  EXPECT_NE(graph_def.find("Placeholder"), std::string::npos);
  EXPECT_NE(graph_def.find("_output_shapes"), std::string::npos);
  EXPECT_NE(graph_def.find("_too_large_attrs"), std::string::npos);
  EXPECT_LT(graph_def.size(), 1000u);
}

TEST(EventWriter, SaysThatARunGoesOn) {
  const TemporaryFolder folder;
  const FakeClock clock(1);
  EventWriter writer(folder.path(), {.clock = &clock});
  writer.add_session_start(80);
  EXPECT_EQ(to_hex(records(writer.path())[1]), "09 00 00 00 00 00 00 f0 3f 10 50 3a 02 08 01");
}

TEST(EventWriter, HandsOverEachEventAtOnceByDefault) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  for (int step = 0; step < 3; ++step) {
    writer.add_scalar("loss", step, step);
    EXPECT_EQ(read_events(writer.path()).scalars.at("loss").size(), static_cast<size_t>(step + 1));
  }
}

TEST(EventWriter, GathersEventsUntilFlushed) {
  const TemporaryFolder folder;
  std::string path;
  {
    EventWriter writer(folder.path(), {.flush_seconds = 3600});
    path = writer.path();
    writer.add_scalar("loss", 1, 1);
    EXPECT_TRUE(read_events(path).scalars.empty());
    writer.flush();
    EXPECT_EQ(read_events(path).scalars.at("loss").size(), 1u);
    writer.add_scalar("loss", 2, 2);
    EXPECT_EQ(read_events(path).scalars.at("loss").size(), 1u);
  }
  EXPECT_EQ(read_events(path).scalars.at("loss").size(), 2u);
}

TEST(EventWriter, NothingWaitsLongerThanTheInterval) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path(), {.flush_seconds = 0.02});
  EventReader reader(writer.path());
  EventLog log;
  for (int step = 0; step < 3; ++step) {  // the thread goes on after its first flush
    writer.add_scalar("loss", 1, step);
    const double deadline = system_clock().steady_seconds() + 20;
    while (reader.read_more(log) == 0 || log.scalars["loss"].size() <= static_cast<size_t>(step)) {
      ASSERT_LT(system_clock().steady_seconds(), deadline);
      ::usleep(5000);
    }
  }
}

TEST(EventWriter, TakesEventsFromManyThreads) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path(), {.flush_seconds = 0.001});
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&writer, t] {
        for (int step = 0; step < 200; ++step) writer.add_scalar(str("curve", t), step, step);
      });
    }
  }
  writer.flush();
  const EventLog log = read_events(writer.path());
  EXPECT_EQ(log.scalars.size(), 4u);
  for (const auto& [tag, points] : log.scalars) EXPECT_EQ(points.size(), 200u) << tag;
}

TEST(EventWriter, AKilledProcessLosesNothingHandedOver) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    EventWriter writer(folder.path());
    for (int step = 0; step < 100; ++step) writer.add_scalar("loss", step, step);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(read_event_folder(folder.path()).scalars.at("loss").size(), 100u);
}

}  // namespace
}  // namespace thalweg
