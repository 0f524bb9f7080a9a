// Curves of a training for TensorBoard: the hook that writes event files.
#pragma once

#include <memory>
#include <string>

#include "thalweg/base/clock.h"
#include "thalweg/summary/event_writer.h"
#include "thalweg/train/training_loop.h"
#include "train/step_rate.h"

namespace thalweg::train {

/// Writes into `folder`/train and `folder`/validation. A disk that fails ends the curves, never the
/// training.
class SummaryHook final : public Hook {
 public:
  SummaryHook(const SummaryOptions& options, Output learning_rate, const Clock& clock);

  void begin(LoopState& state) override;
  void before_step(LoopState& state) override;
  void after_step(LoopState& state) override;
  void end_epoch(LoopState& state, const EpochRecord& record) override;
  void saved(LoopState&, const std::string&) override { rate_.pause(clock_.steady_seconds()); }

  /// Which file is not complete; empty when all is written.
  std::string failure() const;

 private:
  bool is_due(int64_t step) const { return step % options_.every_steps == 0; }

  const SummaryOptions options_;
  const Output learning_rate_;
  const Clock& clock_;
  StepRate rate_;
  std::unique_ptr<EventWriter> train_;
  std::unique_ptr<EventWriter> validation_;  // made with the first evaluation
};

}  // namespace thalweg::train
