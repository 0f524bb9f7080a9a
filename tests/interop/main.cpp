// thalweg_interop DATA GOLDEN [DOCUMENT]: reads and runs the files of other programs below DATA and
// prints docs/interop.md; with DOCUMENT, says where that file differs from what would be printed.
// Exit status: 0 all as known, 1 not, 77 when DATA is not there (a skipped test).
#include <cstdio>
#include <string>

#include "interop/interop.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"

namespace {

constexpr int kSkipped = 77;

int differs(const std::string& text, const std::string& path) {
  const auto have = thalweg::split(thalweg::read_file(path), '\n');
  const auto want = thalweg::split(text, '\n');
  int count = 0;
  for (size_t i = 0; i < std::max(have.size(), want.size()); ++i) {
    const std::string left = i < have.size() ? have[i] : "(nothing)";
    const std::string right = i < want.size() ? want[i] : "(nothing)";
    if (left == right) continue;
    ++count;
    std::fprintf(stderr, "%s:%zu is\n  %s\nbut the program says\n  %s\n", path.c_str(), i + 1,
                 left.c_str(), right.c_str());
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace thalweg::interop;
  if (argc < 3) {
    std::fprintf(stderr, "usage: thalweg_interop DATA GOLDEN [DOCUMENT]\n");
    return 2;
  }
  const std::string data = argv[1], golden = argv[2];
  if (data.empty() || !thalweg::is_folder(data)) {
    std::fprintf(stderr, "there is no data folder; THALWEG_DATA names it\n");
    return kSkipped;
  }
  try {
    const std::vector<std::vector<Row>> sections = {
        graph_rows(data, golden), saved_model_rows(data, golden), checkpoint_rows(data)};
    const std::string text = markdown(sections);
    int wrong = 0;
    for (const auto& rows : sections) {
      for (const Row& row : rows) wrong += row.ok ? 0 : 1;
    }
    if (argc > 3) {
      wrong += differs(text, argv[3]);
    } else {
      std::fputs(text.c_str(), stdout);
    }
    return wrong == 0 ? 0 : 1;
  } catch (const thalweg::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
