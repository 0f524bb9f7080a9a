#include "cases/case_runner.h"

#include <gtest/gtest.h>

#include "cases/case_run.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::testing {
namespace {

void expect_values(const Case& c, const Node& node, const CaseResult& result,
                   std::string_view provider) {
  for (const auto& [i, expected] : expected_outputs(c, node)) {
    const std::string wrong =
        difference(expected->value, result.outputs[static_cast<size_t>(i)], c.tolerance);
    if (!wrong.empty())
      ADD_FAILURE() << provider << ": output `" << expected->name << "`: " << wrong;
  }
  for (const auto& [expected, actual] : expected_variables(c, result)) {
    const std::string wrong =
        difference(expected->value, actual == nullptr ? Tensor() : actual->value, c.tolerance);
    if (!wrong.empty())
      ADD_FAILURE() << provider << ": variable `" << expected->name << "`: " << wrong;
  }
}

void expect_failure(const Case::Failure& expected, const Error& error, std::string_view where) {
  if (error.code() != expected.code) {
    ADD_FAILURE() << where << ": expected " << to_string(expected.code) << ", got "
                  << to_string(error.code()) << ": " << error.message();
    return;
  }
  for (const std::string& word : expected.words) {
    if (error.message().find(word) != std::string::npos) continue;
    ADD_FAILURE() << where << ": `" << word << "` is missing in: " << error.message();
  }
}

void run_on(const Case& c, const Node& node, const KernelDef& kernel) {
  const bool is_reference = kernel.provider == "reference";
  try {
    const CaseResult result = run_case(c, node, kernel);
    if (!result.accepted) {
      if (is_reference) ADD_FAILURE() << "the reference kernel declines";
    } else if (c.failure) {
      ADD_FAILURE() << kernel.provider << ": no error, expected " << to_string(c.failure->code);
    } else {
      expect_values(c, node, result, kernel.provider);
    }
  } catch (const Error& error) {
    if (c.failure) {
      expect_failure(*c.failure, error, kernel.provider);
    } else {
      ADD_FAILURE() << kernel.provider << ": " << error.message();
    }
  }
}

// One dimension unknown, all of them, or the rank.
enum class Doubt { kFirst, kAll, kRank };

Shape blur(const Shape& shape, Doubt doubt) {
  if (doubt == Doubt::kRank) return Shape::unknown();
  if (doubt == Doubt::kAll) return Shape::unknown_of_rank(shape.rank());
  Shape result = shape;
  if (shape.rank() > 0) result.set_dim(0, kUnknownDim);
  return result;
}

Output blurred_input(Graph& graph, const CaseTensor& input, Doubt doubt) {
  const Shape shape = blur(input.value.shape(), doubt);
  if (input.is_variable) return variable_input(graph, input.value.dtype(), shape);
  return graph.add("Placeholder", {}, {{"dtype", input.value.dtype()}, {"shape", shape}}).output();
}

void expect_shapes(const Case& c, const Node& node, std::string_view what) {
  for (const auto& [i, expected] : expected_outputs(c, node)) {
    const Shape& inferred = node.output_shape(i);
    if (!inferred.is_compatible_with(expected->value.shape())) {
      ADD_FAILURE() << "shape function with " << what << ": output `" << expected->name << "` is "
                    << inferred.to_string() << ", expected " << expected->value.shape().to_string();
    }
  }
}

void check_shapes_with(const Case& c, const InputSource& source, const std::string& what) {
  Graph graph(standard_ops());
  try {
    expect_shapes(c, add_case(graph, c, source), what);
  } catch (const Error& error) {
    ADD_FAILURE() << "shape function with " << what << ": " << error.message();
  }
}

}  // namespace

void check_kernels(const Case& c) {
  Graph graph(standard_ops());
  Node* node = nullptr;
  try {
    node = &add_case(graph, c);
  } catch (const Error& error) {
    if (c.failure) {
      expect_failure(*c.failure, error, "adding the node");
    } else {
      ADD_FAILURE() << "adding the node: " << error.message();
    }
    return;
  }
  const std::span<const KernelDef> kernels = standard_kernels().find(c.op);
  if (kernels.empty() && (c.failure || !c.outputs.empty())) ADD_FAILURE() << "the op has no kernel";
  for (const KernelDef& kernel : kernels) run_on(c, *node, kernel);
}

void check_shapes(const Case& c) {
  check_shapes_with(c, known_input, "known inputs");
  const std::pair<Doubt, std::string> doubts[] = {{Doubt::kFirst, "unknown first dimensions"},
                                                  {Doubt::kAll, "unknown dimensions"},
                                                  {Doubt::kRank, "unknown ranks"}};
  for (const auto& [doubt, what] : doubts) {
    check_shapes_with(
        c,
        [doubt = doubt](Graph& graph, const CaseTensor& input) {
          return blurred_input(graph, input, doubt);
        },
        what);
    // As graphs mostly are: axes, sizes and the like are constants, the data is fed.
    check_shapes_with(
        c,
        [doubt = doubt](Graph& graph, const CaseTensor& input) {
          return is_integer(input.value.dtype()) && !input.is_variable
                     ? known_input(graph, input)
                     : blurred_input(graph, input, doubt);
        },
        str(what, " beside constant integers"));
  }
}

void check_case(const Case& c) {
  check_kernels(c);
  if (c.failure) return;
  check_shapes(c);
  check_dtypes(c);
  check_gradient(c);
}

}  // namespace thalweg::testing
