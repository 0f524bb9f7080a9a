// What the tests of this room share: a graph that runs, and numbers out of tensors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg::testing {

inline std::vector<double> values(const Tensor& tensor) {
  std::vector<double> result;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) result.push_back(tensor.at(i));
  return result;
}

inline void expect_near(const std::vector<double>& got, const std::vector<double>& want,
                        double tolerance = 1e-5) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << "at " << i;
}

/// A graph and a session whose variables have their first values at the first run.
class GraphTest : public ::testing::Test {
 protected:
  Output input(const Shape& shape, DType dtype = kFloat32) {
    return placeholder(graph_, dtype, shape, {.name = "x"});
  }
  Output given(const Tensor& value) { return constant(graph_, value); }

  Tensor run(Output y, const std::vector<Feed>& feeds = {}) {
    session().initialize();
    return session().run(y, feeds);
  }
  void run_nodes(const std::vector<Node*>& nodes, const std::vector<Feed>& feeds = {}) {
    session().initialize();
    session().run(feeds, {}, nodes);
  }
  std::vector<double> numbers(Output y, const std::vector<Feed>& feeds = {}) {
    return values(run(y, feeds));
  }
  double number(Output y, const std::vector<Feed>& feeds = {}) { return run(y, feeds).at(0); }
  Tensor variable(const std::string& name) {
    session().initialize();
    return session().variables().get(name);
  }
  Session& session() {
    if (!session_) session_ = std::make_unique<Session>(graph_);
    return *session_;
  }
  /// The names of the graph's variables in order of creation.
  std::vector<std::string> variable_names() const {
    std::vector<std::string> names;
    for (const auto& record : graph_.variables()) names.push_back(record.name);
    return names;
  }

  Graph graph_{standard_ops()};
  std::unique_ptr<Session> session_;
};

}  // namespace thalweg::testing
