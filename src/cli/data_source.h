// DATA for models of tensors: a folder in MNIST's layout; and tables of numbers, for models that
// older versions trained on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/fit_arguments.h"
#include "thalweg/data/dataset.h"
#include "thalweg/estimator/model_record.h"

namespace thalweg::cli {

struct TrainingData {
  Dataset data;
  bool is_classification = true;
  int64_t classes = 0;
  std::vector<std::string> class_names = {};  // empty: as the labels are
  std::vector<std::string> columns = {};      // of a table
  std::string label = {};                     // of a table
  int64_t rows = 0;
  bool is_images = false;
};

/// The rows to train on; of a folder its training files. What is guessed is said. `record`: of the
/// training to go on with; null for a new one, of a folder.
TrainingData open_training_data(const DataOptions& source, const TrainingRequest& request,
                                const ModelRecord* record, const Console& console);

struct ModelData {
  Tensor features;
  Tensor labels;  // not valid: there are none
};

/// Rows for a model: of a folder its test files, or those for training when `split` is "train".
/// Columns go by name. Throws when `needs_labels` and there are none, and UsageError for options
/// that say nothing of such data.
ModelData open_model_data(const DataOptions& source, const ModelRecord& record,
                          const std::optional<std::string>& split, bool needs_labels,
                          const Console& console);

/// Whether DATA is a folder with test files.
bool has_test_files(const std::string& path);
/// The test files of a folder, looked at before the training, so that what is wrong with them is
/// told before it: throws when they cannot be read, or hold other images or labels than `training`.
ModelData open_test_data(const std::string& path, const TrainingData& training);

}  // namespace thalweg::cli
