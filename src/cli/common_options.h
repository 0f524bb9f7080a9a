// Options that several verbs share.
#pragma once

#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/options.h"

namespace thalweg::cli {

struct CommonOptions {
  std::optional<int64_t> threads;
  std::optional<std::string> color;
  bool quiet = false;
  bool json = false;

  void declare(Options& options);
  /// Puts them into effect.
  void apply(Console& console) const;
  std::string when_color() const { return color.value_or("auto"); }
};

}  // namespace thalweg::cli
