// Measuring a model on a data set: loss and metrics, each example counted by its weight.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "thalweg/data/dataset.h"
#include "thalweg/runtime/session.h"
#include "thalweg/train/train_spec.h"

namespace thalweg {

struct EvaluationOptions {
  /// At most this many batches; needed for an infinite data set.
  int64_t max_batches = std::numeric_limits<int64_t>::max();
  /// Asked before each batch; true gives the evaluation up. Empty: never.
  std::function<bool()> cancelled = {};
};

struct Evaluation {
  /// "loss" (when the spec has one), then the metrics in their order.
  std::vector<Figure> figures;
  int64_t examples = 0;
  double seconds = 0;
  /// Whether `cancelled` ended it; the figures are then those of the batches seen.
  bool cancelled = false;

  /// NaN when there is none of that name.
  double operator[](std::string_view name) const { return figure(figures, name); }
};

/// Evaluates again and again without building plans anew. Thread-compatible; the session must
/// outlive it. A run draws random numbers, if at all, without moving on the training's stream.
class Evaluator {
 public:
  /// Throws invalid_argument when the spec has no inputs, or neither loss nor metric.
  Evaluator(Session& session, EvalSpec spec);

  /// Over one pass of `batches`. Throws invalid_argument when the components do not fit the inputs,
  /// when the data set is infinite and max_batches is not set, and when it is empty.
  Evaluation run(const Dataset& batches, const EvaluationOptions& options = {});

 private:
  Session* session_;
  EvalSpec spec_;
  Callable step_;
  std::vector<Tensor> values_;
};

/// Once.
Evaluation evaluate(Session& session, const EvalSpec& spec, const Dataset& batches,
                    const EvaluationOptions& options = {});

}  // namespace thalweg
