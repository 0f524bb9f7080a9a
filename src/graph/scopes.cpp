#include "thalweg/graph/graph.h"

namespace thalweg {

NameScope::NameScope(Graph& graph, std::string_view name) : graph_(graph), previous_(graph.scope_) {
  graph.scope_ = name.ends_with('/') ? std::string(name) : graph.unique_name(name) + "/";
}
NameScope::~NameScope() { graph_.scope_ = previous_; }

RootScope::RootScope(Graph& graph)
    : graph_(graph), previous_(graph.scope_), previous_control_(graph.control_) {
  graph.scope_.clear();
  graph.control_.clear();
}
RootScope::~RootScope() {
  graph_.scope_ = previous_;
  graph_.control_ = previous_control_;
}

DeviceScope::DeviceScope(Graph& graph, std::string device)
    : graph_(graph), previous_(graph.device_) {
  graph.device_ = std::move(device);
}
DeviceScope::~DeviceScope() { graph_.device_ = previous_; }

ControlScope::ControlScope(Graph& graph, std::vector<Node*> nodes)
    : graph_(graph), previous_(graph.control_.size()) {
  graph.control_.insert(graph.control_.end(), nodes.begin(), nodes.end());
}
ControlScope::~ControlScope() { graph_.control_.resize(previous_); }

}  // namespace thalweg
