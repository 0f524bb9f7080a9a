#include "thalweg/formats/tensor_proto.h"

#include "every_dtype.h"
#include "formats/tensor_proto.h"
#include "hex.h"
#include "testing.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::from_hex;
using testing::to_hex;

tensorflow::TensorProto proto_of(tensorflow::DataType dtype, std::initializer_list<int64_t> dims) {
  tensorflow::TensorProto proto;
  proto.set_dtype(dtype);
  proto.mutable_tensor_shape();
  for (const int64_t dim : dims) proto.mutable_tensor_shape()->add_dim()->set_size(dim);
  return proto;
}

TEST(EncodeTensor, PutsOneNumberIntoTheTypedList) {
  EXPECT_EQ(to_hex(encode_tensor(0.5f)), "08 01 12 00 2a 04 00 00 00 3f");
  EXPECT_EQ(to_hex(encode_tensor(int64_t{-1})), "08 09 12 00 52 0a ff ff ff ff ff ff ff ff ff 01");
  EXPECT_EQ(to_hex(encode_tensor(true)), "08 0a 12 00 5a 01 01");
  EXPECT_EQ(to_hex(encode_tensor(BFloat16(1.0f))), "08 0e 12 00 6a 02 80 7f");
}

TEST(EncodeTensor, PutsMoreNumbersIntoRawContent) {
  EXPECT_EQ(to_hex(encode_tensor(Tensor::of<int16_t>({1, -2}))),
            "08 05 12 04 12 02 08 02 22 04 01 00 fe ff");
}

TEST(EncodeTensor, KeepsStringsInTheirList) {
  EXPECT_EQ(to_hex(encode_tensor(Tensor::of<std::string>({"ab", ""}))),
            "08 07 12 04 12 02 08 02 42 02 61 62 42 00");
}

TEST(DecodeTensor, IsTheInverseForEveryDType) {
  for (const DType dtype : testing::number_dtypes()) {
    for (const Shape& shape : {Shape{1}, Shape{2, 2}, Shape{0, 2}, Shape{}}) {
      const Tensor tensor = testing::pattern(dtype, shape);
      EXPECT_TRUE(decode_tensor(encode_tensor(tensor)).same_bits(tensor)) << str(dtype, shape);
    }
  }
  const Tensor strings = Tensor::of<std::string>({"", "a", std::string(200, 'x')}, {3, 1});
  EXPECT_TRUE(decode_tensor(encode_tensor(strings)).same_bits(strings));
}

TEST(DecodeTensor, AShortListRepeatsItsLastValueAndAnEmptyOneMeansZeros) {
  tensorflow::TensorProto proto = proto_of(tensorflow::DT_FLOAT, {2, 2});
  EXPECT_TRUE(tensor_from_proto(proto).same_bits(Tensor::zeros(kFloat32, {2, 2})));
  proto.add_float_val(1);
  proto.add_float_val(7);
  EXPECT_TRUE(tensor_from_proto(proto).same_bits(Tensor::of<float>({1, 7, 7, 7}, {2, 2})));
}

TEST(DecodeTensor, TakesStringsInContentToo) {
  tensorflow::TensorProto proto = proto_of(tensorflow::DT_STRING, {2});
  proto.set_tensor_content(
      "\x02\x01"
      "abc");
  EXPECT_TRUE(tensor_from_proto(proto).same_bits(Tensor::of<std::string>({"ab", "c"})));
  for (const char* bad : {"\x02",
                          "\x02\x02"
                          "abc",
                          "\x01\x01"
                          "abc"}) {
    proto.set_tensor_content(bad);
    expect_error(Code::kInvalidArgument, [&] { tensor_from_proto(proto); });
  }
}

TEST(DecodeTensor, MakesEveryBoolZeroOrOne) {
  tensorflow::TensorProto proto = proto_of(tensorflow::DT_BOOL, {3});
  proto.set_tensor_content(std::string("\x02\x00\xff", 3));
  EXPECT_TRUE(tensor_from_proto(proto).same_bits(Tensor::of<bool>({true, false, true})));
}

TEST(DecodeTensor, RefusesShapesThatNoValueHas) {
  expect_error(
      Code::kInvalidArgument,
      [] {
        tensor_from_proto(proto_of(tensorflow::DT_FLOAT, {2, -1}));
      },
      "[2, ?]");
  expect_error(
      Code::kInvalidArgument, [] { tensor_from_proto(proto_of(tensorflow::DT_FLOAT, {-5})); },
      "-5");
  tensorflow::TensorProto unknown = proto_of(tensorflow::DT_FLOAT, {});
  unknown.mutable_tensor_shape()->set_unknown_rank(true);
  expect_error(
      Code::kInvalidArgument, [&] { tensor_from_proto(unknown); }, "unknown rank");
  const int64_t huge = int64_t{1} << 40;
  expect_error(Code::kInvalidArgument, [&] {
    tensor_from_proto(proto_of(tensorflow::DT_FLOAT, {huge, huge}));
  });
  expect_error(Code::kInvalidArgument, [&] {
    tensor_from_proto(proto_of(tensorflow::DT_DOUBLE, {huge, 1 << 21}));
  });
  expect_error(
      Code::kUnimplemented,
      [] {
        tensor_from_proto(proto_of(tensorflow::DT_FLOAT, {1, 1, 1, 1, 1, 1, 1, 1, 1}));
      },
      "9 dimensions");
}

TEST(DecodeTensor, RefusesContentThatDoesNotFit) {
  tensorflow::TensorProto proto = proto_of(tensorflow::DT_FLOAT, {2});
  for (int i = 0; i < 3; ++i) proto.add_float_val(1);
  expect_error(
      Code::kInvalidArgument, [&] { tensor_from_proto(proto); }, "3 values", "2 of its shape");
  proto.clear_float_val();
  proto.set_tensor_content("1234567");
  expect_error(
      Code::kInvalidArgument, [&] { tensor_from_proto(proto); }, "7 bytes", "expected 8");
}

TEST(DecodeTensor, NamesDTypesItDoesNotHave) {
  expect_error(
      Code::kUnimplemented, [] { tensor_from_proto(proto_of(tensorflow::DT_VARIANT, {})); },
      "DT_VARIANT");
  expect_error(
      Code::kUnimplemented, [] { tensor_from_proto(proto_of(tensorflow::DT_RESOURCE, {})); },
      "DT_RESOURCE");
  expect_error(
      Code::kUnimplemented, [] { decode_tensor(from_hex("08 f4 03 12 00")); }, "number 500");
  expect_error(
      Code::kUnimplemented, [] { decode_tensor(""); }, "DT_INVALID");
}

TEST(DecodeTensor, RefusesBytesThatAreNoMessage) {
  expect_error(
      Code::kDataLoss, [] { decode_tensor("\xff\xff"); }, "TensorProto");
}

}  // namespace
}  // namespace thalweg
