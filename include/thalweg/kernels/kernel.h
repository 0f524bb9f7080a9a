// The kernel interface: prepare once for known shapes, compute many times without looking anything
// up.
//
// `make` sees attributes, shapes, layouts and constant inputs, and returns a prepared kernel or
// declines with null. What it returns is const and reentrant; anything that changes during a run
// lives in a KernelState, one per run slot.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thalweg/graph/graph.h"
#include "thalweg/kernels/layout.h"
#include "thalweg/kernels/resource.h"

namespace thalweg {

class FunctionRunner;  // thalweg/kernels/function_runner.h
/// What the calls of functions inherit from the run they belong to; only the runtime looks inside.
class RunScope;

/// What is known about one input or output when a kernel is prepared. For a resource input, shape
/// and layout are those of the variable's value: a kernel that works on it in place takes its
/// layout as it is, or asks for plain (null), and the plan then keeps the variable plain.
struct TensorSpec {
  DType dtype = DType::kInvalid;
  Shape shape;       // fully defined for inputs; outputs may be unknown (data-dependent)
  LayoutPtr layout;  // inputs: how it arrives; outputs: always null in a request
  const Tensor* constant = nullptr;  // inputs: the value, when it is a constant
  bool flexible = false;  // inputs: a variable whose layout is still free: ask for what suits
  bool unused = false;    // outputs: nobody reads it; it need not be written
};

struct KernelRequest {
  const Node& node;
  std::span<const TensorSpec> inputs;
  std::span<const TensorSpec> outputs;
  FunctionRunner* functions = nullptr;  // for ops that call functions; null outside a session
};

/// What a prepared kernel asks of the plan. Empty vectors mean: all plain.
struct KernelTraits {
  std::vector<LayoutPtr>
      input_layouts;  // wanted; the plan converts where an input arrives otherwise
  std::vector<LayoutPtr> output_layouts;      // produced
  std::vector<std::pair<int, int>> in_place;  // (input, output) pairs that may share one buffer
  size_t scratch_bytes = 0;                   // work space, kAlignment-aligned, uninitialised
  std::string note = {};                      // for explain: "jit:avx512_core", ...
};

/// Mutable state of a kernel for one run at a time (memory handles, ...).
class KernelState {
 public:
  virtual ~KernelState() = default;
};

/// What a kernel sees while it computes. Pointers are to the first element, in the layouts agreed
/// on.
class KernelContext {
 public:
  virtual ~KernelContext() = default;

  template <class T>
  const T* input(int i) const {
    return static_cast<const T*>(inputs_[i]);
  }
  template <class T>
  T* output(int i = 0) const {
    return static_cast<T*>(outputs_[i]);
  }
  const void* input_pointer(int i) const { return inputs_[i]; }
  void* output_pointer(int i) const { return outputs_[i]; }
  void* scratch() const { return scratch_; }
  KernelState* state() const { return state_; }

  /// Input i is a variable's handle: its state.
  VariableState& variable(int i) const { return *static_cast<VariableState*>(resource_pointer(i)); }
  /// Input i is a handle: what it stands for. Throws invalid_argument when that is no T.
  template <class T>
  T& resource(int i) const {
    Resource* const resource = resource_pointer(i);
    if (auto* const typed = dynamic_cast<T*>(resource)) return *typed;
    wrong_resource(*resource);
  }

  /// For an output whose shape depends on data: hands over the tensor.
  virtual void set_output(int i, Tensor value) = 0;
  /// Input i as a tensor over the same memory, for the time of compute(); invalid for a resource.
  virtual Tensor input_tensor(int) const { return {}; }
  /// Whether nobody reads input i after this kernel: an object in it may then be taken.
  virtual bool is_last_use(int) const { return false; }
  /// Null outside a session.
  virtual RunScope* run_scope() const { return nullptr; }
  /// Number of this run among the session's runs that draw random numbers; a random kernel's
  /// counter starts from it.
  virtual uint64_t random_run() const = 0;
  /// Where Print writes.
  virtual void print(std::string_view text) = 0;

 protected:
  Resource* resource_pointer(int i) const {
    return static_cast<Resource*>(const_cast<void*>(inputs_[i]));
  }
  [[noreturn]] static void wrong_resource(const Resource& resource);

  const void* const* inputs_ = nullptr;
  void* const* outputs_ = nullptr;
  void* scratch_ = nullptr;
  KernelState* state_ = nullptr;
};

/// A prepared operation. Immutable.
class Kernel {
 public:
  explicit Kernel(KernelTraits traits = {}) : traits_(std::move(traits)) {}
  virtual ~Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  virtual void compute(KernelContext& context) const = 0;
  /// Null when it needs none.
  virtual std::unique_ptr<KernelState> make_state() const { return nullptr; }
  const KernelTraits& traits() const { return traits_; }

 private:
  KernelTraits traits_;
};

using KernelPtr = std::unique_ptr<Kernel>;

/// A kernel from a callable `void(KernelContext&)` that holds what it prepared.
template <class F>
KernelPtr make_kernel(F compute, KernelTraits traits = {}) {
  class FunctionKernel final : public Kernel {
   public:
    FunctionKernel(F f, KernelTraits t) : Kernel(std::move(t)), compute_(std::move(f)) {}
    void compute(KernelContext& context) const override { compute_(context); }

   private:
    F compute_;
  };
  return std::make_unique<FunctionKernel>(std::move(compute), std::move(traits));
}

/// The kernel of an op that makes a handle (but of variables, which the plan knows): it is never
/// computed, but asked once for the resource when no plan of the session has met its name before.
class HandleKernel : public Kernel {
 public:
  virtual std::shared_ptr<Resource> create() const = 0;
  void compute(KernelContext&) const override {}
};

/// One implementation of one op. `make` returns null to decline; a reference implementation
/// declines only dtypes that its op does not allow.
struct KernelDef {
  std::string_view op;
  std::string_view provider;  // "reference", "cpu", "onednn", or a user's name
  KernelPtr (*make)(const KernelRequest& request);
};

}  // namespace thalweg
