// TensorBoard's event files, written while training goes on.
//
// Watching a run must never end it: after a failure (a folder that cannot be written, a full disk)
// the writer warns once and is silent from then on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "thalweg/base/clock.h"
#include "thalweg/graph/graph.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg {

struct EventWriterOptions {
  /// How long an event may wait in memory, where a killed process loses it. 0: each is handed to
  /// the system at once; more gathers events for folders where each write is slow, and a thread of
  /// the writer's own keeps the limit.
  double flush_seconds = 0;
  /// Gives events and the file's name their time; must outlive the writer. Null: the machine's
  /// clock.
  const Clock* clock = nullptr;
  /// What the file's name ends in; empty: ".<host>.<process>.<counter>", different for every
  /// writer.
  std::string suffix = {};
};

/// Appends to a new file `events.out.tfevents.<seconds><suffix>` in the folder, which is made when
/// missing. Nothing here throws. Thread-safe.
class EventWriter {
 public:
  explicit EventWriter(const std::string& folder, EventWriterOptions options = {}) noexcept;
  /// Flushes.
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  /// One point of the curve `tag`. Steps must rise within a tag: TensorBoard drops points at or
  /// after a repeated step.
  void add_scalar(std::string_view tag, double value, int64_t step) noexcept;
  /// A histogram of all elements; those that are not finite are left out with a warning, once a
  /// tag.
  void add_histogram(std::string_view tag, const Tensor& values, int64_t step) noexcept;
  void add_histogram(std::string_view tag, std::span<const float> values, int64_t step) noexcept;
  /// The picture of the graph, with shapes on its edges and without large constants.
  void add_graph(const Graph& graph) noexcept;
  /// Says that a run goes on from `step`: TensorBoard forgets older points from there on.
  void add_session_start(int64_t step) noexcept;
  /// Hands what waits in memory to the system.
  void flush() noexcept;

  /// False once something could not be written: the file is not complete, and nothing more is added
  /// to it.
  bool healthy() const noexcept;
  /// Of the file; empty when it could not be created.
  std::string path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thalweg
