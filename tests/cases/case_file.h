// Behaviour tests of ops as data: the .case files of this folder, read. README.md describes the
// format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/graph/op_registry.h"

namespace thalweg::testing {

/// A tensor that belongs to a named input, output or variable.
struct CaseTensor {
  std::string name;
  Tensor value;
  bool is_variable = false;  // an input that is a variable's handle; `value` is what it holds
  bool is_initialized =
      true;  // of a variable: whether it holds `value` already, or only has its dtype and shape
};

/// Which further dtypes a case is run in.
enum class CaseDTypes { kAll, kFloating, kNone };

/// One behaviour of one op.
struct Case {
  struct Failure {
    Code code = Code::kUnknown;
    std::vector<std::string> words;  // each must stand in the message
  };

  std::string op;
  std::string sentence;  // "multiplies two matrices"
  std::string file;
  int line = 0;
  AttrMap attrs;
  std::vector<CaseTensor> inputs;  // in the order of the op's arguments, lists flat
  std::vector<CaseTensor> outputs;
  std::vector<CaseTensor> variables;  // their values afterwards
  std::vector<CaseTensor> upstream;   // golden cases: the gradients that flow into outputs ...
  std::vector<CaseTensor> slopes;     // ... and those that TensorFlow gives for inputs
  double tolerance = 1e-5;            // relative and absolute
  std::vector<std::string> gradient;  // inputs to differentiate in
  std::vector<std::string>
      gradient_of;           // outputs to differentiate; empty: all that are floating point
  bool no_gradient = false;  // "gradient none"
  /// Of the gradient: checked where there is one, demanded, or known to be wrong.
  enum class Second {
    kWhereThereIsOne,
    kDemanded,
    kNone
  } second_derivative = Second::kWhereThereIsOne;
  CaseDTypes dtypes = CaseDTypes::kAll;
  std::optional<Failure> failure;

  /// "MultipliesTwoMatrices", a test's name.
  std::string test_name() const;
  /// "MatMul.case:3".
  std::string where() const;
};

/// Reads the text of a file; attributes are read as the op's schema in `registry` says. Throws
/// invalid_argument naming file and line.
std::vector<Case> parse_cases(std::string_view text, const std::string& file,
                              const OpRegistry& registry);

/// All cases of a folder's .case files, in the order of their names.
std::vector<Case> read_cases(const std::string& folder, const OpRegistry& registry);

/// "float32[2,2] 1 2 3 4". Throws invalid_argument.
Tensor parse_case_tensor(std::string_view text);

/// An attribute of the given kind ("int", "list(float)", ...); where the text is of no such kind,
/// as what it looks like, since a case may show that the op rejects it. Throws invalid_argument.
AttrValue parse_case_attr(std::string_view kind, std::string_view text);

}  // namespace thalweg::testing
