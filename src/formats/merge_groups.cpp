#include "formats/merge_groups.h"

namespace thalweg {
namespace {

// Marks what can be reached from `start`, start included, beyond what is marked already.
template <class Next>
void mark(int start, std::vector<char>& marks, Next&& next) {
  std::vector<int> open = {start};
  while (!open.empty()) {
    const int id = open.back();
    open.pop_back();
    char& seen = marks[static_cast<size_t>(id)];
    if (seen != 0) continue;
    seen = 1;
    next(id, open);
  }
}

}  // namespace

std::vector<int> take_independent(const WireGraph& graph, std::vector<int>& merges) {
  const auto consumers = graph.consumers();
  std::vector<char> before(static_cast<size_t>(graph.size()), 0);
  std::vector<char> after(static_cast<size_t>(graph.size()), 0);
  std::vector<int> taken;
  std::vector<int> left;
  for (int merge : merges) {
    if (before[static_cast<size_t>(merge)] != 0 || after[static_cast<size_t>(merge)] != 0) {
      left.push_back(merge);
      continue;
    }
    taken.push_back(merge);
    mark(merge, before, [&](int id, std::vector<int>& open) {
      for (const Edge& edge : graph[id].inputs) open.push_back(edge.node);
      open.insert(open.end(), graph[id].controls.begin(), graph[id].controls.end());
    });
    mark(merge, after, [&](int id, std::vector<int>& open) {
      const auto& next = consumers[static_cast<size_t>(id)];
      open.insert(open.end(), next.begin(), next.end());
    });
  }
  merges = std::move(left);
  return taken;
}

}  // namespace thalweg
