#include "thalweg/summary/event_writer.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "proto/event.pb.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/file_access.h"
#include "thalweg/base/log.h"
#include "thalweg/formats/graph_def.h"
#include "thalweg/formats/tensor_proto.h"
#include "thalweg/formats/tfrecord.h"
#include "thalweg/summary/histogram.h"

namespace thalweg {
namespace {

constexpr std::string_view kFileVersion = "brain.Event:2";  // what readers ask the first record for
constexpr int64_t kLargestDrawnAttr = 1024;                 // bytes; TensorBoard shows no more

// "events.out.tfevents.1700000000": ten digits, so that later files come later by name.
std::string file_stem(double seconds) {
  const std::string digits = str(static_cast<int64_t>(seconds));
  return "events.out.tfevents." + std::string(digits.size() < 10 ? 10 - digits.size() : 0, '0') +
         digits;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

// Creates the file. Nobody else's is ever opened: two writers in one folder, even with equal names,
// get two files.
AppendFile create_file(const std::string& folder, double seconds,
                       const std::string& wanted_suffix) {
  static std::atomic<int> counter{0};
  make_folders(folder);
  for (bool first = true;; first = false) {
    std::string suffix = wanted_suffix;
    if (suffix.empty()) {
      suffix = str(".", host_name(), ".", ::getpid(), ".", counter++);
    } else if (!first) {
      suffix = str(suffix, ".", counter++);
    }
    try {
      return AppendFile(join_path(folder, file_stem(seconds) + suffix));
    } catch (const Error& error) {
      if (error.code() != Code::kAlreadyExists) throw;
    }
  }
}

void warn(const std::string& text) noexcept {
  try {
    log_warning_once("summary", text);
  } catch (...) {  // a warning that cannot be given is no reason to end training
  }
}

void set_plugin(tensorflow::Summary::Value& value, const char* plugin) {
  value.mutable_metadata()->mutable_plugin_data()->set_plugin_name(plugin);
}

}  // namespace

struct EventWriter::State {
  const Clock* clock = nullptr;
  std::string folder;

  mutable std::mutex mutex;  // guards all below
  std::condition_variable_any wake;
  std::optional<AppendFile> file;
  std::string pending;
  bool healthy = false;
  bool gathers = false;
  std::set<std::string, std::less<>> dropping;  // tags of histograms that left out values
  std::jthread flusher;                         // last, so that it has ended before the rest goes

  void open(const EventWriterOptions& options);
  void flush_pending() noexcept;
  void write(tensorflow::Event event);
  void flush_periodically(std::stop_token stop, double seconds);

  tensorflow::Event event_at(int64_t step) const {
    tensorflow::Event event;
    event.set_wall_time(clock->wall_seconds());
    event.set_step(step);
    return event;
  }

  bool is_first_drop(std::string_view tag) {
    const std::lock_guard lock(mutex);
    return dropping.emplace(tag).second;
  }

  // Runs what makes and writes an event; a value that makes none is skipped with a warning.
  template <class F>
  void attempt(std::string_view what, std::string_view tag, F&& f) noexcept {
    try {
      f();
    } catch (const std::exception& error) {
      warn(str("no ", what, " `", tag, "` for TensorBoard: ", error.what()));
    }
  }
};

void EventWriter::State::open(const EventWriterOptions& options) {
  file.emplace(create_file(folder, clock->wall_seconds(), options.suffix));
  healthy = true;
  tensorflow::Event version;
  version.set_wall_time(clock->wall_seconds());
  version.set_file_version(std::string(kFileVersion));
  write(std::move(version));
  if (options.flush_seconds > 0) {
    flusher = std::jthread([this, seconds = options.flush_seconds](std::stop_token stop) {
      flush_periodically(std::move(stop), seconds);
    });
    const std::lock_guard lock(mutex);
    gathers = true;
  }
}

void EventWriter::State::write(tensorflow::Event event) {
  const std::string bytes = event.SerializeAsString();
  const std::lock_guard lock(mutex);
  if (!healthy) return;
  append_record(pending, bytes);
  if (gathers) {
    wake.notify_one();
  } else {
    flush_pending();
  }
}

// With the mutex held.
void EventWriter::State::flush_pending() noexcept {
  if (!healthy || pending.empty()) return;
  try {
    file->append(pending);
  } catch (const std::exception& error) {
    healthy = false;
    warn(str(error.what(), "; no more goes to TensorBoard from this run, which goes on"));
  }
  pending.clear();
}

// The oldest waiting event waits no longer than `seconds`.
void EventWriter::State::flush_periodically(std::stop_token stop, double seconds) {
  std::unique_lock lock(mutex);
  while (wake.wait(lock, stop, [this] { return !pending.empty(); })) {
    wake.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
    flush_pending();
  }
}

EventWriter::EventWriter(const std::string& folder, EventWriterOptions options) noexcept
    : state_(std::make_unique<State>()) {
  state_->clock = options.clock == nullptr ? &system_clock() : options.clock;
  try {
    state_->folder = folder;
    state_->open(options);
  } catch (const std::exception& error) {
    if (!state_->file) {
      warn(str(error.what(), "; nothing goes to TensorBoard from this run, which goes on"));
    }  // else: no thread could be made, and every event is written at once
  }
}

EventWriter::~EventWriter() { flush(); }

void EventWriter::add_scalar(std::string_view tag, double value, int64_t step) noexcept {
  if (!healthy()) return;
  state_->attempt("scalar", tag, [&] {
    tensorflow::Event event = state_->event_at(step);
    tensorflow::Summary::Value& entry = *event.mutable_summary()->add_value();
    entry.set_tag(std::string(tag));
    tensorflow::TensorProto& tensor = *entry.mutable_tensor();
    tensor.set_dtype(tensorflow::DT_FLOAT);
    tensor.mutable_tensor_shape();  // present and empty: a scalar
    tensor.add_float_val(static_cast<float>(value));
    set_plugin(entry, "scalars");
    state_->write(std::move(event));
  });
}

void EventWriter::add_histogram(std::string_view tag, const Tensor& values, int64_t step) noexcept {
  if (!healthy()) return;
  state_->attempt("histogram", tag, [&] {
    const Histogram histogram = make_histogram(values);
    if (histogram.dropped > 0 && state_->is_first_drop(tag)) {
      warn(str("the histogram `", tag,
               "` leaves out values that are NaN or infinite: ", histogram.dropped, " of ",
               values.num_elements(), " at step ", step, ", and any later ones"));
    }
    tensorflow::Event event = state_->event_at(step);
    tensorflow::Summary::Value& entry = *event.mutable_summary()->add_value();
    entry.set_tag(std::string(tag));
    entry.mutable_tensor()->ParseFromString(encode_tensor(histogram.buckets));
    set_plugin(entry, "histograms");
    state_->write(std::move(event));
  });
}

void EventWriter::add_histogram(std::string_view tag, std::span<const float> values,
                                int64_t step) noexcept {
  if (!healthy()) return;
  state_->attempt("histogram", tag, [&] {
    add_histogram(tag, Tensor::from(values, {static_cast<int64_t>(values.size())}), step);
  });
}

void EventWriter::add_graph(const Graph& graph) noexcept {
  if (!healthy()) return;
  state_->attempt("graph", "", [&] {
    tensorflow::Event event = state_->event_at(0);
    event.set_graph_def(
        encode_graph(graph, {.output_shapes = true, .largest_attr = kLargestDrawnAttr}));
    state_->write(std::move(event));
  });
}

void EventWriter::add_session_start(int64_t step) noexcept {
  if (!healthy()) return;
  state_->attempt("session start", "", [&] {
    tensorflow::Event event = state_->event_at(step);
    event.mutable_session_log()->set_status(tensorflow::SessionLog::START);
    state_->write(std::move(event));
  });
}

void EventWriter::flush() noexcept {
  const std::lock_guard lock(state_->mutex);
  state_->flush_pending();
}

bool EventWriter::healthy() const noexcept {
  const std::lock_guard lock(state_->mutex);
  return state_->healthy;
}

std::string EventWriter::path() const {
  return state_->file ? state_->file->path() : std::string();
}

}  // namespace thalweg
