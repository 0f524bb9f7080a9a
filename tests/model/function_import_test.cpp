#include "testing.h"
#include "thalweg/formats/graph_def.h"
#include "thalweg/graph/function.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;

std::unique_ptr<Graph> parse(const std::string& text) {
  return parse_graph_text(text, standard_ops());
}

const std::string kX =
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } ";

// twice(a) = a + a, its body's nodes in no order.
const std::string kTwice =
    "function { signature { name: 'twice' input_arg { name: 'a' type: DT_FLOAT } "
    "output_arg { name: 'sum' type: DT_FLOAT } } "
    "node_def { name: 'result' op: 'Identity' input: 'add:z:0' input: '^add' "
    "attr { key: 'T' value { type: DT_FLOAT } } } "
    "node_def { name: 'add' op: 'AddV2' input: 'a' input: 'a' "
    "attr { key: 'T' value { type: DT_FLOAT } } } "
    "ret { key: 'sum' value: 'result:output:0' } "
    "attr { key: '_construction_context' value { s: 'kEagerRuntime' } } } ";

// The same for any type.
const std::string kGeneric =
    "function { signature { name: 'twice' input_arg { name: 'a' type_attr: 'T' } "
    "output_arg { name: 'sum' type_attr: 'T' } attr { name: 'T' type: 'type' } } "
    "node_def { name: 'add' op: 'AddV2' input: 'a' input: 'a' "
    "attr { key: 'T' value { placeholder: 'T' } } } "
    "ret { key: 'sum' value: 'add:z:0' } } ";

std::string call(const std::string& name, const std::string& input) {
  return "node { name: '" + name + "' op: 'PartitionedCall' input: '" + input +
         "' attr { key: 'Tin' value { list { type: DT_FLOAT } } } attr { key: 'Tout' value { list "
         "{ "
         "type: DT_FLOAT } } } attr { key: 'f' value { func { name: 'twice' } } } } ";
}

float run(const Graph& graph, const std::string& output, float x) {
  return Session(graph).run(graph.output(output), {{graph.output("x"), x}}).item<float>();
}

TEST(ImportFunctions, CallsThem) {
  const auto graph = parse(kX + call("y", "x") + call("z", "y") + "library { " + kTwice + "}");
  EXPECT_EQ(run(*graph, "z", 1.5f), 6.0f);
  const Function& twice = graph->functions().at("twice");
  EXPECT_EQ(twice.argument_names, std::vector<std::string>{"a"});
  EXPECT_EQ(twice.result_names, std::vector<std::string>{"sum"});
}

TEST(ImportFunctions, CallsThemByTheirNameAsAnOp) {
  const auto graph =
      parse(kX + "node { name: 'y' op: 'twice' input: 'x' } library { " + kTwice + "}");
  EXPECT_EQ(run(*graph, "y", 1.5f), 3.0f);
}

TEST(ImportFunctions, CallsThemByTheirNameInBodiesByNamedOutputs) {
  const std::string one = "type: DT_FLOAT }";
  const std::string type = " attr { key: 'T' value { type: DT_FLOAT } } ";
  const auto graph = parse(
      kX + "node { name: 'y' op: 'f' input: 'x' } library { function { signature { name: 'both' " +
      "input_arg { name: 'a' " + one + " output_arg { name: 'less' " + one +
      " output_arg { name: 'square' " + one + " } node_def { name: 'n' op: 'Neg' input: 'a'" +
      type + "} node_def { name: 's' op: 'Square' input: 'a'" + type +
      "} ret { key: 'less' value: 'n:y:0' } ret { key: 'square' value: 's:y:0' } } " +
      "function { signature { name: 'f' input_arg { name: 'a' " + one + " output_arg { name: 'r' " +
      one + " } node_def { name: 'c' op: 'both' input: 'a' } node_def { name: 'd' op: 'Sub' " +
      "input: 'c:square:0' input: 'c:less:0'" + type + "} ret { key: 'r' value: 'd:z:0' } } }");
  EXPECT_EQ(run(*graph, "y", 3.0f), 12.0f);
}

TEST(ImportFunctions, BindsTheAttributesOfCalls) {
  const auto graph = parse(kX +
                           "node { name: 'y' op: 'twice' input: 'x' attr { key: 'T' value { type: "
                           "DT_FLOAT } } } node { name: 'n' op: 'Placeholder' attr { key: 'dtype' "
                           "value { type: DT_INT32 } } } node { name: 'm' op: 'twice' input: 'n' "
                           "attr { key: 'T' value { type: DT_INT32 } } } library { " +
                           kGeneric + "}");
  EXPECT_EQ(run(*graph, "y", 1.5f), 3.0f);
  EXPECT_EQ(
      Session(*graph).run(graph->output("m"), {{graph->output("n"), int32_t{4}}}).item<int32_t>(),
      8);
  EXPECT_EQ(graph->functions().names().size(), 2u);
}

TEST(ImportFunctions, AreWrittenWithTheirSignatures) {
  const auto graph = parse(kX + call("y", "x") + "library { " + kTwice + "}");
  const std::string written = encode_graph_text(*graph);
  for (const char* part :
       {"name: \"twice\"", "input: \"add:z:0\"", "input: \"^add\"", "value: \"result:output:0\"",
        "_construction_context", "input: \"a\"", "min_consumer: 12"}) {
    EXPECT_NE(written.find(part), std::string::npos) << part << " is not in\n" << written;
  }
  EXPECT_EQ(written.find("_Arg"), std::string::npos) << written;
  const auto again = parse(written);
  EXPECT_EQ(encode_graph_text(*again), written);
  EXPECT_EQ(run(*again, "y", 2.0f), 4.0f);
}

TEST(ImportFunctions, NameTheFunctionOfAnUnknownOp) {
  std::string broken = kTwice;
  broken.replace(broken.find("AddV2"), 5, "Bogus");
  expect_error(
      Code::kUnimplemented, [&] { parse(kX + call("y", "x") + "library { " + broken + "}"); },
      "1 op is not known", "Bogus (node `add` in function `twice`)");
}

TEST(ImportFunctions, NameAMissingFunction) {
  expect_error(
      Code::kInvalidArgument,
      [&] {
        const auto graph = parse(kX +
                                 "node { name: 'y' op: 'Neg' input: 'x' attr { key: 'T' value { "
                                 "type: DT_FLOAT } } } library { function { signature { name: 'f' "
                                 "output_arg { name: 'o' type: DT_FLOAT } } } }");
      },
      "function `f`", "nothing gives its result `o`");
}

}  // namespace
}  // namespace thalweg
