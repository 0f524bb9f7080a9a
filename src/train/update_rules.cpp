// The update rules of the optimizers that come with the library: which options, slots and op.
#include <cmath>

#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/training.h"
#include "thalweg/ops/unary.h"
#include "thalweg/train/optimizer.h"
#include "train/number_checks.h"

namespace thalweg {
namespace {

using train::check_not_negative;
using train::check_share;

const Graph::VariableRecord& record_of(Output variable) {
  const std::string& name = variable_key(*variable.node());
  const Graph::VariableRecord* record = variable.graph().find_variable(name);
  if (record == nullptr)
    throw invalid_argument("variable `", name, "` was not made by this graph's builder");
  return *record;
}

// A variable beside `variable`, of its shape, named as TensorFlow 1 does: `w/Adam`, `w/Adam_1`.
// Outside every scope, so that its name depends on the variable alone.
Output make_slot(Output variable, const std::string& name, double value) {
  const Graph::VariableRecord& record = record_of(variable);
  if (!record.shape.is_fully_defined()) {
    throw invalid_argument("variable `", record.name, "` has shape ", record.shape,
                           "; an optimizer needs it fully defined");
  }
  Graph& graph = variable.graph();
  const RootScope root(graph);
  Tensor initial = Tensor::zeros(record.dtype, record.shape);
  if (value != 0) {
    Tensor filled(kFloat32, record.shape);
    for (float& cell : filled.mutable_data<float>()) cell = static_cast<float>(value);
    initial = filled.cast(record.dtype);
  }
  return Variable(graph, std::move(initial), {.name = record.name + "/" + name, .trainable = false})
      .handle();
}

bool is_zero(Output x) {
  const Node& node = *x.node();
  if (node.type() == "Fill") return is_zero(node.input(1));
  if (node.type() == "ZerosLike") return true;
  if (node.type() != "Const") return false;
  const Tensor value = node.attr<Tensor>("value");
  for (int64_t i = 0; i < value.num_elements(); ++i) {
    if (value.at(i) != 0) return false;
  }
  return true;
}

// As far as its initializer tells.
bool starts_at_zero(const Graph::VariableRecord& record) {
  return record.initializer != nullptr && record.initializer->num_inputs() == 2 &&
         is_zero(record.initializer->input(1));
}

Output number(Output like, double value) {
  return constant(like.graph(), Tensor(value).cast(record_of(like).dtype));
}

Output as_type_of(Output variable, Output scalar) {
  return cast(scalar, record_of(variable).dtype);
}

// beta to the number of this step, counted from 1.
Output power_of(Output variable, double beta, Output step) {
  return pow(number(variable, beta), as_type_of(variable, step + 1.0));
}

class SgdRule final : public Optimizer::Rule {
 public:
  std::string name() const override { return "SGD"; }
  Node& update(Output w, Output g, Output rate, Output) const override {
    return apply_gradient_descent(w, as_type_of(w, rate), g);
  }
  bool keeps_rows_without_gradient(Output, bool) const override { return true; }
  Node& update_rows(Output w, const RowGradient& g, Output rate) const override {
    return apply_gradient_descent_rows(w, as_type_of(w, rate), g);
  }
};

class MomentumRule final : public Optimizer::Rule {
 public:
  explicit MomentumRule(const MomentumOptions& o) : options_(o) {
    check_share(name(), "momentum", o.momentum);
  }
  std::string name() const override { return "Momentum"; }
  std::string options() const override {
    return str("momentum=", options_.momentum, options_.nesterov ? ", nesterov" : "");
  }
  Node& update(Output w, Output g, Output rate, Output) const override {
    return apply_keras_momentum(w, make_slot(w, "Momentum", 0), as_type_of(w, rate), g,
                                number(w, options_.momentum), {.use_nesterov = options_.nesterov});
  }

 private:
  MomentumOptions options_;
};

class AdamRule final : public Optimizer::Rule {
 public:
  explicit AdamRule(const AdamOptions& o) : options_(o) {
    check_share(name(), "beta1", o.beta1);
    check_share(name(), "beta2", o.beta2);
    check_not_negative(name(), "epsilon", o.epsilon);
  }
  std::string name() const override { return "Adam"; }
  std::string options() const override {
    return str("beta1=", options_.beta1, ", beta2=", options_.beta2,
               ", epsilon=", options_.epsilon);
  }
  Node& update(Output w, Output g, Output rate, Output step) const override {
    const Output m = make_slot(w, "Adam", 0);
    const Output v = make_slot(w, "Adam_1", 0);
    return apply_adam(w, m, v, power_of(w, options_.beta1, step), power_of(w, options_.beta2, step),
                      as_type_of(w, rate), number(w, options_.beta1), number(w, options_.beta2),
                      number(w, options_.epsilon), g);
  }

 private:
  AdamOptions options_;
};

class AdamWRule final : public Optimizer::Rule {
 public:
  explicit AdamWRule(const AdamWOptions& o) : options_(o) {
    check_not_negative(name(), "weight_decay", o.weight_decay);
    check_share(name(), "beta1", o.beta1);
    check_share(name(), "beta2", o.beta2);
    check_not_negative(name(), "epsilon", o.epsilon);
  }
  std::string name() const override { return "AdamW"; }
  std::string options() const override {
    return str("weight_decay=", options_.weight_decay, ", beta1=", options_.beta1,
               ", beta2=", options_.beta2, ", epsilon=", options_.epsilon);
  }
  Node& update(Output w, Output g, Output rate, Output step) const override {
    const Output m = make_slot(w, "AdamW", 0);
    const Output v = make_slot(w, "AdamW_1", 0);
    return apply_adamw(w, m, v, power_of(w, options_.beta1, step),
                       power_of(w, options_.beta2, step), as_type_of(w, rate),
                       number(w, options_.weight_decay), number(w, options_.beta1),
                       number(w, options_.beta2), number(w, options_.epsilon), g);
  }

 private:
  AdamWOptions options_;
};

class RmsPropRule final : public Optimizer::Rule {
 public:
  explicit RmsPropRule(const RmsPropOptions& o) : options_(o) {
    check_share(name(), "rho", o.rho);
    check_share(name(), "momentum", o.momentum);
    check_not_negative(name(), "epsilon", o.epsilon);
  }
  std::string name() const override { return "RMSProp"; }
  std::string options() const override {
    return str("rho=", options_.rho, ", momentum=", options_.momentum,
               ", epsilon=", options_.epsilon, options_.centered ? ", centered" : "");
  }
  Node& update(Output w, Output g, Output rate, Output) const override {
    const Output ms = make_slot(w, "RMSProp", 0);
    const Output mom = make_slot(w, "RMSProp_1", 0);
    const Output lr = as_type_of(w, rate);
    const Output rho = number(w, options_.rho);
    const Output momentum = number(w, options_.momentum);
    const Output epsilon = number(w, options_.epsilon);
    if (!options_.centered) return apply_rms_prop(w, ms, mom, lr, rho, momentum, epsilon, g);
    const Output mg = make_slot(w, "RMSProp_2", 0);
    return apply_centered_rms_prop(w, mg, ms, mom, lr, rho, momentum, epsilon, g);
  }

 private:
  RmsPropOptions options_;
};

class AdagradRule final : public Optimizer::Rule {
 public:
  explicit AdagradRule(const AdagradOptions& o) : options_(o) {
    check_not_negative(name(), "initial_accumulator", o.initial_accumulator);
    check_not_negative(name(), "epsilon", o.epsilon);
  }
  std::string name() const override { return "Adagrad"; }
  std::string options() const override {
    return str("initial_accumulator=", options_.initial_accumulator,
               ", epsilon=", options_.epsilon);
  }
  Node& update(Output w, Output g, Output rate, Output) const override {
    return apply_adagrad_v2(w, make_slot(w, "Adagrad", options_.initial_accumulator),
                            as_type_of(w, rate), number(w, options_.epsilon), g);
  }
  // With neither an accumulator nor epsilon 0 is divided by 0.
  bool keeps_rows_without_gradient(Output, bool) const override {
    return options_.initial_accumulator > 0 || options_.epsilon > 0;
  }
  Node& update_rows(Output w, const RowGradient& g, Output rate) const override {
    return apply_adagrad_v2_rows(w, make_slot(w, "Adagrad", options_.initial_accumulator),
                                 as_type_of(w, rate), number(w, options_.epsilon), g);
  }

 private:
  AdagradOptions options_;
};

class AdadeltaRule final : public Optimizer::Rule {
 public:
  explicit AdadeltaRule(const AdadeltaOptions& o) : options_(o) {
    check_share(name(), "rho", o.rho);
    check_not_negative(name(), "epsilon", o.epsilon);
  }
  std::string name() const override { return "Adadelta"; }
  std::string options() const override {
    return str("rho=", options_.rho, ", epsilon=", options_.epsilon);
  }
  Node& update(Output w, Output g, Output rate, Output) const override {
    return apply_adadelta(w, make_slot(w, "Adadelta", 0), make_slot(w, "Adadelta_1", 0),
                          as_type_of(w, rate), number(w, options_.rho), number(w, options_.epsilon),
                          g);
  }

 private:
  AdadeltaOptions options_;
};

class FtrlRule final : public Optimizer::Rule {
 public:
  explicit FtrlRule(const FtrlOptions& o) : options_(o) {
    if (!(o.learning_rate_power <= 0 && std::isfinite(o.learning_rate_power))) {
      throw invalid_argument(name(), ": learning_rate_power is ", o.learning_rate_power,
                             ", expected a finite number, 0 or less");
    }
    check_not_negative(name(), "initial_accumulator", o.initial_accumulator);
    check_not_negative(name(), "l1", o.l1);
    check_not_negative(name(), "l2", o.l2);
    check_not_negative(name(), "l2_shrinkage", o.l2_shrinkage);
  }
  std::string name() const override { return "Ftrl"; }
  std::string options() const override {
    return str("learning_rate_power=", options_.learning_rate_power,
               ", initial_accumulator=", options_.initial_accumulator, ", l1=", options_.l1,
               ", l2=", options_.l2, ", l2_shrinkage=", options_.l2_shrinkage);
  }
  Node& update(Output w, Output g, Output rate, Output) const override {
    return apply_ftrl_v2(w, make_slot(w, "Ftrl", options_.initial_accumulator),
                         make_slot(w, "Ftrl_1", 0), g, as_type_of(w, rate), number(w, options_.l1),
                         number(w, options_.l2), number(w, options_.l2_shrinkage),
                         number(w, options_.learning_rate_power));
  }
  // The weight is worked out anew from its slots at each step, with the rate of that step: without
  // a gradient it stays when the rate does, when it agrees with its slots from the start (`linear`
  // 0 means weight 0), and when no shrinkage makes a gradient of it.
  bool keeps_rows_without_gradient(Output w, bool constant_rate) const override {
    return constant_rate && options_.l2_shrinkage == 0 && starts_at_zero(record_of(w));
  }
  Node& update_rows(Output w, const RowGradient& g, Output rate) const override {
    return apply_ftrl_v2_rows(
        w, make_slot(w, "Ftrl", options_.initial_accumulator), make_slot(w, "Ftrl_1", 0), g,
        as_type_of(w, rate), number(w, options_.l1), number(w, options_.l2),
        number(w, options_.l2_shrinkage), number(w, options_.learning_rate_power));
  }

 private:
  FtrlOptions options_;
};

}  // namespace

Sgd::Sgd(const SgdOptions& o) : Optimizer(std::make_shared<SgdRule>(), o.learning_rate, o.clip) {}
Momentum::Momentum(const MomentumOptions& o)
    : Optimizer(std::make_shared<MomentumRule>(o), o.learning_rate, o.clip) {}
Adam::Adam(const AdamOptions& o)
    : Optimizer(std::make_shared<AdamRule>(o), o.learning_rate, o.clip) {}
AdamW::AdamW(const AdamWOptions& o)
    : Optimizer(std::make_shared<AdamWRule>(o), o.learning_rate, o.clip) {}
RmsProp::RmsProp(const RmsPropOptions& o)
    : Optimizer(std::make_shared<RmsPropRule>(o), o.learning_rate, o.clip) {}
Adagrad::Adagrad(const AdagradOptions& o)
    : Optimizer(std::make_shared<AdagradRule>(o), o.learning_rate, o.clip) {}
Adadelta::Adadelta(const AdadeltaOptions& o)
    : Optimizer(std::make_shared<AdadeltaRule>(o), o.learning_rate, o.clip) {}
Ftrl::Ftrl(const FtrlOptions& o)
    : Optimizer(std::make_shared<FtrlRule>(o), o.learning_rate, o.clip) {}

}  // namespace thalweg
