// Values typed on the command line: taken exactly, or refused with the type's range.
#include "cli/tensor_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/console.h"

namespace thalweg::cli {
namespace {

void expect_refused(const std::string& text, DType dtype, const std::string& words) {
  try {
    const Tensor value = parse_tensor(text, dtype, Shape::unknown());
    ADD_FAILURE() << text << " became " << value.to_string();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(TensorText, TakesNumbersExactly) {
  EXPECT_EQ(parse_tensor("9007199254740993", kInt64, {}).item<int64_t>(), 9007199254740993);
  EXPECT_EQ(parse_tensor("18446744073709551615", kUInt64, {}).item<uint64_t>(), UINT64_MAX);
  EXPECT_TRUE(parse_tensor("1,2.0,1e2", kInt32, Shape::unknown())
                  .same_bits(Tensor::of<int32_t>({1, 2, 100})));
  EXPECT_EQ(parse_tensor("0.1", kFloat64, {}).item<double>(), 0.1);
  EXPECT_EQ(parse_tensor("[[1,2],[3,4]]", kFloat32, Shape::unknown()).shape(), (Shape{2, 2}));
  EXPECT_TRUE(std::isnan(parse_tensor("nan", kFloat32, {}).item<float>()));
  EXPECT_EQ(parse_tensor("-inf", kFloat32, {}).item<float>(), -INFINITY);
  EXPECT_TRUE(parse_tensor("true", kBool, {}).item<bool>());
}

TEST(TensorText, RefusesWhatDoesNotFitTheType) {
  expect_refused("3000000000", kInt32, "from -2147483648 to 2147483647");
  expect_refused("300", kUInt8, "from 0 to 255");
  expect_refused("-1", kUInt8, "'-1' is no uint8");
  expect_refused("1.5", kInt32, "whole number");
  expect_refused("nan", kInt64, "whole number");
  expect_refused("1e30", kInt32, "whole number");
  expect_refused("[300]", kInt8, "from -128 to 127");
  expect_refused("1e39", kFloat32, "too large");
  expect_refused("1e5000", kFloat64, "too large");
  expect_refused("1,,2", kFloat32, "no number");
  expect_refused("2", kBool, "true or false");
}

}  // namespace
}  // namespace thalweg::cli
