#include "formats/import_problems.h"

#include <utility>

namespace thalweg {
namespace {

constexpr size_t kMostNamed = 8;  // of a kind, in one message; unknown ops are all named

std::string listed(const std::vector<std::string>& items) {
  const std::vector<std::string> first(items.begin(),
                                       items.begin() + std::min(items.size(), kMostNamed));
  std::string text = join(first, "; ");
  if (items.size() > first.size())
    append(text, str("; and ", items.size() - first.size(), " more"));
  return text;
}

std::string counted(size_t count, std::string_view one, std::string_view many) {
  return str(count, " ", count == 1 ? one : many);
}

}  // namespace

void ImportProblems::unknown_op(std::string_view op, std::string where) {
  auto it = unknown_.find(op);
  if (it == unknown_.end()) {
    it = unknown_.emplace(std::string(op), Unknown{0, std::move(where)}).first;
  }
  ++it->second.count;
  ++total_;
}

void ImportProblems::attribute(std::string text) {
  attributes_.push_back(std::move(text));
  ++total_;
}

void ImportProblems::node(std::string text) {
  nodes_.push_back(std::move(text));
  ++total_;
}

void ImportProblems::throw_if_any() const {
  if (empty()) return;
  std::vector<std::string> parts;
  if (!unknown_.empty()) {
    std::vector<std::string> ops;
    for (const auto& [op, found] : unknown_) {
      ops.push_back(found.count == 1
                        ? str(op, " (", found.first, ")")
                        : str(op, " (", found.count, " nodes, e.g. ", found.first, ")"));
    }
    parts.push_back(
        str(counted(unknown_.size(), "op is", "ops are"), " not known: ", join(ops, ", ")));
  }
  if (!attributes_.empty()) {
    parts.push_back(str(counted(attributes_.size(), "attribute problem: ", "attribute problems: "),
                        listed(attributes_)));
  }
  if (!nodes_.empty()) {
    parts.push_back(
        str(counted(nodes_.size(), "node does", "nodes do"), " not fit: ", listed(nodes_)));
  }
  const std::string message = str("cannot run this graph: ", join(parts, "; "));
  if (unknown_.empty() && attributes_.empty()) throw invalid_argument(message);
  throw unimplemented(message);
}

}  // namespace thalweg
