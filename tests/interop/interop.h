// Files of other programs, each read and run, and what came of it.
#pragma once

#include <string>
#include <vector>

namespace thalweg::interop {

struct Row {
  std::string file;
  std::string what;     // "TF 1 graph, 46 nodes"
  std::string outcome;  // what was run, or why it was refused
  bool ok = true;       // the known result, or refused for the right reason
};

/// `data` holds frozen_graph, saved_model, checkpoints and mnist; `golden` what TensorFlow gave.
std::vector<Row> graph_rows(const std::string& data, const std::string& golden);
std::vector<Row> saved_model_rows(const std::string& data, const std::string& golden);
std::vector<Row> checkpoint_rows(const std::string& data);

/// The table as it stands in docs/interop.md.
std::string markdown(const std::vector<std::vector<Row>>& sections);

}  // namespace thalweg::interop
