// A case in another element type.
#pragma once

#include <string>

#include "cases/case_file.h"

namespace thalweg::testing {

/// The op's type attribute that the case can be cast by: of its first floating input, or, when that
/// is a variable, of an output. Empty when there is none: what comes from attributes alone (random
/// numbers, constants) is of one dtype.
std::string main_type(const Case& c, const OpSchema& op);
/// The dtype the case has for that attribute.
DType main_dtype(const Case& c, const OpSchema& op, const std::string& attr);
/// Whether the op allows `dtype` there.
bool allows(const OpSchema& op, const std::string& attr, DType dtype);
/// The case with inputs, expected values, variables and attribute cast.
Case in_dtype(const Case& c, const OpSchema& op, const std::string& attr, DType dtype);
/// The case with all that is floating in float64; as it is when the op does not allow that.
Case in_double(const Case& c, const OpSchema& op);

}  // namespace thalweg::testing
