#include "thalweg/data/example.h"

#include <algorithm>
#include <cstring>

namespace thalweg::data {
namespace {

Tensor stack_component(const std::vector<Example>& examples, size_t i) {
  const Tensor& first = examples[0][i];
  for (size_t k = 1; k < examples.size(); ++k) {
    const Tensor& other = examples[k][i];
    if (other.dtype() == first.dtype() && other.shape() == first.shape()) continue;
    throw invalid_argument("cannot stack component ", i, ": the first of ", examples.size(),
                           " elements is ", first.dtype(), first.shape(), ", number ", k + 1,
                           " is ", other.dtype(), other.shape(),
                           "; map them to one shape and type before batch()");
  }
  Tensor result(first.dtype(), Shape{static_cast<int64_t>(examples.size())}.concat(first.shape()));
  if (first.dtype() == kString) {
    auto out = result.mutable_data<std::string>().begin();
    for (const Example& example : examples)
      out = std::ranges::copy(example[i].data<std::string>(), out).out;
  } else if (const size_t bytes = first.byte_size(); bytes != 0) {
    auto* out = static_cast<std::byte*>(result.mutable_raw());
    for (const Example& example : examples) {
      std::memcpy(out, example[i].raw(), bytes);
      out += bytes;
    }
  }
  return result;
}

}  // namespace

std::string to_string(const Spec& spec) {
  std::string out;
  for (const Component& component : spec) {
    if (!out.empty()) out += ", ";
    append(out, str(component.name, " ", component.dtype, component.shape));
  }
  return out;
}

void check_example(const Example& example, const Spec& spec) {
  if (example.size() != spec.size()) {
    throw invalid_argument("the element has ", example.size(), " components, expected ",
                           spec.size(), " (", to_string(spec), ")");
  }
  for (size_t i = 0; i < spec.size(); ++i) {
    if (example[i].dtype() == spec[i].dtype && spec[i].shape.is_compatible_with(example[i].shape()))
      continue;
    throw invalid_argument("component '", spec[i].name, "' is ", example[i].dtype(),
                           example[i].shape(), ", expected ", spec[i].dtype, spec[i].shape);
  }
}

Example stack(const std::vector<Example>& examples) {
  THALWEG_CHECK(!examples.empty(), "nothing to stack");
  for (const Example& example : examples) {
    if (example.size() == examples[0].size()) continue;
    throw invalid_argument("cannot stack elements of ", examples[0].size(), " and ", example.size(),
                           " components");
  }
  Example result;
  result.reserve(examples[0].size());
  for (size_t i = 0; i < examples[0].size(); ++i) result.push_back(stack_component(examples, i));
  return result;
}

}  // namespace thalweg::data
