#include "thalweg/train/signals.h"

#include <unistd.h>

#include <csignal>

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <utility>

namespace thalweg {
namespace {

constexpr int kSignalStatus = 128;

std::atomic<int> g_received{0};
std::atomic<bool> g_is_told{false};  // whether somebody has learnt of it
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

// Read by the handler at any time, so none is ever freed: set_farewell() keeps them all.
std::atomic<const std::string*> g_farewell{nullptr};

extern "C" void note_signal(int signal) {
  int none = 0;
  if (g_received.compare_exchange_strong(none, signal)) return;
  if (const std::string* text = g_farewell.load()) {
    static_cast<void>(!::write(STDERR_FILENO, text->data(), text->size()));
  }
  // The second one. The status is that which shells give for the signal.
  _exit(kSignalStatus + signal);
}

struct Handlers {
  std::mutex mutex;
  int users = 0;
  std::array<std::pair<int, struct sigaction>, 3> previous = {
      {{SIGINT, {}}, {SIGTERM, {}}, {SIGHUP, {}}}};
};

Handlers& handlers() {
  static Handlers instance;
  return instance;
}

// One user less. Gives the signal of which the last one had not learnt.
int release() {
  Handlers& all = handlers();
  const std::lock_guard lock(all.mutex);
  if (--all.users > 0) return 0;
  for (auto& [signal, previous] : all.previous) sigaction(signal, &previous, nullptr);
  const int signal = g_received.exchange(0);
  g_farewell = nullptr;
  return g_is_told.exchange(false) ? 0 : signal;
}

}  // namespace

ScopedSignals::ScopedSignals() {
  Handlers& all = handlers();
  const std::lock_guard lock(all.mutex);
  if (all.users++ > 0) return;
  g_received = 0;
  for (auto& [signal, previous] : all.previous) {
    struct sigaction action = {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;  // reads and writes under way are not disturbed
    sigemptyset(&action.sa_mask);
    sigaction(signal, nullptr, &previous);
    if (previous.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

ScopedSignals::~ScopedSignals() {
  if (const int untold = release(); untold != 0) std::raise(untold);
}

void ScopedSignals::set_farewell(const std::string& text) {
  static auto& all = *new std::set<std::string>();  // in which addresses stay
  const std::lock_guard lock(handlers().mutex);
  g_farewell = &*all.insert(text).first;
}

int ScopedSignals::received() {
  const int signal = g_received;
  if (signal != 0) g_is_told = true;
  return signal;
}

}  // namespace thalweg
