#include "thalweg/ops/loss.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/normalization.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

void softmax_loss_shape(ShapeContext& c) {
  const Shape features = c.with_rank(0, 2);
  const Shape labels = c.with_rank(1, 2);
  if (!features.is_compatible_with(labels)) {
    throw c.error("labels must have the shape of the logits (`features`) ", features, ", got ",
                  labels);
  }
  const Shape both = features.merge(labels);
  if (both[1] == 0) throw c.error("logits need at least one class, got shape ", both);
  c.set_output(0, Shape{both[0]});
  c.set_output(1, both);
}

void sparse_loss_shape(ShapeContext& c) {
  Shape features = c.with_rank(0, 2);
  const Shape labels = c.with_rank(1, 1);
  if (!Shape{features[0]}.is_compatible_with(labels)) {
    throw c.error("labels must have one class for each of the ", features[0],
                  " rows of the logits (`features`) ", features, ", got shape ", labels);
  }
  if (features[1] == 0) throw c.error("logits need at least one class, got shape ", features);
  if (features[0] == kUnknownDim) features.set_dim(0, labels[0]);
  c.set_output(0, Shape{features[0]});
  c.set_output(1, features);
}

// The part of the features' gradient that both losses share: output 0 has softmax - labels, which
// is output 1, as its gradient, and output 1 depends on the features through the softmax alone.
Output features_gradient(GradientContext& c) {
  Output gradient;
  if (c.grad(0)) gradient = expand_dims(c.grad(0), -1) * c.output(1);
  if (c.grad(1)) {
    const Output y = softmax(c.input(0)), g = c.grad(1);
    const Output second = (g - reduce_sum(g * y, -1, {.keep_dims = true})) * y;
    gradient = gradient ? gradient + second : second;
  }
  return gradient;
}

void softmax_loss_gradient(GradientContext& c) {
  c.set(0, features_gradient(c));
  Output labels;
  if (c.grad(0)) labels = -(expand_dims(c.grad(0), -1) * log_softmax(c.input(0)));
  if (c.grad(1)) labels = labels ? labels - c.grad(1) : -c.grad(1);
  c.set(1, labels);
}

void sparse_loss_gradient(GradientContext& c) { c.set(0, features_gradient(c)); }

void l2_loss_gradient(GradientContext& c) { c.set(0, c.input(0) * c.grad()); }

constexpr OpDef kLossOps[] = {
    {.name = "SoftmaxCrossEntropyWithLogits",
     .inputs = {"features: T | Logits, `[batch, classes]`.",
                "labels: T | `[batch, classes]`; each row a distribution: it sums to 1."},
     .outputs = {"loss: T | `[batch]`.",
                 "backprop: T | `[batch, classes]`: softmax(features) - labels, the gradient of "
                 "each loss by its row of features."},
     .attrs = {"T: {half, bfloat16, float, double} | Element type."},
     .doc = "-sum(labels * log_softmax(features)) for each row, finite for finite logits. A label "
            "of 0 adds nothing.",
     .shape = softmax_loss_shape,
     .gradient = softmax_loss_gradient},
    {.name = "SparseSoftmaxCrossEntropyWithLogits",
     .inputs = {"features: T | Logits, `[batch, classes]`.",
                "labels: Tlabels | `[batch]`: classes, in [0, classes)."},
     .outputs = {"loss: T | `[batch]`.",
                 "backprop: T | `[batch, classes]`: softmax(features) - one_hot(labels), the "
                 "gradient of each loss by its row of features."},
     .attrs = {"T: {half, bfloat16, float, double} | Element type.",
               "Tlabels: {int32, int64} = int64 | Type of labels."},
     .doc = "-log_softmax(features)[label] for each row, finite for finite logits. A label out of "
            "range is an error.",
     .shape = sparse_loss_shape,
     .gradient = sparse_loss_gradient},
    {.name = "L2Loss",
     .inputs = {"t: T | Of any shape."},
     .outputs = {"output: T | A scalar."},
     .attrs = {"T: {half, bfloat16, float, double} | Element type."},
     .doc = "sum(t * t) / 2.",
     .shape = shape_functions::scalar,
     .gradient = l2_loss_gradient},
};

}  // namespace

std::span<const OpDef> loss_ops() { return kLossOps; }

Output softmax_cross_entropy_with_logits(Output logits, Output labels, LossOptions options) {
  return add_op("SoftmaxCrossEntropyWithLogits", {logits, labels}, {}, options.name);
}

Output sparse_softmax_cross_entropy_with_logits(Output logits, Output labels, LossOptions options) {
  return add_op("SparseSoftmaxCrossEntropyWithLogits", {logits, labels}, {}, options.name);
}

// Written with select rather than relu and abs, whose gradients at 0 would not add up to sigmoid(0)
// - labels.
Output sigmoid_cross_entropy_with_logits(Output logits, Output labels, LossOptions options) {
  const Output positive = greater_equal(logits, 0);
  const Output part = select(positive, logits, 0) - logits * labels;
  const Output negative_abs = select(positive, -logits, logits);
  return add_op("AddV2", {part, log1p(exp(negative_abs))}, {}, options.name);
}

Output l2_loss(Output t, LossOptions options) { return add_op("L2Loss", {t}, {}, options.name); }

}  // namespace thalweg
