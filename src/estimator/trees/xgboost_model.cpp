#include "estimator/trees/xgboost_model.h"

#include <charconv>
#include <cmath>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using Fast = nlohmann::json;  // the order of keys says nothing here

// Numbers of the learner's parameters are texts.
template <class T>
T number(const Fast& object, const char* key) {
  const auto& text = object.at(key).get_ref<const std::string&>();
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw invalid_argument("`", key, "` is \"", text, "\", expected a number");
  }
  return value;
}

// What base_score, given on the scale of predictions, is on that of margins.
float base_logit(const std::string& objective, float base) {
  if (objective.starts_with("binary:logi") || objective == "reg:logistic") {
    return -std::log(1 / base - 1);
  }
  if (objective == "count:poisson" || objective == "reg:gamma" || objective == "reg:tweedie") {
    return std::log(base);
  }
  return base;
}

template <class T>
std::vector<T> list(const Fast& tree, const char* key, size_t nodes) {
  auto values = tree.at(key).get<std::vector<T>>();
  if (values.size() != nodes) {
    throw invalid_argument("`", key, "` has ", values.size(), " entries for ", nodes, " nodes");
  }
  return values;
}

GrownTree read_tree(const Fast& tree, std::vector<float>& gains) {
  const auto left = tree.at("left_children").get<std::vector<int32_t>>();
  const size_t nodes = left.size();
  const auto right = list<int32_t>(tree, "right_children", nodes);
  const auto column = list<int32_t>(tree, "split_indices", nodes);
  const auto condition = list<float>(tree, "split_conditions", nodes);
  const auto default_left = list<int>(tree, "default_left", nodes);
  gains = list<float>(tree, "loss_changes", nodes);
  if (!tree.at("categories_nodes").empty()) {
    throw unimplemented("a tree has categorical splits; train with categories as numbers instead");
  }
  if (nodes == 0) throw invalid_argument("a tree has no node");
  GrownTree result;
  result.nodes.resize(nodes);
  for (size_t i = 0; i < nodes; ++i) {
    GrownTree::Node& node = result.nodes[i];
    if (left[i] < 0) {  // a leaf, whose value stands where others have their threshold
      node.leaf = static_cast<int32_t>(result.values.size());
      result.values.push_back(condition[i]);
      gains[i] = 0;
      continue;
    }
    const auto inside = [&](int32_t child) {
      return child > static_cast<int32_t>(i) && child < static_cast<int32_t>(nodes);
    };
    if (!inside(left[i]) || !inside(right[i]) || column[i] < 0) {
      throw invalid_argument("node ", i, " of a tree of ", nodes, " nodes has children ", left[i],
                             " and ", right[i], " and column ", column[i]);
    }
    node = {column[i], condition[i], default_left[i] == 0, left[i], right[i], 0};
  }
  return result;
}

XgboostTrees read_model(const Fast& root) {
  const Fast& learner = root.at("learner");
  const Fast& booster = learner.at("gradient_booster");
  const auto name = booster.at("name").get<std::string>();
  if (name != "gbtree") {
    throw unimplemented("the booster is \"", name, "\"; only gbtree can be read");
  }
  const Fast& parameters = learner.at("learner_model_param");
  XgboostTrees result;
  result.columns = number<int64_t>(parameters, "num_feature");
  const auto classes = number<int64_t>(parameters, "num_class");
  const int64_t targets =
      parameters.contains("num_target") ? number<int64_t>(parameters, "num_target") : 1;
  result.outputs = std::max<int64_t>({1, classes, targets});
  result.base = base_logit(learner.at("objective").at("name").get<std::string>(),
                           number<float>(parameters, "base_score"));
  const Fast& model = booster.at("model");
  const auto outputs = model.at("tree_info").get<std::vector<int32_t>>();
  for (const Fast& tree : model.at("trees")) {
    std::vector<float> gains;
    result.trees.push_back(read_tree(tree, gains));
    result.gains.push_back(std::move(gains));
  }
  if (outputs.size() != result.trees.size()) {
    throw invalid_argument("there are ", result.trees.size(), " trees and outputs of ",
                           outputs.size());
  }
  for (size_t i = 0; i < outputs.size(); ++i) result.trees[i].first_output = outputs[i];
  return result;
}

Fast parse(std::string_view bytes) {
  // In UBJSON a marker of the first key's length follows the brace; in JSON a quote or white space.
  const bool binary = bytes.size() > 1 && bytes[0] == '{' &&
                      std::string_view("iUIlL").find(bytes[1]) != std::string_view::npos;
  return binary ? Fast::from_ubjson(bytes.begin(), bytes.end())
                : Fast::parse(bytes.begin(), bytes.end());
}

}  // namespace

XgboostTrees parse_xgboost_model(std::string_view bytes) {
  try {
    return read_model(parse(bytes));
  } catch (const nlohmann::json::exception& error) {
    throw invalid_argument("this is no model of XGBoost in JSON or UBJSON: ", error.what());
  } catch (Error& error) {
    throw error.add_context("model of XGBoost");
  }
}

TreeEnsemble ensemble_of_xgboost_model(std::string_view bytes) {
  const XgboostTrees model = parse_xgboost_model(bytes);
  const std::vector<float> base(static_cast<size_t>(model.outputs), model.base);
  return join_trees(model.trees, model.columns, 1, base, 1, TreeLink::kNone);
}

}  // namespace thalweg
