#include "model/weight_source.h"

#include <algorithm>

#include "thalweg/formats/saved_model.h"
#include "thalweg/tensor/npy.h"
#include "thalweg/tensor/safetensors.h"

namespace thalweg {
namespace {

constexpr std::string_view kObjectValue = "/.ATTRIBUTES/VARIABLE_VALUE";

class CheckpointSource final : public WeightSource {
 public:
  explicit CheckpointSource(const BundleReader& checkpoint)
      : checkpoint_(checkpoint), objects_(variable_keys(checkpoint)) {}

  std::string description() const override {
    return str("checkpoint '", checkpoint_.prefix(), "'");
  }
  std::vector<std::string> names() const override { return checkpoint_.names(); }
  std::optional<std::string> find_key(const std::string& name) const override {
    if (checkpoint_.find(name)) return name;
    if (const auto it = objects_.find(name); it != objects_.end() && checkpoint_.find(it->second)) {
      return it->second;
    }
    const std::string object = str(name, kObjectValue);
    if (checkpoint_.find(object)) return object;
    return std::nullopt;
  }
  BundleEntry entry(const std::string& key) const override { return *checkpoint_.find(key); }
  Tensor read(const std::string& key) const override { return checkpoint_.read(key); }

 private:
  const BundleReader& checkpoint_;
  std::map<std::string, std::string> objects_;
};

// A checkpoint that was opened here.
class OwnedCheckpointSource final : public WeightSource {
 public:
  explicit OwnedCheckpointSource(const std::string& prefix) : checkpoint_(prefix) {}

  std::string description() const override { return source_.description(); }
  std::vector<std::string> names() const override { return source_.names(); }
  std::optional<std::string> find_key(const std::string& name) const override {
    return source_.find_key(name);
  }
  BundleEntry entry(const std::string& key) const override { return source_.entry(key); }
  Tensor read(const std::string& key) const override { return source_.read(key); }

 private:
  BundleReader checkpoint_;
  CheckpointSource source_{checkpoint_};
};

class SafetensorsSource final : public WeightSource {
 public:
  explicit SafetensorsSource(const std::string& path) : path_(path), file_(path) {}

  std::string description() const override { return str("'", path_, "'"); }
  std::vector<std::string> names() const override { return file_.names(); }
  std::optional<std::string> find_key(const std::string& name) const override {
    return std::ranges::binary_search(file_.names(), name) ? std::optional(name) : std::nullopt;
  }
  BundleEntry entry(const std::string& key) const override {
    const SafetensorsEntry found = file_.entry(key);
    return {.dtype = found.dtype, .shape = found.shape};
  }
  Tensor read(const std::string& key) const override { return file_.read(key); }

 private:
  std::string path_;
  SafetensorsReader file_;
};

// Its members must be unpacked to tell their shapes, so all are read at once.
class NpzSource final : public WeightSource {
 public:
  explicit NpzSource(const std::string& path) : path_(path), arrays_(read_npz(path)) {}

  std::string description() const override { return str("'", path_, "'"); }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, array] : arrays_) names.push_back(name);
    return names;
  }
  std::optional<std::string> find_key(const std::string& name) const override {
    return arrays_.contains(name) ? std::optional(name) : std::nullopt;
  }
  BundleEntry entry(const std::string& key) const override {
    const Tensor& array = arrays_.find(key)->second;
    return {.dtype = array.dtype(), .shape = array.shape()};
  }
  Tensor read(const std::string& key) const override { return arrays_.find(key)->second; }

 private:
  std::string path_;
  std::map<std::string, Tensor, std::less<>> arrays_;
};

}  // namespace

std::unique_ptr<WeightSource> checkpoint_source(const BundleReader& checkpoint) {
  return std::make_unique<CheckpointSource>(checkpoint);
}

std::unique_ptr<WeightSource> file_source(const std::string& path) {
  if (path.ends_with(".npz")) return std::make_unique<NpzSource>(path);
  if (path.ends_with(".safetensors")) return std::make_unique<SafetensorsSource>(path);
  return std::make_unique<OwnedCheckpointSource>(path);
}

}  // namespace thalweg
