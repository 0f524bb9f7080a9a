// A case's op as a node of a graph, and what it gives on one kernel.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cases/case_file.h"
#include "thalweg/kernels/evaluate.h"

namespace thalweg::testing {

/// Makes the graph's source for one input of a case.
using InputSource = std::function<Output(Graph&, const CaseTensor&)>;

/// A Const, or for a variable a VarHandleOp of its dtype and shape.
Output known_input(Graph& graph, const CaseTensor& input);
/// A VarHandleOp of `dtype` and `shape`.
Output variable_input(Graph& graph, DType dtype, const Shape& shape);

/// Adds the sources of all inputs, then the op itself.
Node& add_case(Graph& graph, const Case& c, const InputSource& source = known_input);

/// The variables among a case's inputs, with storage of their own; in the order of the inputs, null
/// where there is none.
class CaseVariables {
 public:
  explicit CaseVariables(const Case& c);
  std::span<VariableState* const> states() const { return pointers_; }
  /// The value of the variable at input `i` now.
  Tensor value(size_t i) const;

 private:
  std::vector<std::unique_ptr<VariableState>> states_;
  std::vector<VariableState*> pointers_;
};

/// What one kernel made of a case.
struct CaseResult {
  bool accepted = false;  // else the kernel declined, and the rest is empty
  std::vector<Tensor> outputs;
  std::vector<CaseTensor> variables;  // named as the inputs
};
/// Runs `node`, made by add_case() of `c`, on `kernel` alone. Throws what the kernel throws.
CaseResult run_case(const Case& c, const Node& node, const KernelDef& kernel);
/// The op's reference kernel; null when it has none.
const KernelDef* reference_kernel(std::string_view op);

/// Compares two tensors: nothing when dtype and shape are the same and each element is within
/// tolerance * (scale + |expected|), NaN being equal to NaN. Else says what differs.
std::string difference(const Tensor& expected, const Tensor& actual, double tolerance,
                       double scale = 1);

/// The flat outputs of `node` that belong to argument `name`, as [begin, end).
std::pair<int, int> output_range(const Node& node, std::string_view name);
/// The expected variables of `c`, each with the one in `result`: of the same name, in the order of
/// the inputs. Null where there is none with a value.
std::vector<std::pair<const CaseTensor*, const CaseTensor*>> expected_variables(
    const Case& c, const CaseResult& result);
/// The expected outputs of `c` with the flat index of each.
std::vector<std::pair<int, const CaseTensor*>> expected_outputs(const Case& c, const Node& node);

}  // namespace thalweg::testing
