// Graphs as TensorFlow's GraphDef: what TensorBoard draws, what other programs load, and what they
// hand over.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// The graph version that files claim: TensorFlow 1.14's, so that readers of all ages accept them.
inline constexpr int kGraphProducer = 149;
/// The graph version up to which files are understood: TensorFlow 2.21's.
inline constexpr int kGraphConsumer = 2474;

struct GraphDefOptions {
  bool default_attrs = false;  // also write attributes that equal the op's default
  bool output_shapes = false;  // add `_output_shapes`, which TensorBoard puts on the edges
  /// Attributes of more bytes are left out and named in `_too_large_attrs`; 0: no limit. For
  /// drawings: such a graph cannot be run.
  int64_t largest_attr = 0;
};

/// The bytes of a GraphDef, the same for the same graph. Nodes in the order of the graph; inputs
/// `node` and `node:k`, then control inputs `^node`; the functions of its library with their
/// signatures. Throws invalid_argument when it passes protobuf's limit of 2 GiB.
std::string encode_graph(const Graph& graph, const GraphDefOptions& options = {});
/// The same as protobuf text, `.pbtxt`.
std::string encode_graph_text(const Graph& graph, const GraphDefOptions& options = {});

struct GraphImportOptions {
  /// Only what these need is read: "node", "node:1". Empty: everything.
  std::vector<std::string> outputs = {};
};

/// A graph, with the functions it calls in its library, of the bytes of a GraphDef of TensorFlow 1
/// or 2. Nodes may stand in any order; loops and branches of TensorFlow 1 become functions, and its
/// reference variables resources. Attributes without a meaning here (`_class`, what a newer
/// TensorFlow added) are kept for when the graph is written again. `registry` must outlive it.
///
/// Throws data_loss for bytes that are no GraphDef, and one error with everything that stands in
/// the way of running it: unimplemented naming the ops that are not known, with counts, and the
/// attributes that are; invalid_argument for nodes that do not fit, and for a circle of nodes;
/// failed_precondition when the file asks for a newer reader; not_found for an output that is not
/// there.
std::unique_ptr<Graph> parse_graph(std::string_view bytes, const OpRegistry& registry,
                                   const GraphImportOptions& options = {});
/// The same for protobuf text.
std::unique_ptr<Graph> parse_graph_text(std::string_view text, const OpRegistry& registry,
                                        const GraphImportOptions& options = {});
/// The same for a file; text and binary are told apart by its content. Errors name the file.
std::unique_ptr<Graph> read_graph(const std::string& path, const OpRegistry& registry,
                                  const GraphImportOptions& options = {});

/// What a GraphDef holds, whether it can be run or not.
struct GraphSummary {
  struct Op {
    std::string name;
    int64_t count = 0;  // nodes, those in functions included
    bool known = true;  // thalweg has it, or makes it into what it has
    std::string example;
  };
  struct Placeholder {
    std::string name;
    DType dtype = DType::kInvalid;
    Shape shape;
  };
  int64_t nodes = 0;
  int64_t functions = 0;
  int64_t constant_bytes = 0;
  int producer = 0;
  int min_consumer = 0;
  std::vector<Op> ops;  // sorted by name
  std::vector<Placeholder> placeholders;
  std::vector<std::string> sinks;  // nodes with results that no other node reads
  /// Why it cannot be run as a whole; empty when it can.
  std::string problem;
};
/// Of the bytes or the text of a GraphDef. Throws data_loss.
GraphSummary summarize_graph(std::string_view content, const OpRegistry& registry);

}  // namespace thalweg
