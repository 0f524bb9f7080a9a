// What a verb of the program talks to, and the mistakes in how it was called.
#pragma once

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::cli {

/// Exit statuses; a signal gives 128 and its number.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUse = 2;

/// Version of every JSON object the program writes; rises when a key changes its meaning or goes.
inline constexpr int kJsonSchema = 1;

/// Wrong use of the command line: one line for people.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Console {
  std::ostream& out;  // results
  std::ostream& err;  // everything else
  /// Whether these are the standard streams, so that a terminal may stand behind them.
  bool is_process = false;
  /// The whole command line, without the program's name.
  std::vector<std::string> arguments = {};
  /// --quiet: no notices.
  bool quiet = false;

  /// Results: lines of text in which nothing but line ends moves the cursor, whatever names in it
  /// hold.
  void print(std::string_view text) const;
  /// A line on err, unless quiet.
  void notice(std::string_view text) const;
  /// A line on err of what makes a result doubtful.
  void warning(std::string_view text) const;
  /// Whether results may hold colour: `when` is auto, always or never. NO_COLOR and TERM=dumb count
  /// for auto.
  bool color_allowed(std::string_view when) const;
  /// Columns of the terminal of results; 80 when there is none.
  int width() const;
};

/// The words as a shell would read them back.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace thalweg::cli
