// Checkpoints in TensorFlow's V2 format (a "tensor bundle"): any tensor by name, in two files that
// TensorFlow reads and writes as well.
//
// `<prefix>.data-00000-of-00001` holds the values back to back, `<prefix>.index` a LevelDB table
// from names to dtype, shape, place and checksum. A checkpoint exists when its index does, so the
// index appears last.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// Writes one checkpoint; nothing is to be seen under `prefix` before finish(), and nothing is left
/// when it is destroyed without. Thread-compatible.
class BundleWriter {
 public:
  /// The folder must exist. Errors: not_found, permission_denied, resource_exhausted (a full disk).
  explicit BundleWriter(std::string prefix);
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  BundleWriter& operator=(const BundleWriter&) = delete;

  /// Writes the value now, names in any order. Throws invalid_argument for a name that is empty or
  /// starts with a zero byte and for a tensor that holds nothing, already_exists for a name given
  /// before.
  void add(std::string_view name, const Tensor& tensor);

  /// Syncs both files, then renames data and index. After an error an older checkpoint of this
  /// prefix is as before. The two renames are not one step: a process killed between them leaves no
  /// checkpoint under a prefix that had one, so give each save a prefix of its own ("model-200")
  /// and remove old ones afterwards.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a checkpoint says about one tensor.
struct BundleEntry {
  DType dtype = DType::kInvalid;
  Shape shape;
};

/// Reads a checkpoint of thalweg or TensorFlow, also one in several shards or with partitioned
/// variables. Thread-safe.
class BundleReader {
 public:
  /// Reads the index and checks that the data files are there and whole. Errors: not_found naming
  /// the missing file, data_loss naming the damaged one.
  explicit BundleReader(std::string prefix);
  ~BundleReader();
  BundleReader(BundleReader&&) noexcept;
  BundleReader(const BundleReader&) = delete;

  const std::string& prefix() const;
  /// Sorted as bytes.
  const std::vector<std::string>& names() const;
  /// Empty when there is no such tensor. Throws unimplemented for a dtype or rank that thalweg does
  /// not have.
  std::optional<BundleEntry> find(std::string_view name) const;
  /// The value, its checksum verified. Errors: not_found with the nearest name; data_loss naming
  /// file and tensor.
  Tensor read(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Part of a tensor, as TensorFlow's partitioned variables name theirs: the whole shape, then start
/// and length or "-" for each dimension, "10 4 0,5:-". Empty: all of it. Throws invalid_argument
/// for a part that does not fit.
Tensor read_slice(const BundleReader& checkpoint, std::string_view name, std::string_view slice);

/// Whether a checkpoint exists under `prefix`.
bool checkpoint_exists(const std::string& prefix);
/// Removes the files of a checkpoint, the index first; false when there was none.
bool remove_checkpoint(const std::string& prefix);

}  // namespace thalweg
