// Showing how far training is: a bar on a terminal, plain lines elsewhere.
//
// On a terminal one line is drawn over and over, at most ten times a second. Elsewhere (a pipe, a
// file, TERM=dumb) there is one line an epoch and one every few seconds of a long epoch, without
// carriage returns or escapes.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "thalweg/base/clock.h"
#include "thalweg/train/hook.h"

namespace thalweg {

enum class ProgressMode { kAuto, kBar, kPlain, kNone };
enum class ColorMode { kAuto, kAlways, kNever };

struct ProgressOptions {
  /// kAuto: a bar when `out` is a terminal and TERM is not "dumb".
  ProgressMode mode = ProgressMode::kAuto;
  /// kAuto: with a bar, unless NO_COLOR is set and not empty.
  ColorMode color = ColorMode::kAuto;
  /// Not closed. Null: stderr.
  std::FILE* out = nullptr;
  /// Null: the machine's clock. Must outlive the hook.
  const Clock* clock = nullptr;
  /// Columns; 0: the terminal's, asked before each drawing (80 when it does not tell).
  int width = 0;
  /// Seconds between plain lines within an epoch.
  double interval = 10;
};

/// The hook that writes progress; null for kNone. Figures are those of LoopState: step, loss,
/// metrics, examples a second and time left (moving averages; the first step, which builds the
/// plan, is left out, and nothing is said before it means something).
std::unique_ptr<Hook> make_progress(const ProgressOptions& options = {});

}  // namespace thalweg
