// What the tests of every room share: errors by code and key words, and folders that vanish.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "thalweg/base/error.h"

namespace thalweg::testing {

/// Passes when `f()` throws an Error of `code` whose message holds every one of `words`.
template <class F, class... Words>
void expect_error(Code code, F&& f, const Words&... words) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.message();
    for (const std::string& word : {std::string(words)..., std::string()}) {
      EXPECT_NE(error.message().find(word), std::string::npos)
          << error.message() << "\nlacks: " << word;
    }
    return;
  }
  ADD_FAILURE() << "no error, expected: " << to_string(code);
}

/// A folder of its own for one test, removed with all in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = ::testing::TempDir() + "thalweg-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw unavailable("cannot make ", pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace thalweg::testing
