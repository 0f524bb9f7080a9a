#include "data/regular_file.h"

#include <sys/stat.h>

#include "thalweg/base/error.h"

namespace thalweg::data {

void check_regular_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return;
  throw invalid_argument(path, ": is a ",
                         S_ISFIFO(info.st_mode)   ? "pipe"
                         : S_ISSOCK(info.st_mode) ? "socket"
                                                  : "device",
                         ", but data are read from regular files; save them in a file first");
}

}  // namespace thalweg::data
