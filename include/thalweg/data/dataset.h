// Input pipelines: a source and the steps that turn it into the batches a training loop eats.
//
//   auto batches = Dataset::from_tensors({images, labels})
//                      .shuffle(60000, seed).batch(128).map(data::to_float(1 / 255.f)).prefetch(2);
//   for (int64_t epoch = 0; epoch < 10; ++epoch) {
//     auto pass = batches.iterate({.epoch = epoch});
//     while (auto batch = pass.next()) step((*batch)[0], (*batch)[1]);
//   }
//
// The model is TensorFlow's tf.data. Steps that only choose or order elements (shuffle, repeat,
// take, skip, select) work on row numbers as long as the source has random access (from_tensors,
// the file readers), so that rows are touched once: when batch() gathers them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thalweg/data/example.h"
#include "thalweg/data/iterator.h"
#include "thalweg/data/map.h"

namespace thalweg::data {

struct BatchOptions {
  bool drop_remainder = false;  // leave out a short last batch
};
inline constexpr int kMostMapThreads = 1024;
struct MapOptions {
  int parallel = 1;  // threads of its own when above 1, up to kMostMapThreads; the order is kept
};

/// Gives the elements of one pass, nullopt at its end.
using Generator = std::function<std::optional<Example>()>;
/// Starts pass `epoch`. For exact resume two generators of one epoch must give the same elements.
using GeneratorFactory = std::function<Generator(int64_t epoch)>;

/// A handle to an immutable description of a pipeline; copying it is cheap, every step returns a
/// new one. Thread-safe.
class Dataset {
 public:
  /// Element i is {tensors[0][i], tensors[1][i], ...}, sharing their memory. `names` defaults to
  /// "features", "label" (and "component_2", ...). Throws invalid_argument on scalars and on
  /// different first dimensions.
  static Dataset from_tensors(std::vector<Tensor> tensors, std::vector<std::string> names = {});
  /// Elements that a function makes, each checked against `spec`. Resuming runs the generator again
  /// up to the place.
  static Dataset from_generator(Spec spec, GeneratorFactory factory);

  /// Random order by a buffer of `buffer_size` elements: each one given is drawn from the buffer,
  /// then replaced by the next. Uniform when the buffer holds the whole pass. The order depends on
  /// (seed, epoch). Throws invalid_argument below 1.
  Dataset shuffle(int64_t buffer_size, uint64_t seed) const;
  /// Stacks `size` elements along a new first dimension; the last batch may be shorter.
  Dataset batch(int64_t size, const BatchOptions& options = {}) const;
  /// The passes epoch * count, epoch * count + 1, ... one after another; -1 repeats for ever.
  Dataset repeat(int64_t count = -1) const;
  /// Applies `function` to each element. A thread that the machine does not give throws
  /// resource_exhausted from next(), here and for prefetch.
  Dataset map(MapFunction function, const MapOptions& options = {}) const;
  /// Reads up to `count` elements ahead on a thread of its own.
  Dataset prefetch(int64_t count) const;
  /// The first `count` elements, and all but those.
  Dataset take(int64_t count) const;
  Dataset skip(int64_t count) const;
  /// The elements with these numbers, in this order. Only for random access with a fixed order:
  /// before shuffle, repeat and batch; else invalid_argument. out_of_range for a number outside.
  Dataset select(const std::vector<int64_t>& indices) const;

  /// Opens a pass, by default the first from its start; or the rest of one. Throws
  /// failed_precondition when `start` was taken in another pipeline, out_of_range when it lies past
  /// the end.
  Iterator iterate(const Position& start = {}) const;

  Spec spec() const;
  /// Elements in a pass; nullopt when infinite or not known without running (generators).
  std::optional<int64_t> size() const;
  bool is_infinite() const;
  bool has_random_access() const;
  /// Hash of contents (for a generator: its spec) and steps, for run records. Map functions count
  /// by their place only. Reads all data.
  uint64_t fingerprint() const;
  /// Component `i` of all elements of the first pass, stacked: the labels for a stratified split.
  /// Throws invalid_argument when infinite or the shapes differ.
  Tensor component(int i) const;

 private:
  explicit Dataset(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

}  // namespace thalweg::data

namespace thalweg {
using data::Dataset;
}  // namespace thalweg
