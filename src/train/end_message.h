// Why a training ended, and how to go on, in one sentence.
#pragma once

#include <string>

#include "thalweg/train/training_loop.h"

namespace thalweg::train {

std::string end_message(const TrainResult& result, const TrainingOptions& options, int64_t epoch);

}  // namespace thalweg::train
