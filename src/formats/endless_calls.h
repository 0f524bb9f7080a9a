// Functions of a GraphDef that call themselves with no branch between, so that no run would end.
#pragma once

#include <string>

#include "proto/graph.pb.h"

namespace thalweg {

/// "f", or "f -> g -> f": one that the graph reaches; empty when there is none.
std::string find_endless_calls(const tensorflow::GraphDef& def);

}  // namespace thalweg
