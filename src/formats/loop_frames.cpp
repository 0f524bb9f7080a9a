#include "formats/loop_frames.h"

#include <map>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

class FrameSearch {
 public:
  explicit FrameSearch(const WireGraph& graph) : graph_(graph) {
    found_.frames.push_back({});
    found_.frame_of.assign(static_cast<size_t>(graph.size()), -1);
  }

  LoopFrames run() {
    for (int id = 0; id < graph_.size(); ++id) {
      const WireNode& node = graph_[id];
      if (!node.removed && node.inputs.empty() && node.controls.empty()) visit(id, 0);
    }
    const auto consumers = graph_.consumers();
    for (size_t next = 0; next < order_.size(); ++next) {
      const int id = order_[next];
      const int outside = frame_of_outputs(id);
      for (int consumer : consumers[static_cast<size_t>(id)]) visit(consumer, outside);
    }
    for (int id = 0; id < graph_.size(); ++id) {
      if (graph_[id].removed || found_.frame_of[static_cast<size_t>(id)] >= 0) continue;
      throw invalid_argument("node `", graph_[id].name(),
                             "` can never run: it stands in, or behind, a cycle that no node "
                             "enters");
    }
    return std::move(found_);
  }

 private:
  void visit(int id, int frame) {
    int& known = found_.frame_of[static_cast<size_t>(id)];
    if (known < 0) {
      known = frame;
      found_.frames[static_cast<size_t>(frame)].nodes.push_back(id);
      order_.push_back(id);
    } else if (known != frame) {
      throw invalid_argument("node `", graph_[id].name(), "` has inputs from ", describe(known),
                             " and from ", describe(frame),
                             ": tensors go into a loop by Enter and out by Exit only");
    }
  }

  int frame_of_outputs(int id) {
    const WireNode& node = graph_[id];
    const int frame = found_.frame_of[static_cast<size_t>(id)];
    if (node.op() == "Enter") return enter(id, frame);
    if (node.op() != "Exit") return frame;
    if (frame == 0) {
      throw invalid_argument("node `", node.name(), "` is an Exit, but stands in no loop");
    }
    return found_.frames[static_cast<size_t>(frame)].parent;
  }

  int enter(int id, int parent) {
    const std::string& name = graph_[id].string_attr("frame_name");
    const auto count = static_cast<int>(found_.frames.size());
    const auto [place, is_new] = numbers_.try_emplace({parent, name}, count);
    if (is_new) {
      const int depth = found_.frames[static_cast<size_t>(parent)].depth + 1;
      // A cycle of Enters without Exit would open loops in loops for ever.
      if (depth > kDeepest) {
        throw invalid_argument("node `", graph_[id].name(), "` opens a loop ", depth,
                               " deep; at most ", kDeepest, " are supported");
      }
      found_.frames.push_back({.name = name, .parent = parent, .depth = depth});
    }
    found_.frames[static_cast<size_t>(place->second)].enters.push_back(id);
    return place->second;
  }

  std::string describe(int frame) const {
    if (frame == 0) return "outside of all loops";
    return str("the loop `", found_.frames[static_cast<size_t>(frame)].name, "`");
  }

  static constexpr int kDeepest = 64;

  const WireGraph& graph_;
  LoopFrames found_;
  std::map<std::pair<int, std::string>, int> numbers_;
  std::vector<int> order_;
};

}  // namespace

LoopFrames find_loop_frames(const WireGraph& graph) { return FrameSearch(graph).run(); }

}  // namespace thalweg
