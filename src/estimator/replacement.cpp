#include "estimator/replacement.h"

#include <filesystem>
#include <set>
#include <vector>

#include "estimator/model_files.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/log.h"
#include "thalweg/estimator/model_record.h"
#include "thalweg/formats/checkpoint_state.h"
#include "thalweg/train/checkpoint_manager.h"

namespace thalweg {
namespace {

constexpr std::string_view kJournal = "moving";

void move(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) throw unavailable("cannot move '", from, "' to '", to, "': ", error.message());
}

// Folders that are there on both sides become one: what somebody else keeps there stays.
void move_into(const std::string& from, const std::string& to) {
  if (!is_folder(from) || !is_folder(to)) return move(from, to);
  for (const std::string& name : list_folder(from)) {
    move_into(join_path(from, name), join_path(to, name));
  }
  remove_tree(from);
}

}  // namespace

struct Replacement::State {
  std::string model_folder;
  std::string folder;
  bool committed = false;
  bool kept = false;

  std::string journal() const { return join_path(folder, kJournal); }
  bool is_half_done() const { return file_exists(journal()); }

  explicit State(const TrainingLock& lock)
      : model_folder(lock.folder()), folder(join_path(model_folder, kReplacementFolder)) {}
};

Replacement::Replacement(std::unique_ptr<State> state) : state_(std::move(state)) {}

Replacement::Replacement(const TrainingLock& lock) : state_(std::make_unique<State>(lock)) {
  discard_replacement(lock);
  make_folders(state_->folder);
}

Replacement::~Replacement() {
  if (state_->committed || state_->kept || state_->is_half_done()) return;
  try {
    remove_tree(state_->folder);
  } catch (const Error& error) {
    log_warning("estimator", error.message());
  }
}

const std::string& Replacement::folder() const { return state_->folder; }

// Readers go by model.json, which names the weights. So the new weights come before it, under names
// of their own, and the old ones go after it. What a kill leaves half done is done to its end by
// who holds the lock next, before anything else: the journal says which files are the new model's.
void Replacement::commit() {
  State& s = *state_;
  if (!file_exists(s.journal())) write_file(s.journal(), join(model_files(s.folder), "\n"));
  const std::vector<std::string> names = split(read_file(s.journal()), '\n');
  const std::set<std::string, std::less<>> fresh(names.begin(), names.end());
  const auto place = [&](std::string_view name) { return join_path(s.model_folder, name); };
  const auto bring = [&](std::string_view name) {
    const std::string from = join_path(s.folder, name);
    if (file_exists(from)) move(from, place(name));
  };
  for (const std::string& name : fresh) {
    if (is_checkpoint_file(name)) bring(name);
  }
  if (!fresh.contains(kBestCheckpointFile)) remove_file(place(kBestCheckpointFile));
  bring(kBestCheckpointFile);
  bring(kCheckpointStateFile);
  bring(kModelFile);
  for (const std::string& name : model_files(s.model_folder)) {
    if (is_checkpoint_file(name) && !fresh.contains(name)) remove_file(place(name));
  }
  const std::string events = join_path(s.folder, kEventsFolder);
  if (is_folder(events) || !fresh.contains(kEventsFolder)) remove_events(s.model_folder);
  if (is_folder(events)) move_into(events, place(kEventsFolder));
  remove_file(s.journal());
  s.committed = true;
  remove_tree(s.folder);
}

void Replacement::keep() { state_->kept = true; }

void discard_replacement(const TrainingLock& lock) {
  const std::string folder = join_path(lock.folder(), kReplacementFolder);
  if (file_exists(join_path(folder, kJournal))) {
    take_over_replacement(lock);
    return;
  }
  if (holds_replacement(lock.folder())) {
    log_warning("estimator", "'", folder,
                "' held a training that was to replace the model and was ended before it could; "
                "it is removed, as this one begins anew");
  }
  remove_tree(folder);
}

bool take_over_replacement(const TrainingLock& lock) {
  auto state = std::make_unique<Replacement::State>(lock);
  if (state->is_half_done() || holds_replacement(lock.folder())) {
    Replacement(std::move(state)).commit();
    return true;
  }
  remove_tree(state->folder);
  return false;
}

}  // namespace thalweg
