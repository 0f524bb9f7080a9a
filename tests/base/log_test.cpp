#include "thalweg/base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

class Log : public ::testing::Test {
 protected:
  Log() {
    set_log_sink([this](LogLevel level, std::string_view component, std::string_view message) {
      lines_.push_back(str(level, "|", component, "|", message));
    });
  }
  ~Log() override {
    set_log_sink({});
    set_log_level(LogLevel::kInfo);
  }
  std::vector<std::string> lines_;
};

TEST_F(Log, GoesToTheSinkWithLevelAndComponent) {
  log_info("data", "read ", 3, " files");
  log_warning("train", "loss is ", 0.5);
  EXPECT_EQ(lines_,
            (std::vector<std::string>{"info|data|read 3 files", "warning|train|loss is 0.5"}));
}

TEST_F(Log, DropsLinesBelowTheLevel) {
  log(LogLevel::kDebug, "a", "dropped");
  set_log_level(LogLevel::kError);
  log_warning("a", "dropped");
  log(LogLevel::kError, "a", "kept");
  set_log_level(LogLevel::kDebug);
  log(LogLevel::kDebug, "a", "kept too");
  EXPECT_EQ(lines_, (std::vector<std::string>{"error|a|kept", "debug|a|kept too"}));
}

TEST_F(Log, WarnsOnceForEachComponentAndText) {
  for (int i = 0; i < 3; ++i) {
    log_warning_once("once", "slow path");
    log_warning_once("once", "other");
    log_warning_once("twice", "slow path");
  }
  EXPECT_EQ(lines_.size(), 3u);
}

TEST_F(Log, SendsWhatASinkLogsToStderr) {
  int calls = 0;
  set_log_sink([&](LogLevel, std::string_view, std::string_view) {
    ++calls;
    log_warning("sink", "number ", calls);
    log_warning_once("sink", "once from the sink");
  });
  ::testing::internal::CaptureStderr();
  log_info("a", "b");
  log_warning_once("a", "once from outside");
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(calls, 2);
  EXPECT_NE(lines.find("number 2"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("once from the sink"), lines.rfind("once from the sink")) << lines;
  EXPECT_NE(lines.find("once from the sink"), std::string::npos) << lines;
}

TEST_F(Log, RefusesASinkThatReplacesItself) {
  Code code = Code::kInternal;
  set_log_sink([&](LogLevel, std::string_view, std::string_view) {
    try {
      set_log_sink({});
    } catch (const Error& error) {
      code = error.code();
    }
  });
  log_info("a", "b");
  EXPECT_EQ(code, Code::kFailedPrecondition);
}

TEST_F(Log, TakesLinesOfManyThreads) {
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 50; ++i) log_info("thread", i);
      });
    }
  }
  EXPECT_EQ(lines_.size(), 200u);
}

TEST(LogToStderr, PrintsTimeLevelComponentMessage) {
  ::testing::internal::CaptureStderr();
  log_warning("checkpoint", "two\nlines");
  const std::string line = ::testing::internal::GetCapturedStderr();
  ASSERT_GT(line.size(), 18u);
  EXPECT_EQ(line[2], ':');
  EXPECT_EQ(line[5], ':');
  EXPECT_EQ(line.substr(8), " warning  checkpoint: two\n                  lines\n");
}

}  // namespace
}  // namespace thalweg
