// Building nodes that order, check and report: NoOp, Assert, CheckNumerics, Print.
//
// They act when they run, and they run when something fetched depends on them: pass values through
// check_numerics() and print(), and put assertions into a ControlScope, a group() or the run's
// targets.
#pragma once

#include <string>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct ControlOptions {
  std::string name = {};
};

/// Does nothing, after `control_inputs`.
Node& no_op(Graph& graph, std::vector<Node*> control_inputs = {},
            const ControlOptions& options = {});
/// One node to run for all of `nodes`, which must not be empty.
Node& group(const std::vector<Node*>& nodes, const ControlOptions& options = {});

struct AssertOptions {
  int64_t summarize = 3;  // elements of each tensor shown
  std::string name = {};
};
/// Fails the run (invalid_argument), showing `data`, when the scalar `condition` is false.
Node& assert_that(const Output& condition, const std::vector<Output>& data,
                  const AssertOptions& options = {});

/// `x`; fails the run with `message` and the counts when it holds a NaN or an infinity. Gradients
/// are checked as well.
Output check_numerics(const Output& x, std::string message, const ControlOptions& options = {});

struct PrintOptions {
  std::vector<Output> data = {};  // what to show; empty: the value itself
  int64_t first_n = -1;           // only the first n times; -1: always
  int64_t summarize = 3;          // elements of each tensor shown; -1: all
  std::string name = {};
};
/// `x`; each run writes `message` and the data to the session's print stream.
Output print(const Output& x, std::string message, const PrintOptions& options = {});

}  // namespace thalweg
