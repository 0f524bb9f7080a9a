#include "train/summaries.h"

#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/runtime/session.h"

namespace thalweg::train {
namespace {

void write_figures(EventWriter& writer, const std::vector<Figure>& figures, int64_t step) {
  for (const Figure& f : figures) writer.add_scalar("epoch/" + f.name, f.value, step);
}

// A killed run may have written points past the checkpoint; they are made again. And a training
// from the start may find points of the one that it replaces.
void start_session(EventWriter& writer, const LoopState& state) {
  writer.add_session_start(state.first_step > 0 ? state.first_step + 1 : 0);
}

}  // namespace

SummaryHook::SummaryHook(const SummaryOptions& options, Output learning_rate, const Clock& clock)
    : options_(options), learning_rate_(learning_rate), clock_(clock) {}

void SummaryHook::begin(LoopState& state) {
  const EventWriterOptions options{.clock = &clock_};
  train_ = std::make_unique<EventWriter>(join_path(options_.folder, "train"), options);
  start_session(*train_, state);
  if (state.first_step == 0 && options_.graph) train_->add_graph(state.session->graph());
}

void SummaryHook::before_step(LoopState& state) {
  // The rate hangs on the global step, which the step itself moves on.
  const int64_t step = state.step + 1;
  if (!learning_rate_ || !is_due(step)) return;
  train_->add_scalar("learning_rate", state.session->run(learning_rate_).at(0), step);
}

void SummaryHook::after_step(LoopState& state) {
  rate_.add_step(clock_.steady_seconds(), state.batch_examples);
  if (!is_due(state.step)) return;
  train_->add_scalar("loss", state.loss, state.step);
  if (const auto rate = rate_.examples_per_second()) {
    train_->add_scalar("examples_per_second", *rate, state.step);
  }
}

void SummaryHook::end_epoch(LoopState& state, const EpochRecord& record) {
  write_figures(*train_, record.train, record.step);
  if (!record.validation.empty()) {
    if (!validation_) {
      validation_ = std::make_unique<EventWriter>(join_path(options_.folder, "validation"),
                                                  EventWriterOptions{.clock = &clock_});
      start_session(*validation_, state);
    }
    write_figures(*validation_, record.validation, record.step);
  }
  rate_.pause(clock_.steady_seconds());
}

std::string SummaryHook::failure() const {
  for (const EventWriter* writer : {train_.get(), validation_.get()}) {
    if (writer == nullptr || writer->healthy()) continue;
    return writer->path().empty() ? str("no event file could be made in '", options_.folder, "'")
                                  : str("'", writer->path(), "' could not be written to its end");
  }
  return {};
}

}  // namespace thalweg::train
