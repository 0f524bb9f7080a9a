// Running one kernel on plain tensors as a plan would: inputs arrive in given layouts, or as
// variables whose layout is free, and what comes out is converted back.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "thalweg/kernels/evaluate.h"
#include "thalweg/kernels/kernel_registry.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::testing {

/// How the inputs of a kernel arrive; unnamed ones are ordinary plain tensors.
struct Arrival {
  std::vector<bool> flexible = {};      // a variable's value, whose layout is free
  std::vector<LayoutPtr> layouts = {};  // by input
};

struct KernelRun {
  std::string provider;
  std::string note;
  std::vector<Tensor> outputs;  // plain
  std::vector<LayoutPtr> input_layouts, output_layouts;
};

/// A node alone in a graph. Integer tensors become constants, others placeholders of their shape.
class LoneNode {
 public:
  LoneNode(std::string_view op, AttrMap attrs, std::vector<Tensor> inputs)
      : graph_(standard_ops()), inputs_(std::move(inputs)) {
    std::vector<Output> arguments;
    for (const Tensor& tensor : inputs_) {
      const bool is_constant = tensor.dtype() != kFloat32;
      arguments.push_back(
          is_constant
              ? graph_.add("Const", {}, {{"dtype", tensor.dtype()}, {"value", tensor}}).output()
              : graph_
                    .add("Placeholder", {}, {{"dtype", tensor.dtype()}, {"shape", tensor.shape()}})
                    .output());
    }
    node_ = &graph_.add(op, std::move(arguments), std::move(attrs));
  }

  const Node& node() const { return *node_; }
  /// What the reference kernel gives.
  const std::vector<Tensor>& expected() const {
    if (expected_.empty()) expected_ = evaluate(*node_, inputs_, reference_kernels());
    return expected_;
  }

  /// With the first of `kernels` that accepts, else by the reference.
  KernelRun run(const KernelRegistry& kernels, const Arrival& arrival = {}) const {
    std::vector<TensorSpec> inputs, outputs;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      TensorSpec spec{.dtype = inputs_[i].dtype(), .shape = inputs_[i].shape()};
      if (inputs_[i].dtype() != kFloat32) spec.constant = &inputs_[i];
      if (i < arrival.flexible.size()) spec.flexible = arrival.flexible[i];
      if (i < arrival.layouts.size()) spec.layout = arrival.layouts[i];
      inputs.push_back(spec);
    }
    for (int i = 0; i < node_->num_outputs(); ++i) {
      outputs.push_back({.dtype = node_->output_dtype(i), .shape = node_->output_shape(i)});
    }
    KernelRun result;
    const KernelPtr kernel = kernels.make({*node_, inputs, outputs}, &result.provider);
    const KernelTraits& traits = kernel->traits();
    result.note = traits.note;
    result.input_layouts = traits.input_layouts;
    result.output_layouts = traits.output_layouts;
    result.input_layouts.resize(inputs.size());
    result.output_layouts.resize(outputs.size());

    Context context(*this, result);
    const auto scratch = Buffer::allocate(traits.scratch_bytes + 1);
    const auto state = kernel->make_state();
    context.set_work(scratch->data(), state.get());
    kernel->compute(context);
    context.take_outputs(result);
    return result;
  }

 private:
  class Context final : public KernelContext {
   public:
    Context(const LoneNode& lone, const KernelRun& run) : lone_(lone) {
      for (size_t i = 0; i < lone.inputs_.size(); ++i) {
        const Tensor& tensor = lone.inputs_[i];
        in_.push_back(buffer(tensor.dtype(), tensor.shape(), run.input_layouts[i]));
        convert_layout(tensor.dtype(), tensor.shape(), nullptr, tensor.raw(), run.input_layouts[i],
                       in_.back()->data());
        in_pointers_.push_back(in_.back()->data());
      }
      for (int i = 0; i < lone.node_->num_outputs(); ++i) {
        out_.push_back(buffer(lone.node_->output_dtype(i), lone.node_->output_shape(i),
                              run.output_layouts[static_cast<size_t>(i)]));
        std::memset(out_.back()->data(), 0xff,
                    out_.back()->size());  // NaN: shows what is not written
        out_pointers_.push_back(out_.back()->data());
      }
      inputs_ = in_pointers_.data();
      outputs_ = out_pointers_.data();
    }

    void set_work(void* scratch, KernelState* state) {
      scratch_ = scratch;
      state_ = state;
    }
    void set_output(int, Tensor) override { FAIL() << "no output of unknown shape expected"; }
    uint64_t random_run() const override { return 0; }
    void print(std::string_view) override {}

    // Also checks that cells of padding hold zeros: only then is there and back again the identity.
    void take_outputs(KernelRun& run) const {
      for (size_t i = 0; i < out_.size(); ++i) {
        const DType dtype = lone_.node_->output_dtype(static_cast<int>(i));
        const Shape& shape = lone_.node_->output_shape(static_cast<int>(i));
        const LayoutPtr& layout = run.output_layouts[i];
        Tensor plain(dtype, shape);
        convert_layout(dtype, shape, layout, out_[i]->data(), nullptr, plain.mutable_raw());
        if (layout != nullptr) {
          const auto again = buffer(dtype, shape, layout);
          convert_layout(dtype, shape, nullptr, plain.raw(), layout, again->data());
          const auto* was = static_cast<const float*>(out_[i]->data());
          const auto* is = static_cast<const float*>(again->data());
          int64_t differing = 0;
          for (size_t k = 0; k < layout->size_bytes() / sizeof(float); ++k) {
            differing += !(was[k] == is[k] || (std::isnan(was[k]) && std::isnan(is[k])));
          }
          EXPECT_EQ(differing, 0) << lone_.node_->to_string()
                                  << " leaves padding that is not zero in " << layout->to_string();
        }
        run.outputs.push_back(std::move(plain));
      }
    }

   private:
    static std::shared_ptr<Buffer> buffer(DType dtype, const Shape& shape,
                                          const LayoutPtr& layout) {
      const size_t plain = static_cast<size_t>(shape.num_elements()) * element_size(dtype);
      return Buffer::allocate(layout != nullptr ? layout->size_bytes() : plain);
    }

    const LoneNode& lone_;
    std::vector<std::shared_ptr<Buffer>> in_, out_;
    std::vector<const void*> in_pointers_;
    std::vector<void*> out_pointers_;
  };

  Graph graph_;
  std::vector<Tensor> inputs_;
  Node* node_ = nullptr;
  mutable std::vector<Tensor> expected_;
};

/// Arbitrary multiples of 1/64 in (-1, 1), the same on every machine.
inline Tensor some_tensor(const Shape& shape, uint32_t seed = 1) {
  Tensor tensor(kFloat32, shape);
  uint32_t state = seed * 2654435761u;
  for (float& value : tensor.mutable_data<float>()) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(state >> 9) % 127 - 63) / 64.0f;
  }
  return tensor;
}

inline void expect_close(const Tensor& actual, const Tensor& expected, double tolerance,
                         const std::string& what) {
  ASSERT_EQ(actual.shape().to_string(), expected.shape().to_string()) << what;
  int reported = 0;
  for (int64_t i = 0; i < expected.num_elements() && reported < 3; ++i) {
    const double a = actual.at(i), e = expected.at(i);
    const bool close = std::isnan(e)   ? std::isnan(a)
                       : std::isinf(e) ? a == e
                                       : std::abs(a - e) <= tolerance * (1 + std::abs(e));
    if (close) continue;
    ADD_FAILURE() << what << "[" << i << "] is " << a << ", expected " << e;
    ++reported;
  }
}

}  // namespace thalweg::testing
