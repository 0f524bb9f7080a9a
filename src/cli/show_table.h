// thalweg show of a model of tables.
#pragma once

#include <string>

#include "cli/console.h"
#include "thalweg/train/hook.h"

namespace thalweg::cli {

/// What columns it takes and what is done with each, its size, weights and figures.
void show_table_model(const std::string& folder, bool json, Console& console);

/// Of the last epochs.
std::string history_table(const std::vector<EpochRecord>& history);
/// That a training which is to replace the model is under way; empty when there is none.
std::string unfinished_text(const std::string& folder);

}  // namespace thalweg::cli
