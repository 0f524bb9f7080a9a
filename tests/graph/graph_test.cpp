// What Graph::add takes and refuses, on a few ops of its own.
#include "thalweg/graph/graph.h"

#include <limits>

#include "testing.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

using testing::expect_error;

constexpr OpDef kRows[] = {
    {.name = "Source",
     .outputs = {"output: dtype"},
     .attrs = {"dtype: type", "shape: shape = { unknown_rank: true }"},
     .shape = [](ShapeContext& c) { c.set_output(0, c.attr<Shape>("shape")); }},
    {.name = "Sum2",
     .inputs = {"x: T", "y: T"},
     .outputs = {"z: T"},
     .attrs = {"T: {float, double}", "mode: {'fast', 'slow'} = 'fast'", "times: int >= 1 = 1"},
     .shape = shape_functions::broadcast_inputs},
    {.name = "Join",
     .inputs = {"axis: int32", "values: N * T"},
     .outputs = {"output: T"},
     .attrs = {"N: int >= 1", "T: type"},
     .shape = shape_functions::unknown},
    {.name = "Mix",
     .inputs = {"args: Tin"},
     .outputs = {"outs: Tout", "count: int64"},
     .attrs = {"Tin: list(type)", "Tout: list(type) = []", "must: int"},
     .shape = shape_functions::unknown},
    {.name = "Pair",
     .inputs = {"first: N * int32", "second: M * int32", "more: int32", "last: int32"},
     .attrs = {"N: int", "M: int"},
     .shape = shape_functions::none},
    {.name = "Many",
     .outputs = {"outs: N * float"},
     .attrs = {"N: int"},
     .shape = shape_functions::unknown},
    {.name = "Lists",
     .attrs = {"ints: list(int) >= 1 = [1]", "floats: list(float) >= 1 = [1]",
               "bools: list(bool) >= 1", "strings: list(string) >= 1 = ['a']",
               "types: list(type) >= 1 = [float]", "shapes: list(shape) >= 1",
               "funcs: list(func) >= 1"},
     .shape = shape_functions::none},
};

const OpRegistry& rows() {
  static const OpRegistry registry = [] {
    OpRegistry ops;
    ops.add(kRows);
    return ops;
  }();
  return registry;
}

class GraphTest : public ::testing::Test {
 protected:
  Output source(DType dtype, const Shape& shape, NodeOptions options = {}) {
    return graph_.add("Source", {}, {{"dtype", dtype}, {"shape", shape}}, std::move(options))
        .output();
  }
  // The node is refused, and the graph is as before.
  template <class... Words>
  void expect_refused(std::string_view op, std::vector<Output> inputs, AttrMap attrs,
                      const Words&... words) {
    const std::string before = graph_.to_string();
    const std::string name = str("refused", refused_++);
    expect_error(
        Code::kInvalidArgument, [&] { graph_.add(op, inputs, attrs, {.name = name}); }, words...);
    EXPECT_EQ(graph_.to_string(), before);
    EXPECT_EQ(graph_.find(name), nullptr);
    EXPECT_EQ(source(kFloat32, {}, {.name = name}).node()->name(), name) << "the name is free";
  }

  int refused_ = 0;
  Graph graph_{rows()};
  Output x_ = source(kFloat32, {2, 3}, {.name = "x"});
  Output y_ = source(kFloat32, {3}, {.name = "y"});
};

TEST_F(GraphTest, InfersTypesAttributesAndShapes) {
  const Node& sum = graph_.add("Sum2", {x_, y_});
  EXPECT_EQ(sum.type(), "Sum2");
  EXPECT_EQ(sum.num_outputs(), 1);
  EXPECT_EQ(sum.output_dtype(0), kFloat32);
  EXPECT_EQ(sum.output_shape(0), (Shape{2, 3}));
  EXPECT_EQ(sum.attr<DType>("T"), kFloat32);
  EXPECT_EQ(sum.attr<std::string>("mode"), "fast");
  EXPECT_EQ(sum.attr<int64_t>("times"), 1);
  EXPECT_EQ(sum.id(), 2);
  EXPECT_EQ(sum.input(1), y_);
}

TEST_F(GraphTest, CountsListArguments) {
  const Output axis = source(kInt32, {});
  const Node& join = graph_.add("Join", {axis, x_, y_, x_});
  EXPECT_EQ(join.attr<int64_t>("N"), 3);
  EXPECT_EQ(join.input_range("values"), std::make_pair(1, 4));
  const Node& mix = graph_.add("Mix", {axis, x_},
                               {{"must", int64_t{1}}, {"Tout", std::vector<DType>{kBool, kInt8}}});
  EXPECT_EQ(mix.attr<std::vector<DType>>("Tin"), (std::vector<DType>{kInt32, kFloat32}));
  EXPECT_EQ(mix.num_outputs(), 3);
  EXPECT_EQ(mix.output_dtype(1), kInt8);
  EXPECT_EQ(mix.output_dtype(2), kInt64);
}

TEST_F(GraphTest, RefusesAWrongNumberOfInputs) {
  expect_refused("Sum2", {x_}, {}, "refused", "2 inputs", "x, y", "got 1");
  expect_refused("Join", {x_, x_}, {{"N", int64_t{3}}}, "4 inputs", "got 2");
  expect_refused("Join", {}, {}, "got 0");
}

TEST_F(GraphTest, RefusesAnEmptyList) {
  expect_refused("Join", {source(kInt32, {})}, {{"T", kFloat32}}, "`N`", "at least 1");
}

TEST_F(GraphTest, RefusesTypesThatDisagree) {
  const Output d = source(kFloat64, {3});
  expect_refused("Sum2", {x_, d}, {}, "`y` is float64", "float32");
  expect_refused("Sum2", {x_, y_}, {{"T", kFloat64}}, "float32", "float64");
  expect_refused("Join", {x_, x_}, {}, "`axis` must be int32", "float32");
}

TEST_F(GraphTest, RefusesTypesThatAreNotAllowed) {
  const Output i = source(kInt32, {3});
  expect_refused("Sum2", {i, i}, {}, "`T` does not allow int32", "float32");
}

TEST_F(GraphTest, RefusesAttributesThatAreNotAllowed) {
  expect_refused("Sum2", {x_, y_}, {{"nodes", int64_t{1}}}, "no attribute `nodes`", "mode");
  expect_refused("Sum2", {x_, y_}, {{"mode", std::string("quick")}}, "\"quick\"", "fast");
  expect_refused("Sum2", {x_, y_}, {{"mode", int64_t{1}}}, "`mode`", "kind string", "int");
  expect_refused("Sum2", {x_, y_}, {{"times", int64_t{0}}}, "`times`", "at least 1");
  expect_refused("Mix", {x_}, {}, "needs attribute `must`");
}

TEST_F(GraphTest, RefusesShapesThatCannotBeRight) {
  const Output z = source(kFloat32, {4});
  expect_refused("Sum2", {x_, z}, {}, "refused", "[2, 3]", "[4]");
}

TEST_F(GraphTest, RefusesInputsThatAreNotItsOwn) {
  Graph other(rows());
  const Output foreign =
      other.add("Source", {}, {{"dtype", kFloat32}}, {.name = "foreign"}).output();
  expect_refused("Sum2", {x_, foreign}, {}, "foreign", "another graph");
  expect_refused("Sum2", {x_, Output()}, {}, "input 1", "empty");
}

TEST_F(GraphTest, RefusesNumbersOfTensorsThatCannotBe) {
  const Output axis = source(kInt32, {});
  const int64_t least = std::numeric_limits<int64_t>::min();
  const int64_t most = std::numeric_limits<int64_t>::max();
  for (const int64_t n : {int64_t{-1}, least}) {
    expect_refused("Join", {axis}, {{"N", n}, {"T", kFloat32}}, "`N`", str(n), "`values`");
    expect_refused("Join", {}, {{"N", n}, {"T", kFloat32}}, "`N`", str(n));
    expect_refused("Pair", {axis}, {{"N", n}, {"M", int64_t{1}}}, "`N`", str(n));
  }
  expect_refused("Join", {axis}, {{"N", int64_t{2}}, {"T", kFloat32}}, "3 inputs", "got 1");
  expect_refused("Join", {axis}, {{"N", most}, {"T", kFloat32}}, "inputs", "got 1");
  // Sums that come round to what is given.
  expect_refused("Pair", {axis}, {{"N", most}, {"M", most}}, "inputs", "got 1");
  expect_refused("Pair", {}, {{"N", most}, {"M", most}}, "inputs", "got 0");
  for (const int64_t n : {int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    expect_refused("Many", {}, {{"N", n}}, "`N`", str(n), "`outs`");
  }
  EXPECT_EQ(graph_.add("Many", {}, {{"N", int64_t{0}}}).num_outputs(), 0);
}

TEST_F(GraphTest, HoldsEveryListToItsLeastLength) {
  const AttrMap full = {{"bools", std::vector<bool>{true}},
                        {"shapes", std::vector<Shape>{Shape{}}},
                        {"funcs", std::vector<FunctionName>{{"f"}}}};
  EXPECT_NO_THROW(graph_.add("Lists", {}, full));
  const std::pair<const char*, AttrValue> empty[] = {
      {"ints", std::vector<int64_t>()},      {"floats", std::vector<float>()},
      {"bools", std::vector<bool>()},        {"strings", std::vector<std::string>()},
      {"types", std::vector<DType>()},       {"shapes", std::vector<Shape>()},
      {"funcs", std::vector<FunctionName>()}};
  for (const auto& [name, value] : empty) {
    AttrMap attrs = full;
    attrs.insert_or_assign(name, value);
    expect_refused("Lists", {}, attrs, name, "length is 0", "at least 1");
  }
}

TEST_F(GraphTest, NamesTheNearestOp) {
  expect_error(
      Code::kNotFound,
      [&] {
        graph_.add("Sum3", {x_, y_});
      },
      "Sum3", "Sum2");
}

TEST_F(GraphTest, KeepsAnnotations) {
  EXPECT_EQ(
      graph_.add("Sum2", {x_, y_}, {{"_note", std::string("mine")}}).attr<std::string>("_note"),
      "mine");
}

TEST_F(GraphTest, MakesNamesUnique) {
  EXPECT_EQ(graph_.add("Sum2", {x_, y_}).name(), "Sum2");
  EXPECT_EQ(graph_.add("Sum2", {x_, y_}).name(), "Sum2_1");
  EXPECT_EQ(graph_.add("Sum2", {x_, y_}).name(), "Sum2_2");
  EXPECT_EQ(graph_.add("Sum2", {x_, y_}, {}, {.name = "x"}).name(), "x_1");
  EXPECT_EQ(graph_.add("Sum2", {x_, y_}, {}, {.name = "x_1"}).name(), "x_1_1");
}

// Those added under their full name are not counted.
TEST_F(GraphTest, MakesNamesUniqueBesideFullNames) {
  source(kFloat32, {}, {.name = "a", .full_name = true});
  EXPECT_EQ(graph_.unique_name("a"), "a_1");
  EXPECT_EQ(source(kFloat32, {}, {.name = "a"}).node()->name(), "a_2");
  source(kFloat32, {}, {.name = "b_1", .full_name = true});
  EXPECT_EQ(source(kFloat32, {}, {.name = "b"}).node()->name(), "b");
  EXPECT_EQ(source(kFloat32, {}, {.name = "b"}).node()->name(), "b_2");
}

TEST_F(GraphTest, RefusesIllegalNames) {
  for (const char* name : {"a b", "/a", "a:0", "^a"}) {
    expect_error(
        Code::kInvalidArgument, [&] { source(kFloat32, {}, {.name = name}); }, name, "legal");
  }
}

TEST_F(GraphTest, FindsNodesAndOutputs) {
  Node& sum = graph_.add("Sum2", {x_, y_}, {}, {.name = "fc1/sum"});
  EXPECT_EQ(graph_.find("fc1/sum"), &sum);
  EXPECT_EQ(graph_.find("fc1"), nullptr);
  EXPECT_EQ(graph_.output("fc1/sum"), sum.output());
  EXPECT_EQ(graph_.output("fc1/sum:0"), sum.output());
  EXPECT_EQ(sum.output().name(), "fc1/sum:0");
  expect_error(
      Code::kNotFound, [&] { graph_.output("fc1/sun"); }, "fc1/sun", "did you mean `fc1/sum`");
  expect_error(
      Code::kOutOfRange, [&] { graph_.output("fc1/sum:1"); }, "fc1/sum");
  for (const int index : {-1, 1}) {
    const Output none(&sum, index);
    const std::vector<std::function<void()>> uses = {[&] { none.dtype(); }, [&] { none.shape(); },
                                                     [&] {
                                                       graph_.add("Sum2", {x_, none});
                                                     }};
    for (const auto& use : uses) expect_error(Code::kOutOfRange, use, "fc1/sum", "1 outputs");
  }
  const std::vector<std::function<void()>> uses = {
      [] { Output().graph(); }, [] { Output().dtype(); }, [] { Output().shape(); }};
  for (const auto& use : uses) expect_error(Code::kInvalidArgument, use, "empty Output is in use");
}

TEST_F(GraphTest, AttrOfAnotherKindIsOurMistake) {
  const Node& sum = graph_.add("Sum2", {x_, y_});
  expect_error(
      Code::kInternal, [&] { sum.attr<bool>("mode"); }, "mode");
  expect_error(
      Code::kInternal, [&] { sum.attr<bool>("none"); }, "none");
  EXPECT_EQ(sum.find_attr("none"), nullptr);
}

TEST_F(GraphTest, ScopesNest) {
  NameScope outer(graph_, "a");
  EXPECT_EQ(source(kFloat32, {}, {.name = "n"}).node()->name(), "a/n");
  {
    NameScope inner(graph_, "b");
    EXPECT_EQ(inner.path(), "a/b/");
    EXPECT_EQ(source(kFloat32, {}, {.name = "n"}).node()->name(), "a/b/n");
  }
  {
    NameScope again(graph_, "b");
    EXPECT_EQ(again.path(), "a/b_1/");
  }
  EXPECT_EQ(graph_.scope(), "a/");
}

TEST_F(GraphTest, ANodeNeverHidesAScope) {
  { NameScope scope(graph_, "a"); }
  EXPECT_EQ(source(kFloat32, {}, {.name = "a"}).node()->name(), "a_1");
}

TEST_F(GraphTest, FullNamesIgnoreTheScope) {
  NameScope scope(graph_, "a");
  const std::string name = graph_.unique_name("v");
  EXPECT_EQ(name, "a/v");
  EXPECT_EQ(source(kFloat32, {}, {.name = name, .full_name = true}).node()->name(), "a/v");
  expect_error(
      Code::kAlreadyExists, [&] { source(kFloat32, {}, {.name = name, .full_name = true}); },
      "a/v");
}

TEST_F(GraphTest, DevicesComeFromScopeUnlessGiven) {
  DeviceScope scope(graph_, "/cpu:0");
  EXPECT_EQ(source(kFloat32, {}).node()->device(), "/cpu:0");
  EXPECT_EQ(source(kFloat32, {}, {.device = "/cpu:1"}).node()->device(), "/cpu:1");
}

TEST_F(GraphTest, RefusesADtypeThatIsNone) {
  expect_error(
      Code::kInvalidArgument, [&] { source(DType::kInvalid, {}); }, "is no dtype", "kInvalid");
}

TEST_F(GraphTest, RefusesControlEdgesFromNothingOrElsewhere) {
  Graph other(rows());
  Node& far = other.add("Source", {}, {{"dtype", kFloat32}, {"shape", Shape{2}}}, {.name = "far"});
  const auto refused = [&](Node* control, const char* word) {
    expect_error(
        Code::kInvalidArgument, [&] { source(kFloat32, {}, {.control_inputs = {control}}); }, word);
    EXPECT_EQ(graph_.num_nodes(), 2);
  };
  refused(nullptr, "no node");
  refused(&far, "`far` belongs to another graph");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        ControlScope(graph_, {x_.node(), nullptr});
      },
      "ControlScope");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        ControlScope(graph_, {x_.node(), &far});
      },
      "ControlScope", "`far`, which belongs to another graph");
  EXPECT_TRUE(source(kFloat32, {}).node()->control_inputs().empty());
}

TEST_F(GraphTest, ControlEdgesAreSortedAndOnce) {
  Node* first = x_.node();
  Node* second = y_.node();
  {
    ControlScope scope(graph_, {second});
    ControlScope inner(graph_, {first});
    const Node& node = *source(kFloat32, {}, {.control_inputs = {second}}).node();
    EXPECT_EQ(std::vector<Node*>(node.control_inputs().begin(), node.control_inputs().end()),
              (std::vector<Node*>{first, second}));
  }
  EXPECT_TRUE(source(kFloat32, {}).node()->control_inputs().empty());
}

TEST_F(GraphTest, ListsItself) {
  graph_.add("Sum2", {x_, y_}, {}, {.name = "sum", .control_inputs = {y_.node()}});
  const std::string text = graph_.to_string();
  EXPECT_NE(text.find("sum = Sum2(x:0, y:0 ^y) mode=\"fast\" times=1 -> float32[2, 3]\n"),
            std::string::npos)
      << text;
}

TEST_F(GraphTest, CollectsNodesInOrder) {
  EXPECT_TRUE(graph_.collected("updates").empty());
  graph_.collect("updates", *y_.node());
  graph_.collect("updates", *x_.node());
  EXPECT_EQ(graph_.collected("updates"), (std::vector<Node*>{y_.node(), x_.node()}));
}

TEST(OpRegistry, RefusesANameTwice) {
  OpRegistry ops;
  ops.add(kRows);
  expect_error(
      Code::kAlreadyExists, [&] { ops.add(kRows); }, "Source");
}

TEST(OpRegistry, KnowsItsNames) {
  EXPECT_EQ(rows().names(),
            (std::vector<std::string>{"Join", "Lists", "Many", "Mix", "Pair", "Source", "Sum2"}));
  EXPECT_EQ(rows().find("Nope"), nullptr);
}

}  // namespace
}  // namespace thalweg
