// Building branches, loops and calls from C++ callables.
//
// A callable is run once, while the graph is built, and what it adds becomes the body of a
// function. It uses tensors and variables from outside freely: those become arguments.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

using Outputs = std::vector<Output>;
using BranchBody = std::function<Outputs()>;
using LoopBody = std::function<Outputs(const Outputs&)>;
using LoopCondition = std::function<Output(const Outputs&)>;

struct CondOptions {
  std::string name = {};
};
/// The results of `then_branch` when `pred` is true (see op `If`), else those of `else_branch`:
/// only one runs. Both give the same number of results of the same types; shapes may differ and
/// are unknown then. TensorFlow's tf.cond.
Outputs cond_list(const Output& pred, const BranchBody& then_branch, const BranchBody& else_branch,
                  const CondOptions& options = {});
/// The results of branch `index` (an int32 scalar), or of `otherwise` when it is out of range.
/// TensorFlow's tf.switch_case.
Outputs case_list(const Output& index, const std::vector<BranchBody>& branches,
                  const BranchBody& otherwise, const CondOptions& options = {});

struct WhileOptions {
  int64_t maximum_iterations = -1;           // -1: as many as the condition wants
  std::vector<Shape> shape_invariants = {};  // of the variables; empty: their first shapes
  int64_t parallel_iterations = 10;          // kept for graph files
  std::string name = {};
};
/// The last values of loop variables that start as `variables` and become `body` of themselves as
/// long as `cond` of them is true. Throws invalid_argument naming the variable when the body gives
/// another number of values, or another type or shape. TensorFlow's tf.while_loop.
Outputs while_list(const LoopCondition& cond, const LoopBody& body, const Outputs& variables,
                   const WhileOptions& options = {});

/// A function in the graph's library, with the tensors from outside that its body uses.
struct DefinedFunction {
  std::string name;
  Graph* graph = nullptr;
  Outputs captures = {};
};
struct ArgumentSpec {
  DType dtype = kInvalid;
  Shape shape = Shape::unknown();
  std::string name = {};
};
/// Adds a function. Throws already_exists.
DefinedFunction define_function(Graph& graph, const std::string& name,
                                const std::vector<ArgumentSpec>& signature, const LoopBody& body);
/// The results of a call. Throws invalid_argument when the arguments do not fit.
Outputs call(const DefinedFunction& function, const Outputs& arguments,
             const CondOptions& options = {});
/// The same by name, for a function that takes nothing from outside, or all of it in `arguments`.
Outputs call(Graph& graph, const std::string& function, const Outputs& arguments,
             const CondOptions& options = {});

struct MapOptions {
  std::vector<DType> dtypes = {};  // of the results; empty: those of the elements
  bool reverse = false;            // scan: from the last element to the first
  std::string name = {};
};
/// `f` of each row of the tensors `elems` (slices along dimension 0), stacked.
Outputs map_list(const LoopBody& f, const Outputs& elems, const MapOptions& options = {});
using FoldBody = std::function<Outputs(const Outputs& state, const Outputs& row)>;
/// All states on the way: `f` of the state so far and each row of `elems`, stacked.
Outputs scan_list(const FoldBody& f, const Outputs& elems, const Outputs& initial,
                  const MapOptions& options = {});
/// The last state.
Outputs fold_list(const FoldBody& f, const Outputs& elems, const Outputs& initial,
                  const MapOptions& options = {});

namespace internal {
inline Outputs listed(const Output& output) { return {output}; }
inline Outputs listed(Outputs outputs) { return outputs; }

/// Throws invalid_argument.
[[noreturn]] void wrong_parameter_count(size_t takes, size_t given);

template <class F, size_t... I>
auto spread(F& f, const Outputs& values, std::index_sequence<I...>) {
  if (values.size() != sizeof...(I)) wrong_parameter_count(sizeof...(I), values.size());
  return f(((void)I, values.at(I))...);
}
template <class F>
struct Parameters : Parameters<decltype(&F::operator())> {};
template <class C, class R, class... A>
struct Parameters<R (C::*)(A...) const> : std::integral_constant<size_t, sizeof...(A)> {};
template <class C, class R, class... A>
struct Parameters<R (C::*)(A...)> : std::integral_constant<size_t, sizeof...(A)> {};

/// Calls f with the list, or with its elements one by one.
template <class F>
auto apply_to(F& f, const Outputs& values) {
  if constexpr (std::is_invocable_v<F&, const Outputs&>) {
    return f(values);
  } else {
    return spread(f, values, std::make_index_sequence<Parameters<F>::value>());
  }
}
}  // namespace internal

/// cond_list for callables that give one Output, or a list:
/// `cond(greater(x, zero), [&] { return x; }, [&] { return -x; })`.
template <class Then, class Else>
auto cond(const Output& pred, Then then_branch, Else else_branch, const CondOptions& options = {}) {
  Outputs results = cond_list(
      pred, [&] { return internal::listed(then_branch()); },
      [&] { return internal::listed(else_branch()); }, options);
  if constexpr (std::is_convertible_v<std::invoke_result_t<Then>, Output>) {
    return results.at(0);
  } else {
    return results;
  }
}

/// case_list for branches that give one Output each.
inline Output case_(const Output& index, const std::vector<std::function<Output()>>& branches,
                    const std::function<Output()>& otherwise, const CondOptions& options = {}) {
  std::vector<BranchBody> lists;
  for (const auto& branch : branches) lists.push_back([&branch] { return Outputs{branch()}; });
  return case_list(
             index, lists, [&] { return Outputs{otherwise()}; }, options)
      .at(0);
}

/// while_list for callables that take the variables one by one, or as a list.
template <class Cond, class Body>
Outputs while_loop(Cond cond, Body body, const Outputs& variables,
                   const WhileOptions& options = {}) {
  return while_list([&](const Outputs& v) -> Output { return internal::apply_to(cond, v); },
                    [&](const Outputs& v) { return internal::listed(internal::apply_to(body, v)); },
                    variables, options);
}

inline Output map_fn(const std::function<Output(Output)>& f, const Output& elems,
                     const MapOptions& options = {}) {
  return map_list([&](const Outputs& row) { return Outputs{f(row[0])}; }, {elems}, options).at(0);
}
inline Output scan(const std::function<Output(Output, Output)>& f, const Output& elems,
                   const Output& initial, const MapOptions& options = {}) {
  return scan_list([&](const Outputs& s, const Outputs& x) { return Outputs{f(s[0], x[0])}; },
                   {elems}, {initial}, options)
      .at(0);
}
inline Output foldl(const std::function<Output(Output, Output)>& f, const Output& elems,
                    const Output& initial, const MapOptions& options = {}) {
  return fold_list([&](const Outputs& s, const Outputs& x) { return Outputs{f(s[0], x[0])}; },
                   {elems}, {initial}, options)
      .at(0);
}

}  // namespace thalweg
