#include "thalweg/formats/graph_def.h"

#include "formats/message.h"
#include "formats/node_export.h"

namespace thalweg {

std::string encode_graph(const Graph& graph, const GraphDefOptions& options) {
  tensorflow::GraphDef def;
  encode_graph(graph, options, def);
  return encode_message(def, "the graph", "keep its weights in variables");
}

std::string encode_graph_text(const Graph& graph, const GraphDefOptions& options) {
  tensorflow::GraphDef def;
  encode_graph(graph, options, def);
  return encode_message_text(def);
}

}  // namespace thalweg
