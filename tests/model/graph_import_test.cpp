#include "testing.h"
#include "thalweg/formats/graph_def.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;

std::unique_ptr<Graph> parse(const std::string& text, const GraphImportOptions& options = {}) {
  return parse_graph_text(text, standard_ops(), options);
}

const std::string kX =
    R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } })";

std::string constant(const std::string& name, const std::string& value) {
  return "node { name: '" + name +
         "' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } "
         "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: " +
         value + " } } } }";
}

std::string node(const std::string& name, const std::string& op,
                 const std::vector<std::string>& inputs, const std::string& more = "") {
  std::string text = "node { name: '" + name + "' op: '" + op + "' ";
  for (const std::string& input : inputs) text += "input: '" + input + "' ";
  return text + "attr { key: 'T' value { type: DT_FLOAT } } " + more + "} ";
}

TEST(ImportGraph, RunsNodesInAnyOrder) {
  const auto graph = parse(node("y", "AddV2", {"m", "two"}) + node("m", "Mul", {"x", "half"}) +
                           constant("half", "0.5") + constant("two", "2") + kX);
  const Tensor y = Session(*graph).run(graph->output("y"), {{graph->output("x"), 3.0f}});
  EXPECT_EQ(y.item<float>(), 3.5f);
}

TEST(ImportGraph, KeepsOrderDevicesAndControlEdges) {
  const auto graph = parse(constant("a", "1") + constant("b", "2") +
                           node("c", "Neg", {"a", "^b"}, "device: '/device:CPU:0' "));
  const Node& c = *graph->find("c");
  EXPECT_EQ(c.device(), "/device:CPU:0");
  ASSERT_EQ(c.control_inputs().size(), 1u);
  EXPECT_EQ(c.control_inputs()[0]->name(), "b");
  EXPECT_EQ(graph->node(0).name(), "a");
}

TEST(ImportGraph, FillsDefaultAttributes) {
  const auto graph = parse(kX + node("y", "MatMul", {"x", "x"}));
  EXPECT_FALSE(graph->find("y")->attr<bool>("transpose_a"));
}

TEST(ImportGraph, ReadsOnlyWhatIsNeeded) {
  const auto graph =
      parse(kX + node("y", "Neg", {"x"}) + node("z", "NoSuchOp", {"y"}), {.outputs = {"y:0"}});
  EXPECT_EQ(graph->num_nodes(), 2);
  expect_error(
      Code::kNotFound, [&] { parse(kX, {.outputs = {"xx"}}); }, "`xx`", "`x`");
}

TEST(ImportGraph, NamesAllThatCannotRunAtOnce) {
  const std::string text =
      kX + node("a", "Foo", {"x"}) + node("b", "Foo", {"a"}) + node("c", "Bar", {}) +
      node("d", "Neg", {"x"}, "attr { key: 'gizmo' value { i: 3 } } ") +
      "node { name: 'e' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT8_E5M2 } } }" +
      node("f", "Neg", {"c"}) + node("g", "Neg", {"missing"});
  expect_error(
      Code::kUnimplemented, [&] { parse(text); }, "2 ops are not known", "Bar (node `c`)",
      "Foo (2 nodes, e.g. node `a`)", "2 attribute problems", "node `d`, attribute `gizmo`",
      "DT_FLOAT8_E5M2", "1 node does not fit", "there is no node `missing`");
}

TEST(ImportGraph, NamesTheNodesOfACircle) {
  expect_error(
      Code::kInvalidArgument,
      [] { parse(node("a", "Neg", {"b"}) + node("b", "Abs", {"c"}) + node("c", "Neg", {"a"})); },
      "circle", "`a` (Neg)", "`b` (Abs)");
}

TEST(ImportGraph, RefusesTwoNodesOfOneName) {
  expect_error(
      Code::kInvalidArgument, [] { parse(constant("a", "1") + constant("a", "2")); }, "two nodes",
      "`a`");
}

TEST(ImportGraph, RefusesGraphsForNewerReaders) {
  expect_error(
      Code::kFailedPrecondition,
      [] { parse(kX + "versions { producer: 9000 min_consumer: 9000 }"); }, "9000");
}

TEST(ImportGraph, TakesNamesThatOnlyOthersAllow) {
  const auto graph = parse(constant("a b", "1") + node("y", "Neg", {"a b"}));
  EXPECT_EQ(graph->find("y")->input(0).node()->name(), "a_b");
}

TEST(ImportGraph, KeepsLegalNamesWhateverOthersBecome) {
  const std::string text = constant("a b", "1") + constant("a_b", "2") + constant("a_b_1", "3") +
                           node("y", "Neg", {"a b", "^a_b"});
  for (const GraphImportOptions& options :
       {GraphImportOptions{}, GraphImportOptions{.outputs = {"y", "a b:0", "a_b", "a_b_1"}}}) {
    const auto graph = parse(text, options);
    EXPECT_EQ(graph->find("a_b")->attr<Tensor>("value").item<float>(), 2);
    EXPECT_EQ(graph->find("a_b_1")->attr<Tensor>("value").item<float>(), 3);
    const Node& renamed = *graph->find("y")->input(0).node();
    EXPECT_EQ(renamed.name(), "a_b_2");
    EXPECT_EQ(renamed.attr<Tensor>("value").item<float>(), 1);
  }
}

TEST(ImportGraph, RefusesNumbersOfInputsThatCannotBe) {
  for (const char* n : {"-1", "3", "9223372036854775807", "-9223372036854775808"}) {
    const std::string attrs = str("attr { key: 'N' value { i: ", n,
                                  " } } attr { key: 'Tidx' value { type: DT_INT32 } } ");
    for (const std::vector<std::string>& inputs :
         {std::vector<std::string>{}, std::vector<std::string>{"x", "x"}}) {
      expect_error(
          Code::kInvalidArgument, [&] { parse(kX + node("c", "ConcatV2", inputs, attrs)); },
          "node `c`", n[0] == '-' ? "`N`" : "inputs");
    }
  }
}

TEST(ImportGraph, KeepsAttributesWithoutAMeaningHere) {
  const std::string text =
      kX + node("y", "Neg", {"x"},
                "attr { key: '_class' value { list { s: 'loc:@x' } } } "
                "attr { key: 'debug_name' value { s: 'why' } } "
                "attr { key: '_many' value { list { tensor { dtype: DT_INT32 int_val: 1 "
                "tensor_shape { } } } } } attr { key: '_empty' value { list { } } } ");
  const std::string written = encode_graph_text(*parse(text));
  for (const char* part : {"loc:@x", "\"debug_name\"", "\"why\"", "int_val: 1", "\"_empty\""}) {
    EXPECT_NE(written.find(part), std::string::npos) << part << " is not in\n" << written;
  }
  EXPECT_EQ(written.find("_kept"), std::string::npos);
  // And a second time.
  EXPECT_EQ(encode_graph_text(*parse(written)), written);
}

TEST(ImportGraph, LetsNodesBeAddedLater) {
  const auto graph = parse(kX + node("y", "Neg", {"x"}));
  const Node& more = graph->add("Neg", {graph->output("y")}, {}, {.name = "y"});
  EXPECT_EQ(more.name(), "y_1");
}

TEST(ImportGraph, TellsTextFromBinary) {
  const testing::TemporaryFolder folder;
  const auto graph = parse(kX + node("y", "Neg", {"x"}));
  const auto put = [&](const std::string& name, const std::string& content) {
    FILE* file = std::fopen((folder / name).c_str(), "wb");
    std::fwrite(content.data(), 1, content.size(), file);
    std::fclose(file);
  };
  put("text", encode_graph_text(*graph));
  put("binary", encode_graph(*graph));
  EXPECT_EQ(read_graph(folder / "text", standard_ops())->num_nodes(), 2);
  EXPECT_EQ(read_graph(folder / "binary", standard_ops())->num_nodes(), 2);
}

TEST(ImportGraph, TakesNoMemoryForShapesThatAFewBytesClaim) {
  const std::string text =
      "node { name: 'a' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: "
      "'value' value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1000000 } dim { size: "
      "1000000 } } float_val: 1 } } } }";
  expect_error(
      Code::kUnimplemented, [&] { parse(text); }, "node `a`", "would take");
}

// Each string takes a whole std::string, however short the file's list of them is.
TEST(ImportGraph, TakesNoMemoryForManyShapesThatAFewBytesClaim) {
  const auto tensor = [](const char* dtype, int64_t size) {
    return str("tensor { dtype: ", dtype, " tensor_shape { dim { size: ", size, " } } }");
  };
  const auto constants = [&](const char* dtype, int64_t size) {
    std::string text;
    for (int i = 0; i < 20; ++i) {
      text += str("node { name: 'c", i, "' op: 'Const' attr { key: 'dtype' value { type: ", dtype,
                  " } } attr { key: 'value' value { ", tensor(dtype, size), " } } } ");
    }
    return text;
  };
  for (const auto& [dtype, size] :
       {std::pair("DT_STRING", int64_t{1} << 22), std::pair("DT_DOUBLE", int64_t{1} << 24)}) {
    expect_error(
        Code::kUnimplemented, [&] { parse(constants(dtype, size)); }, "beyond what it holds");
  }
  EXPECT_EQ(parse(constants("DT_STRING", 100))->num_nodes(), 20);
  // Nobody reads those of attributes without a meaning here.
  std::string more;
  for (int i = 0; i < 50; ++i) {
    more += str("attr { key: '_p", i, "' value { ", tensor("DT_DOUBLE", int64_t{1} << 24), " } } ");
  }
  const auto graph = parse(kX + node("y", "Neg", {"x"}, more));
  for (const auto& [name, value] : graph->find("y")->attrs()) {
    EXPECT_FALSE(std::holds_alternative<Tensor>(value)) << name;
  }
  EXPECT_NE(encode_graph_text(*graph).find("\"_p49\""), std::string::npos);
}

TEST(ImportGraph, BoundsTheDepthOfMessages) {
  std::string open, close;
  for (int i = 0; i < 300; ++i) {
    open += "list { func { name: 'f' attr { key: 'a' value { ";
    close += "} } } }";
  }
  expect_error(
      Code::kDataLoss,
      [&] {
        parse("node { name: 'a' op: 'NoOp' attr { key: '_a' value { " + open + "i: 1 " + close +
              "} } }");
      },
      "cannot be read");
}

TEST(SummarizeGraph, CountsOpsAndNamesThoseNotKnown) {
  const GraphSummary summary = summarize_graph(
      kX + node("y", "Neg", {"x"}) + node("z", "Foo", {"y"}) + "versions { producer: 27 }",
      standard_ops());
  EXPECT_EQ(summary.nodes, 3);
  EXPECT_EQ(summary.producer, 27);
  ASSERT_EQ(summary.ops.size(), 3u);
  EXPECT_EQ(summary.ops[0].name, "Foo");
  EXPECT_FALSE(summary.ops[0].known);
  EXPECT_TRUE(summary.ops[1].known);
  ASSERT_EQ(summary.placeholders.size(), 1u);
  EXPECT_EQ(summary.sinks, std::vector<std::string>{"z"});
  EXPECT_NE(summary.problem.find("Foo"), std::string::npos);
}

}  // namespace
}  // namespace thalweg
