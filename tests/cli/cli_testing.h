// Runs commands in this process, on tiny data in a temporary folder.
#pragma once

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_cli.h"
#include "testing.h"

namespace thalweg::cli {

using testing::TemporaryFolder;

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

inline Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  Outcome result;
  result.status = run_cli(arguments, out, err);
  result.out = out.str();
  result.err = err.str();
  return result;
}

inline void put_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One line "error: ..." that holds every one of `words`, and nothing on stdout.
template <class... Words>
void expect_failure(const Outcome& outcome, int status, const Words&... words) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const size_t begin = outcome.err.rfind("error: ");
  ASSERT_NE(begin, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n', begin), outcome.err.size() - 1) << outcome.err;
  for (const std::string& word : {std::string(words)..., std::string()}) {
    EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err << "\nlacks: " << word;
  }
}

/// `rows` lines "a,b,<label>": the label is `names[0]` where a < b, else `names[1]`.
inline std::string two_classes(int rows, const std::vector<std::string>& names,
                               const std::string& header = "a,b,y") {
  std::string text = header + "\n";
  for (int i = 0; i < rows; ++i) {
    const int a = i * 7 % 10, b = (i * 3 + i / 10) % 10;
    text += std::to_string(a) + "," + std::to_string(b) + ".5," + names[a < b + 0.5 ? 0 : 1] + "\n";
  }
  return text;
}

inline std::string idx_header(char rank, const std::vector<int>& dims) {
  std::string bytes{'\0', '\0', '\x08', rank};
  for (const int dim : dims)
    bytes += {'\0', '\0', static_cast<char>(dim >> 8), static_cast<char>(dim)};
  return bytes;
}

/// A folder in MNIST's layout: 8x8 images, bright above (class 0), below (1), or left (all others).
inline void put_image_folder(const std::string& folder, int train_rows, int test_rows,
                             int classes = 3) {
  std::filesystem::create_directories(folder);
  const auto put = [&](const std::string& stem, int rows) {
    std::string images = idx_header(3, {rows, 8, 8}), labels = idx_header(1, {rows});
    for (int i = 0; i < rows; ++i) {
      const int label = i % classes;
      labels += static_cast<char>(label);
      for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 8; ++x) {
          const bool bright = label == 0 ? y < 4 : label == 1 ? y >= 4 : x < 4;
          images += static_cast<char>(bright ? 200 + i % 50 : i % 20);
        }
      }
    }
    put_file(folder + "/" + stem + "-images-idx3-ubyte", images);
    put_file(folder + "/" + stem + "-labels-idx1-ubyte", labels);
  };
  put("train", train_rows);
  put("t10k", test_rows);
}

}  // namespace thalweg::cli
