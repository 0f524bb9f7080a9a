#include "thalweg/train/schedule.h"

#include <algorithm>
#include <functional>

#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/unary.h"
#include "train/number_checks.h"

namespace thalweg {
namespace {

constexpr double kPi = 3.14159265358979323846;

using train::check_not_negative;

void check_steps(std::string_view schedule, int64_t steps) {
  if (steps < 1)
    throw invalid_argument(schedule, ": decay_steps is ", steps, ", at least 1 is needed");
}

void check_decay(std::string_view schedule, const DecayOptions& options) {
  check_steps(schedule, options.decay_steps);
  check_not_negative(schedule, "initial", options.initial);
  check_not_negative(schedule, "decay_rate", options.decay_rate);
}

// The share of decay_steps that has passed, at most 1.
Output progress(Output step, int64_t decay_steps) {
  const auto end = static_cast<double>(decay_steps);
  return minimum(step, end) / end;
}

Output periods(Output step, const DecayOptions& options) {
  const Output share = step / static_cast<double>(options.decay_steps);
  return options.staircase ? floor(share) : share;
}

}  // namespace

Schedule::Schedule(double rate)
    : rate_(
          [rate](Output step) { return constant(step.graph(), Tensor(static_cast<float>(rate))); }),
      text_(str(rate)) {
  check_not_negative("schedule", "the learning rate", rate);
}

Schedule::Schedule(std::function<Output(Output)> rate, std::string text)
    : rate_(std::move(rate)), text_(std::move(text)) {
  if (!rate_) throw invalid_argument("schedule '", text_, "': the function is empty");
}

Output Schedule::at(Output step) const {
  const NameScope scope(step.graph(), "learning_rate");
  return rate_(cast(step, kFloat32));
}

Schedule exponential_decay(const DecayOptions& options) {
  check_decay("exponential_decay", options);
  return Schedule(
      [options](Output step) {
        const Output base = constant(step.graph(), Tensor(static_cast<float>(options.decay_rate)));
        return options.initial * pow(base, periods(step, options));
      },
      str("exponential_decay(", options.initial, ", ", options.decay_steps, ", ",
          options.decay_rate, options.staircase ? ", staircase)" : ")"));
}

Schedule inverse_time_decay(const DecayOptions& options) {
  check_decay("inverse_time_decay", options);
  return Schedule(
      [options](Output step) {
        return options.initial / (options.decay_rate * periods(step, options) + 1.0);
      },
      str("inverse_time_decay(", options.initial, ", ", options.decay_steps, ", ",
          options.decay_rate, options.staircase ? ", staircase)" : ")"));
}

Schedule polynomial_decay(const PolynomialDecayOptions& options) {
  check_steps("polynomial_decay", options.decay_steps);
  check_not_negative("polynomial_decay", "initial", options.initial);
  check_not_negative("polynomial_decay", "end", options.end);
  check_not_negative("polynomial_decay", "power", options.power);
  return Schedule(
      [options](Output step) {
        const Output left = 1.0 - progress(step, options.decay_steps);
        const Output shape = options.power == 1.0 ? left : pow(left, options.power);
        return (options.initial - options.end) * shape + options.end;
      },
      str("polynomial_decay(", options.initial, ", ", options.decay_steps, ", ", options.end, ", ",
          options.power, ")"));
}

Schedule cosine_decay(const CosineDecayOptions& options) {
  check_steps("cosine_decay", options.decay_steps);
  check_not_negative("cosine_decay", "initial", options.initial);
  check_not_negative("cosine_decay", "alpha", options.alpha);
  return Schedule(
      [options](Output step) {
        const Output wave = 0.5 * (cos(kPi * progress(step, options.decay_steps)) + 1.0);
        return options.initial * ((1.0 - options.alpha) * wave + options.alpha);
      },
      str("cosine_decay(", options.initial, ", ", options.decay_steps, ", ", options.alpha, ")"));
}

Schedule piecewise_constant(std::vector<int64_t> boundaries, std::vector<double> rates) {
  if (rates.size() != boundaries.size() + 1) {
    throw invalid_argument("piecewise_constant: ", boundaries.size(), " boundaries need ",
                           boundaries.size() + 1, " rates, got ", rates.size());
  }
  if (std::ranges::adjacent_find(boundaries, std::greater_equal()) != boundaries.end()) {
    throw invalid_argument("piecewise_constant: boundaries must rise, got ", boundaries);
  }
  for (const double rate : rates) check_not_negative("piecewise_constant", "a rate", rate);
  const std::string text = str("piecewise_constant(", boundaries, ", ", rates, ")");
  return Schedule(
      [boundaries = std::move(boundaries), rates = std::move(rates)](Output step) {
        Graph& graph = step.graph();
        Output rate = constant(graph, Tensor(static_cast<float>(rates.back())));
        for (size_t i = boundaries.size(); i-- > 0;) {
          const Output before = constant(graph, Tensor(static_cast<float>(rates[i])));
          rate = select(less_equal(step, static_cast<double>(boundaries[i])), before, rate);
        }
        return rate;
      },
      text);
}

Schedule warm_up(int64_t steps, Schedule after) {
  if (steps < 1) throw invalid_argument("warm_up: steps is ", steps, ", at least 1 is needed");
  const std::string text = str("warm_up(", steps, ", ", after.to_string(), ")");
  return Schedule(
      [steps, after = std::move(after)](Output step) {
        const auto length = static_cast<double>(steps);
        const Output share = minimum((step + 1.0) / length, 1.0);
        return share * after.at(maximum(step - length, 0.0));
      },
      text);
}

}  // namespace thalweg
