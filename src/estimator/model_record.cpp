#include "thalweg/estimator/model_record.h"

#include <cmath>
#include <limits>

#include "estimator/head_json.h"
#include "estimator/json_text.h"
#include "thalweg/base/file.h"

namespace thalweg {
namespace {

Json from_shape(const Shape& shape) {
  return std::vector<int64_t>(shape.dims().begin(), shape.dims().end());
}

Shape to_shape(const Json& json) {
  return Shape(std::span<const int64_t>(json_value<std::vector<int64_t>>(json, "shape")));
}

// An object with a key for each figure; undefined ones are null.
Json from_figures(const std::vector<Figure>& figures) {
  Json json = Json::object();
  for (const Figure& f : figures) {
    json[f.name] = std::isfinite(f.value) ? Json(f.value) : Json(nullptr);
  }
  return json;
}

std::vector<Figure> to_figures(const Json& json) {
  std::vector<Figure> figures;
  for (const auto& [name, value] : json.items()) {
    figures.push_back({name, value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                             : json_value<double>(value, name)});
  }
  return figures;
}

Json from_input(const InputSpec& input) {
  Json json = {{"dtype", to_string(input.dtype)},
               {"shape", from_shape(input.shape)},
               {"scale", input.scale},
               {"add_channel", input.add_channel}};
  if (!input.columns.empty()) json["columns"] = input.columns;
  if (!input.mean.empty()) {
    json["mean"] = input.mean;
    json["deviation"] = input.deviation;
  }
  return json;
}

InputSpec to_input(const Json& json) {
  InputSpec input;
  input.dtype = parse_dtype(json_field<std::string>(json, "dtype"));
  input.shape = to_shape(json_at(json, "shape"));
  input.scale = json_field<double>(json, "scale");
  input.add_channel = json_field<bool>(json, "add_channel");
  input.columns = json_field_or(json, "columns", std::vector<std::string>());
  input.mean = json_field_or(json, "mean", std::vector<float>());
  input.deviation = json_field_or(json, "deviation", std::vector<float>());
  if (input.mean.size() != input.deviation.size()) {
    throw data_loss("mean and deviation differ in length");
  }
  return input;
}

Json from_history(const std::vector<EpochRecord>& history) {
  Json json = Json::array();
  for (const EpochRecord& record : history) {
    Json row = {{"epoch", record.epoch}, {"step", record.step}};
    row["train"] = from_figures(record.train);
    if (!record.validation.empty()) row["validation"] = from_figures(record.validation);
    if (!record.complete) row["complete"] = false;
    json.push_back(std::move(row));
  }
  return json;
}

std::vector<EpochRecord> to_history(const Json& json) {
  std::vector<EpochRecord> history;
  for (const Json& row : json) {
    EpochRecord record;
    record.epoch = json_field<int64_t>(row, "epoch");
    record.step = json_field<int64_t>(row, "step");
    record.train = to_figures(json_at(row, "train"));
    if (row.contains("validation")) record.validation = to_figures(row["validation"]);
    record.complete = json_field_or(row, "complete", true);
    history.push_back(std::move(record));
  }
  return history;
}

Json from_run(const RunRecord& run) {
  Json json = {{"state", run.state},
               {"epochs", run.epochs},
               {"batch_size", run.batch_size},
               {"validation_split", run.validation_split},
               {"patience", run.patience},
               {"seed", run.seed},
               {"threads", run.threads},
               {"data", run.data},
               {"data_fingerprint", run.data_fingerprint},
               {"training_rows", run.training_rows},
               {"validation_rows", run.validation_rows},
               {"parameters", run.parameters},
               {"command", run.command},
               {"started", run.started},
               {"seconds", run.seconds},
               {"environment", run.environment}};
  if (!run.validation_fingerprint.empty()) {
    json["validation_fingerprint"] = run.validation_fingerprint;
  }
  if (run.best_step) json["best_step"] = *run.best_step;
  json["history"] = from_history(run.history);
  return json;
}

RunRecord to_run(const Json& json) {
  RunRecord run;
  run.state = json_field<std::string>(json, "state");
  run.epochs = json_field<int64_t>(json, "epochs");
  run.batch_size = json_field<int64_t>(json, "batch_size");
  run.validation_split = json_field<double>(json, "validation_split");
  run.patience = json_field<int64_t>(json, "patience");
  run.seed = json_field<uint64_t>(json, "seed");
  run.threads = json_field_or(json, "threads", 0);
  run.data = json_field_or(json, "data", std::string());
  run.data_fingerprint = json_field<std::string>(json, "data_fingerprint");
  run.validation_fingerprint = json_field_or(json, "validation_fingerprint", std::string());
  run.training_rows = json_field_or(json, "training_rows", int64_t{0});
  run.validation_rows = json_field_or(json, "validation_rows", int64_t{0});
  run.parameters = json_field_or(json, "parameters", int64_t{0});
  run.command = json_field_or(json, "command", std::string());
  run.started = json_field_or(json, "started", std::string());
  run.seconds = json_field_or(json, "seconds", 0.0);
  run.environment = json_field_or(json, "environment", std::map<std::string, std::string>());
  if (json.contains("best_step")) run.best_step = json_field<int64_t>(json, "best_step");
  run.history = to_history(json_at(json, "history"));
  return run;
}

Json from_table(const TableRecord& table) {
  Json json = {{"model", Json::parse(table.model)}, {"transform", Json::parse(table.transform)}};
  if (!table.structure.empty()) json["structure"] = Json::parse(table.structure);
  return json;
}

TableRecord to_table(const Json& json) {
  TableRecord table{.model = json_at(json, "model").dump(),
                    .transform = json_at(json, "transform").dump()};
  if (json.contains("structure")) table.structure = json["structure"].dump();
  return table;
}

ModelRecord to_record(const Json& json) {
  ModelRecord record;
  record.kind = json_field<std::string>(json, "kind");
  if (record.kind != "classifier" && record.kind != "regressor" && record.kind != kTableKind) {
    throw data_loss("unknown kind of model '", record.kind, "'");
  }
  if (json.contains("network")) record.network = json["network"].dump(2);
  if (record.kind == kTableKind) {
    record.table = to_table(json_at(json, "table"));
  } else {
    record.input = to_input(json_at(json, "input"));
  }
  record.label = to_label(json_at(json, "label"));
  if (json.contains("head")) record.head = to_head(json["head"]);
  const Json& optimizer = json_at(json, "optimizer");
  record.optimizer = json_field<std::string>(optimizer, "text");
  if (optimizer.contains("name")) {
    record.settings =
        NamedOptimizer{.name = json_field<std::string>(optimizer, "name"),
                       .learning_rate = json_field<double>(optimizer, "learning_rate"),
                       .schedule = json_field<std::string>(optimizer, "schedule")};
  }
  record.weights = json_field_or(json, "weights", std::string());
  record.run = to_run(json_at(json, "run"));
  return record;
}

}  // namespace

std::string to_json(const ModelRecord& record) {
  Json json = {{"format", kModelFormatName}, {"version", kModelFormat}, {"kind", record.kind}};
  if (!record.network.empty()) json["network"] = Json::parse(record.network);
  if (record.table) {
    json["table"] = from_table(*record.table);
  } else {
    json["input"] = from_input(record.input);
  }
  json["label"] = from_label(record.label);
  if (record.head) json["head"] = from_head(*record.head);
  json["optimizer"] = {{"text", record.optimizer}};
  if (record.settings) {
    json["optimizer"]["name"] = record.settings->name;
    json["optimizer"]["learning_rate"] = record.settings->learning_rate;
    json["optimizer"]["schedule"] = record.settings->schedule;
  }
  if (!record.weights.empty()) json["weights"] = record.weights;
  json["run"] = from_run(record.run);
  // Paths and names may hold bytes that are no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_model_record(const std::string& folder, const ModelRecord& record) {
  make_folders(folder);
  write_file(join_path(folder, kModelFile), to_json(record));
}

bool is_model_folder(const std::string& folder) {
  return file_exists(join_path(folder, kModelFile));
}

ModelRecord read_model_record(const std::string& folder) {
  const std::string path = join_path(folder, kModelFile);
  if (!file_exists(path)) {
    throw not_found(folder.empty() ? "." : folder, ": is no model folder: it has no ", kModelFile,
                    file_exists(folder) ? "" : ", and does not exist");
  }
  const std::string text = read_file(path);
  try {
    const Json json = parse_json(text);
    const auto version = json_field<int64_t>(json, "version");
    if (version > kModelFormat) {
      throw failed_precondition("format version ", version,
                                " is of a later thalweg; this one reads ", "up to ", kModelFormat);
    }
    return to_record(json);
  } catch (Error& error) {
    if (error.code() == Code::kInvalidArgument) {
      throw data_loss(path, ": is damaged or no model file: ", error.message());
    }
    error.add_context(path);
    throw;
  }
}

}  // namespace thalweg
