// Running a oneDNN primitive on plain arrays: values go in and come out row-major in double,
// whatever layouts the primitive chose.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "kernels/onednn/shim.h"
#include "kernels/onednn/shim_build.h"

namespace thalweg::onednn {

struct Array {
  explicit Array(Dims d, double fill = 0) : dims(std::move(d)) {
    std::int64_t count = 1;
    for (const std::int64_t n : dims) count *= n;
    v.assign(static_cast<std::size_t>(count), fill);
  }
  Array(Dims d, std::vector<double> values) : dims(std::move(d)), v(std::move(values)) {}
  double& operator[](std::int64_t i) { return v[static_cast<std::size_t>(i)]; }
  double operator[](std::int64_t i) const { return v[static_cast<std::size_t>(i)]; }

  Dims dims;
  std::vector<double> v;
};

// Multiples of 1/64 below 1 in magnitude: exact in f32 and in bf16.
inline Array random_array(const Dims& dims, unsigned seed) {
  std::mt19937 engine(seed);
  Array a(dims);
  for (double& x : a.v) x = static_cast<int>(engine() % 127) / 64.0 - 63 / 64.0;
  return a;
}

// 64-byte aligned, filled with bytes that make f32 and bf16 NaN so that an unwritten cell shows.
struct Memory {
  explicit Memory(std::size_t bytes)
      : size(bytes), data(std::aligned_alloc(64, (bytes + 127) / 64 * 64), &std::free) {
    std::memset(data.get(), 0xff, bytes);
  }
  std::size_t size;
  std::unique_ptr<void, void (*)(void*)> data;
};

struct Value {
  Desc desc;
  std::shared_ptr<Memory> memory;
  void* data() const { return memory->data.get(); }
};

inline Value empty_value(const Desc& desc) {
  return {desc, std::make_shared<Memory>(desc.size_bytes())};
}

inline void run_once(const Primitive& primitive, const std::vector<void*>& pointers) {
  const Memory scratch(primitive.scratch_bytes());
  primitive.make_execution().run(pointers, scratch.data.get());
}

inline Value convert(const Value& from, const Desc& to) {
  Value result = empty_value(to);
  const auto primitive = reorder(from.desc, to);
  if (!primitive) {
    ADD_FAILURE() << "no reorder from " << from.desc.to_string() << " to " << to.to_string();
    return result;
  }
  run_once(*primitive, {from.data(), result.data()});
  return result;
}

inline Value to_value(const Array& array, const Desc& desc) {
  Value plain = empty_value(Desc::plain(array.dims));
  for (std::size_t i = 0; i < array.v.size(); ++i) {
    static_cast<float*>(plain.data())[i] = static_cast<float>(array.v[i]);
  }
  return convert(plain, desc);
}

inline Array to_array(const Value& value) {
  Array array(value.desc.dims());
  const Value plain = convert(value, Desc::plain(array.dims));
  for (std::size_t i = 0; i < array.v.size(); ++i) {
    array.v[i] = static_cast<const float*>(plain.data())[i];
  }
  return array;
}

using Values = std::map<Arg, Value>;

// Runs `primitive` on inputs given as arrays (any layout is made for it) or as values (passed as
// they are, such as a workspace), and returns every operand.
inline Values evaluate(const Primitive& primitive, const std::map<Arg, Array>& inputs,
                       const Values& raw = {}) {
  Values operands;
  std::vector<void*> pointers;
  for (const Arg arg : primitive.args()) {
    const Desc desc = primitive.desc(arg);
    if (const auto it = inputs.find(arg); it != inputs.end()) {
      operands[arg] = to_value(it->second, desc);
    } else if (const auto given = raw.find(arg); given != raw.end()) {
      EXPECT_TRUE(given->second.desc == desc) << given->second.desc.to_string();
      operands[arg] = given->second;
    } else {
      operands[arg] = empty_value(desc);
    }
    pointers.push_back(operands[arg].data());
  }
  run_once(primitive, pointers);
  return operands;
}

inline void expect_near(const Array& actual, const Array& expected, double tolerance,
                        const char* what) {
  ASSERT_EQ(actual.dims, expected.dims) << what;
  int reported = 0;
  for (std::size_t i = 0; i < actual.v.size() && reported < 3; ++i) {
    const double scale = 1 + std::abs(expected.v[i]);
    if (!(std::abs(actual.v[i] - expected.v[i]) <= tolerance * scale)) {
      ADD_FAILURE() << what << "[" << i << "] is " << actual.v[i] << ", expected " << expected.v[i];
      ++reported;
    }
  }
}

}  // namespace thalweg::onednn
