#include "kernels/onednn/layout.h"

#include <algorithm>
#include <cstring>

#include "kernels/onednn/shim_build.h"
#include "thalweg/base/parallel.h"
#include "thalweg/kernels/kernel_registry.h"

namespace thalweg {
namespace onednn {

DnnlLayout::DnnlLayout(Desc desc, Desc view) : desc_(std::move(desc)), view_(std::move(view)) {
  THALWEG_CHECK(!desc_.is_any() && desc_.dims() == view_.dims(), desc_, " is no layout of ", view_);
}

bool DnnlLayout::equals(const Layout& other) const {
  const auto* layout = dynamic_cast<const DnnlLayout*>(&other);
  return layout != nullptr && layout->desc_ == desc_ && layout->view_ == view_;
}

LayoutPtr to_layout(const Desc& desc, const Desc& view) {
  if (desc == view) return nullptr;
  return std::make_shared<DnnlLayout>(desc, view);
}

Desc arriving(const TensorSpec& spec, const Desc& view) {
  if (spec.layout == nullptr) return view;
  const auto* layout = dynamic_cast<const DnnlLayout*>(spec.layout.get());
  return layout != nullptr && layout->view() == view ? layout->desc() : Desc();
}

}  // namespace onednn

namespace {

using onednn::Desc;
using onednn::DnnlLayout;
using onednn::Primitive;

size_t round_up(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

const DnnlLayout& known(const Layout& layout) {
  const auto* result = dynamic_cast<const DnnlLayout*>(&layout);
  if (result == nullptr) {
    throw unimplemented(
        "no conversion from or to the layout ", layout,
        ": it belongs to no kernel of ours; keep its tensors inside its own kernels");
  }
  return *result;
}

// One reorder; or two, by way of the plain tensor, when the layouts have different views of it.
struct Conversion {
  std::vector<Primitive> steps;
  size_t copy_bytes = 0;     // without steps: equal layouts
  size_t between_bytes = 0;  // of the plain tensor between two steps
  size_t scratch_bytes = 0;  // of it, then of the steps
};

Conversion make_conversion(DType dtype, const Shape& shape, const LayoutPtr& from,
                           const LayoutPtr& to) {
  Conversion result;
  if (shape.num_elements() == 0) return result;
  if (dtype == kString) throw unimplemented("strings have no layouts to convert between");
  if (same_layout(from, to)) {
    result.copy_bytes = from != nullptr
                            ? from->size_bytes()
                            : static_cast<size_t>(shape.num_elements()) * element_size(dtype);
    return result;
  }
  if (dtype != kFloat32) {
    throw unimplemented("no conversion of ", dtype, " between layouts, only of float32");
  }
  num_threads();  // primitives take the thread count of the thread that builds them
  const auto add = [&](const Desc& source, const Desc& target) {
    const auto step = onednn::reorder(source, target);
    if (!step) throw unimplemented("no conversion from ", source, " to ", target);
    result.scratch_bytes = std::max(result.scratch_bytes, step->scratch_bytes());
    result.steps.push_back(*step);
  };
  const DnnlLayout* source = from == nullptr ? nullptr : &known(*from);
  const DnnlLayout* target = to == nullptr ? nullptr : &known(*to);
  if (source == nullptr) {
    add(target->view(), target->desc());
  } else if (target == nullptr) {
    add(source->desc(), source->view());
  } else if (source->view() == target->view()) {
    add(source->desc(), target->desc());
  } else {
    add(source->desc(), source->view());
    add(target->view(), target->desc());
    result.between_bytes = round_up(static_cast<size_t>(shape.num_elements()) * sizeof(float));
    result.scratch_bytes += result.between_bytes;
  }
  return result;
}

using Executions = std::vector<onednn::Execution>;

Executions make_executions(const Conversion& conversion) {
  Executions result;
  for (const Primitive& step : conversion.steps) result.push_back(step.make_execution());
  return result;
}

void run(const Conversion& conversion, Executions& executions, const void* source, void* target,
         void* scratch) {
  if (conversion.steps.empty()) {
    if (conversion.copy_bytes > 0) std::memcpy(target, source, conversion.copy_bytes);
    return;
  }
  void* from = const_cast<void*>(source);
  void* work = static_cast<char*>(scratch) + conversion.between_bytes;
  for (size_t i = 0; i < executions.size(); ++i) {
    void* const to = i + 1 < executions.size() ? scratch : target;
    void* const pointers[] = {from, to};
    executions[i].run(pointers, work);
    from = to;
  }
}

struct ConversionState final : KernelState {
  explicit ConversionState(Executions e) : executions(std::move(e)) {}
  Executions executions;
};

class ConversionKernel final : public Kernel {
 public:
  ConversionKernel(Conversion conversion, const LayoutPtr& from, const LayoutPtr& to)
      : Kernel({.input_layouts = {from},
                .output_layouts = {to},
                .scratch_bytes = conversion.scratch_bytes,
                .note = conversion.steps.empty() ? "copy" : conversion.steps.back().impl()}),
        conversion_(std::move(conversion)) {}

  void compute(KernelContext& context) const override {
    run(conversion_, static_cast<ConversionState*>(context.state())->executions,
        context.input_pointer(0), context.output_pointer(0), context.scratch());
  }
  std::unique_ptr<KernelState> make_state() const override {
    return std::make_unique<ConversionState>(make_executions(conversion_));
  }

 private:
  Conversion conversion_;
};

}  // namespace

KernelPtr make_layout_conversion(DType dtype, const Shape& shape, const LayoutPtr& from,
                                 const LayoutPtr& to) {
  return std::make_unique<ConversionKernel>(make_conversion(dtype, shape, from, to), from, to);
}

void convert_layout(DType dtype, const Shape& shape, const LayoutPtr& from, const void* source,
                    const LayoutPtr& to, void* target) {
  const Conversion conversion = make_conversion(dtype, shape, from, to);
  Executions executions = make_executions(conversion);
  const auto scratch = Buffer::allocate(std::max<size_t>(conversion.scratch_bytes, 1));
  run(conversion, executions, source, target, scratch->data());
}

}  // namespace thalweg
