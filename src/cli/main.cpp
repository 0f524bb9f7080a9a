#include <csignal>
#include <iostream>

#include "cli/run_cli.h"

int main(int argc, char** argv) {
  // A reader that has seen enough (`thalweg ops | head`) is an error of writing, not a crash.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that may not grow any more (`ulimit -f`).
  std::signal(SIGXFSZ, SIG_IGN);
  std::ios::sync_with_stdio(false);
  return thalweg::cli::run_cli({argv + (argc > 0 ? 1 : 0), argv + argc}, std::cout, std::cerr,
                               true);
}
