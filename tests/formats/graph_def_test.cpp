#include "thalweg/formats/graph_def.h"

#include "proto/graph.pb.h"
#include "testing.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr OpDef kOps[] = {
    {.name = "Placeholder",
     .outputs = {"output: dtype | Value."},
     .attrs = {"dtype: type | Type.", "shape: shape = { unknown_rank: true } | Shape."},
     .doc = "Fed.",
     .shape = [](ShapeContext& c) { c.set_output(0, c.attr<Shape>("shape")); },
     .no_gradient = "No inputs."},
    {.name = "Const",
     .outputs = {"output: dtype | Value."},
     .attrs = {"value: tensor | Value.", "dtype: type | Type."},
     .doc = "Constant.",
     .shape = [](ShapeContext& c) { c.set_output(0, c.attr<Tensor>("value").shape()); },
     .no_gradient = "No inputs."},
    {.name = "MatMul",
     .inputs = {"a: T | Left.", "b: T | Right."},
     .outputs = {"product: T | Product."},
     .attrs = {"transpose_a: bool = false | Left.", "transpose_b: bool = false | Right.",
               "T: {float, double} | Type."},
     .doc = "Product.",
     .shape =
         [](ShapeContext& c) {
           c.set_output(0, {c.input(0).dim(0), c.input(1).dim(1)});
         },
     .no_gradient = "A test."},
    {.name = "Kinds",
     .outputs = {"a: float | One.", "b: float | Two."},
     .attrs = {"i: int | An int.", "f: float | A float.", "s: string | A string.",
               "ints: list(int) | Ints.", "floats: list(float) | Floats.",
               "bools: list(bool) | Bools.", "strings: list(string) | Strings.",
               "types: list(type) | Types.", "shapes: list(shape) | Shapes."},
     .doc = "Every kind of attribute.",
     .shape =
         [](ShapeContext& c) {
           c.set_output(0, {1, 1});
           c.set_output(1, {1, 1});
         },
     .no_gradient = "A test."},
};

OpRegistry make_registry() {
  OpRegistry registry;
  registry.add(kOps);
  return registry;
}

class EncodeGraph : public ::testing::Test {
 protected:
  tensorflow::GraphDef encode(const GraphDefOptions& options = {}) const {
    tensorflow::GraphDef def;
    EXPECT_TRUE(def.ParseFromString(encode_graph(graph_, options)));
    return def;
  }

  const OpRegistry registry_ = make_registry();
  Graph graph_{registry_};
};

TEST_F(EncodeGraph, WritesNodesInputsAndVersions) {
  Node& x =
      graph_.add("Placeholder", {}, {{"dtype", kFloat32}, {"shape", Shape{-1, 3}}}, {.name = "x"});
  Node& w = graph_.add("Const", {},
                       {{"dtype", kFloat32}, {"value", Tensor::of<float>({2, 3, 5}, {3, 1})}},
                       {.name = "w"});
  graph_.add("MatMul", {x.output(), w.output()}, {},
             {.name = "y", .device = "/device:CPU:1", .control_inputs = {&x, &w}});
  const tensorflow::GraphDef def = encode();
  EXPECT_EQ(
      def.ShortDebugString(),
      "node { name: \"x\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_FLOAT } } "
      "attr { key: \"shape\" value { shape { dim { size: -1 } dim { size: 3 } } } } } "
      "node { name: \"w\" op: \"Const\" attr { key: \"dtype\" value { type: DT_FLOAT } } "
      "attr { key: \"value\" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } dim { "
      "size: 1 } } "
      "tensor_content: \"\\000\\000\\000@\\000\\000@@\\000\\000\\240@\" } } } } "
      "node { name: \"y\" op: \"MatMul\" input: \"x\" input: \"w\" input: \"^x\" input: \"^w\" "
      "device: \"/device:CPU:1\" attr { key: \"T\" value { type: DT_FLOAT } } } versions { "
      "producer: 149 }");
}

TEST_F(EncodeGraph, GivesTheSameBytesEveryTime) {
  graph_.add("Placeholder", {}, {{"dtype", kFloat32}, {"shape", Shape{2}}}, {.name = "x"});
  EXPECT_EQ(encode_graph(graph_), encode_graph(graph_));
}

TEST_F(EncodeGraph, NamesLaterOutputsByNumber) {
  Node& kinds = graph_.add("Kinds", {},
                           {{"i", int64_t{-3}},
                            {"f", 0.5f},
                            {"s", std::string("SAME")},
                            {"ints", std::vector<int64_t>{1, 2}},
                            {"floats", std::vector<float>{0.5f}},
                            {"bools", std::vector<bool>{true, false}},
                            {"strings", std::vector<std::string>{"a"}},
                            {"types", std::vector<DType>{kFloat32, kInt64}},
                            {"shapes", std::vector<Shape>{Shape{2}, Shape::unknown()}}},
                           {.name = "kinds"});
  graph_.add("MatMul", {kinds.output(0), kinds.output(1)}, {}, {.name = "y"});
  const tensorflow::GraphDef def = encode();
  EXPECT_EQ(def.node(1).input(0), "kinds");
  EXPECT_EQ(def.node(1).input(1), "kinds:1");
  const auto attr = [&](const char* name) {
    return def.node(0).attr().at(name).ShortDebugString();
  };
  EXPECT_EQ(attr("i"), "i: -3");
  EXPECT_EQ(attr("f"), "f: 0.5");
  EXPECT_EQ(attr("s"), "s: \"SAME\"");
  EXPECT_EQ(attr("ints"), "list { i: 1 i: 2 }");
  EXPECT_EQ(attr("floats"), "list { f: 0.5 }");
  EXPECT_EQ(attr("bools"), "list { b: true b: false }");
  EXPECT_EQ(attr("strings"), "list { s: \"a\" }");
  EXPECT_EQ(attr("types"), "list { type: DT_FLOAT type: DT_INT64 }");
  EXPECT_EQ(attr("shapes"), "list { shape { dim { size: 2 } } shape { unknown_rank: true } }");
}

TEST_F(EncodeGraph, WritesDefaultsAndShapesWhenAsked) {
  Node& x =
      graph_.add("Placeholder", {}, {{"dtype", kFloat32}, {"shape", Shape{-1, 3}}}, {.name = "x"});
  graph_.add("MatMul", {x.output(), x.output()}, {}, {.name = "y"});
  EXPECT_EQ(encode().node(1).attr().count("transpose_a"), 0u);
  const tensorflow::GraphDef def = encode({.default_attrs = true, .output_shapes = true});
  EXPECT_FALSE(def.node(1).attr().at("transpose_a").b());
  EXPECT_TRUE(def.node(1).attr().at("transpose_a").has_b());
  EXPECT_EQ(def.node(1).attr().at("_output_shapes").ShortDebugString(),
            "list { shape { dim { size: -1 } dim { size: 3 } } }");
}

TEST_F(EncodeGraph, LeavesOutAndNamesLargeAttributesForDrawings) {
  graph_.add("Const", {}, {{"dtype", kFloat32}, {"value", Tensor::zeros(kFloat32, {1000})}},
             {.name = "w"});
  const tensorflow::GraphDef def = encode({.largest_attr = 1024});
  EXPECT_EQ(def.node(0).attr().count("value"), 0u);
  EXPECT_EQ(def.node(0).attr().at("_too_large_attrs").ShortDebugString(), "list { s: \"value\" }");
}

TEST_F(EncodeGraph, NamesLargeAttributesAsTheFileDoes) {
  const std::string text =
      "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: "
      "'value' value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } attr { key: "
      "'debug_name' value { s: '" +
      std::string(2000, 'x') + "' } } }";
  tensorflow::GraphDef def;
  ASSERT_TRUE(def.ParseFromString(
      encode_graph(*parse_graph_text(text, graph_.registry()), {.largest_attr = 1024})));
  EXPECT_EQ(def.node(0).attr().at("_too_large_attrs").ShortDebugString(),
            "list { s: \"debug_name\" }");
}

}  // namespace
}  // namespace thalweg
