// Graphs of TensorFlow 1 run here as they run there: data/*.pbtxt with what TensorFlow gave,
// written by tools/check_functionalize.py.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cases/case_file.h"
#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/graph_def.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg::testing {
namespace {

struct Named {
  std::string name;
  Tensor value;
};

struct Step {
  std::vector<Named> feeds;
  std::vector<std::string> targets;
  std::vector<Named> fetches;
};

std::vector<Step> read_steps(const std::string& path) {
  std::vector<Step> steps;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string kind;
    std::string name;
    words >> kind >> name;
    std::string rest;
    std::getline(words, rest);
    if (kind == "step") steps.emplace_back();
    if (kind == "feed") steps.back().feeds.push_back({name, parse_case_tensor(rest)});
    if (kind == "target") steps.back().targets.push_back(name);
    if (kind == "fetch") steps.back().fetches.push_back({name, parse_case_tensor(rest)});
  }
  return steps;
}

void expect_same(const Tensor& got, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(got.dtype(), expected.dtype()) << what;
  ASSERT_EQ(got.shape(), expected.shape()) << what;
  for (size_t i = 0; i < static_cast<size_t>(got.num_elements()); ++i) {
    if (got.dtype() == DType::kFloat32) {
      const float value = expected.data<float>()[i];
      EXPECT_NEAR(got.data<float>()[i], value, 1e-5f * (1 + std::abs(value)))
          << what << " at " << i;
    } else if (got.dtype() == DType::kInt32) {
      EXPECT_EQ(got.data<int32_t>()[i], expected.data<int32_t>()[i]) << what << " at " << i;
    } else if (got.dtype() == DType::kInt64) {
      EXPECT_EQ(got.data<int64_t>()[i], expected.data<int64_t>()[i]) << what << " at " << i;
    } else {
      ASSERT_EQ(got.dtype(), DType::kBool) << what;
      EXPECT_EQ(got.data<bool>()[i], expected.data<bool>()[i]) << what << " at " << i;
    }
  }
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(THALWEG_TENSORFLOW1)) {
    if (entry.path().extension() == ".steps") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class TensorFlow1 : public ::testing::TestWithParam<std::string> {};

TEST_P(TensorFlow1, RunsAsThere) {
  const std::string stem = std::string(THALWEG_TENSORFLOW1) + "/" + GetParam();
  const auto graph = read_graph(stem + ".pbtxt", standard_ops());
  Session session(*graph);
  const std::vector<Step> steps = read_steps(stem + ".steps");
  for (size_t i = 0; i < steps.size(); ++i) {
    std::vector<Feed> feeds;
    std::vector<Output> fetches;
    std::vector<Node*> targets;
    for (const Named& feed : steps[i].feeds) {
      feeds.push_back({graph->output(feed.name), feed.value});
    }
    for (const Named& fetch : steps[i].fetches) fetches.push_back(graph->output(fetch.name));
    for (const std::string& target : steps[i].targets) {
      ASSERT_NE(graph->find(target), nullptr) << target;
      targets.push_back(graph->find(target));
    }
    const std::vector<Tensor> got = session.run(feeds, fetches, targets);
    for (size_t k = 0; k < got.size(); ++k) {
      expect_same(got[k], steps[i].fetches[k].value,
                  str("step ", i + 1, ", ", steps[i].fetches[k].name));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, TensorFlow1, ::testing::ValuesIn(case_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace thalweg::testing
