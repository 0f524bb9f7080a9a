#include "kernels/reference/lookup_table.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "kernels/reference/elements.h"
#include "thalweg/base/parallel.h"

namespace thalweg::reference {

LookupTable::LookupTable(Kind kind)
    : kind_(std::move(kind)),
      value_size_(kind_.value_shape.num_elements()),
      key_size_(kind_.key_shape.num_elements()),
      initialized_(kind_.is_mutable),
      values_(kind_.value, Shape{0}.concat(kind_.value_shape)) {
  if (kind_.key == kString || key_size_ != 1) rows_.emplace<Strings>();
}

Shape LookupTable::batch_of(const Shape& keys) const {
  const int own = keys.rank() - kind_.key_shape.rank();
  if (own >= 0 && keys.slice(own) == kind_.key_shape) return keys.slice(0, own);
  throw invalid_argument("table `", name, "`: a key has shape ", kind_.key_shape, ", got keys of ",
                         keys);
}

// Elements one after the other; strings with their lengths before them.
std::string LookupTable::packed_key(const void* keys, int64_t i) const {
  std::string packed;
  const void* first = element_at(kind_.key, keys, i * key_size_);
  if (kind_.key != kString) {
    return {static_cast<const char*>(first),
            static_cast<size_t>(key_size_) * element_size(kind_.key)};
  }
  for (int64_t e = 0; e < key_size_; ++e) {
    const std::string& text = static_cast<const std::string*>(first)[e];
    const uint64_t length = text.size();
    packed.append(reinterpret_cast<const char*>(&length), sizeof(length));
    packed += text;
  }
  return packed;
}

void LookupTable::unpack_key(const std::string& packed, Tensor& keys, int64_t i) const {
  void* to = element_at(kind_.key, keys.mutable_raw(), i * key_size_);
  if (kind_.key != kString) {
    std::memcpy(to, packed.data(), packed.size());
    return;
  }
  size_t at = 0;
  for (int64_t e = 0; e < key_size_; ++e) {
    uint64_t length = 0;
    std::memcpy(&length, packed.data() + at, sizeof(length));
    at += sizeof(length);
    static_cast<std::string*>(to)[e] = packed.substr(at, length);
    at += length;
  }
}

void LookupTable::refuse_reserved(const void* keys, int64_t count) const {
  for (const Tensor& reserved : kind_.reserved_keys) {
    const std::string own = packed_key(reserved.raw(), 0);
    for (int64_t i = 0; i < count; ++i) {
      if (packed_key(keys, i) != own) continue;
      throw invalid_argument("table `", name, "`: key ", i, " is ", reserved.to_string(),
                             ", which the table keeps for itself (empty_key or deleted_key)");
    }
  }
}

void LookupTable::check_types(DType key, DType value) const {
  const auto check = [&](DType given, DType held, std::string_view what) {
    if (given == kInvalid || given == held) return;
    throw invalid_argument("table `", name, "` has ", what, " of ", held, ", not of ", given);
  };
  check(key, kind_.key, "keys");
  check(value, kind_.value, "values");
}

template <class F>
void LookupTable::for_each_key(const void* keys, int64_t count, F f) {
  for (int64_t i = 0; i < count; ++i) {
    if (key_size_ != 1) {
      f(std::get<Strings>(rows_), packed_key(keys, i), i);
      continue;
    }
    switch (kind_.key) {
      case kString: f(std::get<Strings>(rows_), static_cast<const std::string*>(keys)[i], i); break;
      case kInt32:
        f(std::get<Integers>(rows_), int64_t{static_cast<const int32_t*>(keys)[i]}, i);
        break;
      default: f(std::get<Integers>(rows_), static_cast<const int64_t*>(keys)[i], i);
    }
  }
}

template <class F>
void LookupTable::for_each_key(const void* keys, int64_t count, F f) const {
  const_cast<LookupTable*>(this)->for_each_key(
      keys, count, [&](const auto& index, const auto& key, int64_t i) { f(index, key, i); });
}

void LookupTable::check_mutable(std::string_view what) const {
  if (!kind_.is_mutable) {
    throw unimplemented(what, ": table `", name,
                        "` is filled once, by its initializer; use a MutableHashTableV2");
  }
}

int64_t LookupTable::take_row() {
  if (!free_rows_.empty()) {
    const int64_t row = free_rows_.back();
    free_rows_.pop_back();
    return row;
  }
  if (used_rows_ == values_.dim(0)) {
    const int64_t capacity = std::max<int64_t>(16, 2 * used_rows_);
    Tensor larger = Tensor::zeros(kind_.value, Shape{capacity}.concat(kind_.value_shape));
    copy_elements(kind_.value, values_.raw(), larger.mutable_raw(), used_rows_ * value_size_);
    values_ = std::move(larger);
  }
  return used_rows_++;
}

bool LookupTable::same_value(int64_t row, const void* value) const {
  const void* held = element_at(kind_.value, values_.raw(), row * value_size_);
  if (kind_.value == kString) {
    const auto* a = static_cast<const std::string*>(held);
    return std::equal(a, a + value_size_, static_cast<const std::string*>(value));
  }
  return std::memcmp(held, value, static_cast<size_t>(value_size_) * element_size(kind_.value)) ==
         0;
}

void LookupTable::put(const void* keys, const void* values, int64_t count, bool overwrite) {
  for_each_key(keys, count, [&](auto& index, const auto& key, int64_t i) {
    const void* value = element_at(kind_.value, values, i * value_size_);
    const auto [it, is_new] = index.try_emplace(key, 0);
    if (is_new) {
      it->second = take_row();
    } else if (!overwrite) {
      if (same_value(it->second, value)) return;
      throw failed_precondition("table `", name, "`: key ", key, " is given two different values");
    }
    copy_elements(kind_.value, value,
                  element_at(kind_.value, values_.mutable_raw(), it->second * value_size_),
                  value_size_);
  });
}

void LookupTable::clear() {
  std::visit([](auto& index) { index.clear(); }, rows_);
  values_ = Tensor(kind_.value, Shape{0}.concat(kind_.value_shape));
  used_rows_ = 0;
  free_rows_.clear();
}

void LookupTable::initialize(const void* keys, const void* values, int64_t count) {
  if (kind_.is_mutable) {
    throw unimplemented("table `", name,
                        "` is mutable and starts empty: it has no initializer; "
                        "use LookupTableImportV2");
  }
  const std::unique_lock lock(mutex_);
  if (!initialized_) {
    try {
      put(keys, values, count, false);
    } catch (...) {
      clear();
      throw;
    }
    initialized_ = true;
    return;
  }
  // Running an initializer twice is common; only other entries are a mistake.
  for_each_key(keys, count, [&](auto& index, const auto& key, int64_t i) {
    const auto it = index.find(key);
    if (it != index.end() &&
        same_value(it->second, element_at(kind_.value, values, i * value_size_)))
      return;
    throw failed_precondition("table `", name, "` is filled already, with other entries: key ", key,
                              " differs");
  });
}

void LookupTable::insert(const void* keys, const void* values, int64_t count, bool replace_all) {
  check_mutable(replace_all ? "LookupTableImportV2" : "LookupTableInsertV2");
  refuse_reserved(keys, count);
  const std::unique_lock lock(mutex_);
  if (replace_all) clear();
  put(keys, values, count, true);
}

void LookupTable::remove(const void* keys, int64_t count) {
  check_mutable("LookupTableRemoveV2");
  refuse_reserved(keys, count);
  const std::unique_lock lock(mutex_);
  for_each_key(keys, count, [&](auto& index, const auto& key, int64_t) {
    const auto it = index.find(key);
    if (it == index.end()) return;
    free_rows_.push_back(it->second);
    index.erase(it);
  });
}

void LookupTable::find(const void* keys, int64_t count, const void* defaults, bool one_default,
                       void* out) const {
  refuse_reserved(keys, count);
  const std::shared_lock lock(mutex_);
  if (!initialized_) {
    throw failed_precondition("table `", name,
                              "` is not filled yet; run its initializer first (InitializeTableV2 "
                              "or InitializeTableFromTextFileV2)");
  }
  parallel_for(count, 128, [&](int64_t begin, int64_t end) {
    const void* first = element_at(kind_.key, keys, begin * key_size_);
    for_each_key(first, end - begin, [&](const auto& index, const auto& key, int64_t n) {
      const int64_t i = begin + n;
      const auto it = index.find(key);
      const void* from = it != index.end()
                             ? element_at(kind_.value, values_.raw(), it->second * value_size_)
                             : element_at(kind_.value, defaults, one_default ? 0 : i * value_size_);
      copy_elements(kind_.value, from, element_at(kind_.value, out, i * value_size_), value_size_);
    });
  });
}

int64_t LookupTable::size() const {
  const std::shared_lock lock(mutex_);
  return std::visit([](const auto& index) { return static_cast<int64_t>(index.size()); }, rows_);
}

std::pair<Tensor, Tensor> LookupTable::entries() const {
  const std::shared_lock lock(mutex_);
  return std::visit(
      [&](const auto& index) -> std::pair<Tensor, Tensor> {
        using Key = typename std::decay_t<decltype(index)>::key_type;
        std::vector<std::pair<int64_t, const Key*>> order;
        for (const auto& [key, row] : index) order.emplace_back(row, &key);
        std::sort(order.begin(), order.end());
        const auto count = static_cast<int64_t>(order.size());
        const bool packed = key_size_ != 1;
        const Shape key_shape = Shape{count}.concat(kind_.key_shape);
        Tensor keys(packed ? kind_.key : kDTypeOf<Key>, key_shape);
        Tensor values(kind_.value, Shape{count}.concat(kind_.value_shape));
        for (int64_t i = 0; i < count; ++i) {
          const auto& [row, key] = order[static_cast<size_t>(i)];
          if constexpr (std::is_same_v<Key, std::string>) {
            if (packed) {
              unpack_key(*key, keys, i);
            } else {
              keys.mutable_data<Key>()[static_cast<size_t>(i)] = *key;
            }
          } else {
            keys.mutable_data<Key>()[static_cast<size_t>(i)] = *key;
          }
          copy_elements(kind_.value, element_at(kind_.value, values_.raw(), row * value_size_),
                        element_at(kind_.value, values.mutable_raw(), i * value_size_),
                        value_size_);
        }
        return {keys.dtype() == kind_.key ? keys : keys.cast(kind_.key), values};
      },
      rows_);
}

}  // namespace thalweg::reference
