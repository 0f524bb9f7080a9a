// A C++ callable over graph tensors, traced once per input signature and run as a cached plan:
// imperative to write, compiled to run.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "thalweg/runtime/session.h"

namespace thalweg {

/// A traced function. A cheap handle; thread-safe. Variables that the callable makes keep their
/// values between calls, under their names, for all signatures; state changes and prints that it
/// adds run on every call.
class TracedFunction {
 public:
  using Body =
      std::function<std::vector<Output>(Graph& graph, const std::vector<Output>& arguments)>;

  explicit TracedFunction(Body body, const OpRegistry* registry = nullptr);

  /// Traces on the first call with these dtypes and shapes, then only runs; the traces of the last
  /// 32 signatures are kept. Throws failed_precondition when the callable, while it is traced,
  /// calls this function with the same dtypes and shapes.
  std::vector<Tensor> call(const std::vector<Tensor>& arguments) const;
  /// The first result. Throws invalid_argument when the callable gives none.
  template <class... Arguments>
  Tensor operator()(const Arguments&... arguments) const {
    std::vector<Tensor> results = call(std::vector<Tensor>{Tensor(arguments)...});
    if (results.empty()) {
      throw invalid_argument("the traced function gives no value; run it by call({...})");
    }
    return std::move(results[0]);
  }
  /// How many traces were made so far.
  int num_traces() const;
  VariableStore& variables() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

namespace internal {
template <class F, size_t... I>
std::vector<Output> call_with(F& f, const std::vector<Output>& arguments,
                              std::index_sequence<I...>) {
  if constexpr (std::is_same_v<std::invoke_result_t<F&, decltype(arguments[I])...>, Output>) {
    return {f(arguments[I]...)};
  } else {
    return f(arguments[I]...);
  }
}
template <class F>
struct Arity : Arity<decltype(&F::operator())> {};
template <class C, class R, class... A>
struct Arity<R (C::*)(A...) const> : std::integral_constant<size_t, sizeof...(A)> {};
template <class C, class R, class... A>
struct Arity<R (C::*)(A...)> : std::integral_constant<size_t, sizeof...(A)> {};
template <class R, class... A>
struct Arity<R (*)(A...)> : std::integral_constant<size_t, sizeof...(A)> {};
}  // namespace internal

/// auto f = function([](Output x, Output y) { return tanh(x * y); });  Tensor z = f(a, b);
/// The callable returns an Output or a vector of them.
template <class F>
TracedFunction function(F f) {
  return TracedFunction([f](Graph&, const std::vector<Output>& arguments) mutable {
    constexpr size_t kArity = internal::Arity<F>::value;
    if (arguments.size() != kArity) {
      throw invalid_argument("the function takes ", kArity, " arguments, got ", arguments.size());
    }
    return internal::call_with(f, arguments, std::make_index_sequence<kArity>());
  });
}

}  // namespace thalweg
