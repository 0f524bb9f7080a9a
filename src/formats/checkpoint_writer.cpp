#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <utility>

#include "formats/bundle_files.h"
#include "formats/bundle_strings.h"
#include "formats/table.h"
#include "formats/tensor_proto.h"
#include "proto/tensor_bundle.pb.h"
#include "thalweg/base/crc32c.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/checkpoint.h"

namespace thalweg {
namespace {

// A file out of the way of a new one, and back in its place unless that stands.
class SetAside {
 public:
  explicit SetAside(const std::string& path)
      : path_(path),
        aside_(join_path(folder_name(path), str(kTemporaryPrefix, base_name(path).substr(0, 200),
                                                "-", ::getpid(), "-old"))) {
    if (is_folder(path)) return;  // what takes its place says that it cannot
    is_aside_ = std::rename(path.c_str(), aside_.c_str()) == 0;
    if (!is_aside_ && errno != ENOENT) throw unavailable("cannot replace '", path, "'");
  }
  ~SetAside() {
    // A failure here has been one before, whose error is under way.
    if (is_aside_) static_cast<void>(std::rename(aside_.c_str(), path_.c_str()));
  }
  SetAside(const SetAside&) = delete;

  void drop() {
    if (is_aside_) ::unlink(aside_.c_str());
    is_aside_ = false;
  }

 private:
  std::string path_;
  std::string aside_;
  bool is_aside_ = false;
};

}  // namespace

struct BundleWriter::State {
  std::string prefix;
  AtomicFile data;
  std::map<std::string, std::string, std::less<>>
      entries;  // the index so far: an encoded entry for each name
  bool finished = false;
};

BundleWriter::BundleWriter(std::string prefix) {
  const std::string path = shard_path(prefix, 0, 1);
  state_.reset(new State{std::move(prefix), AtomicFile(path), {}});
}
BundleWriter::~BundleWriter() = default;

void BundleWriter::add(std::string_view name, const Tensor& tensor) {
  State& s = *state_;
  // The empty key is the header's, and a zero byte begins the keys of parts of tensors.
  if (name.empty() || name[0] == '\0') {
    throw invalid_argument("checkpoint '", s.prefix, "': a tensor's name is ",
                           name.empty() ? "empty" : "one that starts with a zero byte");
  }
  if (!tensor.is_valid()) {
    throw invalid_argument("checkpoint '", s.prefix, "': tensor `", name, "` holds nothing");
  }
  if (s.entries.contains(name)) {
    throw already_exists("checkpoint '", s.prefix, "' has a tensor `", name, "` already");
  }
  if (s.finished) throw failed_precondition("checkpoint '", s.prefix, "' is finished");

  tensorflow::BundleEntryProto entry;
  entry.set_dtype(to_proto(tensor.dtype()));
  to_proto(tensor.shape(), entry.mutable_shape());
  entry.set_offset(static_cast<int64_t>(s.data.size()));
  if (tensor.dtype() == kString) {
    const StoredStrings stored = encode_strings(tensor.data<std::string>());
    entry.set_crc32c(mask_crc(stored.crc));
    s.data.append(stored.bytes);
  } else {
    entry.set_crc32c(mask_crc(crc32c(0, tensor.raw(), tensor.byte_size())));
    s.data.append(tensor.raw(), tensor.byte_size());
  }
  entry.set_size(static_cast<int64_t>(s.data.size()) - entry.offset());
  s.entries.emplace(name, entry.SerializeAsString());
}

void BundleWriter::finish() {
  State& s = *state_;
  if (s.finished) return;
  tensorflow::BundleHeaderProto header;
  header.set_num_shards(1);
  header.mutable_version()->set_producer(1);
  s.entries[""] = header.SerializeAsString();

  AtomicFile index(index_path(s.prefix));
  index.append(encode_table(s.entries));
  index.finish();
  s.data.finish();
  // From here on nothing needs space on the disk. An old index must not be seen beside new data:
  // their checksums would disagree, and a reader would take the checkpoint for a damaged one.
  SetAside old_index(index_path(s.prefix));
  SetAside old_data(shard_path(s.prefix, 0, 1));
  s.data.commit();
  index.commit();
  old_data.drop();
  old_index.drop();
  s.finished = true;
}

}  // namespace thalweg
