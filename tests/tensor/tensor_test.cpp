#include "thalweg/tensor/tensor.h"

#include <cmath>
#include <limits>

#include "testing.h"

namespace thalweg {
namespace {

using testing::expect_error;

TEST(Tensor, HoldsNothingByDefault) {
  const Tensor tensor;
  EXPECT_FALSE(tensor.is_valid());
  EXPECT_EQ(tensor.to_string(), "<no tensor>");
  EXPECT_FALSE(tensor.clone().is_valid());
  expect_error(
      Code::kInvalidArgument, [&] { tensor.data<float>(); }, "nothing");
}

TEST(Tensor, IsMadeFromValues) {
  EXPECT_EQ(Tensor(3.0f).item<float>(), 3.0f);
  EXPECT_EQ(Tensor("text").item<std::string>(), "text");
  EXPECT_EQ(Tensor(true).dtype(), kBool);
  EXPECT_EQ(Tensor(int64_t{7}).dtype(), kInt64);
  EXPECT_EQ(Tensor(BFloat16(2.0f)).at(0), 2.0);
  EXPECT_EQ(Tensor::of<float>({1, 2, 3}).shape(), Shape{3});
  const Tensor matrix = Tensor::of<int32_t>({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(matrix.shape(), (Shape{2, 2}));
  EXPECT_EQ(matrix.data<int32_t>()[3], 4);
  EXPECT_EQ(matrix.byte_size(), 16u);
  EXPECT_EQ(Tensor::of<bool>({true, false}).at(0), 1.0);
  expect_error(
      Code::kInvalidArgument,
      [] {
        Tensor::of<float>({1, 2}, {3});
      },
      "2 values", "[3]", "3 elements");
}

TEST(Tensor, RefusesWhatCannotBeHeld) {
  expect_error(
      Code::kInvalidArgument,
      [] {
        Tensor(kFloat32, {2, kUnknownDim});
      },
      "[2, ?]");
  expect_error(
      Code::kInvalidArgument, [] { Tensor(kResource, {}); }, "resource");
  expect_error(
      Code::kInvalidArgument, [] { Tensor(kInvalid, {}); }, "invalid");
  expect_error(
      Code::kResourceExhausted,
      [] {
        Tensor(kFloat32, {1 << 30, 1 << 20});
      },
      "4503599627370496 bytes", "float32[1073741824, 1048576]");
  expect_error(
      Code::kResourceExhausted, [] { Tensor(kFloat64, {int64_t{1} << 61}); }, "elements");
  expect_error(
      Code::kResourceExhausted, [] { Tensor(kString, {int64_t{1} << 61}); }, "strings");
}

TEST(Tensor, OfZerosIsZeroInEveryDType) {
  for (const DType dtype : {kFloat32, kFloat64, kInt8, kUInt64, kBool, kBFloat16, kFloat16}) {
    EXPECT_EQ(Tensor::zeros(dtype, {3}).at(2), 0) << to_string(dtype);
  }
  EXPECT_EQ(Tensor::zeros(kString, {2}).data<std::string>()[1], "");
}

TEST(Tensor, WithoutElementsIsAsGoodAsAny) {
  const Tensor empty = Tensor::zeros(kFloat32, {0, 3});
  EXPECT_EQ(empty.num_elements(), 0);
  EXPECT_TRUE(empty.data<float>().empty());
  EXPECT_EQ(empty.clone().shape(), (Shape{0, 3}));
  EXPECT_TRUE(empty.same_bits(empty.clone()));
  EXPECT_EQ(empty.to_string(), "float32[0, 3] []");
  EXPECT_EQ(empty.cast(kInt32).shape(), (Shape{0, 3}));
  EXPECT_EQ(empty.rows(0, 0).shape(), (Shape{0, 3}));
  EXPECT_EQ(empty.reshape({3, 0}).shape(), (Shape{3, 0}));
  EXPECT_EQ(Tensor(kString, {0}).num_elements(), 0);
}

TEST(Tensor, ChecksTheElementType) {
  Tensor tensor = Tensor::of<float>({1});
  expect_error(
      Code::kInvalidArgument, [&] { tensor.data<double>(); }, "float64", "float32[1]");
  expect_error(
      Code::kInvalidArgument, [&] { tensor.mutable_data<int32_t>(); }, "int32");
  expect_error(
      Code::kInvalidArgument,
      [] {
        Tensor::of<float>({1, 2}).item<float>();
      },
      "exactly one", "[2]");
}

TEST(Tensor, IsWrittenOnlyByItsSoleOwner) {
  Tensor a = Tensor::of<float>({1, 2});
  {
    const Tensor b = a;
    EXPECT_FALSE(a.owns_buffer_alone());
    expect_error(
        Code::kFailedPrecondition, [&] { a.mutable_data<float>(); }, "float32[2]", "clone()");
    EXPECT_EQ(b.raw(), a.raw());
  }
  EXPECT_TRUE(a.owns_buffer_alone());
  a.mutable_data<float>()[0] = 5;
  EXPECT_EQ(a.at(0), 5);
  expect_error(
      Code::kFailedPrecondition, [] { Tensor().mutable_raw(); }, "nothing");
}

TEST(Tensor, CloneHasABufferOfItsOwn) {
  const Tensor a = Tensor::of<float>({1, 2});
  Tensor b = a.clone();
  b.mutable_data<float>()[0] = 9;
  EXPECT_EQ(a.at(0), 1);
  Tensor s = Tensor::of<std::string>({"a", "b"});
  EXPECT_TRUE(s.clone().same_bits(s));
}

TEST(Tensor, SharesAWindowOfABuffer) {
  const std::shared_ptr<Buffer> buffer = Buffer::allocate(64);
  for (int i = 0; i < 16; ++i) static_cast<float*>(buffer->data())[i] = static_cast<float>(i);
  const Tensor window = Tensor::share(kFloat32, {2, 2}, buffer, 16);
  EXPECT_EQ(window.to_string(), "float32[2, 2] [[4, 5], [6, 7]]");
  EXPECT_NO_THROW(Tensor::share(kFloat32, {16}, buffer));
  EXPECT_NO_THROW(Tensor::share(kFloat32, {0}, buffer, 64));
  expect_error(
      Code::kInvalidArgument, [&] { Tensor::share(kFloat32, {16}, buffer, 4); }, "does not fit",
      "64");
  expect_error(
      Code::kInvalidArgument, [&] { Tensor::share(kFloat32, {1}, buffer, 100); }, "does not fit");
  expect_error(
      Code::kInvalidArgument, [&] { Tensor::share(kFloat64, {1}, buffer, 4); }, "alignment");
  expect_error(
      Code::kInvalidArgument, [] { Tensor::share(kFloat32, {1}, nullptr); }, "no buffer");
}

TEST(Tensor, ReadsAnyNumberAsDouble) {
  EXPECT_EQ(Tensor::of<uint8_t>({200}).at(0), 200);
  EXPECT_EQ(Tensor::of<int64_t>({-3}).at(0), -3);
  expect_error(
      Code::kOutOfRange, [] { static_cast<void>(Tensor(1.0f).at(1)); }, "element 1");
  expect_error(
      Code::kInvalidArgument, [] { static_cast<void>(Tensor("x").at(0)); }, "string");
}

TEST(Tensor, ReshapesWithoutCopy) {
  const Tensor a = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(a.reshape({3, kUnknownDim}).shape(), (Shape{3, 2}));
  EXPECT_EQ(a.reshape({6}).raw(), a.raw());
  EXPECT_EQ(Tensor(5.0f).reshape({1, 1}).shape(), (Shape{1, 1}));
  expect_error(
      Code::kInvalidArgument, [&] { a.reshape({4}); }, "[2, 3]", "[4]");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        a.reshape({4, kUnknownDim});
      },
      "divide");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        a.reshape({0, kUnknownDim});
      },
      "[0, ?]");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        a.reshape({kUnknownDim, kUnknownDim});
      },
      "at most one");
  expect_error(
      Code::kInvalidArgument, [&] { a.reshape(Shape::unknown()); }, "unknown");
}

TEST(Tensor, TakesRowsWithoutCopy) {
  const Tensor a = Tensor::of<int32_t>({1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(a.rows(1, 3).to_string(), "int32[2, 2] [[3, 4], [5, 6]]");
  EXPECT_EQ(a.rows(1, 3).rows(1, 2).to_string(), "int32[1, 2] [[5, 6]]");
  EXPECT_EQ(a.rows(3, 3).num_elements(), 0);
  EXPECT_EQ(Tensor::of<std::string>({"a", "b"}).rows(1, 2).item<std::string>(), "b");
  expect_error(
      Code::kOutOfRange, [&] { a.rows(2, 4); }, "[2, 4)", "int32[3, 2]");
  expect_error(
      Code::kOutOfRange, [&] { a.rows(2, 1); }, "[2, 1)");
  expect_error(
      Code::kInvalidArgument, [] { Tensor(1.0f).rows(0, 1); }, "rank 1");
}

TEST(TensorCast, TruncatesTowardsZero) {
  const Tensor reals = Tensor::of<float>({1.9f, -1.9f, 0.5f, -0.5f, 300.0f});
  EXPECT_EQ(reals.cast(kInt32).to_string(), "int32[5] [1, -1, 0, 0, 300]");
  EXPECT_EQ(reals.cast(kUInt8).to_string(), "uint8[5] [1, 255, 0, 0, 44]");
  EXPECT_EQ(reals.cast(kBool).to_string(), "bool[5] [true, true, true, true, true]");
}

TEST(TensorCast, HasOneAnswerForWhatDoesNotFit) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor odd = Tensor::of<double>({std::nan(""), infinity, -infinity, 1e30, 3e9, 0x1p63});
  EXPECT_EQ(odd.cast(kInt32).to_string(), "int32[6] [0, 0, 0, 0, -1294967296, 0]");
  EXPECT_EQ(odd.cast(kUInt64).to_string(),
            "uint64[6] [0, 0, 0, 0, 3000000000, 9223372036854775808]");
  EXPECT_EQ(odd.cast(kBool).to_string(), "bool[6] [true, true, true, true, true, true]");
  EXPECT_EQ(Tensor::of<int32_t>({300, -1}).cast(kUInt8).to_string(), "uint8[2] [44, 255]");
}

TEST(TensorCast, GoesBetweenAllNumbersAndBool) {
  const DType dtypes[] = {kFloat32, kFloat64, kInt8,   kInt16, kInt32,    kInt64,  kUInt8,
                          kUInt16,  kUInt32,  kUInt64, kBool,  kBFloat16, kFloat16};
  for (const DType from : dtypes) {
    const Tensor source = Tensor::of<int32_t>({0, 1, 1}).cast(from);
    for (const DType to : dtypes) {
      const Tensor result = source.cast(to);
      EXPECT_EQ(result.dtype(), to);
      EXPECT_EQ(result.at(0), 0);
      EXPECT_EQ(result.at(1), 1);
    }
  }
  expect_error(
      Code::kInvalidArgument, [] { Tensor("1").cast(kInt32); }, "string", "int32");
  expect_error(
      Code::kInvalidArgument, [] { Tensor(1.0f).cast(kString); }, "float32", "string");
  const Tensor same(1.0f);
  EXPECT_EQ(same.cast(kFloat32).raw(), same.raw());
}

TEST(Tensor, ComparesBits) {
  const Tensor nan(std::nanf(""));
  EXPECT_TRUE(nan.same_bits(nan.clone()));
  EXPECT_FALSE(Tensor(0.0f).same_bits(Tensor(-0.0f)));
  EXPECT_FALSE(Tensor(1.0f).same_bits(Tensor(1)));
  EXPECT_FALSE(Tensor(1.0f).same_bits(Tensor::of<float>({1})));
  EXPECT_TRUE(Tensor("a").same_bits(Tensor("a")));
  EXPECT_FALSE(Tensor("a").same_bits(Tensor("b")));
  EXPECT_TRUE(Tensor().same_bits(Tensor()));
}

TEST(Tensor, PrintsItsElements) {
  EXPECT_EQ(Tensor(3.0f).to_string(), "float32 3");
  EXPECT_EQ(Tensor::of<float>({1, 2, 3, 4}, {2, 2}).to_string(), "float32[2, 2] [[1, 2], [3, 4]]");
  EXPECT_EQ(Tensor::of<int8_t>({1, -2}).to_string(), "int8[2] [1, -2]");
  EXPECT_EQ(Tensor::of<float>({1, 2, 3}).to_string(2), "float32[3] [1, 2, ...]");
  EXPECT_EQ(Tensor::zeros(kInt32, {3, 3}).to_string(1), "int32[3, 3] [[0, ...], ...]");
  EXPECT_EQ(Tensor(Float16(0.5f)).to_string(), "float16 0.5");
  EXPECT_EQ(Tensor::of<std::string>({"a", "q\"\n\x01"}).to_string(),
            R"(string[2] ["a", "q\"\n\x01"])");
  EXPECT_EQ(str(Tensor(true)), "bool true");
}

}  // namespace
}  // namespace thalweg
