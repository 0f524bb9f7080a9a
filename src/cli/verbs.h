// The verbs of the program, one file each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"

namespace thalweg::cli {

struct Verb {
  std::string_view name;
  std::string_view summary;  // one sentence
  std::string_view usage;    // what follows the name
  std::string_view example;  // a whole command
  /// `arguments`: what follows the verb. Returns the exit status.
  int (*run)(const Verb& verb, const std::vector<std::string>& arguments, Console& console);
  std::string_view notes = {};  // for the end of its help, lines that fit
};

std::span<const Verb> verbs();

int run_evaluate(const Verb& verb, const std::vector<std::string>& arguments, Console& console);
int run_export(const Verb& verb, const std::vector<std::string>& arguments, Console& console);
int run_fit(const Verb& verb, const std::vector<std::string>& arguments, Console& console);
int run_ops(const Verb& verb, const std::vector<std::string>& arguments, Console& console);
int run_predict(const Verb& verb, const std::vector<std::string>& arguments, Console& console);
int run_run(const Verb& verb, const std::vector<std::string>& arguments, Console& console);
int run_show(const Verb& verb, const std::vector<std::string>& arguments, Console& console);

}  // namespace thalweg::cli
