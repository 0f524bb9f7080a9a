#include "kernels/onednn/prepared.h"

#include <algorithm>
#include <array>

#include "kernels/onednn/views.h"
#include "thalweg/base/parallel.h"
#include "thalweg/graph/window.h"

namespace thalweg::onednn {

Desc image_view(const Shape& images, std::string_view data_format) {
  const ImageAxes axes = image_axes(data_format);
  const Dims nchw = {images[axes.batch], images[axes.channels], images[axes.height],
                     images[axes.width]};
  return data_format == "NHWC" ? Desc::nhwc(nchw) : Desc::plain(nchw);
}

Desc filter_view(const Shape& filter, int64_t groups, bool depthwise) {
  const int64_t h = filter[0], w = filter[1];
  const int64_t in = depthwise ? 1 : filter[2];
  const int64_t out = depthwise ? filter[2] * filter[3] : filter[3];
  if (groups == 1 && !depthwise) return Desc::hwio({out, in, h, w});
  const int64_t group_out = out / groups;
  return Desc::strided({groups, group_out, in, h, w}, {group_out, 1, out, w * in * out, in * out});
}

namespace {

constexpr int64_t kElementsIn5Microseconds = 1 << 15;

struct PreparedState final : KernelState {
  explicit PreparedState(Execution e) : execution(std::move(e)) {}
  Execution execution;
};

class PreparedKernel final : public Kernel {
 public:
  struct Source {
    bool is_output;
    int index;
  };

  PreparedKernel(Primitive primitive, std::vector<Source> sources, KernelTraits traits,
                 simd::UnaryFn finish, int64_t finish_count)
      : Kernel(std::move(traits)),
        primitive_(std::move(primitive)),
        sources_(std::move(sources)),
        finish_(finish),
        finish_count_(finish_count) {}

  void compute(KernelContext& context) const override {
    std::array<void*, 16> pointers;
    for (size_t i = 0; i < sources_.size(); ++i) {
      const Source& source = sources_[i];
      pointers[i] = source.is_output ? context.output_pointer(source.index)
                                     : const_cast<void*>(context.input_pointer(source.index));
    }
    static_cast<PreparedState*>(context.state())
        ->execution.run({pointers.data(), sources_.size()}, context.scratch());
    if (finish_ == nullptr) return;
    auto* result = context.output<float>();
    parallel_for(finish_count_, kElementsIn5Microseconds, [&](int64_t begin, int64_t end) {
      finish_(result + begin, result + begin, end - begin);
    });
  }

  std::unique_ptr<KernelState> make_state() const override {
    return std::make_unique<PreparedState>(primitive_.make_execution());
  }

 private:
  Primitive primitive_;
  std::vector<Source> sources_;
  simd::UnaryFn finish_;
  int64_t finish_count_;
};

void set_layout(std::vector<LayoutPtr>& layouts, int index, LayoutPtr layout) {
  const auto slot = static_cast<size_t>(index);
  if (layouts.size() <= slot) layouts.resize(slot + 1);
  layouts[slot] = std::move(layout);
}

}  // namespace

KernelPtr bind(const Primitive& primitive, std::initializer_list<Binding> bindings,
               simd::UnaryFn finish) {
  KernelTraits traits{.scratch_bytes = primitive.scratch_bytes(), .note = primitive.impl()};
  std::vector<PreparedKernel::Source> sources;
  int64_t result_count = 0;
  for (const Arg arg : primitive.args()) {
    const auto* binding = std::find_if(bindings.begin(), bindings.end(),
                                       [arg](const Binding& b) { return b.arg == arg; });
    THALWEG_CHECK(binding != bindings.end(), "argument ", static_cast<int>(arg), " is not bound");
    const Desc desc = primitive.desc(arg);
    sources.push_back({binding->is_output, binding->index});
    set_layout(binding->is_output ? traits.output_layouts : traits.input_layouts, binding->index,
               to_layout(desc, binding->view));
    if (binding->is_output && binding->index == 0) {
      result_count = static_cast<int64_t>(desc.size_bytes() / sizeof(float));
    }
  }
  return std::make_unique<PreparedKernel>(primitive, std::move(sources), std::move(traits), finish,
                                          result_count);
}

// oneDNN's relu and relu6 turn NaN into 0, which would hide that a network diverges; its prelu is
// served by the reference loops only. So these two run as passes of our own over the fresh result.
std::optional<Fusion> fusion_of(const Node& node) {
  Fusion fusion;
  const AttrValue* ops = node.find_attr("fused_ops");
  if (ops == nullptr) return fusion;
  for (const std::string& op : std::get<std::vector<std::string>>(*ops)) {
    if (op == "BiasAdd" && !fusion.bias) {
      fusion.bias = true;
    } else if (op == "Relu" || op == "Relu6") {
      fusion.finish = simd::find_unary(op);
    } else if (op == "Elu") {
      fusion.epilogue.activation = Activation::elu;
    } else if (op == "Tanh") {
      fusion.epilogue.activation = Activation::tanh;
    } else if (op == "Sigmoid") {
      fusion.epilogue.activation = Activation::sigmoid;
    } else if (op == "LeakyRelu") {
      fusion.epilogue = {.activation = Activation::leaky_relu, .alpha = node.attr<float>("alpha")};
    } else {
      return std::nullopt;
    }
  }
  return fusion;
}

bool is_fast(const Primitive& primitive) {
  return primitive.impl().find("gemm:jit") == std::string::npos;
}

bool is_suitable(const KernelRequest& request) {
  const auto usable = [](const TensorSpec& spec) {
    return spec.shape.is_fully_defined() && spec.shape.num_elements() > 0;
  };
  for (const TensorSpec& input : request.inputs) {
    if (input.dtype != kFloat32 && input.dtype != kInt32) return false;
    if (!usable(input)) return false;
  }
  for (const TensorSpec& output : request.outputs) {
    if (output.dtype != kFloat32 || !output.shape.is_fully_defined()) return false;
  }
  if (request.inputs.back().dtype != kFloat32 || !usable(request.outputs[0])) return false;
  num_threads();
  return true;
}

}  // namespace thalweg::onednn
