// The words of progress lines, without where and when they are written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thalweg/train/hook.h"
#include "train/step_rate.h"

namespace thalweg::train {

/// "1 step", "2 steps".
std::string counted(int64_t count, std::string_view noun);

/// "4:05", "1:02:03", "2 d 3:00:00".
std::string duration_text(double seconds);
/// Four digits: "0.1234", "1.235e-05", "undefined" for NaN.
std::string figure_text(double value);
/// "loss 0.1234, accuracy 0.9612", each name with `prefix` in front.
std::string figures_text(const std::vector<Figure>& figures, std::string_view separator,
                         std::string_view prefix = {});

/// Seconds to the end of the training; empty when not known.
std::optional<double> seconds_left(const LoopState& state, const StepRate& rate);

/// "epoch 3/10, step 400/938: loss 0.12, accuracy 0.95, 12345 examples/s, 0:12 left".
std::string step_line(const LoopState& state, const StepRate& rate);
/// "epoch 3/10: loss 0.12, accuracy 0.95, validation loss 0.14 (938 steps, 0:04)".
std::string epoch_line(const LoopState& state, const EpochRecord& record, int64_t steps,
                       double seconds);
/// One line of at most `columns` columns with a bar where it fits; `color` adds escapes that take
/// no column.
std::string bar_line(const LoopState& state, const StepRate& rate, int columns, bool color);

}  // namespace thalweg::train
