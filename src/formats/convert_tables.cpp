#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "formats/handle_flow.h"
#include "formats/rewrites.h"

namespace thalweg {
namespace {

// Ops that make a handle, each with a form "...V2" of the same inputs and attributes.
constexpr std::array<std::string_view, 13> kMakers = {"HashTable",
                                                      "MutableHashTable",
                                                      "MutableHashTableOfTensors",
                                                      "MutableDenseHashTable",
                                                      "FIFOQueue",
                                                      "PaddingFIFOQueue",
                                                      "PriorityQueue",
                                                      "RandomShuffleQueue",
                                                      "TextLineReader",
                                                      "TFRecordReader",
                                                      "WholeFileReader",
                                                      "IdentityReader",
                                                      "FixedLengthRecordReader"};

// Ops on such handles; outputs and attributes are those of the V2 form too.
constexpr std::array<std::string_view, 22> kUsers = {"InitializeTable",
                                                     "InitializeTableFromTextFile",
                                                     "LookupTableFind",
                                                     "LookupTableInsert",
                                                     "LookupTableSize",
                                                     "LookupTableExport",
                                                     "LookupTableImport",
                                                     "QueueEnqueue",
                                                     "QueueEnqueueMany",
                                                     "QueueDequeue",
                                                     "QueueDequeueMany",
                                                     "QueueDequeueUpTo",
                                                     "QueueClose",
                                                     "QueueSize",
                                                     "QueueIsClosed",
                                                     "ReaderRead",
                                                     "ReaderReadUpTo",
                                                     "ReaderNumRecordsProduced",
                                                     "ReaderNumWorkUnitsCompleted",
                                                     "ReaderSerializeState",
                                                     "ReaderRestoreState",
                                                     "ReaderReset"};

template <class Names>
bool holds(const Names& names, std::string_view op) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

}  // namespace

bool makes_old_handle(std::string_view op) { return holds(kMakers, op); }

void convert_tables(WireGraph& graph) {
  std::vector<Edge> handles;
  for (int id = 0; id < graph.size(); ++id) {
    if (makes_old_handle(graph[id].op())) handles.push_back({id, 0});
  }
  if (handles.empty()) return;
  const auto carried =
      follow(graph, handles, [](const WireNode& node) { return !passing_op(node.op()).empty(); });
  for (const auto& [edge, source] : carried) {
    WireNode& node = graph[edge.node];
    if (edge == source || edge.output != 0) continue;
    node.def.set_op(std::string(passing_op(node.op())));
    node.set_type("T", tensorflow::DT_RESOURCE);
  }
  for (int id = 0; id < graph.size(); ++id) {
    WireNode& node = graph[id];
    if (makes_old_handle(node.op()) || holds(kUsers, node.op())) node.def.set_op(node.op() + "V2");
  }
}

}  // namespace thalweg
