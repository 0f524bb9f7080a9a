// The TensorArrays of a TensorFlow 1 graph: what each holds, and which edges carry what belongs to
// it. A TensorArray is a handle, which names it, and a flow, a float that every write gives anew
// and every read takes, so that reads come after writes; an array of gradients has a handle alone.
#pragma once

#include <map>

#include "formats/handle_flow.h"
#include "formats/stack_links.h"

namespace thalweg {

/// What the nodes that use an array must know of it.
struct TensorArray {
  tensorflow::DataType element = tensorflow::DT_INVALID;
  tensorflow::TensorShapeProto shape;  // of an element
  bool grows = false;
};

/// The shape attribute of a node; of unknown rank when there is none.
tensorflow::TensorShapeProto shape_attr(const WireNode& node, const char* name);

class TensorArrays {
 public:
  /// Throws unimplemented naming a node of an older kind of TensorArray, or a gradient of no array.
  explicit TensorArrays(const WireGraph& graph);

  /// By the TensorArrayV3 that makes it.
  const std::map<int, TensorArray>& all() const { return arrays_; }

  /// Edges with the output, of a TensorArrayV3, a write or a pop, that they come from.
  const Followed& handles() const { return handles_; }
  const Followed& flows() const { return flows_; }
  /// Edges that carry the handle of an array of gradients, with the TensorArrayGradV3 behind.
  const std::map<Edge, Edge>& gradients() const { return gradients_; }
  bool is_of_gradients(const WireNode& node) const {
    return !node.inputs.empty() && gradients_.count(node.inputs[0]) != 0;
  }

  /// The array that a node uses: of `inputs` inputs its handle comes first, its flow last. Throws
  /// unimplemented naming the node when they come from elsewhere.
  const TensorArray& of(const WireNode& node, size_t inputs) const;
  /// The array whose gradients a TensorArrayGradV3 gives.
  const TensorArray& of_gradient(const WireNode& node) const;
  /// The array of which `root`, a source in handles(), is a handle.
  const TensorArray& of_root(Edge root) const { return arrays_.at(handles_.origin.at(root).node); }

  /// Sets the type of what followed edges carry, on the nodes that pass it on and on the stacks.
  void set_types(WireGraph& graph, const Followed& followed, tensorflow::DataType type) const;

 private:
  std::map<int, TensorArray> arrays_;
  StackLinks links_;
  Followed handles_;
  Followed flows_;
  std::map<Edge, Edge> gradients_;
};

}  // namespace thalweg
