#include "estimator/fit_hooks.h"

#include "thalweg/runtime/session.h"

namespace thalweg {

void RecordHook::begin(LoopState& state) {
  // Epochs that are trained again, as their end was not saved.
  std::erase_if(record_.run.history,
                [&](const EpochRecord& epoch) { return epoch.epoch >= state.epoch; });
  write_model_record(folder_, record_);
}

void RecordHook::end_epoch(LoopState&, const EpochRecord& epoch) {
  record_.run.history.push_back(epoch);
}

void RecordHook::saved(LoopState&, const std::string&) { write_model_record(folder_, record_); }

void HistogramHook::begin(LoopState& state) {
  writer_ = std::make_unique<EventWriter>(folder_);
  if (state.first_step > 0) writer_->add_session_start(state.first_step + 1);
}

void HistogramHook::end_epoch(LoopState& state, const EpochRecord& epoch) {
  for (const Graph::VariableRecord& variable : state.session->graph().variables()) {
    if (!variable.trainable) continue;
    writer_->add_histogram(variable.name, state.session->variables().get(variable.name),
                           epoch.step);
  }
}

}  // namespace thalweg
