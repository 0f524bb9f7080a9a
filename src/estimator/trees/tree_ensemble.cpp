#include "estimator/trees/tree_ensemble.h"

#include <algorithm>
#include <limits>

#include "estimator/trees/tree_network.h"
#include "thalweg/base/error.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

constexpr std::string_view kLinks[] = {"none", "log_odds", "log_shares", "log"};

std::string variable_name(const data::Component& component) {
  return str(kTreeScope, "/", component.name);
}

// Children are later nodes, so every walk ends.
void check_nodes(const TreeEnsemble& trees) {
  const auto feature = trees.feature.data<int32_t>();
  const auto left = trees.left.data<int32_t>();
  const auto leaf = trees.leaf.data<int32_t>();
  const auto nodes = static_cast<int64_t>(left.size());
  for (int64_t i = 0; i < nodes; ++i) {
    const auto at = static_cast<size_t>(i);
    const bool is_leaf = left[at] == i;
    const bool right_column = feature[at] >= 0 && feature[at] < trees.shape.columns;
    const bool right_leaf = !is_leaf || (leaf[at] >= 0 && leaf[at] < trees.shape.leaves);
    const bool right_child = is_leaf || (left[at] > i && left[at] + 1 < nodes);
    if (!right_column || !right_leaf || !right_child) {
      throw invalid_argument("node ", i, " of the trees looks at column ", feature[at], " of ",
                             trees.shape.columns, ", has the left child ", left[at], " of ", nodes,
                             " and the leaf ", leaf[at], " of ", trees.shape.leaves,
                             ": the trees are damaged; train or export them again");
    }
  }
  for (int64_t i = 0; i < trees.shape.trees; ++i) {
    const int32_t root = trees.roots.data<int32_t>()[static_cast<size_t>(i)];
    const int32_t first = trees.first_output.data<int32_t>()[static_cast<size_t>(i)];
    if (root < 0 || root >= nodes || first < 0 || first + trees.shape.width > trees.shape.outputs) {
      throw invalid_argument("tree ", i, " begins at node ", root, " of ", nodes,
                             " and adds to output ", first, " of ", trees.shape.outputs,
                             ": the trees are damaged; train or export them again");
    }
  }
}

int64_t depth_of(const GrownTree& tree, int32_t node) {
  // Breadth first, so that deep trees need no deep stack.
  std::vector<int32_t> level = {node};
  int64_t depth = 0;
  for (;; ++depth) {
    std::vector<int32_t> next;
    for (int32_t i : level) {
      const GrownTree::Node& n = tree.nodes[static_cast<size_t>(i)];
      if (n.column >= 0) next.insert(next.end(), {n.left, n.right});
    }
    if (next.empty()) return depth;
    level = std::move(next);
  }
}

template <class T>
Tensor tensor_of(const std::vector<T>& values) {
  return Tensor::from(std::span<const T>(values), Shape{static_cast<int64_t>(values.size())});
}

// The growing vectors of an ensemble.
struct Columns {
  std::vector<int32_t> feature, left, leaf, roots, first_output;
  std::vector<float> threshold, values;
  std::vector<uint8_t> missing_right;

  int32_t add_node() {
    feature.push_back(0);
    left.push_back(static_cast<int32_t>(left.size()));
    leaf.push_back(0);
    threshold.push_back(std::numeric_limits<float>::quiet_NaN());
    missing_right.push_back(0);
    return static_cast<int32_t>(left.size()) - 1;
  }

  void add_tree(const GrownTree& tree, int64_t width) {
    roots.push_back(add_node());
    first_output.push_back(static_cast<int32_t>(tree.first_output));
    std::vector<std::pair<int32_t, int32_t>> open = {{0, roots.back()}};  // its number, ours
    for (size_t i = 0; i < open.size(); ++i) {
      const auto [theirs, ours] = open[i];
      const GrownTree::Node& node = tree.nodes[static_cast<size_t>(theirs)];
      const auto at = static_cast<size_t>(ours);
      if (node.column < 0) {
        leaf[at] = static_cast<int32_t>(static_cast<int64_t>(values.size()) / width);
        const auto first = tree.values.begin() + node.leaf * width;
        values.insert(values.end(), first, first + width);
        continue;
      }
      feature[at] = node.column;
      threshold[at] = node.threshold;
      missing_right[at] = node.missing_right ? 1 : 0;
      const int32_t child = add_node();
      add_node();
      left[at] = child;
      open.push_back({node.left, child});
      open.push_back({node.right, child + 1});
    }
  }
};

}  // namespace

std::string_view to_string(TreeLink link) { return kLinks[static_cast<size_t>(link)]; }

Json to_json(const TreeShape& shape) {
  return {{"columns", shape.columns}, {"outputs", shape.outputs}, {"trees", shape.trees},
          {"nodes", shape.nodes},     {"leaves", shape.leaves},   {"width", shape.width},
          {"depth", shape.depth},     {"scale", shape.scale},     {"link", to_string(shape.link)}};
}

TreeShape tree_shape_from_json(const Json& json) {
  const auto size = [&](const char* key, int64_t least) {
    const auto value = json_field<int64_t>(json, key);
    if (value < least || value > std::numeric_limits<int32_t>::max()) {
      throw invalid_argument("`", key, "` of the trees is ", value, ", expected ", least, " to ",
                             std::numeric_limits<int32_t>::max());
    }
    return value;
  };
  const auto link = json_field<std::string>(json, "link");
  const auto* known = std::find(std::begin(kLinks), std::end(kLinks), link);
  if (known == std::end(kLinks)) {
    throw invalid_argument(
        "`link` of the trees is \"", link, "\", expected one of ",
        join(std::vector<std::string>(std::begin(kLinks), std::end(kLinks)), ", "));
  }
  return {.columns = size("columns", 1),
          .outputs = size("outputs", 1),
          .trees = size("trees", 0),
          .nodes = size("nodes", 0),
          .leaves = size("leaves", 0),
          .width = size("width", 1),
          .depth = size("depth", 0),
          .scale = json_field<float>(json, "scale"),
          .link = static_cast<TreeLink>(known - std::begin(kLinks))};
}

data::Spec tree_components(const TreeShape& s) {
  return {{"feature", kInt32, {s.nodes}}, {"threshold", kFloat32, {s.nodes}},
          {"left", kInt32, {s.nodes}},    {"missing_right", kBool, {s.nodes}},
          {"leaf", kInt32, {s.nodes}},    {"values", kFloat32, {s.leaves, s.width}},
          {"roots", kInt32, {s.trees}},   {"first_output", kInt32, {s.trees}},
          {"base", kFloat32, {s.outputs}}};
}

std::vector<Tensor> tree_tensors(const TreeEnsemble& e) {
  return {e.feature, e.threshold, e.left,         e.missing_right, e.leaf,
          e.values,  e.roots,     e.first_output, e.base};
}

TreeEnsemble make_tree_ensemble(const TreeShape& shape, const std::vector<Tensor>& tensors) {
  data::check_example(tensors, tree_components(shape));
  TreeEnsemble result = {shape,      tensors[0], tensors[1], tensors[2], tensors[3],
                         tensors[4], tensors[5], tensors[6], tensors[7], tensors[8]};
  check_nodes(result);
  return result;
}

void set_tree_variables(VariableStore& variables, const TreeEnsemble& ensemble) {
  const data::Spec components = tree_components(ensemble.shape);
  const std::vector<Tensor> tensors = tree_tensors(ensemble);
  for (size_t i = 0; i < tensors.size(); ++i) {
    variables.set(variable_name(components[i]), tensors[i]);
  }
}

TreeEnsemble tree_ensemble_of(const VariableStore& variables, const TreeShape& shape) {
  std::vector<Tensor> tensors;
  for (const data::Component& component : tree_components(shape)) {
    tensors.push_back(variables.share(variable_name(component)));
  }
  return make_tree_ensemble(shape, tensors);
}

TreeEnsemble join_trees(const std::vector<GrownTree>& trees, int64_t columns, int64_t width,
                        const std::vector<float>& base, float scale, TreeLink link) {
  Columns all;
  int64_t depth = 0;
  for (const GrownTree& tree : trees) {
    all.add_tree(tree, width);
    depth = std::max(depth, depth_of(tree, 0));
    if (all.left.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()) - 2) {
      throw resource_exhausted("the trees have more than ", all.left.size(),
                               " nodes; use fewer trees or a smaller max_depth");
    }
  }
  const auto leaves = static_cast<int64_t>(all.values.size()) / width;
  const TreeShape shape = {.columns = columns,
                           .outputs = static_cast<int64_t>(base.size()),
                           .trees = static_cast<int64_t>(trees.size()),
                           .nodes = static_cast<int64_t>(all.left.size()),
                           .leaves = leaves,
                           .width = width,
                           .depth = depth,
                           .scale = scale,
                           .link = link};
  Tensor missing_right(kBool, {shape.nodes});
  std::copy(all.missing_right.begin(), all.missing_right.end(),
            missing_right.mutable_data<bool>().begin());
  return make_tree_ensemble(
      shape, {tensor_of(all.feature), tensor_of(all.threshold), tensor_of(all.left), missing_right,
              tensor_of(all.leaf), tensor_of(all.values).reshape({leaves, width}),
              tensor_of(all.roots), tensor_of(all.first_output), tensor_of(base)});
}

Tensor predict_trees(const TreeEnsemble& ensemble, const Tensor& features) {
  Graph graph(standard_ops());
  const Output x =
      placeholder(graph, kFloat32, {kUnknownDim, ensemble.shape.columns}, {.name = "features"});
  const Output logits =
      tree_logits(x, tree_constants(graph, ensemble), ensemble.shape, TreeForm::kNative);
  Session session(graph);
  return session.run(logits, {{x, features}});
}

}  // namespace thalweg
