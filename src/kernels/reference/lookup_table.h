// The entries of a look-up table, as they live between runs.
#pragma once

#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "thalweg/kernels/resource.h"

namespace thalweg::reference {

/// A map from int32, int64 or string keys to values of one dtype and shape. Thread-safe.
class LookupTable final : public Resource {
 public:
  struct Kind {
    DType key = kInvalid;
    DType value = kInvalid;
    Shape value_shape;        // of one value
    bool is_mutable = false;  // else filled once
    Shape key_shape = {};     // of one key
    // Keys that a dense table keeps for itself; none of others.
    std::vector<Tensor> reserved_keys = {};
  };
  explicit LookupTable(Kind kind);

  const Kind& kind() const { return kind_; }
  /// The shape of keys without a key's own at its end. Throws invalid_argument when it does not end
  /// so.
  Shape batch_of(const Shape& keys) const;
  /// Keys and values handed to the functions below: `count` of them, of the table's types. Throws
  /// invalid_argument when the types are others; an invalid DType says nothing.
  void check_types(DType key, DType value) const;

  /// Fills a table that is filled once. Throws failed_precondition for a key with two values, and
  /// when it holds other entries already; unimplemented when it is mutable.
  void initialize(const void* keys, const void* values, int64_t count);
  /// Throws unimplemented when the table is filled once; invalid_argument for a reserved key, as
  /// find() and remove() do.
  void insert(const void* keys, const void* values, int64_t count, bool replace_all);
  void remove(const void* keys, int64_t count);
  /// out[i] = the value of keys[i], else defaults[i], or defaults[0] when there is only one. Throws
  /// failed_precondition when the table was never filled.
  void find(const void* keys, int64_t count, const void* defaults, bool one_default,
            void* out) const;
  int64_t size() const;
  /// Keys `[n]` and values `[n, ...]` in the order of their places.
  std::pair<Tensor, Tensor> entries() const;

 private:
  using Integers = std::unordered_map<int64_t, int64_t>;
  using Strings = std::unordered_map<std::string, int64_t>;

  void check_mutable(std::string_view what) const;
  void refuse_reserved(const void* keys, int64_t count) const;
  std::string packed_key(const void* keys, int64_t i) const;
  void unpack_key(const std::string& packed, Tensor& keys, int64_t i) const;
  void put(const void* keys, const void* values, int64_t count, bool overwrite);
  void clear();
  int64_t take_row();
  bool same_value(int64_t row, const void* value) const;
  // Calls f(index, key i) with the map and the key as the map has it.
  template <class F>
  void for_each_key(const void* keys, int64_t count, F f);
  template <class F>
  void for_each_key(const void* keys, int64_t count, F f) const;

  const Kind kind_;
  const int64_t value_size_;
  const int64_t key_size_;
  mutable std::shared_mutex mutex_;
  bool initialized_;
  std::variant<Integers, Strings> rows_;  // where each key's value lies in values_; a key of
                                          // several elements is packed into a string
  Tensor values_;  // [capacity, ...]
  int64_t used_rows_ = 0;
  std::vector<int64_t> free_rows_;
};

}  // namespace thalweg::reference
