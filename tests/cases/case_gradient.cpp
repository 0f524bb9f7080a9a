#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cases/case_dtypes.h"
#include "cases/case_run.h"
#include "cases/case_runner.h"
#include "reference_evaluator.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/base/philox.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::testing {
namespace {

// How much of the inputs the graph knows as gradients are built.
enum class Known { kShapes, kRanks, kIntegers, kNothing };

// Fixed numbers in [-1, 1).
Tensor random_tensor(DType dtype, const Shape& shape, Philox& random) {
  if (is_complex(dtype)) {
    const DType part = dtype == kComplex64 ? kFloat32 : kFloat64;
    const Tensor parts = random_tensor(part, shape.concat(Shape{2}), random);
    return Tensor::share(dtype, shape, parts.buffer());
  }
  Tensor result(kFloat64, shape);
  for (double& value : result.mutable_data<double>()) value = 2 * random.uniform() - 1;
  return result.cast(dtype);
}

// Real and imaginary parts of a complex tensor side by side; others as they are.
Tensor parts_of(const Tensor& x) {
  if (!is_complex(x.dtype())) return x;
  return Tensor::share(x.dtype() == kComplex64 ? kFloat32 : kFloat64, x.shape().concat(Shape{2}),
                       x.clone().buffer());
}

double dot(const Tensor& x, const Tensor& y) {
  const Tensor a = parts_of(x), b = parts_of(y);
  double sum = 0;
  for (int64_t i = 0; i < a.num_elements(); ++i) sum += a.at(i) * b.at(i);
  return sum;
}

// A case in a graph, with its inputs fed, and a weighted sum of its outputs as the function to
// differentiate.
class Differentiation {
 public:
  Differentiation(const Case& c, Known known)
      : case_(c), known_(known), graph_(standard_ops()), random_(7) {
    Node& node =
        add_case(graph_, case_, [this](Graph&, const CaseTensor& input) { return source(input); });
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      set(i, c.inputs[i].value);
      const auto& names = c.gradient;
      if (std::find(names.begin(), names.end(), c.inputs[i].name) != names.end()) {
        xs_.push_back(node.input(static_cast<int>(i)));
        positions_.push_back(i);
      }
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      const DType dtype = node.output_dtype(i);
      if ((is_floating(dtype) || is_complex(dtype)) && is_wanted(node, i))
        ys_.push_back(node.output(i));
    }
    for (const Tensor& y : evaluator_.run(ys_))
      weights_.push_back(random_tensor(y.dtype(), y.shape(), random_));
    gradients_ = gradients(ys_, xs_, {.grad_ys = constants(weights_)});
  }

  size_t num_xs() const { return xs_.size(); }
  const CaseTensor& x(size_t i) const { return case_.inputs[positions_[i]]; }
  // The analytic gradient in each x; zeros where there is none.
  std::vector<Tensor> analytic() { return values(gradients_); }

  // By central differences.
  Tensor numeric(size_t i, double step) {
    const Tensor& value = x(i).value;
    Tensor result(kFloat64, value.shape());
    for (int64_t e = 0; e < value.num_elements(); ++e) {
      double sides[2];
      double at[2];
      for (int side = 0; side < 2; ++side) {
        Tensor moved = value.cast(kFloat64).clone();
        moved.mutable_data<double>()[static_cast<size_t>(e)] += side == 0 ? -step : step;
        moved = moved.cast(value.dtype());
        at[side] = moved.at(e);
        set(positions_[i], moved);
        sides[side] = sum();
      }
      set(positions_[i], value);
      result.mutable_data<double>()[static_cast<size_t>(e)] =
          (sides[1] - sides[0]) / (at[1] - at[0]);
    }
    return result;
  }

  // Second derivatives along two random directions: of the gradients' weighted sum, analytic and by
  // differences. Throws unimplemented when an op on the way has no gradient.
  std::pair<double, double> second(double step) {
    std::vector<Output> firsts;
    std::vector<Tensor> weights;
    std::vector<Tensor> directions;
    for (size_t i = 0; i < xs_.size(); ++i) {
      directions.push_back(random_tensor(kFloat64, x(i).value.shape(), random_));
      if (!gradients_[i]) continue;
      firsts.push_back(gradients_[i]);
      weights.push_back(random_tensor(x(i).value.dtype(), x(i).value.shape(), random_));
    }
    if (firsts.empty()) return {0, 0};
    const std::vector<Tensor> seconds =
        values(gradients(firsts, xs_, {.grad_ys = constants(weights), .name = "second"}));
    double analytic = 0;
    for (size_t i = 0; i < xs_.size(); ++i) analytic += dot(seconds[i], directions[i]);
    double sides[2];
    for (int side = 0; side < 2; ++side) {
      for (size_t i = 0; i < xs_.size(); ++i) {
        Tensor moved = x(i).value.cast(kFloat64).clone();
        for (int64_t e = 0; e < moved.num_elements(); ++e) {
          moved.mutable_data<double>()[static_cast<size_t>(e)] +=
              (side == 0 ? -step : step) * directions[i].at(e);
        }
        set(positions_[i], moved.cast(x(i).value.dtype()));
      }
      const std::vector<Tensor> moved = evaluator_.run(firsts);
      sides[side] = 0;
      for (size_t i = 0; i < moved.size(); ++i) sides[side] += dot(moved[i], weights[i]);
    }
    return {analytic, (sides[1] - sides[0]) / (2 * step)};
  }

 private:
  Output source(const CaseTensor& input) {
    const DType dtype = input.value.dtype();
    Shape shape = input.value.shape();
    if (known_ == Known::kRanks) shape = Shape::unknown_of_rank(shape.rank());
    if (known_ == Known::kIntegers || known_ == Known::kNothing) shape = Shape::unknown();
    if (input.is_variable) return variable_input(graph_, dtype, shape);
    if (!is_floating(dtype) && known_ != Known::kNothing) return known_input(graph_, input);
    return graph_.add("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}}).output();
  }

  bool is_wanted(const Node& node, int i) const {
    if (case_.gradient_of.empty()) return true;
    return std::any_of(case_.gradient_of.begin(), case_.gradient_of.end(),
                       [&](const std::string& name) {
                         const auto [begin, end] = output_range(node, name);
                         return begin <= i && i < end;
                       });
  }

  void set(size_t i, const Tensor& value) {
    // Sources are the first nodes of the graph, one for each input.
    const Output input = graph_.node(static_cast<int>(i)).output();
    if (case_.inputs[i].is_variable) {
      evaluator_.set_variable(input, value);
    } else {
      evaluator_.feed(input, value);
    }
  }

  std::vector<Output> constants(const std::vector<Tensor>& values) {
    std::vector<Output> result;
    for (const Tensor& value : values) {
      result.push_back(
          graph_.add("Const", {}, {{"dtype", value.dtype()}, {"value", value}}).output());
    }
    return result;
  }

  std::vector<Tensor> values(const std::vector<Output>& outputs) {
    std::vector<Tensor> result = evaluator_.run(outputs);
    for (size_t i = 0; i < result.size(); ++i) {
      if (!result[i].is_valid()) result[i] = Tensor::zeros(x(i).value.dtype(), x(i).value.shape());
    }
    return result;
  }

  double sum() {
    const std::vector<Tensor> ys = evaluator_.run(ys_);
    double result = 0;
    for (size_t i = 0; i < ys.size(); ++i) result += dot(ys[i], weights_[i]);
    return result;
  }

  const Case& case_;
  const Known known_;
  Graph graph_;
  Philox random_;
  ReferenceEvaluator evaluator_;
  std::vector<Output> xs_;
  std::vector<size_t> positions_;
  std::vector<Output> ys_;
  std::vector<Tensor> weights_;
  std::vector<Output> gradients_;
};

// Step and tolerance of differences in the precision at hand.
struct Precision {
  double step;
  double first;
  double second;
};

bool is_all_double(const Case& c) {
  for (const auto* tensors : {&c.inputs, &c.outputs}) {
    for (const CaseTensor& tensor : *tensors) {
      if (is_floating(tensor.value.dtype()) && tensor.value.dtype() != kFloat64) return false;
    }
  }
  return true;
}

void check_first(const Case& c, Known known, std::string_view what,
                 const std::vector<Tensor>& numeric, double tolerance) {
  try {
    Differentiation differentiation(c, known);
    const std::vector<Tensor> analytic = differentiation.analytic();
    for (size_t i = 0; i < analytic.size(); ++i) {
      const std::string wrong = difference(numeric[i], analytic[i].cast(kFloat64), tolerance);
      if (!wrong.empty())
        ADD_FAILURE() << "gradient in `" << differentiation.x(i).name << "`, " << what << ": "
                      << wrong;
    }
  } catch (const Error& error) {
    // A row may need to know a rank or an axis when the gradient is built, and say so.
    const bool may_refuse = known == Known::kIntegers || known == Known::kNothing;
    if (may_refuse && error.code() == Code::kUnimplemented) return;
    ADD_FAILURE() << "gradient, " << what << ": " << error.message();
  }
}

void check_second(const Case& c, Differentiation& differentiation, const Precision& precision) {
  if (c.second_derivative == Case::Second::kNone) return;
  try {
    const auto [analytic, numeric] = differentiation.second(precision.step);
    EXPECT_NEAR(analytic, numeric, precision.second * (1 + std::abs(numeric)))
        << "second derivative";
  } catch (const Error& error) {
    if (error.code() != Code::kUnimplemented || c.second_derivative == Case::Second::kDemanded) {
      ADD_FAILURE() << "second derivative: " << error.message();
    }
  }
}

}  // namespace

void check_gradient(const Case& c) {
  const OpSchema& op = standard_ops().at(c.op);
  const OpDef& def = *op.def;
  if (c.no_gradient && (def.gradient != nullptr || def.no_gradient.empty())) {
    ADD_FAILURE() << "the row has a gradient, or no reason for having none";
  }
  if (c.gradient.empty()) return;
  const Case wide = in_double(c, op);  // where the op allows it: differences need the digits
  try {
    Differentiation differentiation(wide, Known::kShapes);
    if (differentiation.num_xs() == 0) throw invalid_argument("`gradient` names no input");
    const bool is_double = is_all_double(wide);
    const Precision precision =
        is_double ? Precision{1e-5, 1e-6, 1e-5} : Precision{1e-2, 3e-3, 1e-2};
    std::vector<Tensor> numeric;
    for (size_t i = 0; i < differentiation.num_xs(); ++i)
      numeric.push_back(differentiation.numeric(i, precision.step));
    check_first(wide, Known::kShapes, "known shapes", numeric, precision.first);
    check_first(wide, Known::kRanks, "unknown dimensions", numeric, precision.first);
    check_first(wide, Known::kIntegers, "unknown ranks beside constant integers", numeric,
                precision.first);
    check_first(wide, Known::kNothing, "nothing known", numeric, precision.first);
    check_second(c, differentiation, precision);
  } catch (const Error& error) {
    ADD_FAILURE() << "gradient: " << error.message();
  }
}

}  // namespace thalweg::testing
