// Tiny data sets on which estimators learn within a second.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "testing.h"
#include "thalweg/base/philox.h"
#include "thalweg/data/dataset.h"
#include "thalweg/estimator/classifier.h"
#include "thalweg/estimator/network_file.h"
#include "thalweg/estimator/regressor.h"
#include "thalweg/nn/layers.h"

namespace thalweg {

using testing::expect_error;
using testing::TemporaryFolder;

struct Rows {
  Tensor features;  // float32 [rows, 2]
  Tensor labels;
};

/// Three clouds of points in a plane; labels 0, 1, 2 in turn.
inline Rows clouds(int64_t rows, uint64_t seed = 1) {
  constexpr float kCentres[3][2] = {{0, 3}, {-3, -2}, {3, -2}};
  Rows result{Tensor(kFloat32, {rows, 2}), Tensor(kInt64, {rows})};
  Philox random(seed);
  auto x = result.features.mutable_data<float>();
  auto y = result.labels.mutable_data<int64_t>();
  for (int64_t i = 0; i < rows; ++i) {
    y[i] = i % 3;
    for (int k = 0; k < 2; ++k) {
      x[2 * i + k] = kCentres[y[i]][k] + static_cast<float>(random.below(1000)) / 500 - 1;
    }
  }
  return result;
}

/// y = 300 a - 200 b + 5000, exactly.
inline Rows plane(int64_t rows, uint64_t seed = 1) {
  Rows result{Tensor(kFloat32, {rows, 2}), Tensor(kFloat32, {rows})};
  Philox random(seed);
  auto x = result.features.mutable_data<float>();
  auto y = result.labels.mutable_data<float>();
  for (int64_t i = 0; i < rows; ++i) {
    for (int k = 0; k < 2; ++k) x[2 * i + k] = static_cast<float>(random.below(1000)) / 100;
    y[i] = 300 * x[2 * i] - 200 * x[2 * i + 1] + 5000;
  }
  return result;
}

inline Layer small_network(int64_t outputs, double dropout = 0) {
  return Sequential({Dense({.units = 8, .activation = "relu"}), Dropout({.rate = dropout}),
                     Dense({.units = outputs})});
}

inline void put_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// All variables equal, bit for bit.
inline void expect_same_weights(const Estimator& a, const Estimator& b) {
  ASSERT_EQ(a.variables().names(), b.variables().names());
  for (const std::string& name : a.variables().names()) {
    EXPECT_TRUE(a.variables().get(name).same_bits(b.variables().get(name))) << name;
  }
}

}  // namespace thalweg
