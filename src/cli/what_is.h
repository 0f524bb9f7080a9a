// What a path is that is no model, graph or checkpoint, and what can be done with it.
#pragma once

#include <memory>
#include <string>

#include "thalweg/estimator/estimator.h"

namespace thalweg::cli {

/// Whether a file is told, by its first bytes or its ending, to be of another kind.
bool is_known_otherwise(const std::string& path);

/// Throws invalid_argument, or not_found, saying what the path is and what to give instead.
[[noreturn]] void refuse_to_show(const std::string& path);

/// Throws, as above, for what is no folder with a model that fit has trained.
void check_is_model(const std::string& folder);

/// The model of a folder, on tensors; of others that they are none, as above.
std::unique_ptr<Estimator> load_model(const std::string& folder);

}  // namespace thalweg::cli
