#include "thalweg/base/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "thalweg/base/error.h"
#include "thalweg/base/printable.h"

namespace thalweg {
namespace {

// Never destroyed: threads may log while the process ends.
struct Log {
  std::atomic<LogLevel> level{LogLevel::kInfo};
  std::mutex mutex;
  LogSink sink;
  std::mutex seen_mutex;  // its own, never held while a sink runs: sinks may warn too
  std::set<std::string> seen;
};

thread_local bool t_in_sink = false;

void write_line(LogLevel level, std::string_view component, std::string_view message) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char clock[16];
  std::strftime(clock, sizeof clock, "%H:%M:%S", &parts);

  std::string line = str(std::string_view(clock), " ", level);
  line.resize(8 + 1 + 7 + 2, ' ');
  append(line, component);
  line += ": ";
  for (const char c : printable_lines(message)) {
    line += c;
    if (c == '\n') line.append(18, ' ');  // what follows is seen to belong to this line
  }
  line += '\n';

  // One write, so that lines of several processes on one terminal do not mix.
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    rest.remove_prefix(static_cast<size_t>(written));
  }
}

Log& state() {
  static Log* const log = [] {
    auto* made = new Log;
    if (const char* wanted = std::getenv("THALWEG_LOG"); wanted != nullptr && *wanted != '\0') {
      bool known = false;
      for (const LogLevel level :
           {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
        if (to_string(level) != wanted) continue;
        made->level = level;
        known = true;
      }
      if (!known) {
        write_line(LogLevel::kWarning, "log",
                   str("THALWEG_LOG is '", wanted,
                       "', expected debug, info, warning or error; using info"));
      }
    }
    return made;
  }();
  return *log;
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
  }
  return "unknown";
}

void set_log_level(LogLevel level) { state().level = level; }
LogLevel log_level() { return state().level; }

LogSink set_log_sink(LogSink sink) {
  Log& log = state();
  if (t_in_sink) throw failed_precondition("a log sink cannot be replaced from within itself");
  const std::lock_guard lock(log.mutex);
  return std::exchange(log.sink, std::move(sink));
}

void log(LogLevel level, std::string_view component, std::string_view message) {
  Log& log = state();
  if (level < log.level) return;
  if (t_in_sink)
    return write_line(level, component, message);  // a sink that logs must not wait for itself
  const std::lock_guard lock(log.mutex);
  if (!log.sink) return write_line(level, component, message);
  // The sink runs under the lock, so that none runs any more once set_log_sink has returned.
  struct InSink {
    InSink() { t_in_sink = true; }
    ~InSink() { t_in_sink = false; }
  } in_sink;
  log.sink(level, component, message);
}

void log_warning_once(std::string_view component, std::string_view message) {
  {
    Log& log = state();
    const std::lock_guard lock(log.seen_mutex);
    if (!log.seen.insert(str(component, '\n', message)).second) return;
  }
  log(LogLevel::kWarning, component, message);
}

}  // namespace thalweg
