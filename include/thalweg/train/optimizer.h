// Optimizers: from a loss to the node that makes one training step.
//
// An optimizer adds gradients, slots and update ops to the graph; all it remembers between steps
// are variables of the graph (slots, and the global step), so a checkpoint of the variables is a
// checkpoint of the optimizer. Formulas and defaults are those of Keras and TensorFlow. Options out
// of their range, and any that is not finite, throw invalid_argument where the optimizer is made.
//
// Of a large table whose rows the network gathers (embeddings, hashed features) Sgd, Adagrad and
// Ftrl update only the rows that a batch meets: the same step, as these rules change nothing where
// the gradient is 0. Ftrl does change something there with l2_shrinkage, with a rate that changes,
// and where a weight does not start at 0 as its slot says; then all rows are updated. The other
// rules move every row at every step, by their momentum or decaying means.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "thalweg/graph/graph.h"
#include "thalweg/ops/training.h"
#include "thalweg/train/schedule.h"

namespace thalweg {

/// Bounds on gradients before they are applied, in this order; 0 leaves one out.
struct Clip {
  double value = 0;        // each element into [-value, value]
  double norm = 0;         // each gradient to at most this L2 norm
  double global_norm = 0;  // all gradients together to at most this L2 norm
};

/// The name of the int64 scalar variable that counts training steps.
inline constexpr std::string_view kGlobalStep = "global_step";
/// Its value; the variable is made (0, not trainable) when the graph has none.
Output global_step(Graph& graph);

struct GradientAndVariable {
  Output gradient;
  Output variable;  // the handle
};

/// Bounds the gradients as `clip` says.
std::vector<GradientAndVariable> clip_gradients(std::vector<GradientAndVariable> gradients,
                                                const Clip& clip);

/// What all optimizers share. A value; cheap to copy. Use Sgd, Adam, ... below, or derive a rule.
class Optimizer {
 public:
  /// One variable's update: adds slots and the update op. Implement it for an optimizer of your
  /// own.
  class Rule {
   public:
    virtual ~Rule() = default;
    virtual std::string name() const = 0;
    /// All options that change what it does, but for the learning rate: "beta1=0.9, beta2=0.999".
    /// A training is not gone on with under others, so leave none out.
    virtual std::string options() const { return {}; }
    /// The update must read `rate`, the learning rate: a check of the loss may hang on it. `step`
    /// is the number of updates before this one, those of other optimizers of the graph not
    /// counted. Both are float32 scalars; `gradient` has the variable's shape.
    virtual Node& update(Output variable, Output gradient, Output rate, Output step) const = 0;
    /// Whether a gradient of 0 changes neither weight nor slots of this variable, so that
    /// update_rows() is the same step as update(). `constant_rate` tells that the learning rate is
    /// always the same.
    virtual bool keeps_rows_without_gradient(Output /*variable*/, bool /*constant_rate*/) const {
      return false;
    }
    /// update() of some rows alone; of a row that is named several times the gradient stands at its
    /// first place, zeros at the others. Called for rules that keep the other rows.
    virtual Node& update_rows(Output variable, const RowGradient& gradient, Output rate) const;
  };

  /// Throws invalid_argument without a rule, and for bounds that are negative or not finite.
  Optimizer(std::shared_ptr<const Rule> rule, Schedule rate, Clip clip);

  /// d(loss)/d(variable) for `variables` (handles or reads; empty: all trainable variables that the
  /// loss depends on). Throws invalid_argument when there is none.
  std::vector<GradientAndVariable> compute_gradients(Output loss,
                                                     std::vector<Output> variables = {}) const;
  /// One step: clips, updates every variable, runs what layers collected as "updates", and adds 1
  /// to the global step and to a count of its own, the variable `<rule>/iterations`, by which rate
  /// and rule go: several optimizers of one graph do not count each other's steps. Returns the node
  /// to run.
  Node& apply_gradients(std::vector<GradientAndVariable> gradients) const;
  /// Both. A loss that is not finite throws out of the step before any weight changes.
  Node& minimize(Output loss, std::vector<Output> variables = {}) const;

  /// The learning rate of the coming step, a float32 scalar for logs: of the newest step in the
  /// graph by a rule of this name, and before there is one by the global step.
  Output learning_rate(Graph& graph) const;
  /// "Adam(learning_rate=0.001, beta1=0.9, ...)", for run records: equal texts, equal steps.
  std::string to_string() const;

 private:
  friend Node& apply_gradients(Output loss, std::vector<struct OptimizerPart> parts);
  Node& apply_after(Node* check, std::vector<GradientAndVariable> gradients) const;
  void add_updates(Node* check, std::vector<GradientAndVariable> gradients,
                   std::vector<Node*>& nodes) const;

  std::shared_ptr<const Rule> rule_;
  Schedule rate_;
  Clip clip_;
};

/// An optimizer and what it is to apply, of compute_gradients().
struct OptimizerPart {
  Optimizer optimizer;
  std::vector<GradientAndVariable> gradients;
};
/// One step by one loss for several optimizers: each clips its own gradients and counts its own
/// steps, the global step counts once. A loss that is not finite throws as in minimize().
Node& apply_gradients(Output loss, std::vector<OptimizerPart> parts);

struct SgdOptions {
  Schedule learning_rate = 0.01;
  Clip clip = {};
};
/// `w -= rate * g`. ResourceApplyGradientDescent.
struct Sgd : Optimizer {
  explicit Sgd(const SgdOptions& options = {});
};

struct MomentumOptions {
  Schedule learning_rate = 0.01;
  double momentum = 0.9;
  bool nesterov = false;
  Clip clip = {};
};
/// `a = momentum * a - rate * g; w += a` (with Nesterov `w += momentum * a - rate * g`), as Keras's
/// SGD. ResourceApplyKerasMomentum.
struct Momentum : Optimizer {
  explicit Momentum(const MomentumOptions& options = {});
};

struct AdamOptions {
  Schedule learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;
  Clip clip = {};
};
/// Kingma and Ba, arXiv:1412.6980. ResourceApplyAdam.
struct Adam : Optimizer {
  explicit Adam(const AdamOptions& options = {});
};

struct AdamWOptions {
  Schedule learning_rate = 0.001;
  double weight_decay = 0.004;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;
  Clip clip = {};
};
/// Adam with decoupled weight decay: Loshchilov and Hutter, arXiv:1711.05101.
struct AdamW : Optimizer {
  explicit AdamW(const AdamWOptions& options = {});
};

struct RmsPropOptions {
  Schedule learning_rate = 0.001;
  double rho = 0.9;
  double momentum = 0.0;
  double epsilon = 1e-7;
  bool centered = false;
  Clip clip = {};
};
/// Hinton's lecture 6e. ResourceApplyRMSProp, or ResourceApplyCenteredRMSProp.
struct RmsProp : Optimizer {
  explicit RmsProp(const RmsPropOptions& options = {});
};

struct AdagradOptions {
  Schedule learning_rate = 0.001;
  double initial_accumulator = 0.1;
  double epsilon = 1e-7;
  Clip clip = {};
};
/// Duchi et al., JMLR 2011. ResourceApplyAdagradV2.
struct Adagrad : Optimizer {
  explicit Adagrad(const AdagradOptions& options = {});
};

struct AdadeltaOptions {
  Schedule learning_rate = 0.001;
  double rho = 0.95;
  double epsilon = 1e-7;
  Clip clip = {};
};
/// Zeiler, arXiv:1212.5701. ResourceApplyAdadelta.
struct Adadelta : Optimizer {
  explicit Adadelta(const AdadeltaOptions& options = {});
};

struct FtrlOptions {
  Schedule learning_rate = 0.001;
  double learning_rate_power = -0.5;
  double initial_accumulator = 0.1;
  double l1 = 0.0;
  double l2 = 0.0;
  double l2_shrinkage = 0.0;
  Clip clip = {};
};
/// McMahan et al., KDD 2013. ResourceApplyFtrlV2.
struct Ftrl : Optimizer {
  explicit Ftrl(const FtrlOptions& options = {});
};

}  // namespace thalweg
