// The layers that most networks are made of; see image_layers.h for convolution and pooling.
//
// Inputs are `[batch, ..., features]`; what is not said otherwise works on the last dimension.
// Options are checked when a layer is made, inputs when it is called.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "thalweg/nn/layer.h"

namespace thalweg {

struct DenseOptions {
  int64_t units = 0;                  // at least 1
  std::string activation = "linear";  // see activations.h
  bool use_bias = true;
  Initializer kernel_initializer = initializers::glorot_uniform();
  Initializer bias_initializer = initializers::zeros();
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  std::string name = {};
};
/// activation(x * kernel + bias): `[batch, ..., features]` to `[batch, ..., units]`. Variables:
/// kernel `[features, units]`, bias `[units]`.
struct Dense : Layer {
  explicit Dense(DenseOptions options);
};

struct EmbeddingOptions {
  int64_t vocabulary = 0;  // rows, at least 1
  int64_t units = 0;       // columns, at least 1
  Initializer initializer = initializers::uniform(-0.05, 0.05);
  Regularizer regularizer = {};
  std::string name = {};
};
/// Row i of a table for each id i: int32 or int64 `[...]` to `[..., units]`. An id outside [0,
/// vocabulary) is an invalid_argument error when it runs. Variable: embeddings `[vocabulary,
/// units]`.
struct Embedding : Layer {
  explicit Embedding(EmbeddingOptions options);
};

struct BatchNormOptions {
  double momentum = 0.99;  // moving = momentum * moving + (1 - momentum) * the batch's; in [0, 1]
  double epsilon = 1e-3;   // added to the variance; above 0
  bool center = true;      // whether there is a beta
  bool scale = true;       // whether there is a gamma
  std::string name = {};
};
/// gamma * (x - mean) / sqrt(variance + epsilon) + beta for each channel (Ioffe and Szegedy,
/// arXiv:1502.03167). When training, by the mean and (uncorrected) variance of the batch over all
/// dimensions but the last; nodes that update the moving values go to kUpdates. The moving variance
/// averages n / (n - 1) times the batch's, as TensorFlow's fused op does; a batch with one value a
/// channel counts with variance 0, so that all stays finite. When predicting, by the moving values.
/// Variables: gamma, beta; moving_mean, moving_variance (not trainable), all `[channels]`.
struct BatchNorm : Layer {
  explicit BatchNorm(BatchNormOptions options = {});
};

struct DropoutOptions {
  double rate = 0.5;  // share of elements that become 0, in [0, 1)
  std::string name = {};
};
/// When training, sets elements to 0 at random and divides the others by 1 - rate, which keeps the
/// expected value; when predicting, hands the input through. Srivastava et al. 2014.
struct Dropout : Layer {
  explicit Dropout(DropoutOptions options = {});
};

struct ActivationOptions {
  std::string name = {};
};
/// An activation by name: `Activation("relu")`.
struct Activation : Layer {
  explicit Activation(std::string activation, ActivationOptions options = {});
};

struct FlattenOptions {
  std::string name = {};
};
/// `[batch, a, b, ...]` to `[batch, a * b * ...]`.
struct Flatten : Layer {
  explicit Flatten(FlattenOptions options = {});
};

struct ReshapeOptions {
  std::vector<int64_t> shape = {};  // without the batch; one dimension may be -1: what is left
  std::string name = {};
};
/// `[batch, ...]` to `[batch, shape...]`.
struct Reshape : Layer {
  explicit Reshape(ReshapeOptions options);
};

struct SequentialOptions {
  /// With a name, nodes and variables of the layers go under it: "block/dense/kernel".
  std::string name = {};
};
/// Layers one after the other; itself a layer. At least one.
struct Sequential : Layer {
  Sequential(std::initializer_list<Layer> layers, SequentialOptions options = {});
  explicit Sequential(std::vector<Layer> layers, SequentialOptions options = {});
};

}  // namespace thalweg
