// The body of a loop or a branch on its way from a graph's nodes to a FunctionDef.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "formats/op_facts.h"
#include "formats/wire_graph.h"

namespace thalweg {

struct FunctionBody {
  WireGraph graph;
  /// The `_Arg` node of each argument; -1 where the body does not use it.
  std::vector<int> arguments;
  std::vector<Edge> results;
  /// Nodes that run beside what the results need.
  std::vector<int> effects;
};

/// Drops the control edges that order nothing (what comes before neither reads nor changes any
/// state), then the nodes that neither results nor effects need. Old graphs tie every constant of a
/// loop to the loop by such an edge; without it a constant is one again.
void simplify(FunctionBody& body, const OpFacts& facts);

/// Drops such edges into constants, of a graph that is no function's.
void free_constants(WireGraph& graph, const OpFacts& facts);

/// Writes the types of all arguments on their nodes.
void set_argument_types(FunctionBody& body, const std::vector<tensorflow::DataType>& types);

/// Takes out the arguments from number `keep` on that neither function uses; returns those of
/// `captured` that are left.
std::vector<Edge> drop_unused_arguments(FunctionBody& first, FunctionBody& second, size_t keep,
                                        const std::vector<Edge>& captured);

/// Whether running it does more than compute the results.
bool is_stateful(const FunctionBody& body, const OpFacts& facts);

/// Adds functions to a graph's library.
class FunctionWriter {
 public:
  FunctionWriter(tensorflow::FunctionDefLibrary& library, const OpFacts& facts)
      : library_(library), facts_(facts) {}

  /// Returns the function's name: `base`, made a legal and unused one. The types are those of the
  /// arguments and of the results.
  std::string add(FunctionBody body, const std::string& base,
                  const std::vector<tensorflow::DataType>& arguments,
                  const std::vector<tensorflow::DataType>& results);

 private:
  std::string unique_name(const std::string& base);

  tensorflow::FunctionDefLibrary& library_;
  const OpFacts& facts_;
  std::unordered_map<std::string, int> numbers_;  // the last one given to a name
};

}  // namespace thalweg
