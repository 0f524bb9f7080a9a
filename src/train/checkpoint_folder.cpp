#include "train/checkpoint_folder.h"

#include <charconv>
#include <iterator>
#include <set>

#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/log.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/formats/checkpoint_state.h"

namespace thalweg::train {
namespace {

constexpr std::string_view kName = "ckpt-";
constexpr std::string_view kIndex = ".index";

// A number without sign, blanks or leading zeros, so that each name has one spelling.
std::optional<int64_t> parse_count(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  return value;
}

CheckpointState read_state(const std::string& folder) {
  try {
    return read_checkpoint_state(folder).value_or(CheckpointState());
  } catch (const Error& error) {
    // The folder itself tells what there is; the file is written anew with the next checkpoint.
    log_warning("train", error.message());
    return {};
  }
}

std::optional<CheckpointName> name_in(const std::string& prefix) {
  return CheckpointName::parse(base_name(prefix));
}

// Those of a training that is over, as mark_replaced() writes it; none when its successor is gone.
std::set<CheckpointName> replaced_names(const std::string& folder, const CheckpointState& state) {
  std::set<CheckpointName> names;
  const auto latest = name_in(state.latest);
  if (!latest || !checkpoint_exists(join_path(folder, latest->to_string()))) return names;
  for (const std::string& prefix : state.all) {
    if (const auto name = name_in(prefix)) names.insert(*name);
  }
  if (names.contains(*latest)) names.clear();
  return names;
}

}  // namespace

void mark_replaced(const std::string& folder, const std::vector<CheckpointRecord>& old,
                   const CheckpointRecord& first) {
  CheckpointState state{.latest = base_name(first.prefix)};
  for (const CheckpointRecord& record : old) {
    state.all.push_back(base_name(record.prefix));
    state.timestamps.push_back(record.timestamp);
  }
  state.last_preserved_timestamp = first.timestamp;
  write_checkpoint_state(folder, state);
}

std::string CheckpointName::to_string() const {
  return revision == 1 ? str(kName, step) : str(kName, step, '-', revision);
}

std::optional<CheckpointName> CheckpointName::parse(std::string_view name) {
  if (!name.starts_with(kName)) return std::nullopt;
  name.remove_prefix(kName.size());
  const size_t dash = name.find('-');
  const auto step = parse_count(name.substr(0, dash));
  if (!step) return std::nullopt;
  if (dash == std::string_view::npos) return CheckpointName{.step = *step};
  const auto revision = parse_count(name.substr(dash + 1));
  if (!revision || *revision < 2) return std::nullopt;
  return CheckpointName{.step = *step, .revision = *revision};
}

std::vector<CheckpointRecord> list_checkpoints(const std::string& folder, double now) {
  std::set<CheckpointName> present;
  for (const std::string& file : list_folder(folder)) {
    if (!file.ends_with(kIndex)) continue;
    const std::string_view stem(file.data(), file.size() - kIndex.size());
    if (const auto name = CheckpointName::parse(stem)) present.insert(*name);
  }
  const auto record = [&](const CheckpointName& name, double time) {
    return CheckpointRecord{
        .prefix = join_path(folder, name.to_string()), .step = name.step, .timestamp = time};
  };
  std::vector<CheckpointRecord> records;
  const CheckpointState state = read_state(folder);
  for (const CheckpointName& name : replaced_names(folder, state)) present.erase(name);
  for (size_t i = 0; i < state.all.size(); ++i) {
    const auto name = name_in(state.all[i]);
    if (!name || present.erase(*name) == 0) continue;
    records.push_back(record(*name, i < state.timestamps.size() ? state.timestamps[i] : now));
  }
  // Those that the file does not name are of a writer killed before it could add its newest, or
  // before it had removed an old one: each comes after all that are of earlier steps.
  for (const CheckpointName& name : present) {
    auto place = records.end();
    while (place != records.begin() && std::prev(place)->step > name.step) --place;
    records.insert(place, record(name, now));
  }
  return records;
}

void remove_leftovers(const std::string& folder) {
  remove_temporaries(folder);
  const CheckpointState state = read_state(folder);
  if (const auto replaced = replaced_names(folder, state); !replaced.empty()) {
    if (!read_best(folder)) remove_file(join_path(folder, kBestCheckpointFile));
    for (const CheckpointName& name : replaced) {
      remove_checkpoint(join_path(folder, name.to_string()));
    }
    write_checkpoint_state(folder, {.latest = state.latest,
                                    .all = {state.latest},
                                    .timestamps = {state.last_preserved_timestamp},
                                    .last_preserved_timestamp = state.last_preserved_timestamp});
  }
  const std::vector<std::string> files = list_folder(folder);
  const std::set<std::string, std::less<>> present(files.begin(), files.end());
  for (const std::string& file : files) {
    const size_t data = file.find(".data-");
    if (data == std::string::npos || !CheckpointName::parse(file.substr(0, data))) continue;
    if (!present.contains(file.substr(0, data) + std::string(kIndex))) {
      remove_file(join_path(folder, file));
    }
  }
}

std::optional<BestCheckpoint> read_best(const std::string& folder) {
  const std::string path = join_path(folder, kBestCheckpointFile);
  if (!file_exists(path)) return std::nullopt;
  const std::string text = read_file(path);
  std::optional<CheckpointName> name;
  std::optional<double> metric;
  for (const std::string& line : split(text, '\n')) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string_view value = std::string_view(line).substr(colon + 2);
    if (line.starts_with("checkpoint: ")) name = CheckpointName::parse(value);
    if (line.starts_with("metric: ")) {
      double number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (error == std::errc() && end == value.data() + value.size()) metric = number;
    }
  }
  if (!name || !metric) {
    log_warning("train", "'", path, "' cannot be understood; the best checkpoint is not known");
    return std::nullopt;
  }
  const std::string prefix = join_path(folder, name->to_string());
  if (!checkpoint_exists(prefix)) return std::nullopt;
  if (replaced_names(folder, read_state(folder)).contains(*name)) return std::nullopt;
  return BestCheckpoint{.prefix = prefix, .step = name->step, .metric = *metric};
}

void write_best(const std::string& folder, const BestCheckpoint& best) {
  write_file(join_path(folder, kBestCheckpointFile),
             str("checkpoint: ", base_name(best.prefix), "\nmetric: ", best.metric, "\n"));
}

}  // namespace thalweg::train
