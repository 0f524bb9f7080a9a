#include "thalweg/formats/graph_def.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>

#include "formats/attr_proto.h"
#include "formats/tensor_proto.h"
#include "proto/graph.pb.h"

namespace thalweg {
namespace {

std::string input_name(const Output& input) {
  const std::string& node = input.node()->name();
  return input.index() == 0 ? node : str(node, ":", input.index());
}

bool is_default(const Node& node, std::string_view name, const AttrValue& value) {
  const AttrSchema* schema = node.op().find_attr(name);
  return schema != nullptr && schema->default_value && same_attr(*schema->default_value, value);
}

void encode_attrs(const Node& node, const GraphDefOptions& options, tensorflow::NodeDef& out) {
  auto& attrs = *out.mutable_attr();
  tensorflow::AttrValue too_large;
  for (const auto& [name, value] : node.attrs()) {
    if (!options.default_attrs && is_default(node, name, value)) continue;
    tensorflow::AttrValue encoded;
    to_proto(value, &encoded);
    if (options.largest_attr > 0 &&
        encoded.ByteSizeLong() > static_cast<size_t>(options.largest_attr)) {
      too_large.mutable_list()->add_s(name);
      continue;
    }
    attrs[name] = std::move(encoded);
  }
  if (too_large.has_list()) attrs["_too_large_attrs"] = std::move(too_large);
  if (options.output_shapes && node.num_outputs() > 0) {
    auto* list = attrs["_output_shapes"].mutable_list();
    for (int i = 0; i < node.num_outputs(); ++i) to_proto(node.output_shape(i), list->add_shape());
  }
}

}  // namespace

std::string encode_graph(const Graph& graph, const GraphDefOptions& options) {
  tensorflow::GraphDef def;
  def.mutable_versions()->set_producer(kGraphProducer);
  for (int id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    tensorflow::NodeDef& out = *def.add_node();
    out.set_name(node.name());
    out.set_op(std::string(node.type()));
    out.set_device(node.device());
    for (const Output& input : node.inputs()) out.add_input(input_name(input));
    for (const Node* control : node.control_inputs()) out.add_input("^" + control->name());
    encode_attrs(node, options, out);
  }
  if (def.ByteSizeLong() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw invalid_argument(
        "the graph takes ", def.ByteSizeLong(),
        " bytes as a GraphDef, more than the 2 GiB allowed: keep its weights in variables");
  }
  // Attributes are a map: only asking for it gives them a fixed order.
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  def.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

}  // namespace thalweg
