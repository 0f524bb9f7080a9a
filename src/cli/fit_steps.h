// What `thalweg fit` does around every training, of images and of tables: looks at the model folder
// before, and tells what became of it after.
#pragma once

#include <optional>
#include <string>

#include "cli/fit_arguments.h"
#include "thalweg/estimator/estimator.h"
#include "thalweg/estimator/model_folder.h"

namespace thalweg::cli {

inline constexpr int kSignalStatus = 128;

ProgressOptions progress_options(const FitArguments& a, const Console& console);
/// How messages of trainings spell options.
OptionNames option_names();

std::string full_command(const Console& console);
/// The command that goes on: as it was given, but with --resume, and `epochs` if not 0.
std::string resume_command(const Console& console, int64_t epochs);

/// The model folder for the time before the training, which holds it for itself; none is made
/// before the data were read.
std::optional<TrainingLock> lock_folder(const FitArguments& a);

/// What a training goes on with.
struct Resumed {
  std::optional<ModelRecord> record;
  /// Whether it was moved into the folder just now, so that other files there are of an older
  /// model.
  bool taken_over = false;
};
/// Throws UsageError for a model in the folder without a word what is to become of it.
Resumed find_training(const FitArguments& a, const TrainingLock* lock, const Console& console);

/// What a second signal says at last.
std::string farewell(const FitArguments& a, const Console& console);
/// Says what became of the training and of the model that was there, and how to go on.
void say_interrupted(const FitArguments& a, const FitReport& report, const Console& console);
/// Says that there was nothing to do, and which option goes on.
void say_nothing_left(const TrainResult& result, int64_t epochs, const Console& console);
/// A signal that came when the training was over.
void say_late_signal(int signal, const Console& console);

class Options;
int fit_images(FitArguments& a, Options& options, std::optional<TrainingLock> lock,
               const Resumed& resumed, Console& console);
int fit_table(FitArguments& a, Options& options, std::optional<TrainingLock> lock,
              const Resumed& resumed, Console& console);

}  // namespace thalweg::cli
