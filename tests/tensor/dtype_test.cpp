#include "thalweg/tensor/dtype.h"

#include <bit>
#include <cmath>
#include <limits>

#include "testing.h"

namespace thalweg {
namespace {

constexpr DType kAll[] = {kFloat32, kFloat64, kInt32,    kUInt8,  kInt16,
                          kInt8,    kString,  kInt64,    kBool,   kBFloat16,
                          kUInt16,  kFloat16, kResource, kUInt32, kUInt64};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(DType, IsReadInEverySpelling) {
  for (const DType dtype : kAll) {
    EXPECT_EQ(parse_dtype(to_string(dtype)), dtype);
    EXPECT_EQ(parse_dtype(schema_name(dtype)), dtype);
  }
  EXPECT_EQ(parse_dtype("DT_FLOAT"), kFloat32);
  EXPECT_EQ(parse_dtype("DT_HALF"), kFloat16);
  EXPECT_EQ(parse_dtype("double"), kFloat64);
  EXPECT_EQ(parse_dtype("DT_INVALID"), kInvalid);
  EXPECT_EQ(parse_dtype("float33"), kInvalid);
  EXPECT_EQ(parse_dtype(""), kInvalid);
}

TEST(DType, PrintsNumPyNamesAndSchemaNames) {
  EXPECT_EQ(str(kFloat32), "float32");
  EXPECT_EQ(schema_name(kFloat32), "float");
  EXPECT_EQ(str(kFloat16), "float16");
  EXPECT_EQ(schema_name(kFloat16), "half");
  EXPECT_EQ(str(kInvalid), "invalid");
}

TEST(DType, IsNumericOrNot) {
  EXPECT_TRUE(is_floating(kBFloat16));
  EXPECT_FALSE(is_floating(kInt32));
  EXPECT_TRUE(is_integer(kUInt64));
  EXPECT_FALSE(is_integer(kBool));
  EXPECT_FALSE(is_numeric(kBool));
  EXPECT_FALSE(is_numeric(kString));
  EXPECT_TRUE(is_numeric(kFloat16));
}

TEST(DType, VisitsTheTypeOfThatSize) {
  for (const DType dtype : kAll) {
    if (dtype == kResource) continue;
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      EXPECT_EQ(kDTypeOf<T>, dtype);
      EXPECT_EQ(element_size(dtype), dtype == kString ? 0 : sizeof(T));
    });
  }
  testing::expect_error(
      Code::kUnimplemented, [] { visit_dtype(kResource, [](auto) {}); }, "resource");
  testing::expect_error(
      Code::kUnimplemented, [] { visit_dtype(kInvalid, [](auto) {}); }, "invalid");
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(BFloat16(1.0f).bits, 0x3F80);
  EXPECT_EQ(BFloat16(1.0f + 0x1p-8f).bits, 0x3F80);             // half way: to even
  EXPECT_EQ(BFloat16(1.0f + 0x1p-8f + 0x1p-20f).bits, 0x3F81);  // above half way
  EXPECT_EQ(BFloat16(1.0f + 0x3p-8f).bits, 0x3F82);             // half way: to even, upwards
  EXPECT_EQ(float(BFloat16(-2.5f)), -2.5f);
  EXPECT_EQ(float(BFloat16(std::numeric_limits<float>::max())), kInfinity);
}

TEST(BFloat16, KeepsNaNAndInfinity) {
  EXPECT_TRUE(std::isnan(float(BFloat16(std::nanf("")))));
  EXPECT_TRUE(std::isnan(float(BFloat16(std::bit_cast<float>(0x7F800001u)))));
  EXPECT_TRUE(std::isnan(float(BFloat16(std::bit_cast<float>(0xFFFFFFFFu)))));
  EXPECT_EQ(float(BFloat16(-kInfinity)), -kInfinity);
}

TEST(Float16, ReadsBackEveryBitPattern) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    Float16 half;
    half.bits = static_cast<uint16_t>(bits);
    const float value = float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float(Float16(value))));
    } else {
      ASSERT_EQ(Float16(value).bits, bits) << value;
    }
  }
}

TEST(Float16, KnowsItsSpecialValues) {
  EXPECT_EQ(Float16(1.0f).bits, 0x3C00);
  EXPECT_EQ(Float16(-0.0f).bits, 0x8000);
  EXPECT_EQ(Float16(65504.0f).bits, 0x7BFF);
  EXPECT_EQ(Float16(65519.0f).bits, 0x7BFF);
  EXPECT_EQ(float(Float16(65520.0f)), kInfinity);
  EXPECT_EQ(float(Float16(-1e30f)), -kInfinity);
  EXPECT_EQ(Float16(0x1p-24f).bits, 1);
  EXPECT_EQ(Float16(0x1p-25f).bits, 0);  // half way to the smallest: to even
  EXPECT_EQ(Float16(0x1.8p-25f).bits, 1);
  EXPECT_EQ(Float16(1e-30f).bits, 0);
  EXPECT_TRUE(std::isnan(float(Float16(std::nanf("")))));
}

// The nearest of the two neighbours, the even one in a tie, by comparison in double.
TEST(Float16, RoundsToNearestEvenEverywhere) {
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    Float16 low, high;
    low.bits = static_cast<uint16_t>(bits);
    high.bits = static_cast<uint16_t>(bits + 1);
    const float middle = static_cast<float>((double(float(low)) + double(float(high))) / 2);
    ASSERT_EQ(Float16(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(Float16(std::nextafter(middle, 0.0f)).bits, bits);
    ASSERT_EQ(Float16(std::nextafter(middle, 1e9f)).bits, bits + 1);
  }
}

}  // namespace
}  // namespace thalweg
