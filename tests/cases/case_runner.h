// What every case is put through. Each check reports to GoogleTest and throws nothing.
#pragma once

#include "cases/case_file.h"

namespace thalweg::testing {

/// All of the checks below that apply.
void check_case(const Case& c);

/// Each kernel that accepts gives the expected outputs and variables, or the expected error; the
/// reference kernel accepts.
void check_kernels(const Case& c);
/// The shape function agrees with the outcome, for known inputs and for inputs of unknown sizes and
/// ranks.
void check_shapes(const Case& c);
/// The reference kernel gives the same in further dtypes that the op allows.
void check_dtypes(const Case& c);
/// The row's gradient agrees with central differences, and its gradient with those of the gradient.
void check_gradient(const Case& c);

}  // namespace thalweg::testing
