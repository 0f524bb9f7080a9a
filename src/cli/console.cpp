#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <ostream>

#include "thalweg/base/printable.h"

namespace thalweg::cli {
namespace {

constexpr int kDefaultColumns = 80;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

bool is_plain_word(const std::string& word) {
  return !word.empty() && word.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789_-+=./:,@%") == std::string::npos;
}

}  // namespace

void Console::print(std::string_view text) const { out << printable_lines(text); }

void Console::notice(std::string_view text) const {
  if (!quiet) err << printable(text) << '\n';
}

void Console::warning(std::string_view text) const {
  err << "warning: " << printable(text) << '\n';
}

bool Console::color_allowed(std::string_view when) const {
  if (when != "auto") return when == "always";
  return is_process && isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR").empty() &&
         environment("TERM") != "dumb";
}

int Console::width() const {
  winsize size{};
  if (!is_process || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kDefaultColumns;
  }
  return size.ws_col;
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) {
    if (!command.empty()) command += ' ';
    if (is_plain_word(word)) {
      command += word;
      continue;
    }
    command += '\'';
    for (const char c : word) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += '\'';
  }
  return command;
}

}  // namespace thalweg::cli
