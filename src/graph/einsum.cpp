#include "thalweg/graph/einsum.h"

#include <algorithm>
#include <map>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string parse_labels(std::string_view equation, std::string_view text) {
  std::string labels;
  for (size_t i = 0; i < text.size(); ++i) {
    char label = text[i];
    if (text.substr(i, 3) == "...") {
      label = '.';
      i += 2;
    } else if (!is_letter(label)) {
      throw invalid_argument("einsum equation \"", equation, "\": `", label,
                             "` is neither a letter nor \"...\"");
    }
    if (labels.find(label) != std::string::npos) {
      throw invalid_argument("einsum equation \"", equation,
                             "\": ", label == '.' ? "\"...\"" : str("label ", label),
                             " stands twice in `", text, "`; diagonals are not taken");
    }
    labels += label;
  }
  return labels;
}

int named(const std::string& labels) {
  return static_cast<int>(std::count_if(labels.begin(), labels.end(), is_letter));
}

// Loops by label; dimension `k` from the end of an ellipsis has the key 256 + k.
using LoopOf = std::map<int, int>;
constexpr int kEllipsis = 256;

// The keys of the dimensions that `labels` describe, `ellipsis` of them under "...".
std::vector<int> keys_of(const std::string& labels, int ellipsis) {
  std::vector<int> keys;
  for (char label : labels) {
    if (label != '.') {
      keys.push_back(label);
    } else {
      for (int k = ellipsis - 1; k >= 0; --k) keys.push_back(kEllipsis + k);
    }
  }
  return keys;
}

}  // namespace

EinsumEquation parse_einsum(std::string_view equation, int inputs) {
  std::string text;
  std::copy_if(equation.begin(), equation.end(), std::back_inserter(text),
               [](char c) { return c != ' '; });
  const size_t arrow = text.find("->");
  if (arrow == std::string::npos) {
    throw invalid_argument("einsum equation \"", equation,
                           "\" has no \"->\"; write the result's labels behind it");
  }
  EinsumEquation result;
  const std::string_view left = std::string_view(text).substr(0, arrow);
  for (size_t begin = 0; begin <= left.size();) {
    const size_t end = std::min(left.find(',', begin), left.size());
    result.inputs.push_back(parse_labels(equation, left.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (static_cast<int>(result.inputs.size()) != inputs) {
    throw invalid_argument("einsum equation \"", equation, "\" describes ", result.inputs.size(),
                           " operands, got ", inputs);
  }
  result.output = parse_labels(equation, std::string_view(text).substr(arrow + 2));
  for (char label : result.output) {
    if (std::none_of(result.inputs.begin(), result.inputs.end(),
                     [label](const std::string& labels) {
                       return labels.find(label) != std::string::npos;
                     })) {
      throw invalid_argument("einsum equation \"", equation,
                             "\": ", label == '.' ? "\"...\"" : str("label ", label),
                             " of the result stands in no operand");
    }
  }
  return result;
}

Shape EinsumLoops::output() const {
  return Shape(std::span<const int64_t>(extents.data(), static_cast<size_t>(outputs)));
}

EinsumLoops einsum_loops(const EinsumEquation& equation, const std::vector<Shape>& shapes) {
  std::vector<int> ellipses;  // dimensions under the "..." of each operand
  int ellipsis = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::string& labels = equation.inputs[i];
    const int hidden = shapes[i].rank() - named(labels);
    if (hidden < 0 || (hidden > 0 && labels.find('.') == std::string::npos)) {
      throw invalid_argument("einsum operand ", i, " has shape ", shapes[i],
                             ", but the equation names ", named(labels), " dimensions");
    }
    ellipses.push_back(hidden);
    ellipsis = std::max(ellipsis, hidden);
  }

  EinsumLoops loops;
  LoopOf loop_of;
  const auto add_loop = [&](int key) {
    const auto [it, inserted] = loop_of.emplace(key, static_cast<int>(loops.extents.size()));
    if (inserted) loops.extents.push_back(1);
    return it->second;
  };
  for (int key : keys_of(equation.output, ellipsis)) add_loop(key);
  loops.outputs = static_cast<int>(loops.extents.size());

  std::vector<std::vector<int>> keys;
  std::vector<bool> seen;
  for (size_t i = 0; i < shapes.size(); ++i) {
    keys.push_back(keys_of(equation.inputs[i], ellipses[i]));
    for (size_t d = 0; d < keys[i].size(); ++d) {
      const auto loop = static_cast<size_t>(add_loop(keys[i][d]));
      seen.resize(loops.extents.size());
      const int64_t extent = shapes[i][static_cast<int>(d)];
      int64_t& known = loops.extents[loop];
      const bool broadcasts = keys[i][d] >= kEllipsis;
      if (!seen[loop] || (broadcasts && known == 1) ||
          (known == kUnknownDim && !(broadcasts && extent == 1))) {
        known = extent;
      } else if (extent != known && extent != kUnknownDim && !(broadcasts && extent == 1)) {
        throw invalid_argument(
            "einsum: a dimension ",
            broadcasts ? std::string("under \"...\"") : str(static_cast<char>(keys[i][d])), " is ",
            known, " in one operand and ", extent, " in operand ", i, " of shape ", shapes[i]);
      }
      seen[loop] = true;
    }
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    std::vector<int>& dims = loops.inputs.emplace_back();
    for (size_t d = 0; d < keys[i].size(); ++d) {
      const int loop = loop_of.at(keys[i][d]);
      const bool repeated =
          shapes[i][static_cast<int>(d)] == 1 && loops.extents[static_cast<size_t>(loop)] != 1;
      dims.push_back(repeated ? -1 : loop);
    }
  }
  return loops;
}

}  // namespace thalweg
