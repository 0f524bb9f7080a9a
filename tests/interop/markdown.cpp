#include "interop/interop.h"
#include "thalweg/base/strings.h"

namespace thalweg::interop {
namespace {

std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

}  // namespace

std::string markdown(const std::vector<std::vector<Row>>& sections) {
  static constexpr std::string_view kTitles[] = {
      "Graphs (`frozen_graph`)", "SavedModels (`saved_model`)", "Checkpoints (`checkpoints`)"};
  std::string text =
      "# Files of other programs\n\n"
      "What became of each model and checkpoint in the data folder that other programs wrote. The\n"
      "program `thalweg_interop` writes this file, and a test holds it to what it says. \"As in\n"
      "TensorFlow\" means: every output of every run within 1e-5, relative and absolute, of what\n"
      "TensorFlow gave for the same inputs; `tools/make_interop_golden.py` asked it.\n";
  for (size_t i = 0; i < sections.size(); ++i) {
    append(text, str("\n## ", kTitles[i], "\n\n| file | what it is | outcome |\n|---|---|---|\n"));
    for (const Row& row : sections[i]) {
      append(text, str("| ", cell(row.file), " | ", cell(row.what), " | ",
                       row.ok ? "" : "**not yet**: ", cell(row.outcome), " |\n"));
    }
  }
  return text;
}

}  // namespace thalweg::interop
