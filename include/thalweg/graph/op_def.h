// What an op is: one literal row of a table.
//
// A family of ops is a constexpr array of OpDef in src/ops/<family>.cpp. Argument and attribute
// strings are TensorFlow's own ("a: T", "transpose_a: bool = false", "T: {float, double}"), each
// followed by its documentation after " | ". The shape function and the gradient stand in the row
// as captureless lambdas, so one look shows the whole op.
#pragma once

#include <array>
#include <string_view>

namespace thalweg {

class ShapeContext;
class GradientContext;

/// A short constexpr list of strings.
class Specs {
 public:
  static constexpr size_t kMax = 20;
  constexpr Specs() = default;
  template <class... S>
  constexpr Specs(const char* first, const S&... rest)
      : items_{first, rest...}, size_(1 + sizeof...(rest)) {}
  constexpr const std::string_view* begin() const { return items_.data(); }
  constexpr const std::string_view* end() const { return items_.data() + size_; }
  constexpr size_t size() const { return size_; }

 private:
  std::array<std::string_view, kMax> items_{};
  size_t size_ = 0;
};

/// Sets the output shapes of a node (unknown where they cannot be told) and throws on inputs that
/// cannot be right.
using ShapeFunction = void (*)(ShapeContext&);
/// Adds the nodes that carry the gradient from outputs to inputs.
using GradientFunction = void (*)(GradientContext&);

/// What an op does besides computing its outputs; decides what may be merged, dropped, folded or
/// reordered.
enum class Effect {
  kNone,    // a pure function of its inputs
  kRandom,  // draws numbers: never merged or folded, not ordered
  kReads,   // reads the resources among its inputs: after earlier writes of them
  kWrites,  // changes the resources among its inputs: after earlier reads and writes of them
  kOrdered  // acts on the outside (Print, Assert): keeps program order among its like
};

struct OpDef {
  std::string_view name;
  Specs inputs;   // "a: T | Left operand, `[m, k]`."; lists as "values: N * T" or "args: Tin"
  Specs outputs;  // the same form
  Specs attrs;    // "T: {float, double} | Element type.", "transpose_a: bool = false | ..."
  std::string_view doc;
  ShapeFunction shape = nullptr;
  GradientFunction gradient = nullptr;
  std::string_view no_gradient = {};  // the reason, when gradient is null
  Effect effect = Effect::kNone;
  bool commutative = false;  // swapping the two inputs changes nothing
};

}  // namespace thalweg
