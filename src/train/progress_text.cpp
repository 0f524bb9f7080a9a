#include "train/progress_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "thalweg/base/strings.h"
#include "train/display_width.h"

namespace thalweg::train {
namespace {

constexpr int kMinBar = 10;
constexpr int kMaxBar = 30;

template <class... Args>
std::string print(const char* format, Args... args) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, args...);
  return buffer;
}

std::string of_total(int64_t value, const std::optional<int64_t>& total) {
  return total ? str(value, '/', *total) : str(value);
}

// Steps of the training that are still to be made, where that is known.
std::optional<int64_t> steps_left(const LoopState& state) {
  std::optional<int64_t> left;
  if (state.max_steps) left = *state.max_steps - state.step;
  if (state.epochs && state.steps_per_epoch) {
    int64_t by_epochs = 0;
    const bool is_too_large =
        __builtin_mul_overflow(*state.epochs - state.epoch + 1, *state.steps_per_epoch, &by_epochs);
    by_epochs -= state.step_in_epoch;
    if (!is_too_large) left = left ? std::min(*left, by_epochs) : by_epochs;
  }
  return left ? std::optional<int64_t>(std::max<int64_t>(*left, 0)) : std::nullopt;
}

std::string rate_text(const StepRate& rate) {
  const auto examples = rate.examples_per_second();
  if (!examples) return {};
  return *examples < 10 ? print("%.2g examples/s", *examples) : print("%.0f examples/s", *examples);
}

// "examples/s" and "left", each with the separator in front; empty before they mean something.
std::string speed_text(const LoopState& state, const StepRate& rate, std::string_view separator) {
  std::string text;
  if (const std::string examples = rate_text(rate); !examples.empty()) {
    append(text, str(separator, examples));
  }
  if (const auto left = seconds_left(state, rate)) {
    append(text, str(separator, duration_text(*left), " left"));
  }
  return text;
}

}  // namespace

std::string counted(int64_t count, std::string_view noun) {
  return str(count, ' ', noun, count == 1 ? "" : "s");
}

std::string duration_text(double seconds) {
  const auto total = static_cast<int64_t>(std::llround(std::max(seconds, 0.0)));
  const auto days = static_cast<long long>(total / 86400);
  const int hours = static_cast<int>(total / 3600 % 24);
  const int minutes = static_cast<int>(total / 60 % 60);
  const int rest = static_cast<int>(total % 60);
  if (days > 0) return print("%lld d %d:%02d:%02d", days, hours, minutes, rest);
  if (hours > 0) return print("%d:%02d:%02d", hours, minutes, rest);
  return print("%d:%02d", minutes, rest);
}

std::string figure_text(double value) {
  return std::isnan(value) ? "undefined" : print("%.4g", value);
}

std::string figures_text(const std::vector<Figure>& figures, std::string_view separator,
                         std::string_view prefix) {
  std::string text;
  for (const Figure& f : figures) {
    if (!text.empty()) append(text, separator);
    append(text, str(prefix, f.name, ' ', figure_text(f.value)));
  }
  return text;
}

std::optional<double> seconds_left(const LoopState& state, const StepRate& rate) {
  const auto left = steps_left(state);
  const auto speed = rate.steps_per_second();
  if (!left || !speed) return std::nullopt;
  return static_cast<double>(*left) / *speed;
}

std::string step_line(const LoopState& state, const StepRate& rate) {
  return str("epoch ", of_total(state.epoch, state.epochs), ", step ",
             of_total(state.step_in_epoch, state.steps_per_epoch), ": ",
             figures_text(state.figures, ", "), speed_text(state, rate, ", "));
}

std::string epoch_line(const LoopState& state, const EpochRecord& record, int64_t steps,
                       double seconds) {
  const std::string train = figures_text(record.train, ", ");
  const std::string validation = figures_text(record.validation, ", ", "validation ");
  // Solvers make no steps.
  return str("epoch ", of_total(record.epoch, state.epochs), ": ", train,
             train.empty() || validation.empty() ? "" : ", ", validation, " (",
             steps > 0 ? str(counted(steps, "step"), ", ") : "", duration_text(seconds), ")");
}

std::string bar_line(const LoopState& state, const StepRate& rate, int columns, bool color) {
  const std::string head = str("epoch ", of_total(state.epoch, state.epochs), ' ');
  const std::string tail = str(' ', of_total(state.step_in_epoch, state.steps_per_epoch), "  ",
                               figures_text(state.figures, "  "), speed_text(state, rate, "  "));
  const int room = columns - display_width(head) - display_width(tail) - 2;
  if (!state.steps_per_epoch || room < kMinBar) {
    return std::string(fit_columns(str(head, std::string_view(tail).substr(1)), columns));
  }
  const int length = std::min(room, kMaxBar);
  const double share =
      std::min(1.0, static_cast<double>(state.step_in_epoch) /
                        static_cast<double>(std::max<int64_t>(*state.steps_per_epoch, 1)));
  const auto done = static_cast<size_t>(share * length);
  const std::string full(done, '=');
  const std::string open(static_cast<size_t>(length) - done, ' ');
  return str(head, '[', color ? "\x1b[32m" : "", full, color ? "\x1b[0m" : "", open, ']', tail);
}

}  // namespace thalweg::train
