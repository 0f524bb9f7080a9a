#include "thalweg/train/progress.h"

#include <cmath>
#include <cstdlib>

#include "testing.h"
#include "thalweg/base/log.h"
#include "thalweg/train/training_loop.h"
#include "train/display_width.h"
#include "train/progress_text.h"

namespace thalweg {
namespace {

using train::display_width;
using train::fit_columns;

/// A stream whose bytes can be read.
class Captured {
 public:
  Captured() : stream_(open_memstream(&bytes_, &size_)) {}
  ~Captured() {
    std::fclose(stream_);
    std::free(bytes_);
  }
  std::FILE* stream() { return stream_; }
  /// What came since the last call.
  std::string take() {
    std::fflush(stream_);
    const std::string all(bytes_, size_);
    std::string fresh = all.substr(taken_);
    taken_ = all.size();
    return fresh;
  }

 private:
  char* bytes_ = nullptr;
  size_t size_ = 0;
  size_t taken_ = 0;
  std::FILE* stream_;
};

/// Plays a training of 3 epochs of 4 steps with 32 examples each.
struct Play {
  explicit Play(ProgressOptions options, int64_t first_step = 0) {
    options.out = out.stream();
    options.clock = &clock;
    hook = make_progress(options);
    state.epochs = 3;
    state.steps_per_epoch = 4;
    state.step = state.first_step = first_step;
    state.batch_examples = 32;
    state.figures = {{"loss", 0.123456}, {"accuracy", 0.5}};
    hook->begin(state);
  }
  std::string step(double seconds) {
    hook->before_step(state);
    clock.advance(seconds);
    ++state.step;
    ++state.step_in_epoch;
    hook->after_step(state);
    return out.take();
  }
  std::string end_epoch() {
    hook->end_epoch(state, {.epoch = state.epoch,
                            .step = state.step,
                            .train = state.figures,
                            .validation = {{"loss", 0.25}}});
    ++state.epoch;
    state.step_in_epoch = 0;
    return out.take();
  }

  FakeClock clock{100};
  Captured out;
  std::unique_ptr<Hook> hook;
  LoopState state;
};

TEST(PlainProgress, IsOneLineAnEpoch) {
  Play play({.mode = ProgressMode::kPlain});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(play.step(1), "");
  EXPECT_EQ(play.end_epoch(),
            "epoch 1/3: loss 0.1235, accuracy 0.5, validation loss 0.25 (4 steps, 0:04)\n");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(play.step(0.25), "");
  EXPECT_EQ(play.end_epoch(),
            "epoch 2/3: loss 0.1235, accuracy 0.5, validation loss 0.25 (4 steps, 0:01)\n");
  TrainResult result;
  result.message = "finished: epochs 3 reached after 12 steps";
  play.hook->end(play.state, result);
  EXPECT_EQ(play.out.take(), "finished: epochs 3 reached after 12 steps\n");
}

TEST(PlainProgress, TellsOfALongEpochNowAndThen) {
  Play play({.mode = ProgressMode::kPlain, .interval = 10});
  EXPECT_EQ(play.step(60), "epoch 1/3, step 1/4: loss 0.1235, accuracy 0.5\n")
      << "no speed yet: the first step builds the plan";
  EXPECT_EQ(play.step(8), "");
  EXPECT_EQ(play.step(8),
            "epoch 1/3, step 3/4: loss 0.1235, accuracy 0.5, 4 examples/s, 1:12 left\n");
}

TEST(PlainProgress, IsWhatAPipeGets) {
  Play play({});
  for (int i = 0; i < 4; ++i) play.step(11);
  play.end_epoch();
  Play all({});
  std::string text;
  for (int i = 0; i < 4; ++i) text += all.step(11);
  text += all.end_epoch();
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find('\n'), std::string::npos);
}

TEST(PlainProgress, SaysWhereAResumedTrainingGoesOn) {
  Play play({.mode = ProgressMode::kPlain}, 40);
  EXPECT_EQ(play.step(1), "going on at step 40, epoch 1\n");
  EXPECT_EQ(play.step(1), "");
}

TEST(Bar, IsDrawnOverItselfAtMostTenTimesASecond) {
  Play play({.mode = ProgressMode::kBar, .color = ColorMode::kNever, .width = 60});
  EXPECT_EQ(play.step(1), "\repoch 1/3 [====            ] 1/4  loss 0.1235  accuracy 0.5\x1b[K");
  EXPECT_EQ(play.step(0.04), "");
  EXPECT_EQ(play.step(0.04), "");
  EXPECT_EQ(play.step(0.04).find("\repoch 1/3 ["), 0u);
  EXPECT_EQ(play.end_epoch(),
            "\r\x1b[Kepoch 1/3: loss 0.1235, accuracy 0.5, validation loss 0.25 (4 steps, 0:01)\n");
  EXPECT_NE(play.step(0.01), "") << "a new epoch shows at once";
}

TEST(Bar, FollowsTheWindow) {
  for (const int width : {20, 40, 60, 80, 200}) {
    Play play({.mode = ProgressMode::kBar, .color = ColorMode::kNever, .width = width});
    play.state.figures[1].name = "正解率";
    for (int i = 0; i < 3; ++i) {
      std::string text = play.step(1);
      ASSERT_GT(text.size(), 4u);
      text = text.substr(1, text.size() - 4);  // without \r and the escape at the end
      EXPECT_LT(display_width(text), width) << text;
    }
  }
}

TEST(Bar, NoColorRemovesColorAndNothingElse) {
  const auto draw = [](ColorMode color) {
    Play play({.mode = ProgressMode::kBar, .color = color, .width = 60});
    return play.step(1);
  };
  unsetenv("NO_COLOR");
  const std::string colored = draw(ColorMode::kAuto);
  EXPECT_EQ(colored, draw(ColorMode::kAlways));
  EXPECT_NE(colored.find("\x1b[32m"), std::string::npos);
  setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(draw(ColorMode::kAuto), draw(ColorMode::kNever));
  EXPECT_NE(draw(ColorMode::kAuto).find("[=="), std::string::npos);
  EXPECT_EQ(draw(ColorMode::kAlways), colored);
  setenv("NO_COLOR", "", 1);
  EXPECT_EQ(draw(ColorMode::kAuto), colored) << "set but empty says nothing";
  unsetenv("NO_COLOR");
}

TEST(Bar, MovesAsideForLogLinesAndGoesWhenDestroyed) {
  std::string logged;
  set_log_sink([&](LogLevel, std::string_view, std::string_view text) { logged = text; });
  {
    Play play({.mode = ProgressMode::kBar, .width = 60});
    play.step(1);
    log_info("test", "a line");
    EXPECT_EQ(play.out.take(), "\r\x1b[K");
    EXPECT_EQ(logged, "a line");
    EXPECT_NE(play.step(0.01), "") << "drawn again at once";
    play.hook.reset();
    EXPECT_EQ(play.out.take(), "\r\x1b[K");
  }
  log_info("test", "after");
  EXPECT_EQ(logged, "after");
  set_log_sink({});
}

TEST(Progress, CanBeSilent) { EXPECT_EQ(make_progress({.mode = ProgressMode::kNone}), nullptr); }

TEST(ProgressText, Durations) {
  EXPECT_EQ(train::duration_text(0.4), "0:00");
  EXPECT_EQ(train::duration_text(245), "4:05");
  EXPECT_EQ(train::duration_text(3723), "1:02:03");
  EXPECT_EQ(train::duration_text(2 * 86400 + 3 * 3600), "2 d 3:00:00");
}

TEST(ProgressText, UndefinedFiguresSaySo) {
  EXPECT_EQ(train::figures_text({{"loss", 1e-7}, {"recall", std::nan("")}}, ", "),
            "loss 1e-07, recall undefined");
}

TEST(ProgressText, TimeLeftTakesTheNearerEnd) {
  train::StepRate rate;
  for (int i = 0; i <= 4; ++i) rate.add_step(i, 1);
  LoopState state;
  state.step = 5;
  EXPECT_FALSE(train::seconds_left(state, rate)) << "no end is known";
  state.max_steps = 25;
  EXPECT_NEAR(*train::seconds_left(state, rate), 20, 1e-9);
  state.epochs = 2;
  state.steps_per_epoch = 5;
  state.epoch = 2;
  state.step_in_epoch = 1;
  EXPECT_NEAR(*train::seconds_left(state, rate), 4, 1e-9);
}

TEST(StepRate, LeavesPausesOut) {
  train::StepRate rate;
  rate.add_step(10, 32);
  EXPECT_FALSE(rate.steps_per_second());
  rate.add_step(11, 32);
  EXPECT_NEAR(*rate.examples_per_second(), 32, 1e-9);
  rate.pause(500);
  rate.add_step(501, 32);
  EXPECT_NEAR(*rate.examples_per_second(), 32, 1e-9);
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width("loss"), 4);
  EXPECT_EQ(display_width("verlust-größe"), 13);
  EXPECT_EQ(display_width("正解率"), 6);
  EXPECT_EQ(display_width("e\xCC\x81"), 1) << "e and a combining accent";
  EXPECT_EQ(display_width("🙂"), 2);
  EXPECT_EQ(display_width("\xFF\xE3"), 2) << "bytes that are no UTF-8 stand for themselves";
  EXPECT_EQ(fit_columns("正解率", 5), "正解");
  EXPECT_EQ(fit_columns("loss", 10), "loss");
  EXPECT_EQ(fit_columns("loss", 0), "");
}

}  // namespace
}  // namespace thalweg
