#include "formats/functionalize.h"

#include <google/protobuf/text_format.h>

#include <algorithm>

#include "testing.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

using testing::expect_error;

tensorflow::GraphDef parse(const std::string& text) {
  tensorflow::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &graph));
  return graph;
}

// One node: name, op, inputs separated by blanks, attributes as text.
std::string node(const std::string& name, const std::string& op, const std::string& inputs = "",
                 const std::string& attrs = "") {
  std::string text = "node { name: '" + name + "' op: '" + op + "' ";
  for (size_t at = 0; at < inputs.size();) {
    const size_t end = std::min(inputs.find(' ', at), inputs.size());
    text += "input: '" + inputs.substr(at, end - at) + "' ";
    at = end + 1;
  }
  return text + attrs + "}\n";
}

std::string type(const std::string& attr, const std::string& value) {
  return "attr { key: '" + attr + "' value { type: " + value + " } } ";
}

const std::string kFloat = type("T", "DT_FLOAT");
const std::string kInt = type("T", "DT_INT32");

std::string enter(const std::string& name, const std::string& input, const std::string& frame,
                  bool constant = false, const std::string& types = kInt) {
  return node(name, "Enter", input,
              types + "attr { key: 'frame_name' value { s: '" + frame + "' } }" +
                  (constant ? "attr { key: 'is_constant' value { b: true } }" : ""));
}

// while (i < n) i = i + step: the loop `frame`, whose counter starts at `start`.
std::string counting_loop(const std::string& frame, const std::string& start) {
  const std::string f = frame + "/";
  return enter(f + "Enter", start, frame) + enter(f + "n", "n", frame, true) +
         enter(f + "step", "step", frame, true) +
         node(f + "Merge", "Merge", f + "Enter " + f + "NextIteration", kInt) +
         node(f + "Less", "Less", f + "Merge " + f + "n", kInt) +
         node(f + "LoopCond", "LoopCond", f + "Less") +
         node(f + "Switch", "Switch", f + "Merge " + f + "LoopCond", kInt) +
         node(f + "Identity", "Identity", f + "Switch:1", kInt) +
         node(f + "Add", "AddV2", f + "Identity " + f + "step", kInt) +
         node(f + "NextIteration", "NextIteration", f + "Add", kInt) +
         node(f + "Exit", "Exit", f + "Switch", kInt);
}

std::string placeholder(const std::string& name, const std::string& dtype = "DT_INT32") {
  return node(name, "Placeholder", "", type("dtype", dtype));
}

const std::string kLoopInputs = placeholder("start") + placeholder("n") + placeholder("step");

const tensorflow::NodeDef* find(const tensorflow::GraphDef& graph, const std::string& name) {
  for (const auto& node : graph.node()) {
    if (node.name() == name) return &node;
  }
  return nullptr;
}

const tensorflow::NodeDef* find_op(const tensorflow::GraphDef& graph, const std::string& op) {
  for (const auto& node : graph.node()) {
    if (node.op() == op) return &node;
  }
  return nullptr;
}

const tensorflow::FunctionDef& function(const tensorflow::GraphDef& graph,
                                        const tensorflow::NodeDef& node, const std::string& attr) {
  const std::string& name = node.attr().at(attr).func().name();
  for (const auto& function : graph.library().function()) {
    if (function.signature().name() == name) return function;
  }
  throw not_found(name);
}

bool has_op(const tensorflow::FunctionDef& function, const std::string& op) {
  return std::any_of(function.node_def().begin(), function.node_def().end(),
                     [&](const auto& node) { return node.op() == op; });
}

std::vector<std::string> inputs(const tensorflow::NodeDef& node) {
  return {node.input().begin(), node.input().end()};
}

using Names = std::vector<std::string>;

tensorflow::GraphDef functionalized(const std::string& text, const Names& outputs = {}) {
  tensorflow::GraphDef graph = parse(text);
  functionalize(graph, standard_ops(), outputs);
  return graph;
}

TEST(Functionalize, LeavesNewGraphsAlone) {
  const tensorflow::GraphDef before = parse(placeholder("x") + node("y", "Identity", "x", kInt));
  tensorflow::GraphDef after = before;
  functionalize(after, standard_ops());
  EXPECT_EQ(before.SerializeAsString(), after.SerializeAsString());
}

TEST(Functionalize, MakesALoopAWhile) {
  const auto graph = functionalized(kLoopInputs + counting_loop("loop", "start"), {"loop/Exit"});
  const auto* loop = find_op(graph, "StatelessWhile");
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(inputs(*loop), (Names{"start", "n", "step"}));
  EXPECT_EQ(loop->attr().at("T").list().type_size(), 3);
  EXPECT_EQ(find(graph, "loop/Exit")->op(), "Identity");
  EXPECT_EQ(inputs(*find(graph, "loop/Exit")), Names{loop->name()});
  EXPECT_EQ(graph.node_size(), 5);  // three placeholders, the loop, its exit
  const auto& body = function(graph, *loop, "body");
  EXPECT_TRUE(has_op(body, "AddV2"));
  EXPECT_FALSE(has_op(body, "Less"));
  EXPECT_EQ(body.signature().output_arg_size(), 3);
  EXPECT_TRUE(has_op(function(graph, *loop, "cond"), "Less"));
}

TEST(Functionalize, PutsInnerLoopsIntoOuterOnes) {
  // The inner loop counts from the outer one's counter.
  std::string outer = counting_loop("outer", "start");
  const std::string add = node("outer/Add", "AddV2", "outer/Identity outer/step", kInt);
  outer.replace(outer.find(add), add.size(),
                enter("inner/Enter", "outer/Identity", "inner") +
                    enter("inner/n", "outer/n", "inner", true) +
                    node("inner/Merge", "Merge", "inner/Enter inner/NextIteration", kInt) +
                    node("inner/Less", "Less", "inner/Merge inner/n", kInt) +
                    node("inner/LoopCond", "LoopCond", "inner/Less") +
                    node("inner/Switch", "Switch", "inner/Merge inner/LoopCond", kInt) +
                    node("inner/Square", "Square", "inner/Switch:1", kInt) +
                    node("inner/NextIteration", "NextIteration", "inner/Square", kInt) +
                    node("inner/Exit", "Exit", "inner/Switch", kInt) +
                    node("outer/Add", "AddV2", "inner/Exit outer/step", kInt));
  const auto graph = functionalized(kLoopInputs + outer);
  const auto* loop = find_op(graph, "StatelessWhile");
  ASSERT_NE(loop, nullptr);
  EXPECT_TRUE(has_op(function(graph, *loop, "body"), "StatelessWhile"));
  EXPECT_EQ(graph.library().function_size(), 4);
}

TEST(Functionalize, RefusesALoopWithoutCondition) {
  std::string text = counting_loop("loop", "start");
  const std::string condition = node("loop/LoopCond", "LoopCond", "loop/Less");
  text.replace(text.find(condition), condition.size(),
               node("loop/LoopCond", "Identity", "loop/Less", type("T", "DT_BOOL")));
  expect_error(
      Code::kInvalidArgument, [&] { functionalized(kLoopInputs + text); }, "loop/", "no LoopCond");
}

TEST(Functionalize, RefusesTensorsThatEnterALoopWithoutEnter) {
  std::string text = counting_loop("loop", "start");
  const std::string less = node("loop/Less", "Less", "loop/Merge loop/n", kInt);
  text.replace(text.find(less), less.size(), node("loop/Less", "Less", "loop/Merge n", kInt));
  expect_error(
      Code::kInvalidArgument, [&] { functionalized(kLoopInputs + text); }, "loop/Less", "Enter");
}

TEST(Functionalize, RefusesCyclesThatAreNoLoops) {
  const std::string p = placeholder("p", "DT_BOOL") + placeholder("x", "DT_FLOAT") +
                        node("s", "Switch", "x p", kFloat);
  expect_error(
      Code::kInvalidArgument,
      [&] {
        functionalized(p + node("a", "AddV2", "b s", kFloat) + node("b", "Identity", "a", kFloat));
      },
      "cycle");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        functionalized(kLoopInputs + counting_loop("loop", "start") +
                       node("m", "Merge", "k", kInt) + node("k", "NextIteration", "m", kInt));
      },
      "can never run");
}

// y = p ? exp(x) : x, with the pivots and the constant that tf.cond leaves.
const std::string kCond = placeholder("p", "DT_BOOL") + placeholder("x", "DT_FLOAT") +
                          node("c/Switch", "Switch", "p p", type("T", "DT_BOOL")) +
                          node("c/switch_t", "Identity", "c/Switch:1", type("T", "DT_BOOL")) +
                          node("c/pred_id", "Identity", "p", type("T", "DT_BOOL")) +
                          node("c/x", "Switch", "x c/pred_id", kFloat) +
                          node("c/Exp", "Exp", "c/x:1 ^c/switch_t", kFloat);

TEST(Functionalize, MakesACondAnIf) {
  const auto graph =
      functionalized(kCond + node("c/Merge", "Merge", "c/x c/Exp", kFloat), {"c/Merge:0"});
  const auto* branch = find_op(graph, "StatelessIf");
  ASSERT_NE(branch, nullptr);
  EXPECT_EQ(inputs(*branch), (Names{"p", "x"}));
  EXPECT_EQ(inputs(*find(graph, "c/Merge")), Names{branch->name()});
  EXPECT_TRUE(has_op(function(graph, *branch, "then_branch"), "Exp"));
  EXPECT_EQ(function(graph, *branch, "else_branch").node_def_size(), 0);
  EXPECT_EQ(find(graph, "c/Exp"), nullptr);
}

TEST(Functionalize, MakesSeveralMergesOfAPredicateOneIf) {
  const auto graph = functionalized(kCond + node("c/Merge", "Merge", "c/x c/Exp", kFloat) +
                                    node("c/Merge_1", "Merge", "c/x:1 c/x", kFloat));
  EXPECT_EQ(std::count_if(graph.node().begin(), graph.node().end(),
                          [](const auto& node) { return node.op() == "StatelessIf"; }),
            1);
  EXPECT_EQ(find(graph, "c/Merge_1")->input(0).substr(0, 4), "c/If");
}

TEST(Functionalize, TellsWhichInputAMergeTook) {
  const auto graph = functionalized(kCond + node("c/Merge", "Merge", "c/x c/Exp", kFloat) +
                                    node("index", "Identity", "c/Merge:1", kInt));
  EXPECT_EQ(find(graph, find(graph, "index")->input(0))->op(), "Cast");
}

TEST(Functionalize, RefusesAnOutputInOneBranchOnly) {
  expect_error(
      Code::kUnimplemented, [&] { functionalized(kCond, {"c/Exp:0"}); }, "c/Exp", "one branch");
}

TEST(Functionalize, RefusesToMergeWhatIsNoPairOfBranches) {
  expect_error(
      Code::kUnimplemented,
      [&] { functionalized(kCond + node("c/Merge", "Merge", "x c/Exp", kFloat)); }, "c/Merge");
}

TEST(Functionalize, RefusesANodeThatNeedsBothBranches) {
  expect_error(
      Code::kInvalidArgument,
      [&] { functionalized(kCond + node("both", "AddV2", "c/x c/x:1", kFloat)); }, "both",
      "both branches");
}

const std::string kVariable =
    node("w", "VariableV2", "",
         type("dtype", "DT_FLOAT") + "attr { key: 'shape' value { shape { dim { size: 2 } } } }") +
    placeholder("x", "DT_FLOAT") + node("w/Assign", "Assign", "w x", kFloat) +
    node("w/read", "Identity", "w", kFloat);

TEST(Functionalize, MakesReferenceVariablesResources) {
  const auto graph = functionalized(kVariable);
  const auto& handle = *find_op(graph, "VarHandleOp");
  EXPECT_EQ(handle.attr().at("shared_name").s(), "w");
  EXPECT_EQ(handle.attr().at("shape").shape().dim(0).size(), 2);
  EXPECT_EQ(find(graph, "w/read")->op(), "ReadVariableOp");
  EXPECT_EQ(find(graph, "w/read")->input(0), handle.name());
  const auto& assign = *find_op(graph, "AssignVariableOp");
  EXPECT_EQ(inputs(assign), (Names{handle.name(), "x"}));
  // Its name is the value after it.
  EXPECT_EQ(inputs(*find(graph, "w/Assign")), (Names{handle.name(), "^" + assign.name()}));
}

TEST(Functionalize, ReadsAVariableAfterWhatItsReaderWaitsFor) {
  const auto graph = functionalized(kVariable + node("y", "Mul", "w x ^w/Assign", kFloat));
  const auto& read = *find(graph, find(graph, "y")->input(0));
  EXPECT_EQ(read.op(), "ReadVariableOp");
  EXPECT_NE(read.name(), "w");
  EXPECT_EQ(read.input(1), "^w/Assign");
}

TEST(Functionalize, RefusesToWriteWhatIsNoVariable) {
  expect_error(
      Code::kInvalidArgument,
      [&] { functionalized(kVariable + node("bad", "Assign", "x x", kFloat)); }, "bad", "variable");
}

TEST(Functionalize, MakesTensorArraysLists) {
  const auto graph =
      functionalized(placeholder("n") + placeholder("x", "DT_FLOAT") +
                     node("a", "TensorArrayV3", "n", type("dtype", "DT_FLOAT")) +
                     node("w", "TensorArrayWriteV3", "a n x a:1", kFloat) +
                     node("y", "TensorArrayReadV3", "a n w", type("dtype", "DT_FLOAT")));
  EXPECT_EQ(find(graph, "a")->op(), "TensorListReserve");
  EXPECT_EQ(inputs(*find(graph, "w")), (Names{"a", "n", "x"}));
  EXPECT_EQ(find(graph, "y")->op(), "TensorListGetItem");
  EXPECT_EQ(find(graph, "y")->input(0), "w");
}

TEST(Functionalize, AddsGradientsOfTensorArraysUp) {
  const auto graph = functionalized(
      placeholder("n") + placeholder("i") + placeholder("x", "DT_FLOAT") +
      node("a", "TensorArrayV3", "n", type("dtype", "DT_FLOAT")) +
      node("g", "TensorArrayGradV3", "a a:1", "attr { key: 'source' value { s: 'gradients' } } ") +
      node("w", "TensorArrayWriteV3", "g i x g:1", type("T", "DT_FLOAT")) +
      node("v", "TensorArrayWriteV3", "g i x w", type("T", "DT_FLOAT")) +
      node("y", "TensorArrayReadV3", "g i v", type("dtype", "DT_FLOAT")));
  EXPECT_EQ(find(graph, "a/gradients")->op(), "TensorListReserve");
  EXPECT_EQ(inputs(*find(graph, "w/AddV2")), (Names{"w/TensorListGetItem", "x"}));
  EXPECT_EQ(inputs(*find(graph, "v/TensorListSetItem")),
            (Names{"w/TensorListSetItem", "i", "v/AddV2"}));
  EXPECT_EQ(find(graph, "y")->op(), "TensorListGetItem");
  EXPECT_EQ(find(graph, "y")->input(0), "v/TensorListSetItem");
}

TEST(Functionalize, RefusesGradientsOfUnknownArrays) {
  expect_error(
      Code::kUnimplemented,
      [&] {
        functionalized(placeholder("n") + placeholder("h", "DT_RESOURCE") +
                       node("a", "TensorArrayV3", "n") + node("g", "TensorArrayGradV3", "h a:1"));
      },
      "`g`", "TensorArrayGradV3");
}

TEST(Functionalize, MakesStacksLists) {
  const auto graph =
      functionalized(placeholder("n") + placeholder("x", "DT_FLOAT") +
                     node("s", "StackV2", "n", type("elem_type", "DT_FLOAT")) +
                     node("p", "StackPushV2", "s x", type("T", "DT_FLOAT")) +
                     node("q", "StackPopV2", "s ^p", type("elem_type", "DT_FLOAT")) +
                     node("y", "Neg", "q", type("T", "DT_FLOAT")));
  EXPECT_EQ(find(graph, "s")->op(), "EmptyTensorList");
  EXPECT_EQ(inputs(*find(graph, "p")), (Names{"s", "x"}));
  EXPECT_EQ(find(graph, "q")->op(), "TensorListPopBack");
  EXPECT_EQ(find(graph, "q")->input(0), "p");
  EXPECT_EQ(inputs(*find(graph, "y")), (Names{"q:1"}));
}

TEST(Functionalize, GivesOldTablesResourceHandles) {
  const auto graph = functionalized(
      node("t", "HashTable", "", type("key_dtype", "DT_STRING") + type("value_dtype", "DT_INT64")) +
      placeholder("k", "DT_STRING") + placeholder("d", "DT_INT64") +
      node("r", "RefIdentity", "t", type("T", "DT_STRING")) +
      node("y", "LookupTableFind", "r k d", type("Tin", "DT_STRING") + type("Tout", "DT_INT64")));
  EXPECT_EQ(find(graph, "t")->op(), "HashTableV2");
  EXPECT_EQ(find(graph, "y")->op(), "LookupTableFindV2");
  EXPECT_EQ(find(graph, "r")->op(), "Identity");
  EXPECT_EQ(find(graph, "r")->attr().at("T").type(), tensorflow::DT_RESOURCE);
}

TEST(Functionalize, RefusesMissingNodesByName) {
  expect_error(
      Code::kInvalidArgument, [&] { functionalized(kCond + node("y", "Exp", "gone", kFloat)); },
      "`y`", "gone");
}

TEST(Functionalize, LeavesTheGraphAsItWasOnAnError) {
  const tensorflow::GraphDef before = parse(kCond + node("c/Merge", "Merge", "x c/Exp", kFloat));
  tensorflow::GraphDef after = before;
  EXPECT_THROW(functionalize(after, standard_ops()), Error);
  EXPECT_EQ(before.SerializeAsString(), after.SerializeAsString());
}

}  // namespace
}  // namespace thalweg
