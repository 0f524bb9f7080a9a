#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "formats/bundle_files.h"
#include "formats/bundle_old.h"
#include "formats/bundle_strings.h"
#include "formats/slice_copy.h"
#include "formats/slice_key.h"
#include "formats/table.h"
#include "formats/tensor_proto.h"
#include "proto/tensor_bundle.pb.h"
#include "thalweg/base/crc32c.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_access.h"
#include "thalweg/formats/checkpoint.h"
#include "thalweg/tensor/bool_bytes.h"

namespace thalweg {
namespace {

using Entry = tensorflow::BundleEntryProto;

constexpr std::string_view kRemedy = "; use an older checkpoint, or save this one again";
constexpr int kMaxShards = 99999;  // five digits in the file's name

}  // namespace

struct BundleReader::State {
  std::string prefix;
  int num_shards = 0;
  std::map<std::string, Entry, std::less<>> entries;  // also the parts of partitioned tensors
  std::vector<std::string> names;
  std::map<int, ReadableFile> shards;  // those in use

  void read_index();
  void read_header(std::string_view bytes);
  void open_shards();
  const Entry& at(std::string_view name) const;
  Tensor make_room(std::string_view name, const Entry& entry, int64_t bytes) const;
  Tensor read_whole(std::string_view name, const Entry& entry) const;
  Tensor read_parts(std::string_view name, const Entry& entry) const;

  // The error for data that is wrong: which file, which tensor, what.
  Error damaged(std::string_view name, const Entry& entry, std::string_view what) const {
    return data_loss("checkpoint file '", shard_path(prefix, entry.shard_id(), num_shards),
                     "' is damaged: tensor `", name, "`: ", what, kRemedy);
  }
};

void BundleReader::State::read_header(std::string_view bytes) {
  tensorflow::BundleHeaderProto header;
  if (!header.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      header.num_shards() < 1 || header.num_shards() > kMaxShards) {
    throw data_loss("its header cannot be understood");
  }
  if (header.endianness() != tensorflow::BundleHeaderProto::LITTLE) {
    throw unimplemented("it was written on a big-endian machine");
  }
  if (header.version().min_consumer() > 1) {
    throw unimplemented("it needs a reader of version ", header.version().min_consumer(),
                        ", this one has version 1");
  }
  num_shards = header.num_shards();
}

void BundleReader::State::read_index() {
  const std::string path = index_path(prefix);
  if (!file_exists(path)) {
    if (const std::string old = find_old_checkpoint(prefix); !old.empty()) {
      throw unimplemented("'", old,
                          "' is a checkpoint of TensorFlow's old format V1, which thalweg "
                          "does not read: restore it in TensorFlow with a "
                          "tf.compat.v1.train.Saver and save it again with one of "
                          "write_version=SaverDef.V2");
    }
    throw not_found("there is no checkpoint '", prefix, "': the file '", path,
                    "' does not exist; give the path without `.index` or `.data-...`");
  }
  try {
    read_table(read_file(path), [&](std::string_view key, std::string_view value) {
      if (key.empty()) return read_header(value);
      Entry entry;
      if (!entry.ParseFromArray(value.data(), static_cast<int>(value.size())) ||
          entry.shard_id() < 0 || entry.shard_id() >= num_shards || entry.offset() < 0 ||
          entry.size() < 0 || entry.offset() > std::numeric_limits<int64_t>::max() - entry.size()) {
        throw data_loss("the entry of tensor `", key, "` cannot be understood");
      }
      if (key[0] != '\0') names.emplace_back(key);
      entries.insert_or_assign(std::string(key), std::move(entry));
    });
    if (num_shards == 0) throw data_loss("it has no header");
  } catch (Error& error) {
    throw Error(error.code(), str("checkpoint index '", path, "' cannot be read: ", error.message(),
                                  error.code() == Code::kDataLoss ? kRemedy : ""));
  }
}

// Opens the data files, and sees at once whether one has been cut.
void BundleReader::State::open_shards() {
  for (const auto& [name, entry] : entries) {
    if (entry.slices_size() > 0) continue;
    const std::string path = shard_path(prefix, entry.shard_id(), num_shards);
    auto it = shards.find(entry.shard_id());
    if (it == shards.end()) {
      if (!file_exists(path)) {
        throw not_found("checkpoint '", prefix, "' is not whole: its file '", path,
                        "' does not exist");
      }
      it = shards.emplace(entry.shard_id(), ReadableFile(path)).first;
    }
    const uint64_t size = it->second.size();
    const uint64_t end = static_cast<uint64_t>(entry.offset() + entry.size());
    if (end > size) {
      throw data_loss("checkpoint file '", path, "' is cut short: it has ", size,
                      " bytes, and tensor `", name, "` ends at byte ", end, kRemedy);
    }
  }
}

const Entry& BundleReader::State::at(std::string_view name) const {
  const auto it = entries.find(name);
  if (it != entries.end() && !name.empty() && name[0] != '\0') return it->second;
  const std::string hint = nearest(name, names);
  throw not_found("checkpoint '", prefix, "' has no tensor `", name, "`",
                  hint.empty() ? str("; it has ", names.size(), " others")
                               : str("; did you mean `", hint, "`?"));
}

// An empty tensor for the values, after a look at whether there are so many: the index may claim
// any shape.
Tensor BundleReader::State::make_room(std::string_view name, const Entry& entry,
                                      int64_t bytes) const {
  const DType dtype = dtype_from_proto(entry.dtype());
  const Shape shape = full_shape_from_proto(entry.shape());
  const int64_t elements = shape.num_elements();
  // A string takes a byte for its length at least.
  const bool is_string = dtype == kString;
  const int64_t expected = elements * (is_string ? 1 : static_cast<int64_t>(element_size(dtype)));
  if (is_string ? bytes < expected : bytes != expected) {
    throw damaged(name, entry,
                  str("it has ", bytes, " bytes, expected ", is_string ? "at least " : "", expected,
                      " for ", dtype, shape));
  }
  return Tensor(dtype, shape);
}

Tensor BundleReader::State::read_whole(std::string_view name, const Entry& entry) const {
  Tensor result = make_room(name, entry, entry.size());
  const ReadableFile& file = shards.at(entry.shard_id());
  const uint64_t offset = static_cast<uint64_t>(entry.offset());
  const size_t size = static_cast<size_t>(entry.size());
  uint32_t crc = 0;
  if (result.dtype() == kString) {
    std::string bytes(size, '\0');
    bytes.resize(file.read(offset, bytes.data(), size));
    try {
      crc = decode_strings(bytes, result.mutable_data<std::string>());
    } catch (const Error& error) {
      throw damaged(name, entry, error.message());
    }
  } else {
    const size_t got = file.read(offset, result.mutable_raw(), size);
    crc = crc32c(0, result.raw(), got);
  }
  if (mask_crc(crc) != entry.crc32c()) throw damaged(name, entry, "its checksum is wrong");
  normalize_bools(result);
  return result;
}

Tensor BundleReader::State::read_parts(std::string_view name, const Entry& entry) const {
  struct Part {
    std::vector<Extent> extents;
    const std::pair<const std::string, Entry>* stored;
  };
  std::vector<Part> parts;
  int64_t bytes = 0;
  for (const tensorflow::TensorSliceProto& slice : entry.slices()) {
    std::vector<Extent> extents;
    for (const auto& extent : slice.extent()) {
      extents.push_back(
          {extent.start(), extent.has_length_case() == extent.kLength ? extent.length() : -1});
    }
    const auto part = entries.find(slice_key(name, extents));
    if (part == entries.end()) throw damaged(name, entry, "a part of it is missing in the index");
    if (part->second.slices_size() > 0) throw damaged(name, entry, "a part of it has parts");
    bytes += part->second.size();
    parts.push_back({std::move(extents), &*part});
  }
  Tensor result = make_room(name, entry, bytes);
  std::vector<bool> filled(static_cast<size_t>(result.num_elements()), false);
  for (const Part& part : parts) {
    const Tensor values = read_whole(name, part.stored->second);
    if (!copy_slice(values, part.extents, result)) {
      throw damaged(name, entry,
                    str("a part of ", values.dtype(), values.shape(), " does not fit into ",
                        result.dtype(), result.shape()));
    }
    if (!mark_slice(part.extents, result.shape(), filled)) {
      throw damaged(name, entry, "two of its parts overlap");
    }
  }
  if (const auto missing = std::count(filled.begin(), filled.end(), false); missing > 0) {
    throw damaged(name, entry,
                  str("its parts leave out ", missing, " of ", filled.size(), " elements"));
  }
  return result;
}

BundleReader::BundleReader(std::string prefix) : state_(std::make_unique<State>()) {
  state_->prefix = std::move(prefix);
  state_->read_index();
  state_->open_shards();
}
BundleReader::~BundleReader() = default;
BundleReader::BundleReader(BundleReader&&) noexcept = default;

const std::string& BundleReader::prefix() const { return state_->prefix; }
const std::vector<std::string>& BundleReader::names() const { return state_->names; }

std::optional<BundleEntry> BundleReader::find(std::string_view name) const {
  if (name.empty() || name[0] == '\0') return std::nullopt;
  const auto it = state_->entries.find(name);
  if (it == state_->entries.end()) return std::nullopt;
  try {
    return BundleEntry{dtype_from_proto(it->second.dtype()),
                       full_shape_from_proto(it->second.shape())};
  } catch (Error& error) {
    error.add_context(str("checkpoint '", prefix(), "', tensor `", name, "`"));
    throw;
  }
}

Tensor BundleReader::read(std::string_view name) const {
  const Entry& entry = state_->at(name);
  try {
    return entry.slices_size() > 0 ? state_->read_parts(name, entry)
                                   : state_->read_whole(name, entry);
  } catch (Error& error) {
    if (error.code() == Code::kDataLoss) throw;  // says all of it already
    error.add_context(str("checkpoint '", prefix(), "', tensor `", name, "`"));
    throw;
  }
}

}  // namespace thalweg
