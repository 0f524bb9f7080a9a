// The op set of thalweg: every family, in one registry.
#pragma once

#include "thalweg/graph/op_registry.h"

namespace thalweg {

/// All ops that come with the library. Built once, immutable, thread-safe. Copy it to add your own:
/// `OpRegistry ops = standard_ops(); ops.add(my_ops()); Graph graph(ops);`
const OpRegistry& standard_ops();

}  // namespace thalweg
