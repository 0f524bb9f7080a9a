#include "thalweg/nn/summary.h"

#include <algorithm>
#include <array>

#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

using Row = std::array<std::string, 3>;

// 1234567 as "1,234,567".
std::string grouped(int64_t number) {
  std::string digits = str(number);
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), 1, ',');
  }
  return digits;
}

int64_t count(const std::vector<Variable>& variables) {
  int64_t elements = 0;
  for (const Variable& variable : variables) elements += variable.shape().num_elements();
  return elements;
}

// Calls the layer, and adds its row: of a Sequential those of its layers.
Output add_rows(std::vector<Row>& rows, const Layer& layer, Output x) {
  if (layer.type() == "Sequential" && layer.base().name().empty()) {
    for (const Layer& part : layer.layers()) x = add_rows(rows, part, x);
    return x;
  }
  const Graph& graph = x.graph();
  const int64_t before = count(layer.variables(graph));
  const bool is_shared = !layer.name_in(graph).empty();
  const Output y = layer(x, Mode::kPredicting);
  rows.push_back({str(layer.name_in(graph), " (", layer.type(), is_shared ? ", shared)" : ")"),
                  y.shape().to_string(), grouped(count(layer.variables(graph)) - before)});
  return y;
}

std::string pad(std::string text, size_t width, bool right) {
  const size_t missing = width - std::min(width, text.size());
  return right ? std::string(missing, ' ') + text : text + std::string(missing, ' ');
}

}  // namespace

std::string summary(const Layer& layer, const Shape& input, DType dtype) {
  Graph graph(standard_ops());
  std::vector<Row> rows = {{"Layer (type)", "Output shape", "Parameters"}};
  add_rows(rows, layer, placeholder(graph, dtype, input, {.name = "input"}));

  std::array<size_t, 3> widths{};
  for (const Row& row : rows) {
    for (size_t i = 0; i < 3; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    append(text, str(pad(row[0], widths[0], false), "  ", pad(row[1], widths[1], false), "  ",
                     pad(row[2], widths[2], true), "\n"));
  }
  int64_t total = 0, trainable = 0;
  for (const Graph::VariableRecord& variable : graph.variables()) {
    total += variable.shape.num_elements();
    if (variable.trainable) trainable += variable.shape.num_elements();
  }
  append(text, str("Total ", grouped(total), ": trainable ", grouped(trainable), ", non-trainable ",
                   grouped(total - trainable), "\n"));
  return text;
}

}  // namespace thalweg
