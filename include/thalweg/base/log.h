// One line per event on stderr: time, level, component, message. Results never go here.
#pragma once

#include <functional>
#include <string_view>

#include "thalweg/base/strings.h"

namespace thalweg {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
std::string_view to_string(LogLevel level);

/// Lines below this level are dropped; starts at kInfo, or THALWEG_LOG=debug|info|warning|error.
void set_log_level(LogLevel level);
LogLevel log_level();

/// Where lines go instead of stderr (tests, a progress bar that must move aside); an empty function
/// restores stderr. What a sink logs itself goes to stderr; it cannot replace the sink.
using LogSink =
    std::function<void(LogLevel level, std::string_view component, std::string_view message)>;
/// Returns the sink before, empty for stderr.
LogSink set_log_sink(LogSink sink);

void log(LogLevel level, std::string_view component, std::string_view message);

template <class... Args>
void log_info(std::string_view component, const Args&... args) {
  log(LogLevel::kInfo, component, str(args...));
}
template <class... Args>
void log_warning(std::string_view component, const Args&... args) {
  log(LogLevel::kWarning, component, str(args...));
}
/// A warning printed the first time only in this process for the same component and text.
void log_warning_once(std::string_view component, std::string_view message);

}  // namespace thalweg
