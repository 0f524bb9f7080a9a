// What a model takes in: one description, with which fit, evaluate and predict make of the data as
// they come what the network sees. A saved model carries it along.
#pragma once

#include <string>
#include <vector>

#include "thalweg/data/example.h"
#include "thalweg/graph/graph.h"

namespace thalweg {

/// A value.
struct InputSpec {
  DType dtype = DType::kInvalid;
  /// Of one example as it is fed, fully defined: `[28, 28]` of an image in grey.
  Shape shape = {};
  /// Features are multiplied by it, after the standardisation.
  double scale = 1;
  /// Whether a channel is added, `[28, 28]` to `[28, 28, 1]`, for convolutions.
  bool add_channel = false;
  /// Names of the features of a table, in their order; empty for other data.
  std::vector<std::string> columns = {};
  /// Each feature's mean is taken off, and the rest divided by its deviation; empty: not.
  std::vector<float> mean = {};
  std::vector<float> deviation = {};

  /// The spec of this component: uint8 are pixels, scaled to [0, 1], and uint8 of rank 2 are images
  /// that lack a channel. Throws invalid_argument for strings and shapes not fully known.
  static InputSpec of(const data::Component& features);

  /// Learns mean and deviation from float rows `[rows, features]`. A feature that never changes
  /// gets deviation 1.
  void standardize(const Tensor& rows);

  /// The placeholder's shape, `[?, ...]`, and that of what the network sees.
  Shape batch_shape() const;
  Shape network_shape() const;
  /// And its dtype: int32 and int64 are ids for an Embedding and stay, all else becomes float32.
  DType network_dtype() const;
  /// What the network sees of a batch.
  Output prepare(Output batch) const;
  /// Throws invalid_argument unless `rows` `[rows, ...]` are features of this kind.
  void check(const Tensor& rows) const;
};

}  // namespace thalweg
