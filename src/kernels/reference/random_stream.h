// Where the numbers of a random op come from, and one element's own stretch of them.
#pragma once

#include "kernels/random_words.h"
#include "kernels/reference/elements.h"

namespace thalweg::reference {

/// A node's stream: told by its seed attributes and the run; or (stateless) by its input `seed`, or
/// by its inputs `key`, `counter` and `alg`, which must ask for Philox.
class StreamSource {
 public:
  explicit StreamSource(const KernelRequest& request) {
    if (request.node.find_attr("seed") != nullptr) {
      seed_ = request.node.attr<int64_t>("seed");
      seed2_ = request.node.attr<int64_t>("seed2");
      return;
    }
    const auto& arguments = request.node.op().inputs;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].name == "key") key_input_ = static_cast<int>(i);
      if (arguments[i].name != "seed") continue;
      if (const Shape& seed = request.inputs[i].shape; seed != Shape{2})
        throw invalid_argument("`seed` must have shape [2], got ", seed);
      input_.emplace_back(request, static_cast<int>(i));
    }
  }

  RandomStream stream(const KernelContext& context) const {
    if (key_input_ >= 0) return keyed_stream(context);
    if (input_.empty()) return stateful_stream(seed_, seed2_, context.random_run());
    const Ints seeds = input_[0].read(context);
    return stateless_stream(seeds[0], seeds[1]);
  }

 private:
  RandomStream keyed_stream(const KernelContext& context) const {
    const int32_t algorithm = *context.input<int32_t>(key_input_ + 2);
    if (algorithm != 1 && algorithm != 3) {
      throw unimplemented("`alg` ", algorithm,
                          " is no random algorithm known here; take 1 "
                          "(Philox) or 3 (the system's choice)");
    }
    const uint64_t key = *context.input<uint64_t>(key_input_);
    const uint64_t* counter = context.input<uint64_t>(key_input_ + 1);
    const auto low = [](uint64_t word) { return static_cast<uint32_t>(word); };
    const auto high = [](uint64_t word) { return static_cast<uint32_t>(word >> 32); };
    return {{low(key), high(key)},
            {low(counter[0]), high(counter[0]), low(counter[1]), high(counter[1])}};
  }

  int64_t seed_ = 0;
  int64_t seed2_ = 0;
  int key_input_ = -1;
  std::vector<IntsInput> input_;  // one, or none
};

/// The blocks from `first` on, used up in order by uniform and normal doubles, each of which takes
/// a block for two numbers and gives the second one first (TensorFlow's order).
class RandomDoubles {
 public:
  RandomDoubles(const RandomStream& stream, uint64_t first) : stream_(stream), next_(first) {}

  double uniform() {
    if (uniforms_left_ == 0) {
      const PhiloxBlock block = stream_.block(next_++);
      uniforms_[0] = unit_double(block[0], block[1]);
      uniforms_[1] = unit_double(block[2], block[3]);
      uniforms_left_ = 2;
    }
    return uniforms_[--uniforms_left_];
  }

  double normal() {
    if (normals_left_ == 0) {
      const auto [first, second] = normal_doubles(stream_.block(next_++));
      normals_[0] = first;
      normals_[1] = second;
      normals_left_ = 2;
    }
    return normals_[--normals_left_];
  }

 private:
  RandomStream stream_;
  uint64_t next_;
  double uniforms_[2] = {};
  double normals_[2] = {};
  int uniforms_left_ = 0;
  int normals_left_ = 0;
};

/// The words of a stream one after the other.
class RandomWords {
 public:
  explicit RandomWords(const RandomStream& stream) : stream_(stream) {}

  uint32_t word() {
    if (used_ == 4) {
      block_ = stream_.block(next_++);
      used_ = 0;
    }
    return block_[used_++];
  }
  uint64_t long_word() {
    const uint64_t low = word();
    return low | uint64_t{word()} << 32;
  }
  double uniform() {
    const uint32_t high = word();
    return unit_double(high, word());
  }
  /// In [0, bound), without bias.
  uint64_t below(uint64_t bound) {
    const uint64_t excess = (~uint64_t{0} % bound + 1) % bound;
    uint64_t value = long_word();
    while (value < excess) value = long_word();
    return value % bound;
  }
  /// The same from single words.
  uint32_t below_32(uint32_t bound) {
    const uint32_t excess = (~uint32_t{0} % bound + 1) % bound;
    uint32_t value = word();
    while (value < excess) value = word();
    return value % bound;
  }

 private:
  RandomStream stream_;
  uint64_t next_ = 0;
  PhiloxBlock block_{};
  size_t used_ = 4;
};

/// A shape input's values as a shape. Throws invalid_argument on negative sizes.
inline Shape requested_shape(const Ints& dims) {
  for (int64_t dim : dims) {
    if (dim < 0) throw invalid_argument("a shape holds the negative size ", dim);
  }
  return Shape(std::span<const int64_t>(dims));
}

}  // namespace thalweg::reference
