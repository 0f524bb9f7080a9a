#include "thalweg/train/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string_view>

#include "thalweg/base/log.h"
#include "thalweg/base/printable.h"
#include "thalweg/train/training_loop.h"
#include "train/progress_text.h"

namespace thalweg {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr int kDefaultColumns = 80;

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool is_terminal(std::FILE* out) {
  const char* term = std::getenv("TERM");
  return isatty(fileno(out)) == 1 && (term == nullptr || std::string_view(term) != "dumb");
}

void write(std::FILE* out, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
}

// What bar and lines share: when an epoch began, and how fast it goes.
class ProgressHook : public Hook {
 public:
  explicit ProgressHook(const ProgressOptions& options) : options_(options) {}

  void begin(LoopState& state) override {
    rate_.restart();
    begin_epoch(state);
  }
  void before_step(LoopState& state) override {
    if (state.step == state.first_step && state.first_step > 0) {
      line(str("going on at step ", state.first_step, ", epoch ", state.epoch,
               state.step_in_epoch > 0 ? str(", batch ", state.step_in_epoch + 1) : ""));
    }
  }
  void after_step(LoopState& state) override {
    rate_.add_step(now(), state.batch_examples);
    show(state);
  }
  void end_epoch(LoopState& state, const EpochRecord& record) override {
    line(train::epoch_line(state, record, state.step_in_epoch, now() - epoch_start_));
    begin_epoch(state);
  }
  void saved(LoopState&, const std::string&) override { rate_.pause(now()); }
  void end(LoopState&, const TrainResult& result) override { line(result.message); }

 protected:
  virtual void show(const LoopState& state) = 0;
  virtual void line(const std::string& text) = 0;

  double now() const { return options_.clock->steady_seconds(); }

  const ProgressOptions options_;
  train::StepRate rate_;
  double shown_ = 0;  // when something was last shown

 private:
  void begin_epoch(const LoopState& state) {
    epoch_start_ = shown_ = now();
    // The first step of all stays uncounted.
    if (state.step > state.first_step) rate_.pause(epoch_start_);
  }

  double epoch_start_ = 0;
};

// One line an epoch, and one each interval of a long epoch.
class PlainProgress final : public ProgressHook {
 public:
  using ProgressHook::ProgressHook;

 private:
  void show(const LoopState& state) override {
    if (now() - shown_ < options_.interval) return;
    shown_ = now();
    line(train::step_line(state, rate_));
  }
  void line(const std::string& text) override { write(options_.out, printable(text) + "\n"); }
};

// A bar that is drawn over itself; lines that stay are written in its place.
class BarProgress final : public ProgressHook {
 public:
  BarProgress(const ProgressOptions& options, bool color) : ProgressHook(options), color_(color) {
    // Log lines come from any thread, and would be written into the bar.
    previous_ = set_log_sink([this](LogLevel level, std::string_view who, std::string_view text) {
      const std::lock_guard lock(mutex_);
      erase();
      previous_ ? previous_(level, who, text) : log(level, who, text);
    });
  }
  ~BarProgress() override {
    set_log_sink(std::move(previous_));
    erase();
  }

 private:
  void show(const LoopState& state) override {
    if (drawn_ && now() - shown_ < kRedrawSeconds) return;
    shown_ = now();
    const std::string bar = train::bar_line(state, rate_, columns() - 1, color_);
    const std::lock_guard lock(mutex_);
    write(options_.out, str("\r", bar, "\x1b[K"));
    drawn_ = true;
  }
  void line(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    erase();
    write(options_.out, printable(text) + "\n");
  }
  void erase() {
    if (drawn_) write(options_.out, "\r\x1b[K");
    drawn_ = false;
  }
  int columns() const {
    if (options_.width > 0) return options_.width;
    winsize size = {};
    const bool known = ioctl(fileno(options_.out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : kDefaultColumns;
  }

  const bool color_;
  std::mutex mutex_;  // guards drawn_ and writing
  bool drawn_ = false;
  LogSink previous_;
};

}  // namespace

std::unique_ptr<Hook> make_progress(const ProgressOptions& given) {
  ProgressOptions options = given;
  if (options.out == nullptr) options.out = stderr;
  if (options.clock == nullptr) options.clock = &system_clock();
  if (options.mode == ProgressMode::kAuto) {
    options.mode = is_terminal(options.out) ? ProgressMode::kBar : ProgressMode::kPlain;
  }
  switch (options.mode) {
    case ProgressMode::kBar: {
      const bool color = options.color == ColorMode::kAlways ||
                         (options.color == ColorMode::kAuto && !is_set("NO_COLOR"));
      return std::make_unique<BarProgress>(options, color);
    }
    case ProgressMode::kPlain: return std::make_unique<PlainProgress>(options);
    default: return nullptr;
  }
}

}  // namespace thalweg
