// One pass over a dataset, and the place in it as a value that a checkpoint can hold.
//
// Everything random in a pipeline is a function of (seed, epoch), so a place is fully told by two
// counts: the pass and the elements already given. No buffer contents are saved; opening at a place
// passes over what went before, on indices alone where the source has random access.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "thalweg/data/example.h"

namespace thalweg::data {

class Node;

/// The consumer's place in a pipeline. A value.
struct Position {
  /// Number of the pass; shuffles draw a new order for each.
  int64_t epoch = 0;
  /// Elements of that pass already given.
  int64_t index = 0;
  /// Hash of the pipeline's steps and their settings; 0 means "any pipeline" (a place made by
  /// hand).
  uint64_t pipeline = 0;

  /// int64[3], for a checkpoint, and back. Throws invalid_argument (dtype, shape) or data_loss
  /// (negative counts).
  Tensor to_tensor() const;
  static Position from_tensor(const Tensor& tensor);
  /// "epoch 2, element 37".
  std::string to_string() const;
  friend bool operator==(const Position&, const Position&) = default;
};

/// Gives the elements of one pass in order. Move-only, thread-compatible; keeps its pipeline alive.
/// Destroying it stops and joins the threads of map and prefetch (a generator is waited for until
/// it returns).
class Iterator {
 public:
  /// Use Dataset::iterate.
  Iterator(std::shared_ptr<const Node> node, const Position& start);
  ~Iterator();
  Iterator(Iterator&&) noexcept;
  Iterator& operator=(Iterator&&) noexcept;

  /// The next element; nullopt at the end of the pass, and ever after. Errors of the source or of a
  /// map function arrive here, also from other threads: an Error with the element's number in
  /// front, any other exception as it is; after one, each call throws failed_precondition.
  std::optional<Example> next();

  /// Where next() stands, whatever threads have read ahead. Dataset::iterate(position()) gives
  /// exactly what remains.
  Position position() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thalweg::data
