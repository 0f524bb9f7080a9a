#include "thalweg/estimator/optimizer_choice.h"

#include <algorithm>

namespace thalweg {
namespace {

struct NamedRule {
  const char* name;
  double default_rate;
  Optimizer (*make)(const Schedule& rate);
};

constexpr NamedRule kRules[] = {
    {"adadelta", 0.001,
     [](const Schedule& r) -> Optimizer { return Adadelta({.learning_rate = r}); }},
    {"adagrad", 0.001,
     [](const Schedule& r) -> Optimizer { return Adagrad({.learning_rate = r}); }},
    {"adam", 0.001, [](const Schedule& r) -> Optimizer { return Adam({.learning_rate = r}); }},
    {"adamw", 0.001, [](const Schedule& r) -> Optimizer { return AdamW({.learning_rate = r}); }},
    {"ftrl", 0.001, [](const Schedule& r) -> Optimizer { return Ftrl({.learning_rate = r}); }},
    {"momentum", 0.01,
     [](const Schedule& r) -> Optimizer { return Momentum({.learning_rate = r}); }},
    {"nesterov", 0.01,
     [](const Schedule& r) -> Optimizer {
       return Momentum({.learning_rate = r, .nesterov = true});
     }},
    {"rmsprop", 0.001,
     [](const Schedule& r) -> Optimizer { return RmsProp({.learning_rate = r}); }},
    {"sgd", 0.01, [](const Schedule& r) -> Optimizer { return Sgd({.learning_rate = r}); }},
};

Error unknown(std::string_view kind, const std::string& name, std::span<const std::string> names) {
  const std::string hint = nearest(name, names);
  return invalid_argument(
      "there is no ", kind, " '", name, "'; ",
      hint.empty() ? str("choose from ", join(names, ", ")) : str("did you mean '", hint, "'?"));
}

const NamedRule& find_rule(const NamedOptimizer& named) {
  for (const NamedRule& rule : kRules) {
    if (rule.name == named.name) return rule;
  }
  throw unknown("optimizer", named.name, optimizer_names());
}

Schedule schedule_of(const NamedOptimizer& named, int64_t steps) {
  const double rate = initial_rate(named);
  const int64_t decay_steps = std::max<int64_t>(steps, 1);
  if (named.schedule == "constant") return rate;
  if (named.schedule == "cosine") {
    return cosine_decay({.initial = rate, .decay_steps = decay_steps});
  }
  if (named.schedule == "exponential") {
    return exponential_decay({.initial = rate, .decay_steps = decay_steps, .decay_rate = 0.01});
  }
  throw unknown("schedule", named.schedule, schedule_names());
}

}  // namespace

std::span<const std::string> optimizer_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const NamedRule& rule : kRules) names.emplace_back(rule.name);
    return names;
  }();
  return kNames;
}

std::span<const std::string> schedule_names() {
  static const std::vector<std::string> kNames = {"constant", "cosine", "exponential"};
  return kNames;
}

double initial_rate(const NamedOptimizer& named) {
  if (!(named.learning_rate >= 0)) {  // also NaN
    throw invalid_argument("learning rate ", named.learning_rate, ", expected more than 0");
  }
  return named.learning_rate > 0 ? named.learning_rate : find_rule(named).default_rate;
}

Optimizer make_optimizer(const OptimizerChoice& choice, int64_t steps) {
  if (const auto* own = std::get_if<Optimizer>(&choice)) return *own;
  const auto& named = std::get<NamedOptimizer>(choice);
  return find_rule(named).make(schedule_of(named, steps));
}

std::string to_string(const OptimizerChoice& choice) {
  if (const auto* own = std::get_if<Optimizer>(&choice)) return own->to_string();
  const auto& named = std::get<NamedOptimizer>(choice);
  find_rule(named);
  return str(named.name, ", learning rate ", initial_rate(named), ", ", named.schedule);
}

}  // namespace thalweg
