// Data files are read as a whole, so they must have an end.
#pragma once

#include <string>

namespace thalweg::data {

/// Throws invalid_argument, saying what `path` is, when it is neither a regular file nor a folder:
/// a device, a pipe, a socket. Says nothing of what does not exist.
void check_regular_file(const std::string& path);

}  // namespace thalweg::data
