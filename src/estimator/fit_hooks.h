// What a fit with a model folder writes beside checkpoints: the record, and histograms of weights.
#pragma once

#include <memory>
#include <string>

#include "thalweg/estimator/model_record.h"
#include "thalweg/summary/event_writer.h"
#include "thalweg/train/hook.h"

namespace thalweg {

/// Keeps model.json up to date, checkpoint by checkpoint. `record` must outlive it.
class RecordHook : public Hook {
 public:
  RecordHook(std::string folder, ModelRecord& record)
      : folder_(std::move(folder)), record_(record) {}
  void begin(LoopState& state) override;
  void end_epoch(LoopState& state, const EpochRecord& epoch) override;
  void saved(LoopState& state, const std::string& prefix) override;

 private:
  std::string folder_;
  ModelRecord& record_;
};

/// A histogram of each trainable variable an epoch, for TensorBoard.
class HistogramHook : public Hook {
 public:
  explicit HistogramHook(std::string folder) : folder_(std::move(folder)) {}
  void begin(LoopState& state) override;
  void end_epoch(LoopState& state, const EpochRecord& epoch) override;

 private:
  std::string folder_;
  std::unique_ptr<EventWriter> writer_;
};

}  // namespace thalweg
