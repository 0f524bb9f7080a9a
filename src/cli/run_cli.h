// The program as a function, so that tests can call it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace thalweg::cli {

/// Runs one command; `arguments` come without the program's name. Results go to `out`, all else to
/// `err`. Returns the exit status: 0 done, 1 the work failed, 2 wrong use, 128 + signal when one
/// ended it. Throws nothing. `is_process`: `out` and `err` are the standard streams.
int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
            bool is_process = false);

}  // namespace thalweg::cli
