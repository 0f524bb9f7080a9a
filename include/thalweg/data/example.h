// What flows through an input pipeline: examples, and the description of their components.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg::data {

/// One element of a pipeline: its components, e.g. {features, label}; after batch() each has a
/// leading batch dimension.
using Example = std::vector<Tensor>;

/// Name, type and shape of one component. Dimensions that differ between elements are unknown.
struct Component {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape = {};
  friend bool operator==(const Component&, const Component&) = default;
};
using Spec = std::vector<Component>;

/// For listings: "features uint8[28, 28], label int64[]".
std::string to_string(const Spec& spec);

/// Throws invalid_argument naming the component when `example` does not have the number, types and
/// shapes of `spec`.
void check_example(const Example& example, const Spec& spec);

/// Stacks component by component along a new first dimension. There must be at least one example;
/// throws invalid_argument when types, shapes or numbers of components differ.
Example stack(const std::vector<Example>& examples);

}  // namespace thalweg::data
