// thalweg fit of a table
#include <algorithm>
#include <ostream>

#include "cli/fit_columns.h"
#include "cli/fit_steps.h"
#include "cli/open_like.h"
#include "cli/options.h"
#include "cli/table_model_folder.h"
#include "cli/table_report.h"
#include "cli/text.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/train/signals.h"

namespace thalweg::cli {
namespace {

// What may change when a training goes on.
constexpr std::string_view kMayChange[] = {"epochs", "patience", "checkpoint-every", "data",
                                           "test"};

void adopt_settings(const std::string& folder, Options& options) {
  const std::string file = join_path(folder, kConfigFile);
  if (!file_exists(file)) return;
  for (const std::string& name : options.adopt(file)) {
    if (std::ranges::find(kMayChange, name) != std::end(kMayChange)) continue;
    throw UsageError(str("--", name, ": the training to go on with has another value (see ", file,
                         "); leave the option out, or train anew with --overwrite"));
  }
}

std::string cli_family(std::string family) {
  std::ranges::replace(family, '_', '-');
  return family == "custom" ? "file" : family;
}

void say_task(const TableTask& task, const ColumnRoles& roles, const Console& console) {
  if (task.reason.empty()) return;
  console.notice(str("labels in ", roles.labels.size() == 1 ? "column " : "columns ",
                     join(roles.labels, ", "), " are taken for ",
                     task.has_classes           ? "classes"
                     : task.task == kMultiLabel ? "labels"
                                                : "numbers",
                     ", as ", task.reason, "; --task ",
                     task.has_classes ? kRegression : kClassification, " changes that"));
}

/// The rows of one call, with all that is known of them before the training.
struct TableData {
  ColumnRoles roles;
  std::shared_ptr<const data::TableSource> table, training, validation, test;
  TableSurvey survey;
  TableTask task;
  RowSplit split;
  GuessedSchema schema;
};

// Before candidates are trained, and of all rows rather than those to train on.
void check_classes(const TableData& data, const std::string& path) {
  const LabelSurvey& label = data.survey.labels[0];
  if (!data.task.has_classes || label.counts.size() > 1) return;
  throw invalid_argument(path, ": all ", counted(label.counts.begin()->second, "row"),
                         " with a label have the label '", label.counts.begin()->first,
                         "' in column '", label.column,
                         "'; it takes two classes or more to tell them apart");
}

// Fills in those defaults of `a` that are the same for every model.
TableData read_data(FitArguments& a, const Console& console) {
  TableData data{.roles = parse_roles(a)};
  data.table = open_data(a.source, set_types(data.roles));
  // A header in the first line is what everybody expects; the report has it.
  for (const std::string& note : data.table->notes()) {
    if (note != "header: the first line (found)") console.notice(str(a.source.path, ": ", note));
  }
  check_roles(data.roles, *data.table);
  data.survey = survey_table(*data.table, data.roles.labels);
  check_labels(data.survey, *data.table, a.drop_unlabelled);
  for (const std::string& doubt : data.survey.doubts) {
    console.warning(str(a.source.path, ": ", doubt));
  }
  data.task = make_task(a, data.roles, data.survey);
  say_task(data.task, data.roles, console);
  check_classes(data, a.source.path);
  a.request.task = data.task.task;
  if (!a.seed) a.seed = 1;
  if (!a.validation && !a.validation_split) a.validation_split = 0.1;
  data.split = split_rows(data.survey, a.validation ? 0 : *a.validation_split,
                          static_cast<uint64_t>(*a.seed), data.task.has_classes);

  std::map<std::string, data::ColumnType> types;
  for (const data::ColumnInfo& column : data.table->columns()) types[column.name] = column.type;
  const auto open_other = [&](const std::string& path) {
    DataOptions other = a.source;
    other.path = path;
    return open_like(other, types);
  };
  const bool has_all = data.split.left_out + data.split.validation == 0;
  data.training = has_all ? data.table : select_rows(data.table, data.split.parts, Part::kTraining);
  if (a.validation) {
    data.validation = open_other(*a.validation);
  } else if (data.split.validation > 0) {
    data.validation = select_rows(data.table, data.split.parts, Part::kValidation);
  }
  if (a.test) data.test = open_other(*a.test);
  data.schema = guess_features(*data.training, data.roles);
  return data;
}

FitOptions fit_options(const FitArguments& a, const Console& console) {
  FitOptions options;
  options.overwrite = a.overwrite;
  options.checkpoint_steps = a.checkpoint_every.value_or(0);
  options.names = option_names();
  options.data_name = a.source.path;
  options.progress = progress_options(a, console);
  options.command = full_command(console);
  return options;
}

}  // namespace

int fit_table(FitArguments& a, Options& options, std::optional<TrainingLock> lock,
              const Resumed& resumed, Console& console) {
  a.check_is_for_tables(options);
  if (resumed.record && !resumed.taken_over) adopt_settings(*a.out, options);
  std::unique_ptr<TableEstimator> old;
  if (resumed.record) old = std::make_unique<TableEstimator>(load_table_model(*a.out));
  const bool is_auto = model_family(a) == "auto";
  const std::string family = old ? cli_family(family_of_model(old->record())) : model_family(a);
  if (!old) check_options_of(a, options, family);

  const TableData data = read_data(a, console);
  const FitContext context{.table = *data.table,
                           .roles = data.roles,
                           .survey = data.survey,
                           .task = data.task,
                           .split = data.split,
                           .schema = data.schema,
                           .validation_file = a.validation};
  const std::vector<std::string> families =
      family == "auto" ? candidate_families(data.schema) : std::vector<std::string>{family};
  if (a.dry_run) {
    console.print(dry_run_text(context, a, families, family == "auto"));
    return kDone;
  }
  TableTraining training{.arguments = a,
                         .task = data.task,
                         .columns = columns_of(data.schema),
                         .training = data.training,
                         .validation = data.validation,
                         .options = fit_options(a, console),
                         .console = console};
  const bool is_told = training.options.progress.mode != ProgressMode::kNone;
  // Beyond the training, so that a second Ctrl-C means the same until the last line is out.
  std::optional<ScopedSignals> signals(std::in_place);
  ScopedSignals::set_farewell(farewell(a, console));
  lock.reset();
  Choice choice;
  if (old) {
    choice.best = resume_model(training, family, std::move(*old), *resumed.record);
  } else if (family == "auto") {
    choice = train_candidates(training, families, *a.out);
  } else {
    choice.best = train_model(training, family, *a.out);
  }
  const TrainResult& result = choice.best.report.training;
  if (result.reason == EndReason::kInterrupted) {
    if (!is_told) console.notice(result.message);
    if (family == "auto") {
      console.err << "no candidate is kept; begin again with: " << full_command(console) << '\n';
    } else {
      say_interrupted(a, choice.best.report, console);
    }
    return kSignalStatus + result.signal;
  }
  if (result.signal != 0) say_late_signal(result.signal, console);
  signals.reset();
  if (result.reason == EndReason::kNothingLeft) {
    if (!is_told) console.notice(result.message);
    say_nothing_left(result, choice.best.arguments.epochs.value_or(1), console);
  }
  TableFitFacts facts = report_training(context, training, choice, data.test.get(), *a.out);
  for (const auto& metric : facts.metrics) {
    if (metric.name != "loss" || metric.undefined.empty()) continue;
    console.warning(
        str("the model is of no use: ", metric.undefined, "; a smaller --learning-rate may help"));
  }
  facts.next_command = shell_command({"thalweg", "predict", *a.out, a.source.path});
  // A choice that is to be made again is not written down as made.
  std::string config = options.to_toml(kOptionsOfOneCall);
  a = choice.best.arguments;
  if (!is_auto) config = options.to_toml(kOptionsOfOneCall);
  for (const auto& setting : options.settings(kOptionsOfOneCall)) {
    facts.settings.push_back({setting.name, setting.value, setting.is_given});
  }
  if (family == "file") {
    const std::string copy = join_path(*a.out, kNetworkFile);
    if (!old) write_file(copy, read_file(*a.network));
  }
  write_reports(facts, config, console);
  if (a.common.json) {
    console.out << facts_json(facts);
  } else {
    console.print(facts_text(facts));
  }
  return result.signal == 0 ? kDone : kSignalStatus + result.signal;
}

}  // namespace thalweg::cli
