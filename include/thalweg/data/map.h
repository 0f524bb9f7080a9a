// Functions that a pipeline applies to each element, and the ready-made ones.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "thalweg/data/example.h"

namespace thalweg::data {

/// A function from element to element. It must be pure: same input, same output, callable from
/// several threads.
class MapFunction {
 public:
  using Call = std::function<Example(Example)>;
  using SpecCall = std::function<Spec(const Spec&)>;

  template <class F>
  requires std::is_invocable_r_v<Example, F&, Example> MapFunction(F function)
      : call_(std::move(function)) {}  // NOLINT: a lambda is a map function
  /// Also tells the output's spec from the input's; without it, the spec is found by mapping the
  /// first element.
  MapFunction(Call function, SpecCall spec) : call_(std::move(function)), spec_(std::move(spec)) {}

  /// False for one made of an empty std::function.
  explicit operator bool() const { return call_ != nullptr; }
  Example operator()(Example example) const { return call_(std::move(example)); }
  bool knows_spec() const { return spec_ != nullptr; }
  Spec spec(const Spec& input) const { return spec_(input); }

 private:
  Call call_;
  SpecCall spec_;
};

/// Component `component` as float32, times `scale`: to_float(1 / 255.f) turns pixels into [0, 1].
/// Works on single elements and, faster, on batches.
MapFunction to_float(float scale = 1, int component = 0);

/// Component `component` converted to `dtype`, as op Cast does.
MapFunction cast(DType dtype, int component);

}  // namespace thalweg::data
