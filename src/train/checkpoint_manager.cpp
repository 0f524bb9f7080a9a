#include "thalweg/train/checkpoint_manager.h"

#include <cmath>
#include <utility>

#include "thalweg/base/file.h"
#include "thalweg/base/log.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/formats/checkpoint_state.h"
#include "train/checkpoint_folder.h"

namespace thalweg {
namespace {

bool is_whole(const std::string& prefix) {
  try {
    const BundleReader reader(prefix);
    for (const std::string& name : reader.names()) static_cast<void>(reader.read(name));
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Whether the checkpoint itself is at fault: damaged, or a file of it is gone.
bool is_damage(const Error& error) {
  return error.code() == Code::kDataLoss || error.code() == Code::kNotFound;
}

Tensor read_variable_value(const BundleReader& reader, const Graph::VariableRecord& variable) {
  const std::optional<BundleEntry> entry = reader.find(variable.name);
  if (!entry) {
    const std::string hint = nearest(variable.name, reader.names());
    // Not kNotFound: the checkpoint is whole, it is one of another model.
    throw invalid_argument("checkpoint '", reader.prefix(), "' has no value for variable `",
                           variable.name,
                           "`; it was saved by a training with another model or optimizer",
                           hint.empty() ? "" : str(" (nearest name: `", hint, "`)"));
  }
  if (entry->dtype != variable.dtype || !entry->shape.is_compatible_with(variable.shape)) {
    throw invalid_argument("checkpoint '", reader.prefix(), "' does not fit: variable `",
                           variable.name, "` is ", variable.dtype, variable.shape,
                           " in the graph, but ", entry->dtype, entry->shape,
                           " in the checkpoint; build the model as it was when it was saved");
  }
  return reader.read(variable.name);
}

// Everything is read and checked before the first variable changes.
CheckpointExtras restore_all(const std::string& prefix, const Graph& graph,
                             VariableStore& variables,
                             const std::function<void(const CheckpointExtras&)>& check) {
  const BundleReader reader(prefix);
  CheckpointExtras extras;
  for (const std::string& name : reader.names()) {
    if (name.starts_with(kExtraPrefix)) {
      extras.emplace(name.substr(kExtraPrefix.size()), reader.read(name));
    }
  }
  if (check) check(extras);
  std::vector<Tensor> values;
  for (const Graph::VariableRecord& variable : graph.variables()) {
    values.push_back(read_variable_value(reader, variable));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    variables.set(graph.variables()[i].name, values[i]);
  }
  return extras;
}

}  // namespace

CheckpointManager::CheckpointManager(std::string folder, CheckpointOptions options)
    : folder_(std::move(folder)), options_(std::move(options)) {
  if (options_.keep_last < 1) {
    throw invalid_argument("checkpoints: keep_last is ", options_.keep_last,
                           ", at least 1 must be kept");
  }
  if (options_.clock == nullptr) options_.clock = &system_clock();
  if (!options_.read_only) {
    make_folders(folder_);
    train::remove_leftovers(folder_);
  }
  records_ = train::list_checkpoints(folder_, options_.clock->wall_seconds());
  best_ = train::read_best(folder_);
}

bool CheckpointManager::is_best(double metric) const {
  if (!std::isfinite(metric)) return false;
  if (!best_) return true;
  return options_.higher_is_better ? metric > best_->metric : metric < best_->metric;
}

std::string CheckpointManager::save(const VariableStore& variables, int64_t step,
                                    const CheckpointExtras& extras, std::optional<double> metric) {
  if (step < 0) throw invalid_argument("a checkpoint of step ", step, ": steps count from 0");
  // Files of a checkpoint are never written over: a kill between two of them would leave neither.
  train::CheckpointName name{.step = step};
  const auto is_taken = [&](const std::string& folder) {
    return checkpoint_exists(join_path(folder, name.to_string()));
  };
  while (is_taken(folder_) || (!options_.moves_to.empty() && is_taken(options_.moves_to))) {
    ++name.revision;
  }
  const CheckpointRecord record{.prefix = join_path(folder_, name.to_string()),
                                .step = step,
                                .timestamp = options_.clock->wall_seconds()};
  std::vector<CheckpointRecord> kept;
  for (const CheckpointRecord& other : records_) {
    if (other.step != step) kept.push_back(other);
  }
  kept.push_back(record);
  try {
    BundleWriter writer(record.prefix);
    for (const std::string& variable : variables.names()) {
      writer.add(variable, variables.get(variable));
    }
    for (const auto& [extra, value] : extras) writer.add(str(kExtraPrefix, extra), value);
    writer.finish();
    std::optional<BestCheckpoint> best = best_;
    if (metric && is_best(*metric)) {
      best = {.prefix = record.prefix, .step = step, .metric = *metric};
    } else if (best && best->step == step) {
      best->prefix = record.prefix;  // the same weights, under the name that stays
    }
    if (!replaced_.empty()) train::mark_replaced(folder_, replaced_, record);
    if (best && (!best_ || best->prefix != best_->prefix)) train::write_best(folder_, *best);
    if (!best && !replaced_.empty()) remove_file(join_path(folder_, kBestCheckpointFile));
    for (const CheckpointRecord& old : replaced_) remove_checkpoint(old.prefix);
    write_records(kept);
    best_ = std::move(best);
    replaced_.clear();
  } catch (const Error& error) {
    throw Error(error.code(),
                str("checkpoint '", record.prefix, "' cannot be saved: ", error.message(),
                    records_.empty() ? "" : str("; '", records_.back().prefix, "' is as before")));
  }
  std::swap(records_, kept);
  for (const CheckpointRecord& other : kept) {
    if (other.step == step && other.prefix != record.prefix) remove_checkpoint(other.prefix);
  }
  remove_old();
  return record.prefix;
}

void CheckpointManager::set_metric(double metric) {
  if (records_.empty())
    throw failed_precondition("no checkpoint has been saved in '", folder_, "'");
  if (!is_best(metric)) return;
  const CheckpointRecord& newest = records_.back();
  const BestCheckpoint best{.prefix = newest.prefix, .step = newest.step, .metric = metric};
  train::write_best(folder_, best);
  best_ = best;
  remove_old();
}

void CheckpointManager::write_records(const std::vector<CheckpointRecord>& records) const {
  CheckpointState state;
  for (const CheckpointRecord& record : records) {
    state.all.push_back(base_name(record.prefix));
    state.timestamps.push_back(record.timestamp);
  }
  if (!state.all.empty()) state.latest = state.all.back();
  state.last_preserved_timestamp = records.empty() ? 0 : records.front().timestamp;
  write_checkpoint_state(folder_, state);
}

void CheckpointManager::remove_old() {
  const auto is_kept = [&](size_t i) {
    return static_cast<int64_t>(records_.size() - i) <= options_.keep_last ||
           (options_.keep_best && best_ && best_->prefix == records_[i].prefix);
  };
  std::vector<CheckpointRecord> kept;
  std::vector<CheckpointRecord> old;
  for (size_t i = 0; i < records_.size(); ++i) (is_kept(i) ? kept : old).push_back(records_[i]);
  if (old.empty()) return;
  // The list first: it never names a checkpoint that is gone.
  write_records(kept);
  records_ = std::move(kept);
  for (const CheckpointRecord& record : old) remove_checkpoint(record.prefix);
}

std::string CheckpointManager::whole_besides(const std::string& prefix) const {
  for (size_t i = records_.size(); i-- > 0;) {
    if (records_[i].prefix != prefix && is_whole(records_[i].prefix)) return records_[i].prefix;
  }
  return {};
}

CheckpointExtras CheckpointManager::restore(const std::string& prefix, const Graph& graph,
                                            VariableStore& variables) const {
  try {
    return restore_all(prefix, graph, variables, {});
  } catch (const Error& error) {
    if (!is_damage(error)) throw;
    const std::string other = whole_besides(prefix);
    if (other.empty()) throw;
    throw Error(error.code(), str(error.message(), "; '", other, "' is whole and can be used"));
  }
}

RestoredCheckpoint CheckpointManager::restore_latest(
    const Graph& graph, VariableStore& variables,
    const std::function<void(const CheckpointExtras&)>& check) const {
  if (records_.empty()) throw not_found("there is no checkpoint in '", folder_, "'");
  std::string first_damage;
  for (size_t i = records_.size(); i-- > 0;) {
    const std::string& prefix = records_[i].prefix;
    try {
      CheckpointExtras extras = restore_all(prefix, graph, variables, check);
      if (!first_damage.empty()) {
        log_warning("train", first_damage, "; going on from the older '", prefix, "'");
      }
      return {.prefix = prefix, .extras = std::move(extras)};
    } catch (const Error& error) {
      if (!is_damage(error)) throw;
      if (first_damage.empty()) first_damage = error.message();
    }
  }
  throw data_loss("none of the ", records_.size(), " checkpoints in '", folder_,
                  "' is whole; the newest: ", first_damage);
}

void CheckpointManager::replace_with_next() {
  best_.reset();
  replaced_.insert(replaced_.end(), records_.begin(), records_.end());
  records_.clear();
}

}  // namespace thalweg
