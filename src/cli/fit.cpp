// thalweg fit DATA --out MODEL
#include <ostream>

#include "cli/fit_steps.h"
#include "cli/options.h"
#include "cli/verbs.h"

namespace thalweg::cli {

int run_fit(const Verb& verb, const std::vector<std::string>& arguments, Console& console) {
  FitArguments a;
  Options options(verb);
  a.declare(options);
  if (!options.parse(arguments)) {
    console.out << options.help();
    return kDone;
  }
  a.check();
  a.common.apply(console);
  std::optional<TrainingLock> lock = lock_folder(a);
  const Resumed resumed = find_training(a, lock ? &*lock : nullptr, console);
  const bool is_old = resumed.record && resumed.record->kind != kTableKind;
  const auto fit = is_table(a.source.path) && !is_old ? fit_table : fit_images;
  return fit(a, options, std::move(lock), resumed, console);
}

}  // namespace thalweg::cli
