#include "cli/common_options.h"

#include "thalweg/base/log.h"
#include "thalweg/base/parallel.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {

void CommonOptions::declare(Options& options) {
  static const std::vector<std::string> kWhen = {"auto", "always", "never"};
  options.flag("json", json, "results as JSON");
  options.flag("quiet", quiet, "no progress, no notices; results and warnings stay", 'q');
  options.choice("color", kWhen, color, "when to use colour; default: auto; one of");
  options.value("threads", "N", threads, "threads to compute with (default: one a core)");
}

void CommonOptions::apply(Console& console) const {
  if (threads) {
    if (*threads < 1 || *threads > 4096) {
      throw UsageError(str("--threads takes 1 to 4096, got ", *threads));
    }
    set_num_threads(static_cast<int>(*threads));
  }
  console.quiet = quiet;
  if (quiet && log_level() < LogLevel::kWarning) set_log_level(LogLevel::kWarning);
}

}  // namespace thalweg::cli
