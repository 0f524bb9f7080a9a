// Optimizer updates: one pass over the variable, its slots and its gradient, in the variable's own
// layout; all variables of one optimizer in one kernel.
#include <cmath>
#include <map>

#include "kernels/cpu/optimizer.h"
#include "kernels/families.h"
#include "kernels/variable_access.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

// About 5 microseconds of an update that reads and writes several arrays.
constexpr int64_t kGrain = 8192;

// One variable's arrays: the variable, its slots, and the gradient last.
using Arrays = float* const*;
struct Flags {
  bool use_nesterov = false;
  bool update_slots = true;
  bool multiply_linear_by_lr = false;
};
// Updates elements [begin, begin + n); `h` are the scalar inputs in order.
using Update = void (*)(const float* h, const Flags& flags, Arrays arrays, int64_t begin,
                        int64_t n);

struct Rule {
  int slots;     // resource inputs, the variable included
  int inputs;    // of the op
  int gradient;  // which input is the gradient
  // Whether a cell with variable, slots and gradient 0 stays so, which makes padded layouts safe:
  // always, never, or when the input of this number (epsilon) is a constant above 0.
  int keeps_zero;
  Update update;
};

void gradient_descent(const float* h, const Flags&, Arrays a, int64_t i, int64_t n) {
  simd::apply_gradient_descent(h[0], a[0] + i, a[1] + i, n);
}
// Scalars are lr and momentum.
void momentum(const float* h, const Flags& flags, Arrays a, int64_t i, int64_t n) {
  simd::apply_momentum({h[0], h[1], flags.use_nesterov}, a[0] + i, a[1] + i, a[2] + i, n);
}
void keras_momentum(const float* h, const Flags& flags, Arrays a, int64_t i, int64_t n) {
  simd::apply_keras_momentum({h[0], h[1], flags.use_nesterov}, a[0] + i, a[1] + i, a[2] + i, n);
}
// Scalars are beta1_power, beta2_power, lr, beta1, beta2, epsilon.
void adam(const float* h, const Flags& flags, Arrays a, int64_t i, int64_t n) {
  const float alpha = h[2] * std::sqrt(1 - h[1]) / (1 - h[0]);
  simd::apply_adam({alpha, h[3], h[4], h[5], flags.use_nesterov, 0}, a[0] + i, a[1] + i, a[2] + i,
                   a[3] + i, n);
}
// Scalars are beta1_power, beta2_power, lr, weight_decay, beta1, beta2, epsilon.
void adamw(const float* h, const Flags&, Arrays a, int64_t i, int64_t n) {
  const float alpha = h[2] * std::sqrt(1 - h[1]) / (1 - h[0]);
  simd::apply_adam({alpha, h[4], h[5], h[6], false, h[2] * h[3]}, a[0] + i, a[1] + i, a[2] + i,
                   a[3] + i, n);
}
void adagrad(const float* h, const Flags& flags, Arrays a, int64_t i, int64_t n) {
  simd::apply_adagrad({h[0], 0, flags.update_slots}, a[0] + i, a[1] + i, a[2] + i, n);
}
void adagrad_v2(const float* h, const Flags& flags, Arrays a, int64_t i, int64_t n) {
  simd::apply_adagrad({h[0], h[1], flags.update_slots}, a[0] + i, a[1] + i, a[2] + i, n);
}
void adadelta(const float* h, const Flags&, Arrays a, int64_t i, int64_t n) {
  simd::apply_adadelta({h[0], h[1], h[2]}, a[0] + i, a[1] + i, a[2] + i, a[3] + i, n);
}
// Scalars are lr, rho, momentum, epsilon.
void rms_prop(const float* h, const Flags&, Arrays a, int64_t i, int64_t n) {
  simd::apply_rms_prop({h[0], h[1], h[2], h[3]}, a[0] + i, a[1] + i, a[2] + i, a[3] + i, n);
}
void centered_rms_prop(const float* h, const Flags&, Arrays a, int64_t i, int64_t n) {
  simd::apply_centered_rms_prop({h[0], h[1], h[2], h[3]}, a[0] + i, a[1] + i, a[2] + i, a[3] + i,
                                a[4] + i, n);
}
// Scalars are lr, l1, l2, lr_power.
void ftrl(const float* h, const Flags& flags, Arrays a, int64_t i, int64_t n) {
  simd::apply_ftrl({h[0], h[1], h[2], 0, h[3], flags.multiply_linear_by_lr}, a[0] + i, a[1] + i,
                   a[2] + i, a[3] + i, n);
}
// Scalars are lr, l1, l2, l2_shrinkage, lr_power.
void ftrl_v2(const float* h, const Flags& flags, Arrays a, int64_t i, int64_t n) {
  simd::apply_ftrl({h[0], h[1], h[2], h[3], h[4], flags.multiply_linear_by_lr}, a[0] + i, a[1] + i,
                   a[2] + i, a[3] + i, n);
}

constexpr int kAlways = -1;
constexpr int kNever = -2;

const Rule* find_rule(std::string_view op) {
  static const std::map<std::string_view, Rule> rules = {
      {"ResourceApplyGradientDescent", {1, 3, 2, kAlways, gradient_descent}},
      {"ResourceApplyMomentum", {2, 5, 3, kAlways, momentum}},
      {"ResourceApplyKerasMomentum", {2, 5, 3, kAlways, keras_momentum}},
      {"ResourceApplyAdam", {3, 10, 9, 8, adam}},
      {"_ResourceApplyAdamW", {3, 11, 10, 9, adamw}},
      {"ResourceApplyAdagrad", {2, 4, 3, kNever, adagrad}},
      {"ResourceApplyAdagradV2", {2, 5, 4, 3, adagrad_v2}},
      {"ResourceApplyAdadelta", {3, 7, 6, 5, adadelta}},
      {"ResourceApplyRMSProp", {3, 8, 7, 6, rms_prop}},
      {"ResourceApplyCenteredRMSProp", {4, 9, 8, 7, centered_rms_prop}},
      {"ResourceApplyFtrl", {3, 8, 3, kNever, ftrl}},
      {"ResourceApplyFtrlV2", {3, 9, 3, kNever, ftrl_v2}},
  };
  const auto it = rules.find(op);
  return it == rules.end() ? nullptr : &it->second;
}

Flags read_flags(const Node& node) {
  Flags flags;
  const auto read = [&](const char* name, bool& flag) {
    if (const AttrValue* value = node.find_attr(name)) flag = std::get<bool>(*value);
  };
  read("use_nesterov", flags.use_nesterov);
  read("update_slots", flags.update_slots);
  read("multiply_linear_by_lr", flags.multiply_linear_by_lr);
  return flags;
}

constexpr int kMaxArrays = 5;
constexpr int kMaxScalars = 8;

// One variable's part of the kernel.
struct Part {
  int first_input = 0;
  int64_t count = 0;  // elements, padding included
  Shape shape;        // of the gradient: the variable's and its slots' must be the same
};

class Updates {
 public:
  Updates(const Rule& rule, Flags flags, std::vector<Part> parts)
      : rule_(rule), flags_(flags), parts_(std::move(parts)) {
    for (const Part& part : parts_) total_ += part.count;
  }

  void operator()(KernelContext& context) const {
    for (const Part& part : parts_) check(context, part);
    // One range over all variables laid end to end, so that small ones do not leave threads idle.
    parallel_for(total_, kGrain, [&](int64_t begin, int64_t end) {
      int64_t start = 0;
      for (const Part& part : parts_) {
        const int64_t from = std::max(begin, start) - start;
        const int64_t to = std::min(end, start + part.count) - start;
        if (from < to) update(context, part, from, to);
        start += part.count;
      }
    });
  }

 private:
  void check(KernelContext& context, const Part& part) const {
    for (int s = 0; s < rule_.slots; ++s) {
      const VariableState& variable = context.variable(part.first_input + s);
      check_initialized(variable);
      if (!(variable.value_shape == part.shape)) {
        throw invalid_argument("variable `", variable.name, "` has shape ", variable.value_shape,
                               ", the gradient ", part.shape);
      }
    }
  }

  void update(KernelContext& context, const Part& part, int64_t from, int64_t to) const {
    float* arrays[kMaxArrays] = {};
    float scalars[kMaxScalars] = {};
    int next_array = 0;
    int next_scalar = 0;
    for (int i = 0; i < rule_.inputs; ++i) {
      const int input = part.first_input + i;
      if (i < rule_.slots) {
        arrays[next_array++] = static_cast<float*>(context.variable(input).buffer->data());
      } else if (i != rule_.gradient) {
        scalars[next_scalar++] = *context.input<float>(input);
      }
    }
    arrays[next_array] =
        const_cast<float*>(context.input<float>(part.first_input + rule_.gradient));
    rule_.update(scalars, flags_, arrays, from, to - from);
  }

  const Rule& rule_;
  Flags flags_;
  std::vector<Part> parts_;
  int64_t total_ = 0;
};

bool keeps_zero(const Rule& rule, const TensorSpec* inputs) {
  if (rule.keeps_zero < 0) return rule.keeps_zero == kAlways;
  const Tensor* epsilon = inputs[rule.keeps_zero].constant;
  return epsilon != nullptr && epsilon->at(0) > 0;
}

// The layout in which variable, slots and gradient of one update are taken.
LayoutPtr common_layout(const Rule& rule, const TensorSpec* inputs) {
  LayoutPtr layout = inputs[0].layout;
  if (layout == nullptr || (layout->has_padding() && !keeps_zero(rule, inputs))) return nullptr;
  for (int s = 1; s < rule.slots; ++s) {
    if (!inputs[s].flexible && !same_layout(inputs[s].layout, layout)) return nullptr;
  }
  return layout;
}

KernelPtr make_updates(const KernelRequest& request, std::string_view op, int count) {
  const Rule* rule = find_rule(op);
  if (rule == nullptr) return nullptr;
  KernelTraits traits;
  traits.input_layouts.assign(request.inputs.size(), nullptr);
  std::vector<Part> parts;
  for (int u = 0; u < count; ++u) {
    const auto first = static_cast<size_t>(u * rule->inputs);
    const TensorSpec* inputs = &request.inputs[first];
    const TensorSpec& gradient = inputs[rule->gradient];
    if (gradient.dtype != kFloat32 || !gradient.shape.is_fully_defined()) return nullptr;
    const LayoutPtr layout = common_layout(*rule, inputs);
    for (int s = 0; s < rule->slots; ++s)
      traits.input_layouts[first + static_cast<size_t>(s)] = layout;
    traits.input_layouts[first + static_cast<size_t>(rule->gradient)] = layout;
    const int64_t elements = layout == nullptr
                                 ? gradient.shape.num_elements()
                                 : static_cast<int64_t>(layout->size_bytes() / sizeof(float));
    parts.push_back({static_cast<int>(first), elements, gradient.shape});
  }
  return make_kernel(Updates(*rule, read_flags(request.node), std::move(parts)), std::move(traits));
}

KernelPtr make_single(const KernelRequest& request) {
  return make_updates(request, request.node.type(), 1);
}

KernelPtr make_fused(const KernelRequest& request) {
  return make_updates(request, request.node.attr<std::string>("op"),
                      static_cast<int>(request.node.attr<int64_t>("num_updates")));
}

constexpr KernelDef kUpdateKernels[] = {
    {"ResourceApplyGradientDescent", "cpu", make_single},
    {"ResourceApplyMomentum", "cpu", make_single},
    {"ResourceApplyKerasMomentum", "cpu", make_single},
    {"ResourceApplyAdam", "cpu", make_single},
    {"_ResourceApplyAdamW", "cpu", make_single},
    {"ResourceApplyAdagrad", "cpu", make_single},
    {"ResourceApplyAdagradV2", "cpu", make_single},
    {"ResourceApplyAdadelta", "cpu", make_single},
    {"ResourceApplyRMSProp", "cpu", make_single},
    {"ResourceApplyCenteredRMSProp", "cpu", make_single},
    {"ResourceApplyFtrl", "cpu", make_single},
    {"ResourceApplyFtrlV2", "cpu", make_single},
    {"_FusedResourceApply", "cpu", make_fused},
};

}  // namespace

std::span<const KernelDef> cpu_update_kernels() { return kUpdateKernels; }

}  // namespace thalweg
