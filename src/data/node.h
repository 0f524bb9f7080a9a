// What a Dataset points at: a step of a pipeline, and the streams that run it.
//
// A Node is the immutable description, a Stream one pass over it. Steps that only choose or order
// elements are written once for streams of any item, and run on row numbers while the source has
// random access, on examples otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "thalweg/data/dataset.h"

namespace thalweg::data {

inline constexpr int64_t kInfinite = -1;
inline constexpr int64_t kUnknownSize = -2;
/// Repeated for ever, unless a pass proves to be empty: a generator's.
inline constexpr int64_t kInfiniteOrEmpty = -3;

/// One pass, item by item. Borrows its Node. Thread-compatible.
template <class T>
class Stream {
 public:
  virtual ~Stream() = default;
  /// nullopt at the end, and after it.
  virtual std::optional<T> next() = 0;
  /// Passes over up to `count` items, as cheaply as can be; returns how many there were.
  virtual int64_t skip(int64_t count) {
    int64_t done = 0;
    while (done < count && next()) ++done;
    return done;
  }
};
using IndexStream = Stream<int64_t>;
using ExampleStream = Stream<Example>;

/// Rows that can be had by number. Immutable, thread-safe.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual Example row(int64_t index) const = 0;
  /// The rows stacked along a new first dimension.
  virtual Example gather(std::span<const int64_t> indices) const = 0;
};

/// What a hash covers.
enum class Hash {
  kPipeline,  // steps and settings, types, sizes: enough to refuse a Position of another pipeline
  kContent,   // the data too
};

class Node {
 public:
  virtual ~Node() = default;
  virtual Spec spec() const = 0;
  /// Elements of a pass, or one of the constants above.
  virtual int64_t size() const = 0;
  virtual uint64_t hash(Hash what) const = 0;

  /// Where the source has random access: its rows, and the numbers of those that pass `epoch`
  /// visits.
  virtual const Rows* rows() const { return nullptr; }
  virtual std::unique_ptr<IndexStream> indices(int64_t epoch) const;
  /// Whether every pass visits the same elements in the same order.
  virtual bool fixed_order() const { return false; }

  /// Pass `epoch`. Unless overridden, rows() at indices().
  virtual std::unique_ptr<ExampleStream> examples(int64_t epoch) const;
};
using NodePtr = std::shared_ptr<const Node>;

/// Folds `value` into a hash.
uint64_t fold(uint64_t hash, uint64_t value);
uint64_t fold(uint64_t hash, const Spec& spec);

/// The spec behind a map: told by the function, or found once by mapping the first element.
struct SpecCache {
  std::mutex mutex;
  std::optional<Spec> spec;
};
Spec mapped_spec(const Node& input, const MapFunction& function, SpecCache& cache);

NodePtr tensors_node(std::vector<Tensor> tensors, std::vector<std::string> names);
NodePtr generator_node(Spec spec, GeneratorFactory factory);
NodePtr shuffle_node(NodePtr input, int64_t buffer_size, uint64_t seed);
NodePtr repeat_node(NodePtr input, int64_t count);
NodePtr take_node(NodePtr input, int64_t count);
NodePtr skip_node(NodePtr input, int64_t count);
NodePtr select_node(NodePtr input, const std::vector<int64_t>& indices);
NodePtr batch_node(NodePtr input, int64_t size, bool drop_remainder);
NodePtr map_node(NodePtr input, MapFunction function);
NodePtr parallel_map_node(NodePtr input, MapFunction function, int workers);
NodePtr prefetch_node(NodePtr input, int64_t count);

}  // namespace thalweg::data
