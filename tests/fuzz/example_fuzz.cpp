// Bytes as tf.train.Example and SequenceExample: features, or an Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "thalweg/base/error.h"
#include "thalweg/kernels/evaluate.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/parsing.h"
#include "thalweg/ops/standard_ops.h"

namespace {

using namespace thalweg;

// A node of an op that parses, and the inputs it has beside the messages.
struct Parser {
  explicit Parser(const Node& (*build)(Graph&)) : node(&build(graph)) {}

  Graph graph{standard_ops()};
  const Node* node;

  void run(const Tensor& messages) const {
    std::vector<Tensor> inputs{messages};
    for (int i = 1; i < node->num_inputs(); ++i)
      inputs.push_back(node->input(i).node()->attr<Tensor>("value"));
    try {
      evaluate(*node, inputs, reference_kernels());
    } catch (const Error&) {
    }
  }
};

// Each kind of feature in each role that it can have.
const Node& build_examples(Graph& graph) {
  const Output messages = placeholder(graph, kString, Shape{kUnknownDim});
  const Shape open{kUnknownDim};
  const ParsedExamples parsed = parse_example(
      messages, {{"x", kFloat32, {}, Tensor(0.0f)}, {"n", kInt64, open}, {"s", kString, open}},
      {{"x", kFloat32}, {"n", kInt64}, {"s", kString}}, {{"n", kInt64}, {"s", kString}});
  return *parsed.dense[0].node();
}

const Node& build_sequences(Graph& graph) {
  using Keys = std::vector<std::string>;
  using Types = std::vector<DType>;
  const Output messages = placeholder(graph, kString, Shape{kUnknownDim});
  const Output names = constant(graph, Tensor(kString, Shape{0}));
  return graph.add("ParseSequenceExample", {messages, names},
                   {{"feature_list_dense_missing_assumed_empty", Keys{"n"}},
                    {"context_sparse_keys", Keys{"x"}},
                    {"context_dense_keys", Keys{}},
                    {"feature_list_sparse_keys", Keys{"s"}},
                    {"feature_list_dense_keys", Keys{"n"}},
                    {"Ncontext_sparse", int64_t{1}},
                    {"Nfeature_list_sparse", int64_t{1}},
                    {"Nfeature_list_dense", int64_t{1}},
                    {"context_sparse_types", Types{kFloat32}},
                    {"feature_list_sparse_types", Types{kString}},
                    {"feature_list_dense_types", Types{kInt64}},
                    {"feature_list_dense_shapes", std::vector<Shape>{Shape{}}}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const Tensor messages = Tensor::of<std::string>({bytes, bytes});
  static const Parser examples(build_examples);
  static const Parser sequences(build_sequences);
  examples.run(messages);
  sequences.run(messages);
  return 0;
}
