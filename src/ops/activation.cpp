// Activation functions of networks, element by element, with TensorFlow's gradient ops.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/unary_rows.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using rows::activation;
using rows::gradient_of_features;
using rows::gradient_of_outputs;
using rows::gradient_of_result;
using rows::kFloats;
using rows::kNumbers;
using Context = GradientContext;

// The result tells which side of a kink the input was on, so that the input need not be kept.
template <const char* kOp>
void by_output(Context& c) {
  c.set(0, add_op(kOp, {c.grad(), c.output()}));
}
template <const char* kOp>
void by_input(Context& c) {
  c.set(0, add_op(kOp, {c.grad(), c.input(0)}));
}

// A gradient that is linear in the one that came in, and piecewise constant in the features.
template <const char* kOp>
void linear_gradient(Context& c) {
  c.set(0, add_op(kOp, {c.grad(), c.input(1)}));
  c.set(1, zeros_like(c.input(1)));
}

// backprops = gradients * (outputs + constant) below 0, where the constant is exact: the derivative
// by outputs.
template <const char* kOp>
void exponential_gradient(Context& c) {
  const Output gradients = c.input(0), outputs = c.input(1), g = c.grad();
  c.set(0, add_op(kOp, {g, outputs}));
  c.set(1, select(less(outputs, 0.0), g * gradients, 0.0));
}

constexpr char kReluGrad[] = "ReluGrad";
constexpr char kRelu6Grad[] = "Relu6Grad";
constexpr char kEluGrad[] = "EluGrad";
constexpr char kSeluGrad[] = "SeluGrad";
constexpr char kSoftplusGrad[] = "SoftplusGrad";
constexpr char kSoftsignGrad[] = "SoftsignGrad";

constexpr const char* kAlpha = "alpha: float = 0.2 | Slope below 0.";

constexpr OpDef kOps[] = {
    activation("Relu", kNumbers, "max(features, 0); NaN stays NaN. The gradient at 0 is 0.",
               by_output<kReluGrad>),
    gradient_of_features(
        "ReluGrad", kNumbers,
        "Gradient of Relu: gradients where features > 0, else 0. Relu's result serves as features.",
        linear_gradient<kReluGrad>),

    activation("Relu6", kNumbers,
               "min(max(features, 0), 6); NaN stays NaN. The gradient at 0 and 6 is 0.",
               by_output<kRelu6Grad>),
    gradient_of_features("Relu6Grad", kNumbers,
                         "Gradient of Relu6: gradients where 0 < features < 6, else 0. Relu6's "
                         "result serves as features.",
                         linear_gradient<kRelu6Grad>),

    {.name = "LeakyRelu",
     .inputs = {"features: T | Any shape."},
     .outputs = {"activations: T | The shape of `features`."},
     .attrs = {kAlpha, kFloats},
     .doc = "features, or alpha * features where they are below 0. The gradient at 0 is alpha.",
     .shape = shape_functions::same_as_input,
     .gradient =
         [](Context& c) {
           c.set(0, add_op("LeakyReluGrad", {c.grad(), c.input(0)},
                           {{"alpha", c.attr<float>("alpha")}}));
         }},
    {.name = "LeakyReluGrad",
     .inputs = {"gradients: T | Gradient of the activations.",
                "features: T | Input of the forward op."},
     .outputs = {"backprops: T | Gradient of the features."},
     .attrs = {kAlpha, kFloats},
     .doc = "Gradient of LeakyRelu: gradients where features > 0, else alpha * gradients.",
     .shape = rows::one_shape,
     .gradient =
         [](Context& c) {
           c.set(0, add_op("LeakyReluGrad", {c.grad(), c.input(1)},
                           {{"alpha", c.attr<float>("alpha")}}));
           c.set(1, zeros_like(c.input(1)));
         }},

    activation("Elu", kFloats, "features, or exp(features) - 1 below 0 (Clevert et al. 2015).",
               by_output<kEluGrad>),
    gradient_of_outputs("EluGrad",
                        "Gradient of Elu: gradients, times (outputs + 1) where outputs < 0.",
                        exponential_gradient<kEluGrad>),

    activation("Selu", kFloats,
               "scale * features, or scale * alpha * (exp(features) - 1) below 0, with alpha = "
               "1.67326324 and scale = "
               "1.05070099 (Klambauer et al. 2017).",
               by_output<kSeluGrad>),
    gradient_of_outputs("SeluGrad",
                        "Gradient of Selu: gradients * scale, or gradients * (outputs + scale * "
                        "alpha) where outputs "
                        "< 0.",
                        exponential_gradient<kSeluGrad>),

    activation("Softplus", kFloats, "log(1 + exp(features)), without overflow.",
               by_input<kSoftplusGrad>),
    gradient_of_features("SoftplusGrad", kFloats,
                         "Gradient of Softplus: gradients * sigmoid(features).",
                         [](Context& c) {
                           const Output gradients = c.input(0), features = c.input(1), g = c.grad();
                           const Output slope = sigmoid(features);
                           c.set(0, add_op("SoftplusGrad", {g, features}));
                           c.set(1, add_op("SigmoidGrad", {slope, g * gradients}));
                         }),

    activation("Softsign", kFloats, "features / (1 + |features|).", by_input<kSoftsignGrad>),
    gradient_of_features("SoftsignGrad", kFloats,
                         "Gradient of Softsign: gradients / (1 + |features|)^2.",
                         [](Context& c) {
                           const Output features = c.input(1), g = c.grad();
                           const Output size = 1.0 + abs(features);
                           c.set(0, add_op("SoftsignGrad", {g, features}));
                           c.set(1, -2.0 * g * sign(features) * c.output() / size);
                         }),

    rows::unary("Sigmoid", kFloats, "1 / (1 + exp(-x)), without overflow.",
                [](Context& c) {
                  c.set(0, add_op("SigmoidGrad", {c.output(), c.grad()}));
                }),
    gradient_of_result("SigmoidGrad", "Gradient of Sigmoid: dy * y * (1 - y).",
                       [](Context& c) {
                         const Output y = c.input(0), dy = c.input(1), g = c.grad();
                         c.set(0, g * dy * (1.0 - 2.0 * y));
                         c.set(1, add_op("SigmoidGrad", {y, g}));
                       }),
};

}  // namespace

std::span<const OpDef> activation_ops() { return kOps; }

}  // namespace thalweg
