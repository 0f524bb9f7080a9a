// What a run of a plan has of its own, since runs go on side by side: memory, the arguments of the
// steps, and what a kernel sees of it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/plan.h"
#include "runtime/run_scope.h"
#include "thalweg/base/log.h"

namespace thalweg {

/// What one run at a time needs of its own; kept for the next run.
struct Plan::RunState {
  std::shared_ptr<Buffer> arena;
  std::vector<Tensor> feeds;
  std::vector<Tensor> slots;
  std::vector<void*> arguments;
  std::vector<std::unique_ptr<KernelState>> kernel_states;  // by step
  std::vector<void*> scratch;                               // by step
  std::vector<const void*> variable_buffers;                // as bound now
};

/// The window of a kernel on the run: moved from step to step.
class Plan::StepContext final : public KernelContext {
 public:
  StepContext(const Plan& plan, RunState& state, RunScope& scope, uint64_t random_run,
              bool take_feeds)
      : plan_(plan), run_(state), scope_(scope), random_run_(random_run), take_feeds_(take_feeds) {}

  void enter(size_t step) {
    step_ = &plan_.steps_[step];
    void** arguments = run_.arguments.data() + plan_.argument_begin_[step];
    inputs_ = arguments;
    outputs_ = arguments + step_->inputs.size();
    scratch_ = run_.scratch[step];
    KernelContext::state_ = run_.kernel_states[step].get();
  }

  void set_output(int i, Tensor value) override {
    const PlanValue& target =
        plan_.values_[static_cast<size_t>(step_->outputs[static_cast<size_t>(i)])];
    THALWEG_CHECK(target.source == Source::kSlot, "output ", i, " has memory already");
    run_.slots[static_cast<size_t>(target.index)] = std::move(value);
  }
  Tensor input_tensor(int i) const override { return plan_.as_tensor(run_, input_value(i)); }
  bool is_last_use(int i) const override {
    if (step_->last_uses.empty() || !step_->last_uses[static_cast<size_t>(i)]) return false;
    return take_feeds_ || input_value(i).source != Source::kFeed;
  }
  RunScope* run_scope() const override { return &scope_; }
  uint64_t random_run() const override { return random_run_; }
  void print(std::string_view text) override {
    if (scope_.options().print) {
      scope_.options().print(text);
    } else {
      log(LogLevel::kInfo, "print", text);
    }
  }

 private:
  const PlanValue& input_value(int i) const {
    return plan_.values_[static_cast<size_t>(step_->inputs[static_cast<size_t>(i)])];
  }

  const Plan& plan_;
  RunState& run_;
  RunScope& scope_;
  uint64_t random_run_;
  bool take_feeds_;
  const PlanStep* step_ = nullptr;
};

}  // namespace thalweg
