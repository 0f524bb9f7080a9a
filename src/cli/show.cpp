// thalweg show MODEL
#include <ostream>

#include "cli/common_options.h"
#include "cli/paths.h"
#include "cli/show_files.h"
#include "cli/show_table.h"
#include "cli/table_model_folder.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "cli/what_is.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"
#include "thalweg/estimator/estimator.h"
#include "thalweg/estimator/model_folder.h"

namespace thalweg::cli {
namespace {

constexpr size_t kMostEpochsShown = 20;

std::string class_list(const LabelSpec& label) {
  std::string text;
  for (size_t i = 0; i < label.class_names.size(); ++i) {
    append(text, str(i == 0 ? "" : ", ", printable(label.class_names[i])));
    if (i < label.class_counts.size()) append(text, str(" (", grouped(label.class_counts[i]), ")"));
  }
  return text;
}

std::string describe(const Estimator& model, const std::string& folder) {
  const ModelRecord& record = model.record();
  const RunRecord& run = record.run;
  std::string text = str("Model        ", record.kind, " in ", folder, "\n");
  if (const std::string table = model.summary(); !table.empty())
    append(text, str("\n", table, "\n"));
  append(text, str("Input        ", record.input.dtype, record.input.shape,
                   record.input.mean.empty() ? "" : ", standardised", "\n"));
  if (!record.input.columns.empty()) {
    append(text, str("Columns      ", listed(record.input.columns), "\n"));
  }
  if (!record.label.column.empty())
    append(text, str("Label        ", printable(record.label.column), "\n"));
  if (!record.label.class_names.empty()) {
    append(text, str("Classes      ", class_list(record.label), "\n"));
  }
  append(text, str("Optimizer    ", record.optimizer, "; batch size ", run.batch_size, "\n"));
  append(text, str("Data         ", run.data, " (", counted(run.training_rows, "row"),
                   " to train, ", grouped(run.validation_rows), " to validate; fingerprint ",
                   run.data_fingerprint, ")\n"));
  append(text, str("Training     ", run.state, " in ", duration(run.seconds), ", begun ",
                   run.started, "; seed ", run.seed, ", threads ", run.threads, "\n"));
  if (!run.command.empty()) append(text, str("Command      ", run.command, "\n"));
  for (const auto& [key, value] : run.environment) {
    append(text, str(fitted(key, 12), " ", value, "\n"));
  }
  if (!record.weights.empty()) {
    append(text, str("Weights      ", record.weights,
                     run.best_step ? str(" (best at step ", *run.best_step, ")") : "", "\n"));
  }
  append(text, unfinished_text(folder));
  append(text, str("TensorBoard  tensorboard --logdir ", join_path(folder, kEventsFolder), "\n"));
  if (!run.history.empty()) append(text, str("\n", history_table(run.history)));
  return text;
}

}  // namespace

std::string history_table(const std::vector<EpochRecord>& history) {
  const size_t first = history.size() > kMostEpochsShown ? history.size() - kMostEpochsShown : 0;
  std::vector<std::vector<std::string>> rows = {{"epoch", "step"}};
  for (size_t i = first; i < history.size(); ++i) {
    const EpochRecord& epoch = history[i];
    rows.push_back({str(epoch.epoch), str(epoch.step)});
    for (const Figure& f : epoch.train) {
      if (i == first) rows[0].push_back(f.name);
      rows.back().push_back(short_number(f.value));
    }
    for (const Figure& f : epoch.validation) {
      if (i == first) rows[0].push_back("validation " + f.name);
      rows.back().push_back(short_number(f.value));
    }
  }
  return aligned(rows);
}

std::string unfinished_text(const std::string& folder) {
  if (!holds_replacement(folder)) return {};
  return str("Unfinished   a training that is to replace the model is under way or was ended in ",
             join_path(folder, kReplacementFolder),
             "; fit --resume goes on with it, fit --overwrite begins anew\n");
}

int run_show(const Verb& verb, const std::vector<std::string>& arguments, Console& console) {
  std::string folder;
  std::optional<std::string> tensor_name;
  CommonOptions common;
  Options options(verb);
  options.word("MODEL", folder,
               "the folder of a model or SavedModel, a graph (.pb, .pbtxt), or a checkpoint");
  options.value("tensor", "NAME", tensor_name, "print this tensor of a model or checkpoint");
  common.declare(options);
  if (!options.parse(arguments)) {
    console.out << options.help();
    return kDone;
  }
  common.apply(console);
  check_model_files(folder);
  if (is_file_of_others(folder)) {
    show_file({.path = folder, .tensor = tensor_name, .json = common.json}, console);
    return kDone;
  }
  if (!is_model_folder(folder)) refuse_to_show(folder);
  if (tensor_name) {
    show_model_tensor(folder, {.path = folder, .tensor = tensor_name, .json = common.json},
                      console);
    return kDone;
  }
  if (is_table_model(folder)) {
    show_table_model(folder, common.json, console);
  } else if (common.json) {
    console.out << to_json(read_model_record(folder));
  } else {
    console.print(describe(*Estimator::load(folder), folder));
  }
  return kDone;
}

}  // namespace thalweg::cli
