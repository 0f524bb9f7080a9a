// Attribute values of nodes: what TensorFlow's AttrValue can hold, as a C++ value.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// The name of a function in the graph's library (see function.h): the body of a loop, a branch.
struct FunctionName {
  std::string name;
  std::string to_string() const { return name; }
  friend bool operator==(const FunctionName&, const FunctionName&) = default;
};

/// One attribute. Lists of ints, floats, bools, strings, types, shapes and functions are vectors.
using AttrValue =
    std::variant<int64_t, float, bool, std::string, DType, Shape, Tensor, std::vector<int64_t>,
                 std::vector<float>, std::vector<bool>, std::vector<std::string>,
                 std::vector<DType>, std::vector<Shape>, FunctionName, std::vector<FunctionName>>;

/// TensorFlow's name of the kind held: "int", "float", "list(type)", ...
std::string_view attr_kind(const AttrValue& value);
/// For listings: 3, 0.5, true, "SAME", float32, [1, 2, 2, 1].
std::string to_string(const AttrValue& value);
bool operator==(const AttrValue& a, const AttrValue& b) = delete;
/// Same kind and value; tensors by bits.
bool same_attr(const AttrValue& a, const AttrValue& b);

/// Attributes by name, sorted, so that listings and files are reproducible.
using AttrMap = std::map<std::string, AttrValue, std::less<>>;

}  // namespace thalweg
