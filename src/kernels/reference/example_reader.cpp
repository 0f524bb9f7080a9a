#include "kernels/reference/example_reader.h"

#include <cstring>

namespace thalweg::reference {

uint64_t take_wire_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < 10 && i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= uint64_t{byte & 0x7Fu} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  throw data_loss("the message breaks off, or holds no number where one should be");
}

bool WireReader::next() {
  if (rest_.empty()) return false;
  const uint64_t tag = take_wire_varint(rest_);
  field_ = static_cast<uint32_t>(tag >> 3);
  wire_type_ = static_cast<uint32_t>(tag & 7);
  size_t size = 0;
  switch (wire_type_) {
    case 0: varint_ = take_wire_varint(rest_); return true;
    case 1: size = 8; break;
    case 2: {
      const uint64_t length = take_wire_varint(rest_);
      if (length > rest_.size())
        throw data_loss("the message breaks off: field ", field_, " has ", length,
                        " bytes, of which ", rest_.size(), " are there");
      size = static_cast<size_t>(length);
      break;
    }
    case 5: size = 4; break;
    default: throw data_loss("the message holds wire type ", wire_type_, ", which there is not");
  }
  if (size > rest_.size()) throw data_loss("the message breaks off in field ", field_);
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

FeatureValues::FeatureValues(std::string_view feature) {
  WireReader reader(feature);
  while (reader.next()) {
    if (!reader.is_bytes() || reader.field() < 1 || reader.field() > 3) continue;
    const DType dtype = reader.field() == 1 ? kString : reader.field() == 2 ? kFloat32 : kInt64;
    // The last kind wins; parts of one kind are one list.
    if (dtype == dtype_) {
      more_.push_back(reader.bytes());
    } else {
      dtype_ = dtype;
      list_ = reader.bytes();
      more_.clear();
    }
  }
}

template <class F>
void FeatureValues::for_each_list(F f) const {
  f(list_);
  for (std::string_view list : more_) f(list);
}

// f(reader) for each field `value` = 1 of the lists.
template <class F>
void FeatureValues::for_each_value(F f) const {
  for_each_list([&](std::string_view list) {
    WireReader reader(list);
    while (reader.next()) {
      if (reader.field() == 1) f(reader);
    }
  });
}

int64_t FeatureValues::count() const {
  int64_t count = 0;
  if (dtype_ == kInvalid) return 0;
  for_each_value([&](const WireReader& value) {
    if (dtype_ == kString) {
      count += value.is_bytes() ? 1 : 0;
    } else if (!value.is_bytes()) {
      count += (dtype_ == kInt64 ? value.is_varint() : value.is_fixed32()) ? 1 : 0;
    } else if (dtype_ == kFloat32) {
      if (value.bytes().size() % 4 != 0)
        throw data_loss("a list of floats has ", value.bytes().size(), " bytes");
      count += static_cast<int64_t>(value.bytes().size() / 4);
    } else {
      // Each number ends with the one byte of it that is below 128.
      std::string_view packed = value.bytes();
      while (!packed.empty()) {
        take_wire_varint(packed);
        ++count;
      }
    }
  });
  return count;
}

void FeatureValues::copy_to(float* out) const {
  for_each_value([&](const WireReader& value) {
    if (!value.is_bytes() && !value.is_fixed32()) return;
    std::memcpy(out, value.bytes().data(), value.bytes().size());
    out += value.bytes().size() / 4;
  });
}

void FeatureValues::copy_to(int64_t* out) const {
  for_each_value([&](const WireReader& value) {
    if (value.is_varint()) *out++ = static_cast<int64_t>(value.varint());
    if (!value.is_bytes()) return;
    std::string_view packed = value.bytes();
    while (!packed.empty()) *out++ = static_cast<int64_t>(take_wire_varint(packed));
  });
}

void FeatureValues::copy_to(std::string* out) const {
  for_each_value([&](const WireReader& value) {
    if (value.is_bytes()) *out++ = value.bytes();
  });
}

}  // namespace thalweg::reference
