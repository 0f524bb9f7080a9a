// The functions of a GraphDef's library from their messages.
#pragma once

#include <map>
#include <set>
#include <string>

#include "formats/node_import.h"

namespace thalweg {

/// Adds every function of `library` to the library of `graph`, those that others call first. What
/// cannot be built is a problem; the names of such functions are returned.
std::set<std::string> import_functions(const tensorflow::FunctionDefLibrary& library, Graph& graph,
                                       AttrImporter& attrs, ImportProblems& problems);

/// Whether a node with these attributes calls one of `functions`.
bool calls_any(const tensorflow::NodeDef& node, const std::set<std::string>& functions);

}  // namespace thalweg
