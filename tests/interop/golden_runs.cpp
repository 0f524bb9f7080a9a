#include "interop/golden_runs.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include "cases/case_file.h"
#include "thalweg/base/file.h"

namespace thalweg::interop {
namespace {

constexpr double kTolerance = 1e-5;

std::pair<std::string, Tensor> named_tensor(const std::string& text) {
  const size_t colon = text.find(": ");
  if (colon == std::string::npos) throw invalid_argument("`", text, "` has no `: `");
  return {text.substr(0, colon), testing::parse_case_tensor(text.substr(colon + 2))};
}

void read_line(const std::string& line, Golden& golden) {
  const size_t space = line.find(' ');
  const std::string word = line.substr(0, space);
  const std::string rest = space == std::string::npos ? std::string() : line.substr(space + 1);
  if (word == "run") {
    golden.runs.push_back({.signature = rest});
  } else if (golden.runs.empty()) {
    throw invalid_argument("`", word, "` before the first `run`");
  } else if (word == "feed") {
    golden.runs.back().feeds.push_back(named_tensor(rest));
  } else if (word == "fetch") {
    golden.runs.back().fetches.push_back(named_tensor(rest));
  } else if (word == "target") {
    golden.runs.back().targets.push_back(rest);
  } else {
    throw invalid_argument("`", word, "` is not understood");
  }
}

}  // namespace

Golden read_golden(const std::string& path) {
  Golden golden;
  int number = 0;
  for (const std::string& line : split(read_file(path), '\n')) {
    ++number;
    if (line.starts_with("#")) {
      const size_t name = line.find("what ");
      const size_t end = line.find(" gives");
      if (name != std::string::npos && end != std::string::npos) {
        golden.made_with = line.substr(name + 5, end - name - 5);
      }
    } else if (!line.empty()) {
      try {
        read_line(line, golden);
      } catch (Error& error) {
        error.add_context(str(path, ":", number));
        throw;
      }
    }
  }
  return golden;
}

std::string difference(const Tensor& got, const Tensor& expected) {
  if (got.dtype() != expected.dtype() || !(got.shape() == expected.shape())) {
    return str("it is ", got.dtype(), got.shape(), ", expected ", expected.dtype(),
               expected.shape());
  }
  std::string text;
  visit_element(got.dtype(), [&]<class T>(TypeTag<T>) {
    const auto a = got.data<T>();
    const auto b = expected.data<T>();
    for (size_t i = 0; i < a.size() && text.empty(); ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        const double x = a[i], y = b[i];
        const bool same = x == y || (std::isnan(x) && std::isnan(y)) ||
                          std::abs(x - y) <= kTolerance * (1 + std::abs(y));
        if (!same) text = str("element ", i, " is ", x, ", expected ", y);
      } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
        if (a[i] != b[i]) text = str("element ", i, " is ", a[i], ", expected ", b[i]);
      } else if (!got.same_bits(expected)) {
        text = "its values differ";
      }
    }
  });
  return text;
}

}  // namespace thalweg::interop
