// Nodes that do what another does, and more besides.
#pragma once

#include <string_view>

namespace thalweg {

/// The annotation of a node that computes what the node it names does, and more besides (what a
/// gradient needs): where it runs, the other does not.
inline constexpr std::string_view kExtends = "_extends";

}  // namespace thalweg
