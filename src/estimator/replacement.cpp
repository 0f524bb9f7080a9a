#include "estimator/replacement.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/log.h"
#include "thalweg/estimator/model_record.h"
#include "thalweg/formats/checkpoint_state.h"
#include "thalweg/train/checkpoint_manager.h"

namespace thalweg {
namespace {

constexpr std::string_view kCheckpointPrefix = "ckpt-";

bool is_model_file(std::string_view name) {
  return name == kModelFile || name == kCheckpointStateFile || name == kBestCheckpointFile ||
         name == kEventsFolder || name.starts_with(kCheckpointPrefix);
}

std::vector<std::string> model_files(const std::string& folder) {
  std::vector<std::string> files = list_folder(folder);
  std::erase_if(files, [](const std::string& name) { return !is_model_file(name); });
  return files;
}

void remove_tree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) throw unavailable("cannot remove '", path, "': ", error.message());
}

void move(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) throw unavailable("cannot move '", from, "' to '", to, "': ", error.message());
}

}  // namespace

struct Replacement::State {
  std::string model_folder;
  std::string folder;
  int lock = -1;  // held on `folder` while a process works there
  bool committed = false;

  explicit State(std::string model)
      : model_folder(std::move(model)), folder(join_path(model_folder, kReplacementFolder)) {}
  ~State() {
    if (lock >= 0) ::close(lock);
  }

  void take_lock() {
    lock = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // Where locks are not supported there are none.
    if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    throw failed_precondition("another training is about to replace the model in '", model_folder,
                              "'; wait for its end, or choose another folder");
  }
};

Replacement::Replacement(std::unique_ptr<State> state) : state_(std::move(state)) {}

Replacement::Replacement(std::string model_folder)
    : state_(std::make_unique<State>(std::move(model_folder))) {
  make_folders(state_->folder);
  state_->take_lock();
  for (const std::string& name : list_folder(state_->folder)) {  // of one that was killed
    remove_tree(join_path(state_->folder, name));
  }
}

Replacement::~Replacement() {
  if (state_->committed) return;
  try {
    remove_tree(state_->folder);
  } catch (const Error& error) {
    log_warning("estimator", error.message());
  }
}

const std::string& Replacement::folder() const { return state_->folder; }

// Readers go by model.json, which names the weights. So the new weights come before it, under names
// of their own, and the old ones go after it.
void Replacement::commit() {
  State& s = *state_;
  const std::vector<std::string> old = model_files(s.model_folder);
  const std::vector<std::string> fresh = model_files(s.folder);
  const auto place = [&](std::string_view name) { return join_path(s.model_folder, name); };
  const auto bring = [&](std::string_view name) { move(join_path(s.folder, name), place(name)); };
  for (const std::string& name : fresh) {
    if (name.starts_with(kCheckpointPrefix)) bring(name);
  }
  remove_file(place(kBestCheckpointFile));
  if (file_exists(join_path(s.folder, kBestCheckpointFile))) bring(kBestCheckpointFile);
  bring(kCheckpointStateFile);
  bring(kModelFile);
  s.committed = true;
  for (const std::string& name : old) {
    if (name.starts_with(kCheckpointPrefix)) remove_file(place(name));
  }
  remove_tree(place(kEventsFolder));
  if (is_folder(join_path(s.folder, kEventsFolder))) bring(kEventsFolder);
  remove_tree(s.folder);
}

bool holds_model_files(const std::string& folder) { return !model_files(folder).empty(); }

bool take_over_replacement(const std::string& model_folder) {
  auto state = std::make_unique<Replacement::State>(model_folder);
  if (!is_model_folder(state->folder) || !latest_checkpoint(state->folder)) return false;
  state->take_lock();
  Replacement(std::move(state)).commit();
  return true;
}

}  // namespace thalweg
