// Reads event files back: of thalweg, TensorFlow, TensorBoard and PyTorch, also while they are
// written.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg {

struct ScalarPoint {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
  double value = 0;
};

struct HistogramPoint {
  double wall_time = 0;
  int64_t step = 0;
  Tensor buckets;  // float64 [k, 3]: left edge, right edge, count
};

/// What event files say, in the order in which they say it. Resumed runs repeat steps: see
/// session_starts.
struct EventLog {
  std::string file_version;                                       // "brain.Event:2"
  std::map<std::string, std::vector<ScalarPoint>> scalars;        // by tag
  std::map<std::string, std::vector<HistogramPoint>> histograms;  // by tag
  std::string graph_def;                // the bytes of the last GraphDef; empty: none
  std::vector<int64_t> session_starts;  // steps at which a run began or went on
  int64_t events = 0;                   // all of them, also of kinds not kept here
};

/// Follows one file. Thread-compatible.
class EventReader {
 public:
  /// Errors: not_found, permission_denied.
  explicit EventReader(const std::string& path);
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  /// Adds what has been written since the last call to `log`; returns the number of events. A last
  /// record that is cut short is left for later. Throws data_loss for a damaged record; what came
  /// before it is in `log`.
  int64_t read_more(EventLog& log);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All of one file.
EventLog read_events(const std::string& path);
/// All event files in a folder (not below it) in the order of their names, as TensorBoard reads a
/// run; files whose name does not hold "tfevents" are skipped.
EventLog read_event_folder(const std::string& folder);

}  // namespace thalweg
