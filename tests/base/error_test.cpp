#include "thalweg/base/error.h"

#include "testing.h"

namespace thalweg {
namespace {

using testing::expect_error;

TEST(Error, CarriesCodeAndJoinedMessage) {
  const Error error = invalid_argument("units is ", -3, ", expected 1 or more");
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_EQ(error.message(), "units is -3, expected 1 or more");
  EXPECT_STREQ(error.what(), error.message().c_str());
}

TEST(Error, EachFactoryHasItsGrpcCode) {
  EXPECT_EQ(static_cast<int>(cancelled().code()), 1);
  EXPECT_EQ(static_cast<int>(invalid_argument().code()), 3);
  EXPECT_EQ(static_cast<int>(deadline_exceeded().code()), 4);
  EXPECT_EQ(static_cast<int>(not_found().code()), 5);
  EXPECT_EQ(static_cast<int>(already_exists().code()), 6);
  EXPECT_EQ(static_cast<int>(permission_denied().code()), 7);
  EXPECT_EQ(static_cast<int>(resource_exhausted().code()), 8);
  EXPECT_EQ(static_cast<int>(failed_precondition().code()), 9);
  EXPECT_EQ(static_cast<int>(aborted().code()), 10);
  EXPECT_EQ(static_cast<int>(out_of_range().code()), 11);
  EXPECT_EQ(static_cast<int>(unimplemented().code()), 12);
  EXPECT_EQ(static_cast<int>(internal_error().code()), 13);
  EXPECT_EQ(static_cast<int>(unavailable().code()), 14);
  EXPECT_EQ(static_cast<int>(data_loss().code()), 15);
}

TEST(Error, EveryCodeHasAName) {
  for (int code = 1; code <= 15; ++code) {
    EXPECT_EQ(to_string(static_cast<Code>(code)) == "unknown", code == 2) << code;
  }
  EXPECT_EQ(str(Code::kNotFound), "not found");
}

TEST(Error, ContextStandsInFrontOutermostFirst) {
  Error error = not_found("no column 'age'");
  error.add_context("reader").add_context("train.csv:7");
  EXPECT_EQ(error.message(), "train.csv:7: reader: no column 'age'");
  EXPECT_EQ(error.code(), Code::kNotFound);
}

TEST(Check, PassesInSilence) { EXPECT_NO_THROW(THALWEG_CHECK(1 + 1 == 2, "arithmetic")); }

TEST(Check, NamesPlaceConditionAndDetail) {
  expect_error(
      Code::kInternal, [] { THALWEG_CHECK(1 + 1 == 3, "sum is ", 2); },
      "tests/base/error_test.cpp:", "1 + 1 == 3", "sum is 2");
  expect_error(
      Code::kInternal, [] { THALWEG_CHECK(false); }, "check failed: false");
}

}  // namespace
}  // namespace thalweg
