// tf.train.Example messages read straight from their bytes: what a batch of them costs is the look
// at each feature once, and one copy of the values that are wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/tensor/dtype.h"

namespace thalweg::reference {

/// The fields of a protobuf message, one after the other. Throws data_loss on bytes that are no
/// message: a field that runs past the end, a varint of more than ten bytes, group tags.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  /// False at the end of the message.
  bool next();
  uint32_t field() const { return field_; }
  bool is_bytes() const { return wire_type_ == 2; }
  bool is_varint() const { return wire_type_ == 0; }
  bool is_fixed32() const { return wire_type_ == 5; }
  /// The payload of the field, as far as its wire type allows.
  std::string_view bytes() const { return bytes_; }
  uint64_t varint() const { return varint_; }

 private:
  std::string_view rest_;
  uint32_t field_ = 0;
  uint32_t wire_type_ = 0;
  std::string_view bytes_;  // bytes, and the raw bytes of fixed fields
  uint64_t varint_ = 0;
};

/// Takes a varint off the front. Throws data_loss when there is no whole one of at most ten bytes.
uint64_t take_wire_varint(std::string_view& bytes);

/// One feature's values as they lie in the message: a list, whose packed and unpacked parts are
/// read when they are copied out. Nothing is checked before count() was called.
class FeatureValues {
 public:
  FeatureValues() = default;
  /// `feature` is the bytes of a Feature. Throws data_loss.
  explicit FeatureValues(std::string_view feature);

  /// kFloat32, kInt64 or kString; kInvalid when the feature has no kind set.
  DType dtype() const { return dtype_; }
  int64_t count() const;
  void copy_to(float* out) const;
  void copy_to(int64_t* out) const;
  void copy_to(std::string* out) const;

 private:
  template <class F>
  void for_each_list(F f) const;
  template <class F>
  void for_each_value(F f) const;

  DType dtype_ = kInvalid;
  std::string_view list_;               // the usual single part
  std::vector<std::string_view> more_;  // protobuf lets a message come in several parts
};

/// Calls f(key, value bytes) for each entry of a map<string, message> field that is number `field`
/// of `message`. Throws data_loss.
template <class F>
void for_each_map_entry(std::string_view message, uint32_t field, F f) {
  WireReader reader(message);
  while (reader.next()) {
    if (reader.field() != field || !reader.is_bytes()) continue;
    std::string_view key;
    std::string_view value;
    WireReader entry(reader.bytes());
    while (entry.next()) {
      if (!entry.is_bytes()) continue;
      if (entry.field() == 1) key = entry.bytes();
      if (entry.field() == 2) value = entry.bytes();
    }
    f(key, value);
  }
}

/// Calls f(key, Feature bytes) for each feature of an Example. Throws data_loss.
template <class F>
void for_each_feature(std::string_view example, F f) {
  WireReader reader(example);
  while (reader.next()) {
    if (reader.field() == 1 && reader.is_bytes()) for_each_map_entry(reader.bytes(), 1, f);
  }
}

}  // namespace thalweg::reference
