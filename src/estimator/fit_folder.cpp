#include "estimator/fit_folder.h"

#include <vector>

#include "estimator/head_json.h"
#include "estimator/model_files.h"
#include "thalweg/base/crc32c.h"
#include "thalweg/base/file.h"
#include "thalweg/estimator/model_folder.h"
#include "thalweg/formats/checkpoint_state.h"

namespace thalweg {
namespace {

// A training that was begun is never begun anew in silence, nor under another description.
void check_resumable(const std::string& folder) {
  const std::optional<CheckpointState> saved = read_checkpoint_state(folder);
  if (!saved || saved->latest.empty()) return;  // nothing was saved yet
  if (!is_model_folder(folder)) {
    throw failed_precondition("'", folder, "' holds checkpoints but no ", kModelFile,
                              ", which says what they are; put the file back, or train anew in "
                              "another folder");
  }
  if (!latest_checkpoint(folder)) {
    throw data_loss("'", folder, "' speaks of checkpoint '", saved->latest,
                    "', but none of its checkpoints is there; put their files back, or train anew "
                    "in another folder");
  }
}

void check_options(const FitOptions& options, const std::string& folder) {
  if (options.epochs < 1 || options.epochs > kMostEpochs) {
    throw invalid_argument("epochs is ", options.epochs, ", expected 1 to ", kMostEpochs);
  }
  if (options.patience < 0) {
    throw invalid_argument("patience is ", options.patience, ", expected 0 (never stop) or more");
  }
  if (!(options.validation_split >= 0 && options.validation_split < 1)) {
    throw invalid_argument("validation_split is ", options.validation_split,
                           ", expected a share of the rows: 0 or more and less than 1");
  }
  if (options.resume && options.overwrite) {
    throw invalid_argument("resume and overwrite exclude each other");
  }
  if (options.resume && folder.empty()) {
    throw failed_precondition("there is nothing to resume: the estimator has no model folder");
  }
  if (!folder.empty() && file_exists(folder) && !is_folder(folder)) {
    throw already_exists("'", folder, "' is a file; a model is saved in a folder of its own");
  }
}

// What is in the folder, under its lock.
void check_folder(const FitOptions& options, const std::string& folder) {
  if (options.resume) check_resumable(folder);
  check_free_for_model(folder);
  if (!options.resume && !options.overwrite && is_model_folder(folder) && !is_untrained(folder)) {
    throw already_exists("'", folder, "' holds a model; go on with its training (",
                         options.names.resume, "), replace it (", options.names.overwrite,
                         "), or choose another folder");
  }
}

std::string head_text(const ModelRecord& record) {
  return record.head ? from_head(*record.head).dump() : std::string();
}

// Says in what the training that is to go on differs from the one that was begun.
void check_same_training(const std::string& folder, const ModelRecord& old,
                         const ModelRecord& record, const OptionNames& names) {
  std::vector<std::string> differences;
  const auto compare = [&](std::string_view what, const auto& was, const auto& is) {
    if (!(was == is)) differences.push_back(str(what, " was ", was, " and is ", is));
  };
  const auto fingerprint = [](const std::string& text) { return text.empty() ? "none" : text; };
  compare("the kind", old.kind, record.kind);
  compare("the optimizer", old.optimizer, record.optimizer);
  compare("the batch size", old.run.batch_size, record.run.batch_size);
  compare("the seed", old.run.seed, record.run.seed);
  compare("the validation split", old.run.validation_split, record.run.validation_split);
  compare("the data's fingerprint", old.run.data_fingerprint, record.run.data_fingerprint);
  compare("the fingerprint of validation data of your own",
          fingerprint(old.run.validation_fingerprint),
          fingerprint(record.run.validation_fingerprint));
  const auto standardized = [](const ModelRecord& r) {
    return r.label.standardized || !r.input.mean.empty() ? "on" : "off";
  };
  compare("standardize", std::string_view(standardized(old)),
          std::string_view(standardized(record)));
  if (old.network != record.network) differences.emplace_back("the network is another one");
  if (head_text(old) != head_text(record)) {
    differences.push_back(str("the head was ", head_text(old), " and is ", head_text(record)));
  }
  const TableRecord none;
  const TableRecord& was = old.table ? *old.table : none;
  const TableRecord& is = record.table ? *record.table : none;
  if (was.model != is.model) differences.emplace_back("the model's options or columns are others");
  if (was.transform != is.transform) {
    differences.emplace_back("the feature columns come out otherwise");
  }
  if (differences.empty()) return;
  throw failed_precondition(
      "cannot go on with the training in '", folder, "': ", join(differences, "; "),
      ". Go on with the same data and settings, or train anew (", names.overwrite, ")");
}

// What a training that saved nothing left goes. The record comes before all else, so that the
// folder is known for a model's however this training ends.
void begin_anew(const TrainingLock& lock, const ModelRecord& record) {
  const std::string& folder = lock.folder();
  if (latest_checkpoint(folder)) return;  // of a model without its record: the loop refuses them
  discard_replacement(lock);
  if (is_untrained(folder)) remove_events(folder);
  write_model_record(folder, record);
}

}  // namespace

FitFolder::FitFolder(const std::string& folder, const FitOptions& options)
    : folder_(folder), options_(options), place_(folder) {
  check_options(options, folder);
  if (folder.empty()) return;
  lock_.emplace(folder);
  check_folder(options, folder);
}

std::optional<ModelRecord> FitFolder::resume(ModelRecord& record) {
  if (!options_.resume) return {};
  take_over_replacement(*lock_);
  if (!is_model_folder(folder_)) return {};
  ModelRecord old = read_model_record(folder_);
  check_same_training(folder_, old, record, options_.names);
  record.run.history = old.run.history;
  record.run.seconds = old.run.seconds;
  record.run.started = old.run.started;
  return old;
}

void FitFolder::begin(const ModelRecord& record) {
  if (!lock_) return;
  if (options_.overwrite && !model_files(folder_).empty()) {
    replacement_.emplace(*lock_);
    place_ = replacement_->folder();
  } else if (!options_.resume) {
    begin_anew(*lock_, record);
  }
}

Error FitFolder::failed(ModelRecord& record, const Error& error) {
  record.run.state = str("failed: ", error.message());
  if (replacement_) {
    return Error(error.code(),
                 str(error.message(), ". The model in '", folder_, "' is as it was before"));
  }
  if (!folder_.empty() && is_model_folder(folder_)) write_model_record(folder_, record);
  return error;
}

void FitFolder::finish(const ModelRecord& record, FitReport& report) {
  if (folder_.empty()) return;
  if (!replacement_) return write_model_record(folder_, record);
  if (report.training.last_checkpoint.empty()) return;
  write_model_record(replacement_->folder(), record);
  if (report.training.reason == EndReason::kInterrupted) {
    report.kept_aside = replacement_->folder();
    replacement_->keep();
  } else {
    replacement_->commit();
    report.replaced = true;
  }
}

std::string fingerprint_of(const ModelRecord& record) {
  const std::string settings =
      str(record.kind, record.network, record.optimizer, record.run.batch_size, ",",
          record.run.seed, ",", record.run.validation_split, ",", record.run.validation_fingerprint,
          ",", !record.input.mean.empty(), record.label.standardized, head_text(record),
          record.table ? record.table->model + record.table->transform : std::string());
  return str(record.run.data_fingerprint, "-", crc32c(settings));
}

}  // namespace thalweg
