// Registers each case as a test: suite = op, test = the case's sentence.
#include <gtest/gtest.h>

#include <cstdio>

#include "cases/case_runner.h"
#include "thalweg/base/log.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg::testing {
namespace {

class CaseTest : public ::testing::Test {
 public:
  explicit CaseTest(const Case& c) : case_(c) {}
  void TestBody() override {
    SCOPED_TRACE(case_.where());
    check_case(case_);
  }

 private:
  const Case& case_;
};

void register_cases(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    ::testing::RegisterTest(c.op.c_str(), c.test_name().c_str(), nullptr, nullptr, c.file.c_str(),
                            c.line, [&c]() -> ::testing::Test* { return new CaseTest(c); });
  }
}

}  // namespace
}  // namespace thalweg::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  thalweg::set_log_level(thalweg::LogLevel::kWarning);  // what Print prints is of no interest here
  std::vector<thalweg::testing::Case> cases;
  try {
    cases = thalweg::testing::read_cases(THALWEG_CASES, thalweg::standard_ops());
  } catch (const thalweg::Error& error) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return 1;
  }
  thalweg::testing::register_cases(cases);
  return RUN_ALL_TESTS();
}
