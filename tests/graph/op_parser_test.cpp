// The little language of op rows.
#include "graph/op_parser.h"

#include "testing.h"

namespace thalweg {
namespace {

using testing::expect_error;

AttrSchema attr(std::string_view spec) { return parse_attr_spec(spec); }

TEST(AttrSpec, HasNameKindAndDocument) {
  const AttrSchema schema = attr("transpose_a: bool = false | Whether `a` is transposed first.");
  EXPECT_EQ(schema.name, "transpose_a");
  EXPECT_EQ(schema.kind, "bool");
  EXPECT_EQ(schema.doc, "Whether `a` is transposed first.");
  ASSERT_TRUE(schema.default_value);
  EXPECT_FALSE(std::get<bool>(*schema.default_value));
}

TEST(AttrSpec, ListsTheAllowedTypes) {
  const AttrSchema schema = attr("T: {half, bfloat16, float, double}");
  EXPECT_EQ(schema.kind, "type");
  EXPECT_EQ(schema.allowed_types, (std::vector<DType>{kFloat16, kBFloat16, kFloat32, kFloat64}));
  EXPECT_FALSE(schema.default_value);
}

TEST(AttrSpec, ListsTheAllowedStrings) {
  const AttrSchema schema = attr("padding: {'SAME', 'VALID'} = 'SAME'");
  EXPECT_EQ(schema.kind, "string");
  EXPECT_EQ(schema.allowed_strings, (std::vector<std::string>{"SAME", "VALID"}));
  EXPECT_EQ(std::get<std::string>(*schema.default_value), "SAME");
}

TEST(AttrSpec, KnowsNumberTypes) {
  const AttrSchema schema = attr("T: numbertype");
  EXPECT_EQ(schema.kind, "type");
  EXPECT_EQ(schema.allowed_types.size(), 12u);
}

TEST(AttrSpec, HasAMinimum) {
  EXPECT_EQ(attr("N: int >= 1").minimum, 1);
  const AttrSchema list = attr("strides: list(int) >= 4 = [1, 2, 2, 1]");
  EXPECT_EQ(list.kind, "list(int)");
  EXPECT_EQ(list.minimum, 4);
  EXPECT_EQ(std::get<std::vector<int64_t>>(*list.default_value),
            (std::vector<int64_t>{1, 2, 2, 1}));
}

TEST(AttrSpec, ReadsDefaultsOfEveryKind) {
  EXPECT_EQ(std::get<int64_t>(*attr("a: int = -3").default_value), -3);
  EXPECT_EQ(std::get<float>(*attr("a: float = 1e-3").default_value), 1e-3f);
  EXPECT_EQ(std::get<DType>(*attr("a: type = DT_FLOAT").default_value), kFloat32);
  EXPECT_EQ(std::get<Shape>(*attr("a: shape = [2, 3]").default_value), (Shape{2, 3}));
  EXPECT_FALSE(
      std::get<Shape>(*attr("a: shape = { unknown_rank: true }").default_value).has_rank());
  EXPECT_TRUE(
      std::get<std::vector<std::string>>(*attr("a: list(string) = []").default_value).empty());
  EXPECT_TRUE(std::get<std::vector<Shape>>(*attr("a: list(shape) = []").default_value).empty());
}

TEST(AttrSpec, NamesAMistakeAndItsString) {
  const auto expect = [](std::string_view spec, std::string_view word) {
    expect_error(
        Code::kInvalidArgument, [&] { parse_attr_spec(spec); }, std::string(spec),
        std::string(word));
  };
  expect("a: integer", "`integer` is no kind");
  expect("a int", "expected `:`");
  expect("a: {float, floot}", "`floot` is no element type");
  expect("a: int = x", "expected an integer");
  expect("a: string = 'x", "does not close");
  expect("a: int = 3 4", "`4` is left over");
  expect("a: tensor = 1", "`1` is no element type");
}

TEST(ArgSpec, HasAFixedTypeOrThatOfAnAttribute) {
  const ArgSchema fixed = parse_arg_spec("axis: int32 | Where.", {});
  EXPECT_EQ(fixed.dtype, kInt32);
  EXPECT_EQ(fixed.doc, "Where.");
  EXPECT_FALSE(fixed.is_list());
  const ArgSchema open = parse_arg_spec("x: T", {attr("T: type")});
  EXPECT_EQ(open.type_attr, "T");
  EXPECT_EQ(open.dtype, kInvalid);
}

TEST(ArgSpec, CanBeAList) {
  const ArgSchema numbered =
      parse_arg_spec("values: N * T", {attr("N: int >= 1"), attr("T: type")});
  EXPECT_EQ(numbered.number_attr, "N");
  EXPECT_EQ(numbered.type_attr, "T");
  EXPECT_TRUE(numbered.is_list());
  const ArgSchema typed = parse_arg_spec("args: Tin", {attr("Tin: list(type)")});
  EXPECT_EQ(typed.type_list_attr, "Tin");
  EXPECT_TRUE(typed.is_list());
}

TEST(ArgSpec, NamesAnUnknownType) {
  expect_error(
      Code::kInvalidArgument, [] { parse_arg_spec("x: T", {}); }, "x: T",
      "neither an element type");
  expect_error(
      Code::kInvalidArgument, [] { parse_arg_spec("x: N * float", {}); },
      "`N` is no int attribute");
  expect_error(
      Code::kInvalidArgument, [] { parse_arg_spec("x: A", {parse_attr_spec("A: bool")}); },
      "`A` is no type");
}

TEST(OpRow, IsParsedAsAWhole) {
  static constexpr OpDef kRow = {.name = "Join",
                                 .inputs = {"values: N * T | What is joined."},
                                 .outputs = {"output: T | All of it."},
                                 .attrs = {"N: int >= 2 | How many.", "T: type | Element type."},
                                 .doc = "Joins."};
  const OpSchema op = parse_op(kRow);
  EXPECT_EQ(op.name, "Join");
  EXPECT_EQ(op.inputs[0].number_attr, "N");
  EXPECT_EQ(op.outputs[0].type_attr, "T");
  ASSERT_NE(op.find_attr("N"), nullptr);
  EXPECT_EQ(op.find_attr("M"), nullptr);
}

TEST(OpRow, NamesTheOpOfAMistake) {
  static constexpr OpDef kRow = {.name = "Join", .inputs = {"values: X"}, .doc = "Joins."};
  expect_error(
      Code::kInvalidArgument, [] { parse_op(kRow); }, "Join", "values: X");
}

}  // namespace
}  // namespace thalweg
