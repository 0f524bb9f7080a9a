#include "thalweg/summary/event_reader.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "proto/event.pb.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/formats/tensor_proto.h"
#include "thalweg/formats/tfrecord.h"

namespace thalweg {
namespace {

// The number in a scalar event; none when the tensor is not one number.
std::optional<double> scalar_of(const tensorflow::TensorProto& proto) {
  const Tensor tensor = decode_tensor(proto.SerializeAsString());
  if (tensor.num_elements() != 1 || (!is_numeric(tensor.dtype()) && tensor.dtype() != kBool)) {
    return std::nullopt;
  }
  return tensor.at(0);
}

// A histogram of the newer kind; invalid when the tensor is none.
Tensor buckets_of(const tensorflow::TensorProto& proto) {
  const Tensor tensor = decode_tensor(proto.SerializeAsString());
  if (!is_numeric(tensor.dtype()) || tensor.rank() != 2 || tensor.dim(1) != 3) return {};
  return tensor.cast(kFloat64);
}

// An older histogram lists right edges only, from -DBL_MAX to DBL_MAX: the ends are the least and
// greatest value instead. Empty buckets beyond these go first, as TensorBoard does it, or edges
// would run backwards.
Tensor buckets_of(const tensorflow::HistogramProto& proto) {
  int begin = 0;
  int end = std::min(proto.bucket_limit_size(), proto.bucket_size());
  while (begin < end && !(proto.bucket(begin) > 0)) ++begin;
  while (begin < end && !(proto.bucket(end - 1) > 0)) --end;
  Tensor result = Tensor::zeros(kFloat64, {end - begin, 3});
  double* row = result.mutable_data<double>().data();
  for (int i = begin; i < end; ++i, row += 3) {
    row[0] = i == begin ? proto.min() : proto.bucket_limit(i - 1);
    row[1] = i == end - 1 ? proto.max() : proto.bucket_limit(i);
    row[2] = proto.bucket(i);
  }
  return result;
}

}  // namespace

struct EventReader::State {
  RecordReader records;
  std::map<std::string, std::string> plugins;  // of each tag: only its first value says so

  void add(const tensorflow::Event& event, EventLog& log);
  void add(double wall_time, int64_t step, const tensorflow::Summary::Value& value, EventLog& log);
};

void EventReader::State::add(double wall_time, int64_t step,
                             const tensorflow::Summary::Value& value, EventLog& log) {
  using Kind = tensorflow::Summary::Value;
  const std::string& tag = value.tag();
  switch (value.value_case()) {
    case Kind::kSimpleValue:
      log.scalars[tag].push_back({wall_time, step, value.simple_value()});
      return;
    case Kind::kHisto:
      log.histograms[tag].push_back({wall_time, step, buckets_of(value.histo())});
      return;
    case Kind::kTensor: {
      std::string& plugin = plugins[tag];
      if (plugin.empty()) plugin = value.metadata().plugin_data().plugin_name();
      if (plugin == "scalars") {
        if (const auto number = scalar_of(value.tensor())) {
          log.scalars[tag].push_back({wall_time, step, *number});
        }
      } else if (plugin == "histograms") {
        const Tensor buckets = buckets_of(value.tensor());
        if (buckets.is_valid()) log.histograms[tag].push_back({wall_time, step, buckets});
      }
      return;
    }
    default: return;  // images, audio: not kept
  }
}

void EventReader::State::add(const tensorflow::Event& event, EventLog& log) {
  using Kind = tensorflow::Event;
  ++log.events;
  switch (event.what_case()) {
    case Kind::kFileVersion: log.file_version = event.file_version(); return;
    case Kind::kGraphDef: log.graph_def = event.graph_def(); return;
    case Kind::kSessionLog:
      if (event.session_log().status() == tensorflow::SessionLog::START) {
        log.session_starts.push_back(event.step());
      }
      return;
    case Kind::kSummary:
      for (const auto& value : event.summary().value()) {
        try {
          add(event.wall_time(), event.step(), value, log);
        } catch (const Error&) {  // a tensor of a kind that we do not read: not ours to show
        }
      }
      return;
    default: return;
  }
}

EventReader::EventReader(const std::string& path) : state_(new State{RecordReader(path), {}}) {}
EventReader::~EventReader() = default;

int64_t EventReader::read_more(EventLog& log) {
  const int64_t before = log.events;
  std::string record;
  tensorflow::Event event;
  for (;;) {
    const uint64_t offset = state_->records.offset();
    if (state_->records.next(record) != RecordReader::Next::kRecord) return log.events - before;
    if (!event.ParseFromString(record)) {
      throw data_loss("event file '", state_->records.path(),
                      "' has a record that is no event at byte ", offset);
    }
    state_->add(event, log);
  }
}

EventLog read_events(const std::string& path) {
  EventLog log;
  EventReader(path).read_more(log);
  return log;
}

EventLog read_event_folder(const std::string& folder) {
  EventLog log;
  for (const std::string& name : list_folder(folder)) {
    const std::string path = join_path(folder, name);
    if (name.find("tfevents") != name.npos && !is_folder(path)) EventReader(path).read_more(log);
  }
  return log;
}

}  // namespace thalweg
