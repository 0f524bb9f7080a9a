#include "data/example_fields.h"

#include <algorithm>
#include <cstring>

#include "thalweg/base/error.h"
#include "thalweg/base/printable.h"

namespace thalweg::data {
namespace {

Error no_example(std::string_view why) {
  return data_loss("the record is no tf.train.Example: ", why);
}

/// The fields of a message.
class Wire {
 public:
  explicit Wire(std::string_view bytes) : rest_(bytes) {}

  bool next() {
    if (rest_.empty()) return false;
    const uint64_t tag = varint();
    field_ = tag >> 3;
    switch (tag & 7) {
      case 0: value_ = varint(); break;
      case 1: bytes_ = take(8); break;
      case 2: bytes_ = take(varint()); break;
      case 5: bytes_ = take(4); break;
      default: throw no_example("it holds an unknown kind of field");
    }
    kind_ = static_cast<int>(tag & 7);
    return true;
  }
  uint64_t field() const { return field_; }
  int kind() const { return kind_; }
  uint64_t value() const { return value_; }
  std::string_view message() const {
    if (kind_ != 2) throw no_example("a number stands where a message is expected");
    return bytes_;
  }
  std::string_view raw() const { return bytes_; }

  uint64_t varint() {
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_[0]);
      rest_.remove_prefix(1);
      result |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return result;
    }
    throw no_example("a number in it is cut short or too long");
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(uint64_t size) {
    if (size > rest_.size()) throw no_example("a field in it is longer than the record");
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  std::string_view rest_;
  std::string_view bytes_;
  uint64_t field_ = 0, value_ = 0;
  int kind_ = 0;
};

void add_value(ExampleFeature& feature, CellValue cell) {
  if (feature.values++ == 0) feature.first = cell;
}

CellValue float_value(std::string_view bytes) {
  float value = 0;
  if (bytes.size() != sizeof(value)) throw no_example("a float in it has not 4 bytes");
  std::memcpy(&value, bytes.data(), sizeof(value));
  return CellValue::of(static_cast<double>(value));
}

/// Feature: a list of bytes (1), floats (2) or int64 (3), packed or not.
void parse_feature(std::string_view message, ExampleFeature& feature) {
  for (Wire wire(message); wire.next();) {
    const uint64_t kind = wire.field();
    for (Wire list(wire.message()); list.next();) {
      if (list.field() != 1) throw no_example("a list of values has an unknown field");
      if (kind == 1) {
        add_value(feature, CellValue::of(list.message()));
      } else if (kind == 2 && list.kind() == 2) {
        for (std::string_view packed = list.raw(); !packed.empty();
             packed.remove_prefix(std::min<size_t>(4, packed.size())))
          add_value(feature, float_value(packed.substr(0, 4)));
      } else if (kind == 2) {
        add_value(feature, float_value(list.kind() == 5 ? list.raw() : std::string_view()));
      } else if (kind == 3 && list.kind() == 2) {
        for (Wire packed(list.raw()); !packed.at_end();)
          add_value(feature, CellValue::of(static_cast<int64_t>(packed.varint())));
      } else if (kind == 3 && list.kind() == 0) {
        add_value(feature, CellValue::of(static_cast<int64_t>(list.value())));
      } else {
        throw no_example("a feature has an unknown kind of list");
      }
    }
  }
}

}  // namespace

void parse_example(std::string_view message, std::vector<ExampleFeature>& features) {
  features.clear();
  for (Wire example(message); example.next();) {
    if (example.field() != 1) throw no_example("it has an unknown field");
    for (Wire map(example.message()); map.next();) {
      if (map.field() != 1) throw no_example("its features have an unknown field");
      ExampleFeature feature;
      for (Wire entry(map.message()); entry.next();) {
        if (entry.field() == 1) feature.name = entry.message();
        if (entry.field() == 2) parse_feature(entry.message(), feature);
      }
      if (!is_utf8(feature.name)) throw no_example("the name of a feature is no UTF-8 text");
      features.push_back(feature);
    }
  }
}

}  // namespace thalweg::data
