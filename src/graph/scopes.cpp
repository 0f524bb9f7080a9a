#include <algorithm>

#include "thalweg/graph/graph.h"

namespace thalweg {

BodyScope::BodyScope(Graph& outer, Graph& body, std::function<Output(const Output&)> capture)
    : outer_(outer.innermost()), body_(body) {
  outer_.body_ = &body;
  body.capture_ = std::move(capture);
}
BodyScope::~BodyScope() {
  outer_.body_ = nullptr;
  body_.capture_ = nullptr;
}

// Scopes act where nodes go.
NameScope::NameScope(Graph& graph, std::string_view name)
    : graph_(graph.innermost()), previous_(graph_.scope_) {
  graph_.scope_ = name.ends_with('/') ? std::string(name) : graph_.unique_name(name) + "/";
}
NameScope::~NameScope() { graph_.scope_ = previous_; }

RootScope::RootScope(Graph& graph)
    : graph_(graph.innermost()), previous_(graph_.scope_), previous_control_(graph_.control_) {
  graph_.scope_.clear();
  graph_.control_.clear();
}
RootScope::~RootScope() {
  graph_.scope_ = previous_;
  graph_.control_ = previous_control_;
}

DeviceScope::DeviceScope(Graph& graph, std::string device)
    : graph_(graph.innermost()), previous_(graph_.device_) {
  graph_.device_ = std::move(device);
}
DeviceScope::~DeviceScope() { graph_.device_ = previous_; }

ControlScope::ControlScope(Graph& graph, std::vector<Node*> nodes)
    : graph_(graph.innermost()), previous_(graph_.control_.size()) {
  if (std::find(nodes.begin(), nodes.end(), nullptr) != nodes.end())
    throw invalid_argument("a ControlScope was given a node that is nothing");
  for (const Node* node : nodes) {
    // The body of a function may wait for nodes outside: whoever adds its call checks those.
    if (&node->graph() != &graph_ && !graph_.capture_) {
      throw invalid_argument("a ControlScope was given node `", node->name(),
                             "`, which belongs to another graph");
    }
  }
  for (Node* node : nodes) {
    // What runs before the body runs before all in it.
    (&node->graph() == &graph_ ? graph_.control_ : graph_.outer_controls_).push_back(node);
  }
}
ControlScope::~ControlScope() { graph_.control_.resize(previous_); }

}  // namespace thalweg
