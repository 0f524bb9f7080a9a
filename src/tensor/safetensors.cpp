#include "thalweg/tensor/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "thalweg/base/file.h"
#include "thalweg/base/file_access.h"
#include "thalweg/tensor/bool_bytes.h"

namespace thalweg {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kLongestHeader = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

struct TypeRow {
  std::string_view name;
  DType dtype;  // kInvalid: one that thalweg lacks
  size_t bits;
};
// In the reference writer's order, by which it sorts tensors, the last first.
constexpr TypeRow kTypes[] = {
    {"BOOL", kBool, 8},           {"U8", kUInt8, 8},        {"I8", kInt8, 8},
    {"I16", kInt16, 16},          {"U16", kUInt16, 16},     {"F16", kFloat16, 16},
    {"BF16", kBFloat16, 16},      {"I32", kInt32, 32},      {"U32", kUInt32, 32},
    {"F32", kFloat32, 32},        {"C64", kComplex64, 64},  {"F64", kFloat64, 64},
    {"I64", kInt64, 64},          {"U64", kUInt64, 64},     {"F8_E5M2", kInvalid, 8},
    {"F8_E4M3", kInvalid, 8},     {"F8_E8M0", kInvalid, 8}, {"F8_E4M3FNUZ", kInvalid, 8},
    {"F8_E5M2FNUZ", kInvalid, 8}, {"F6_E2M3", kInvalid, 6}, {"F6_E3M2", kInvalid, 6},
    {"F4", kInvalid, 4}};

struct Entry {
  std::string type;
  SafetensorsEntry spec;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// What a file that is no safetensors file may be instead, told by its first bytes.
std::string_view other_format(std::string_view head) {
  if (head.starts_with("\x89HDF")) return "it is an HDF5 file (an older Keras model?)";
  if (head.starts_with("PK")) return "it is a ZIP archive (a .npz, .keras or PyTorch file?)";
  if (head.starts_with("\x80")) return "it is a Python pickle";
  if (head.starts_with("\x93NUMPY")) return "it is an .npy array";
  if (head.starts_with("{")) return "it is a JSON text";
  return "it does not begin as one";
}

// JSON allows a name twice in an object, and a reader then takes either: this one refuses.
Json parse_header(const std::string& text) {
  std::vector<std::set<std::string>> names;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key &&
        !names.back().insert(value.get<std::string>()).second) {
      throw data_loss("the header names '", value.get<std::string>(), "' twice");
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    throw data_loss("the header is no JSON: it breaks at byte ", error.byte);
  }
}

uint64_t to_count(const Json& value, std::string_view name) {
  if (!value.is_number_unsigned()) {
    throw data_loss("tensor '", name, "' has a shape or offset that is no whole number");
  }
  return value.get<uint64_t>();
}

Entry read_entry(const std::string& name, const Json& json) {
  const auto field = [&](const char* key, bool fits) {
    if (!fits) throw data_loss("tensor '", name, "' has no proper \"", key, "\" in the header");
  };
  field("dtype", json.is_object() && json.contains("dtype") && json["dtype"].is_string());
  field("shape", json.contains("shape") && json["shape"].is_array());
  field("data_offsets", json.contains("data_offsets") && json["data_offsets"].is_array() &&
                            json["data_offsets"].size() == 2);
  Entry entry;
  entry.type = json["dtype"].get<std::string>();
  const auto row = std::ranges::find(kTypes, entry.type, &TypeRow::name);
  if (row == std::end(kTypes)) {
    throw data_loss("tensor '", name, "' has an unknown dtype '", entry.type, "'");
  }
  entry.spec.dtype = row->dtype;
  std::vector<int64_t> dims;
  uint64_t bits = row->bits;
  for (const Json& dim : json["shape"]) {
    const uint64_t size = to_count(dim, name);
    if (__builtin_mul_overflow(bits, size, &bits) || size > uint64_t{1} << 62) {
      throw data_loss("tensor '", name, "' claims a shape that is too large");
    }
    dims.push_back(static_cast<int64_t>(size));
  }
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank)) {
    throw unimplemented("tensor '", name, "' has ", dims.size(), " dimensions, more than ",
                        Shape::kMaxRank);
  }
  entry.spec.shape = Shape(std::span<const int64_t>(dims));
  entry.begin = to_count(json["data_offsets"][0], name);
  entry.end = to_count(json["data_offsets"][1], name);
  if (entry.end < entry.begin || entry.end - entry.begin != (bits + 7) / 8) {
    throw data_loss("tensor '", name, "' of ", entry.type, entry.spec.shape, " needs ",
                    (bits + 7) / 8, " bytes, but its offsets are [", entry.begin, ", ", entry.end,
                    "]");
  }
  return entry;
}

}  // namespace

struct SafetensorsReader::State {
  explicit State(std::string path) : file(std::move(path)) {}
  void read_header();
  void check_cover() const;

  ReadableFile file;
  uint64_t data = 0;  // where the data begin
  std::map<std::string, Entry, std::less<>> entries;
  std::vector<std::string> names;
  std::map<std::string, std::string> metadata;
};

void SafetensorsReader::State::read_header() {
  char head[9] = {};
  const size_t got = file.read(0, head, sizeof head);
  uint64_t length = 0;
  std::memcpy(&length, head, sizeof length);
  if (got < sizeof head || head[8] != '{') {
    throw data_loss("not a safetensors file: ", other_format(std::string_view(head, got)));
  }
  if (length > kLongestHeader || length > file.size() - sizeof length) {
    const std::string_view other = other_format(std::string_view(head, got));
    throw data_loss("not a safetensors file, or a damaged one: its header claims ", length,
                    " bytes, the file has ", file.size(),
                    other.starts_with("it does") ? "" : str("; ", other));
  }
  std::string text(length, '\0');
  file.read(sizeof length, text.data(), length);
  data = sizeof length + length;
  const Json header = parse_header(text);
  for (const auto& [name, json] : header.items()) {
    if (name != kMetadata) {
      entries.emplace(name, read_entry(name, json));
      names.push_back(name);
      continue;
    }
    if (!json.is_object()) throw data_loss("the metadata are no object");
    for (const auto& [key, value] : json.items()) {
      if (!value.is_string()) throw data_loss("the metadata '", key, "' are no text");
      metadata.emplace(key, value.get<std::string>());
    }
  }
  check_cover();
}

// In order, the tensors cover the data without holes or overlap.
void SafetensorsReader::State::check_cover() const {
  std::vector<std::pair<const Entry*, const std::string*>> order;
  for (const auto& [name, entry] : entries) order.emplace_back(&entry, &name);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return std::pair(a.first->begin, a.first->end) < std::pair(b.first->begin, b.first->end);
  });
  uint64_t next = 0;
  for (const auto& [entry, name] : order) {
    if (entry->begin != next) {
      throw data_loss("tensor '", *name, "' begins at byte ", entry->begin, " of the data, but ",
                      next, " was expected: tensors ",
                      entry->begin < next ? "overlap" : "leave a hole");
    }
    next = entry->end;
  }
  if (next != file.size() - data) {
    throw data_loss("the tensors take ", next, " bytes, but the file holds ", file.size() - data,
                    " after its header");
  }
}

SafetensorsReader::SafetensorsReader(std::string path)
    : state_(std::make_unique<State>(std::move(path))) {
  try {
    state_->read_header();
  } catch (Error& error) {
    error.add_context(state_->file.path());
    throw;
  }
}
SafetensorsReader::~SafetensorsReader() = default;
SafetensorsReader::SafetensorsReader(SafetensorsReader&&) noexcept = default;

const std::vector<std::string>& SafetensorsReader::names() const { return state_->names; }
const std::map<std::string, std::string>& SafetensorsReader::metadata() const {
  return state_->metadata;
}

SafetensorsEntry SafetensorsReader::entry(std::string_view name) const {
  const auto it = state_->entries.find(name);
  if (it == state_->entries.end()) {
    const std::string hint = nearest(name, state_->names);
    throw not_found("'", state_->file.path(), "' holds no tensor '", name, "'",
                    hint.empty() ? "" : str("; did you mean '", hint, "'?"));
  }
  if (it->second.spec.dtype == kInvalid) {
    throw unimplemented("tensor '", name, "' of '", state_->file.path(), "' is of dtype ",
                        it->second.type, ", which thalweg does not have");
  }
  return it->second.spec;
}

Tensor SafetensorsReader::read(std::string_view name) const {
  const SafetensorsEntry spec = entry(name);
  const Entry& place = state_->entries.find(name)->second;
  Tensor result(spec.dtype, spec.shape);
  char* const bytes = static_cast<char*>(result.mutable_raw());
  const size_t size = result.byte_size();
  if (state_->file.read(state_->data + place.begin, bytes, size) != size) {
    throw data_loss("'", state_->file.path(), "' became shorter while it was read");
  }
  normalize_bools(result);
  return result;
}

void write_safetensors(const std::string& path,
                       const std::map<std::string, Tensor, std::less<>>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<const std::pair<const std::string, Tensor>*> order;
  for (const auto& item : tensors) order.push_back(&item);
  std::ranges::stable_sort(order, std::greater<>(), [](const auto* item) {
    return std::ranges::find(kTypes, item->second.dtype(), &TypeRow::dtype) - kTypes;
  });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  uint64_t offset = 0;
  for (const auto* item : order) {
    const auto& [name, tensor] = *item;
    if (name == kMetadata) throw invalid_argument("no tensor can be named '", kMetadata, "'");
    const auto row = std::ranges::find(kTypes, tensor.dtype(), &TypeRow::dtype);
    if (!tensor.is_valid() || row == std::end(kTypes)) {
      throw invalid_argument("tensor '", name, "' of ", tensor.dtype(),
                             " has no place in a safetensors file; cast it first");
    }
    const uint64_t end = offset + tensor.byte_size();
    header[name] = {
        {"dtype", row->name},
        {"shape", std::vector<int64_t>(tensor.shape().dims().begin(), tensor.shape().dims().end())},
        {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception&) {
    throw invalid_argument("a name or the metadata for '", path, "' are no UTF-8 text");
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t length = text.size();
  AtomicFile file(path);
  file.append(&length, sizeof length);
  file.append(text);
  for (const auto* item : order) file.append(item->second.raw(), item->second.byte_size());
  file.commit();
}

}  // namespace thalweg
