// Small datasets of numbers, and their elements as lists that an eye can check.
#pragma once

#include <fstream>
#include <numeric>
#include <vector>

#include "testing.h"
#include "thalweg/data/dataset.h"

namespace thalweg::data {

using testing::expect_error;
using testing::TemporaryFolder;
using Values = std::vector<int64_t>;

/// Without write_file's care for power cuts, which would make tests that write hundreds of files
/// slow.
inline void put_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Scalars 0, 1, ..., count - 1, with random access.
inline Dataset numbers(int64_t count) {
  Values values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), int64_t{0});
  return Dataset::from_tensors({Tensor::from(std::span<const int64_t>(values), {count})}, {"n"});
}

/// The same from a generator.
inline Dataset generated(int64_t count) {
  return Dataset::from_generator({{"n", kInt64, {}}}, [count](int64_t) -> Generator {
    return [count, next = int64_t{0}]() mutable -> std::optional<Example> {
      if (next == count) return std::nullopt;
      return Example{Tensor(next++)};
    };
  });
}

/// All numbers of the first component of what remains, batches flattened.
inline Values drain(Iterator& pass) {
  Values result;
  while (auto example = pass.next()) {
    const Tensor& tensor = example->at(0);
    for (int64_t i = 0; i < tensor.num_elements(); ++i)
      result.push_back(static_cast<int64_t>(tensor.at(i)));
  }
  return result;
}
inline Values values_of(const Dataset& dataset, const Position& start = {}) {
  Iterator pass = dataset.iterate(start);
  return drain(pass);
}

/// Adds `amount` to the first component.
inline MapFunction plus(int64_t amount) {
  return [amount](Example example) {
    Tensor result = example[0].clone();
    for (int64_t& value : result.mutable_data<int64_t>()) value += amount;
    return Example{result};
  };
}

}  // namespace thalweg::data
