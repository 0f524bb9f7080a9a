#include "tensor/zip.h"
#include "thalweg/base/file.h"
#include "thalweg/tensor/npy.h"

namespace thalweg {
namespace {

constexpr std::string_view kEnding = ".npy";

}  // namespace

struct NpzReader::State {
  explicit State(std::string path) : zip(std::move(path)) {}
  ZipReader zip;
  std::vector<std::string> names;
  std::map<std::string, size_t, std::less<>> places;
};

NpzReader::NpzReader(std::string path) : state_(std::make_unique<State>(std::move(path))) {
  const std::vector<ZipMember>& members = state_->zip.members();
  for (size_t i = 0; i < members.size(); ++i) {
    std::string name = members[i].name;
    if (!name.ends_with(kEnding)) {
      throw data_loss("'", state_->zip.path(), "' is no .npz file: its member '", name,
                      "' is no .npy array");
    }
    name.resize(name.size() - kEnding.size());
    if (!state_->places.emplace(name, i).second) {
      throw data_loss("'", state_->zip.path(), "' holds two arrays named '", name, "'");
    }
    state_->names.push_back(std::move(name));
  }
}
NpzReader::~NpzReader() = default;
NpzReader::NpzReader(NpzReader&&) noexcept = default;

const std::vector<std::string>& NpzReader::names() const { return state_->names; }

Tensor NpzReader::read(std::string_view name) const {
  const auto it = state_->places.find(name);
  if (it == state_->places.end()) {
    const std::string hint = nearest(name, state_->names);
    throw not_found("'", state_->zip.path(), "' holds no array '", name, "'",
                    hint.empty() ? "" : str("; did you mean '", hint, "'?"));
  }
  const std::string bytes = state_->zip.read(state_->zip.members()[it->second]);
  try {
    return parse_npy(bytes);
  } catch (Error& error) {
    error.add_context(str(state_->zip.path(), ", array '", name, "'"));
    throw;
  }
}

std::map<std::string, Tensor, std::less<>> read_npz(const std::string& path) {
  const NpzReader reader(path);
  std::map<std::string, Tensor, std::less<>> arrays;
  for (const std::string& name : reader.names()) arrays.emplace(name, reader.read(name));
  return arrays;
}

void write_npz(const std::string& path, const std::map<std::string, Tensor, std::less<>>& arrays) {
  ZipWriter zip;
  for (const auto& [name, tensor] : arrays) {
    if (name.empty()) throw invalid_argument("an array of '", path, "' has no name");
    try {
      zip.add(str(name, kEnding), encode_npy(tensor));
    } catch (Error& error) {
      error.add_context(str(path, ", array '", name, "'"));
      throw;
    }
  }
  write_file(path, zip.finish());
}

}  // namespace thalweg
