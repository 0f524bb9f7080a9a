// Ctrl-C, SIGTERM and SIGHUP as a question that a loop asks between steps.
#pragma once

#include <string>

namespace thalweg {

/// While one lives, the first SIGINT, SIGTERM or SIGHUP (a terminal that is closed) only sets a
/// flag; a second one ends the process at once, with the exit status 128 and the signal's number
/// (130 for Ctrl-C), and what was not saved is lost. Signals that the process ignored (nohup) stay
/// ignored. The last one destroyed restores the handlers and clears the flag; a signal that
/// received() has told to nobody is raised again then, so that none is lost. Thread-safe.
class ScopedSignals {
 public:
  ScopedSignals();
  ~ScopedSignals();
  ScopedSignals(const ScopedSignals&) = delete;
  ScopedSignals& operator=(const ScopedSignals&) = delete;

  /// The signal that came, 0 for none.
  static int received();
  /// What a second signal writes to stderr before it ends the process, until the last one is
  /// destroyed; nothing by default.
  static void set_farewell(const std::string& text);
};

}  // namespace thalweg
