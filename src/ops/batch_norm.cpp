// In the formulas, for each channel: n values x with mean m and variance v; xc = x - m; r = 1 /
// sqrt(v + epsilon); s the scale; sums run over the n values. All of it is computed in U, the type
// of the per-channel values.

#include "ops/batch_norm.h"

#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/graph/window.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/normalization.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

int channel_axis(const ShapeContext& c) {
  return image_axes(c.attr<std::string>("data_format")).channels;
}

// `channels` merged with the shape of per-channel input `i`.
Shape merge_channels(const ShapeContext& c, const Shape& channels, int i) {
  const Shape values = c.with_rank(i, 1);
  if (!values.is_compatible_with(channels)) {
    throw c.error("`", c.input_name(i), "` must have one value for each of the ", channels[0],
                  " channels, got shape ", values);
  }
  return channels.merge(values);
}

// Sums over channels, and per-channel values beside images.
struct Channels {
  ImageAxes axes;
  Output images;
  Output values;

  Channels(const GradientContext& c, Output images, Output values)
      : axes(image_axes(c.attr<std::string>("data_format"))), images(images), values(values) {}

  Output sum(Output x) const { return reduce_sum(x, {axes.batch, axes.height, axes.width}); }
  Output spread(Output v) const { return axes.channels == 1 ? reshape(v, {-1, 1, 1}) : v; }
  // n, a scalar.
  Output count() const {
    const Shape& shape = images.shape();
    if (shape.is_fully_defined()) {
      return scalar_like(values, static_cast<double>(shape[axes.batch]) *
                                     static_cast<double>(shape[axes.height]) *
                                     static_cast<double>(shape[axes.width]));
    }
    return cast(size_of(images), values.dtype()) / cast(size_of(values), values.dtype());
  }
};

// Adds a term to a sum that starts as nothing.
void accumulate(Output& sum, Output term) { sum = sum ? sum + term : term; }

void set_if(GradientContext& c, int i, Output gradient) {
  if (gradient) c.set(i, gradient);
}

}  // namespace

void batch_norm_shape(ShapeContext& c) {
  const Shape x = c.with_rank(0, 4);
  const int axis = channel_axis(c);
  Shape channels{x[axis]};
  channels = merge_channels(c, channels, 1);
  channels = merge_channels(c, channels, 2);
  // With a factor of 1 training does not look at the running values, and TensorFlow passes empty
  // ones.
  const bool unused =
      c.attr<bool>("is_training") && c.attr<float>("exponential_avg_factor") == 1.0f;
  for (int i : {3, 4}) {
    if (!(unused && c.with_rank(i, 1)[0] == 0)) channels = merge_channels(c, channels, i);
  }
  Shape y = x;
  if (x[axis] == kUnknownDim) y.set_dim(axis, channels[0]);
  c.set_output(0, y);
  for (int i = 1; i <= 4; ++i) c.set_output(i, channels);
  if (c.num_outputs() > 5) c.set_output(5, Shape{});  // of the third version
}

void batch_norm_gradient(GradientContext& c) {
  const Output x = c.input(0), scale = c.input(1);
  const DType u = scale.dtype();
  const bool training = c.attr<bool>("is_training");
  const float factor = c.attr<float>("exponential_avg_factor");
  const Channels channels(c, x, scale);
  Output dx, dm, dv;  // of x; of what x is normalised by
  if (c.grad(0)) {
    const FusedBatchNormGradResult backprop =
        fused_batch_norm_grad(c.grad(0), x, scale, training ? c.output(3) : c.input(3),
                              training ? c.output(4) : c.input(4),
                              c.node().num_outputs() > 5 ? c.output(5) : scalar_like(scale, 0),
                              {.epsilon = c.attr<float>("epsilon"),
                               .data_format = c.attr<std::string>("data_format"),
                               .is_training = training});
    dx = backprop.x_backprop;
    c.set(1, backprop.scale_backprop);
    c.set(2, backprop.offset_backprop);
    if (!training) {
      // y = s (x - m) r + offset, so that dm = -s r sum(dy) and dv = -s r^2 / 2 * r sum(dy xc).
      const Output r = rsqrt(c.input(4) + c.attr<float>("epsilon"));
      dm = -(scale * r * backprop.offset_backprop);
      dv = scale * square(r) * backprop.scale_backprop * -0.5;
    }
  }
  if (!training) {
    for (int i : {1, 3}) {
      if (c.grad(i)) accumulate(dm, c.grad(i));
      if (c.grad(i + 1)) accumulate(dv, c.grad(i + 1));
    }
    set_if(c, 0, dx);
    set_if(c, 3, dm);
    set_if(c, 4, dv);
    return;
  }
  if (c.grad(3)) accumulate(dm, c.grad(3));
  if (c.grad(4)) accumulate(dv, c.grad(4));
  if (c.grad(1)) {
    accumulate(dm, c.grad(1) * factor);
    if (factor != 1.0f) c.set(3, c.grad(1) * (1 - factor));
  }
  if (c.grad(2)) {
    const Output n = channels.count();
    accumulate(dv, c.grad(2) * (n / maximum(n - 1, 1)) * factor);
    if (factor != 1.0f) c.set(4, c.grad(2) * (1 - factor));
  }
  // m = sum(x) / n and v = sum(xc^2) / n.
  if (dm) {
    const Output spread = channels.spread(dm / channels.count());
    accumulate(dx, cast(zeros_like(cast(x, u)) + spread, x.dtype()));
  }
  if (dv) {
    const Output xc = cast(x, u) - channels.spread(c.output(3));
    accumulate(dx, cast(xc * channels.spread(dv * 2 / channels.count()), x.dtype()));
  }
  set_if(c, 0, dx);
}

void batch_norm_grad_shape(ShapeContext& c) {
  const Shape backprop = c.with_rank(0, 4);
  const Shape x = c.with_rank(1, 4);
  if (!backprop.is_compatible_with(x)) {
    throw c.error("y_backprop must have the shape of x ", x, ", got ", backprop);
  }
  const Shape images = x.merge(backprop);
  Shape channels{images[channel_axis(c)]};
  for (int i = 2; i <= 4; ++i) channels = merge_channels(c, channels, i);
  c.set_output(0, images);
  c.set_output(1, channels);
  c.set_output(2, channels);
  c.set_output(3, Shape{0});
  c.set_output(4, Shape{0});
}

// The derivatives of dx = s r (dy - D/n - xc r^2 P/n) (when not training: s r dy), ds = r P and
// doffset = D, where D = sum(dy) and P = sum(dy xc). With a, b, e the gradients of the three, A =
// sum(a), Q = sum(a xc), R = sum(a dy):
//   L = s r (R - A D/n - r^2 Q P/n) + b r P + e D.
// m and v count as inputs of their own; their gradients reach x through the forward op that gave
// them.
void batch_norm_grad_gradient(GradientContext& c) {
  const Output scale = c.input(2);
  const DType u = scale.dtype();
  const bool training = c.attr<bool>("is_training");
  const Channels channels(c, c.input(1), scale);
  const Output dy = cast(c.input(0), u);
  const Output xc = cast(c.input(1), u) - channels.spread(c.input(3));
  const Output r = rsqrt(c.input(4) + c.attr<float>("epsilon"));
  const Output sum_dy = channels.sum(dy);
  const Output p = channels.sum(dy * xc);
  Output ddy, dx, dm, dr;
  if (c.grad(0)) {
    const Output a = cast(c.grad(0), u);
    const Output sum_a_dy = channels.sum(a * dy);
    const Output sr = scale * r;
    if (!training) {
      ddy = a * channels.spread(sr);
      c.set(2, r * sum_a_dy);
      dr = scale * sum_a_dy;
    } else {
      const Output n = channels.count();
      const Output mean_a = channels.sum(a) / n;
      const Output q = channels.sum(a * xc) / n;
      const Output r2 = square(r);
      ddy = (a - channels.spread(mean_a) - xc * channels.spread(r2 * q)) * channels.spread(sr);
      dx = -((a * channels.spread(p / n) + dy * channels.spread(q)) * channels.spread(sr * r2));
      dm = sr * r2 * (mean_a * p + q * sum_dy);
      const Output rest = sum_a_dy - mean_a * sum_dy;
      c.set(2, r * (rest - r2 * q * p));
      dr = scale * (rest - r2 * q * p * 3);
    }
  }
  if (c.grad(1)) {
    const Output b = c.grad(1);
    accumulate(ddy, xc * channels.spread(b * r));
    accumulate(dx, dy * channels.spread(b * r));
    accumulate(dm, -(b * r * sum_dy));
    accumulate(dr, b * p);
  }
  if (c.grad(2)) {
    const Output spread = channels.spread(c.grad(2));
    accumulate(ddy, ddy ? spread : zeros_like(dy) + spread);
  }
  const DType t = c.input(0).dtype();
  if (ddy) c.set(0, cast(ddy, t));
  if (dx) c.set(1, cast(dx, t));
  set_if(c, 3, dm);
  if (dr) c.set(4, dr * r * square(r) * -0.5);
}

}  // namespace thalweg
