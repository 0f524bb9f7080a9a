// The reader of .case files: what it takes, and how it names a mistake.
#include "cases/case_file.h"

#include "testing.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::testing {
namespace {

std::vector<Case> parse(std::string_view text) {
  return parse_cases(text, "MatMul.case", standard_ops());
}

TEST(CaseFile, HoldsCasesInOrder) {
  const auto cases = parse(
      "# about\n"
      "op MatMul\n"
      "\n"
      "case multiplies, both ways\n"
      "attr transpose_a: true\n"
      "input b: float32[2,1] 1 -1\n"
      "input a: float32[2,1] 3 4\n"
      "output product: float32[1,1] -1\n"
      "tolerance 1e-3\n"
      "gradient a b of product\n"
      "second_derivative\n"
      "case rejects a vector\n"
      "input a: float32[1] 0\n"
      "error invalid_argument `a` 2\n");
  ASSERT_EQ(cases.size(), 2u);
  const Case& first = cases[0];
  EXPECT_EQ(first.op, "MatMul");
  EXPECT_EQ(first.test_name(), "MultipliesBothWays");
  EXPECT_EQ(first.where(), "MatMul.case:4");
  EXPECT_TRUE(std::get<bool>(first.attrs.at("transpose_a")));
  ASSERT_EQ(first.inputs.size(), 2u);
  EXPECT_EQ(first.inputs[0].name, "a") << "inputs are in the op's order";
  EXPECT_EQ(first.outputs[0].value.shape(), (Shape{1, 1}));
  EXPECT_EQ(first.tolerance, 1e-3);
  EXPECT_EQ(first.gradient, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(first.gradient_of, std::vector<std::string>{"product"});
  EXPECT_EQ(first.second_derivative, Case::Second::kDemanded);
  EXPECT_FALSE(first.failure);
  ASSERT_TRUE(cases[1].failure);
  EXPECT_EQ(cases[1].failure->code, Code::kInvalidArgument);
  EXPECT_EQ(cases[1].failure->words, (std::vector<std::string>{"`a`", "2"}));
}

TEST(CaseFile, SaysWhichDTypesItsCasesRunIn) {
  const auto cases = parse("op MatMul\ndtypes floating\ncase a\ncase b\ndtypes none\n");
  EXPECT_EQ(cases[0].dtypes, CaseDTypes::kFloating);
  EXPECT_EQ(cases[1].dtypes, CaseDTypes::kNone);
}

TEST(CaseFile, GivesVariablesTheirValues) {
  const auto cases = parse_cases(
      "op AssignVariableOp\n"
      "case replaces\n"
      "input resource: resource float32[2] 1 2\n"
      "input value: float32[2] 3 4\n"
      "variable resource: float32[2] 3 4\n"
      "case fills\n"
      "input resource: resource float32[2] uninitialized\n",
      "AssignVariableOp.case", standard_ops());
  EXPECT_TRUE(cases[0].inputs[0].is_variable);
  EXPECT_TRUE(cases[0].inputs[0].value.same_bits(Tensor::of<float>({1, 2})));
  EXPECT_TRUE(cases[0].variables[0].value.same_bits(Tensor::of<float>({3, 4})));
  EXPECT_FALSE(cases[1].inputs[0].is_initialized);
}

TEST(CaseFile, NamesTheLineOfAMistake) {
  const auto expect = [](std::string_view text, const auto&... words) {
    expect_error(
        Code::kInvalidArgument, [&] { parse(text); }, words...);
  };
  expect("case a\n", "MatMul.case:1", "`op <name>`");
  expect("op MatMul\ninput a: float32[] 1\n", "MatMul.case:2", "before the first case");
  expect("op MatMul\ncase a\nnonsense\n", "MatMul.case:3", "`nonsense` is no keyword");
  expect("op MatMul\ncase a\ninput a: float32[2] 1\n", "MatMul.case:3", "2 elements, got 1");
  expect("op MatMul\ncase a\ninput a: float31[2] 1 2\n", "MatMul.case:3", "`float31`");
  expect("op MatMul\ncase a\ninput a: int32[1] 1.5\n", "MatMul.case:3", "`1.5` is no int32");
  expect("op MatMul\ncase a\ninput c: int32[1] 1\n", "only the arguments a, b");
  expect("op MatMul\ncase a\nerror bad_argument\n", "MatMul.case:3", "`bad_argument`");
  expect("op MatMul\ncase a\noutput product: int32[] 1\nerror not_found\n",
         "both values and an error");
  expect("op MatMul\ncase a\ncase a\n", "two cases are called `a`");
  expect("op Conv2D\n", "Conv2D.case");
  expect_error(
      Code::kNotFound, [] { parse("op MatMull\n"); }, "MatMul.case:1", "MatMul");
}

TEST(CaseTensor, ReadsEveryKindOfElement) {
  EXPECT_TRUE(
      parse_case_tensor("float32[2,1] 1 -0.5").same_bits(Tensor::of<float>({1, -0.5f}, {2, 1})));
  EXPECT_TRUE(parse_case_tensor("bool[2] true false").same_bits(Tensor::of<bool>({true, false})));
  EXPECT_EQ(parse_case_tensor("int64[] 9007199254740993").item<int64_t>(), 9007199254740993);
  EXPECT_TRUE(parse_case_tensor("string[2] \"a b\" \"\\\"\"")
                  .same_bits(Tensor::of<std::string>({"a b", "\""})));
  EXPECT_EQ(parse_case_tensor("float64[3] nan inf -inf").at(1),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_case_tensor("float32[0,3]").num_elements(), 0);
}

TEST(CaseAttr, ReadsEveryKind) {
  const auto expect = [](std::string_view kind, std::string_view text, const AttrValue& value) {
    EXPECT_TRUE(same_attr(parse_case_attr(kind, text), value)) << kind << " " << text;
  };
  expect("int", "-3", int64_t{-3});
  expect("float", "2", 2.0f);
  expect("bool", "true", true);
  expect("string", "\"SAME\"", std::string("SAME"));
  expect("type", "float32", kFloat32);
  expect("shape", "[2, ?]", Shape{2, kUnknownDim});
  expect("shape", "[]", Shape{});
  expect("shape", "?", Shape::unknown());
  expect("tensor", "int32[2] 1 2", Tensor::of<int32_t>({1, 2}));
  expect("list(int)", "[1, 2]", std::vector<int64_t>{1, 2});
  expect("list(float)", "[1, 0.5]", std::vector<float>{1, 0.5f});
  expect("list(string)", "[\"a\", \"b\"]", std::vector<std::string>{"a", "b"});
  expect("list(type)", "[]", std::vector<DType>{});
  expect("int", "float32", kFloat32);  // of another kind, for a case that shows the op's answer
}

}  // namespace
}  // namespace thalweg::testing
