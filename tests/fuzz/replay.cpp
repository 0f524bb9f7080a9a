// Runs a fuzz entry over files given by name, and over all files of folders: the corpus as a test.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "thalweg/base/error.h"
#include "thalweg/base/file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

int replay(const std::string& path) {
  if (thalweg::is_folder(path)) {
    int count = 0;
    for (const std::string& name : thalweg::list_folder(path)) {
      count += replay(thalweg::join_path(path, name));
    }
    return count;
  }
  const std::string bytes = thalweg::read_file(path);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

}  // namespace

int main(int argc, char** argv) try {
  int count = 0;
  for (int i = 1; i < argc; ++i) count += replay(argv[i]);
  std::printf("%d inputs\n", count);
  return count == 0 ? 1 : 0;  // an empty corpus tests nothing
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
