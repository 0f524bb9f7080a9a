#include "thalweg/nn/layer.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

// "DepthwiseConv2d" as "depthwise_conv2d".
std::string snake_case(std::string_view type) {
  std::string name;
  for (const char c : type) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (upper && !name.empty() && name.back() != '_') name += '_';
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string without_slash(const std::string& scope) {
  return scope.empty() ? scope : scope.substr(0, scope.size() - 1);
}

LayerBase& held(const std::shared_ptr<LayerBase>& base) {
  if (base == nullptr) {
    throw invalid_argument("a Layer is empty: it was made of a null pointer, or moved from");
  }
  return *base;
}

// How deep a layer that calls itself may get.
constexpr int64_t kMaxNested = 32;

// A layer that is being called, for as long as it lives.
class Call {
 public:
  explicit Call(const LayerBase& layer)
      : nested_(std::count(under_way.begin(), under_way.end(), &layer)) {
    under_way.push_back(&layer);
  }
  ~Call() { under_way.pop_back(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// How many calls of the same layer this one is inside of.
  int64_t nested() const { return nested_; }

 private:
  static thread_local std::vector<const LayerBase*> under_way;  // the outermost first

  int64_t nested_;
};
thread_local std::vector<const LayerBase*> Call::under_way;

}  // namespace

std::string_view to_string(Mode mode) {
  return mode == Mode::kTraining ? "training" : "predicting";
}

Output regularization_loss(const Graph& graph) {
  Output sum;
  for (const Node* node : graph.collected(kRegularizationLosses)) {
    sum = sum ? sum + node->output() : node->output();
  }
  return sum;
}

Output Layer::operator()(Output x, Mode mode) const {
  LayerBase& base = held(base_);
  if (!x) throw invalid_argument("a layer of type ", type(), " is called on an empty Output");
  return base.run(x, mode);
}

std::string_view Layer::type() const { return held(base_).type(); }

AttrMap Layer::config() const {
  AttrMap config = held(base_).config();
  if (!base_->name().empty()) config.insert_or_assign("name", base_->name());
  return config;
}

std::vector<Layer> Layer::layers() const { return held(base_).layers(); }

std::vector<Variable> Layer::variables(const Graph& graph) const {
  const LayerBase& base = held(base_);
  std::vector<Variable> all;
  // A layer that is called twice by the same parent counts once.
  const auto add = [&](const Variable& variable) {
    const auto same = [&](const Variable& other) { return other.handle() == variable.handle(); };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(variable);
  };
  if (const auto it = base.built_.find(graph.id()); it != base.built_.end()) {
    for (const auto& [name, variable] : it->second.weights) add(variable);
  }
  for (const Layer& layer : layers()) {
    for (const Variable& variable : layer.variables(graph)) add(variable);
  }
  return all;
}

std::string Layer::name_in(const Graph& graph) const {
  const LayerBase& base = held(base_);
  const auto it = base.built_.find(graph.id());
  if (it == base.built_.end() || !it->second.complete) return "";
  return without_slash(it->second.scope);
}

LayerBase::~LayerBase() = default;

void LayerBase::build(Output) {}

Output LayerBase::run(Output x, Mode mode) {
  Graph& graph = x.graph();
  const Call under_way(*this);
  std::string where = name_.empty() ? snake_case(type()) : name_;
  try {
    if (under_way.nested() >= kMaxNested) {
      throw invalid_argument(type(), " calls itself, ", kMaxNested, " deep, without an end");
    }
    if (where.ends_with('/')) throw invalid_argument("its name must not end with `/`");
    Built& built = built_[graph.id()];
    // A later call goes back into the scope of the first one, so that how often layers are called
    // changes no names: a graph that trains and one that predicts agree about their variables.
    std::optional<NameScope> scope;
    if (has_scope()) {
      scope.emplace(graph, built.scope.empty() ? where : built.scope);
      built.scope = graph.scope();
      where = without_slash(built.scope);
    }
    if (!built.complete) {
      built.weights.clear();
      build(x);
      built.complete = true;
    }
    const Output result = call(x, mode);
    if (!result) throw invalid_argument("its call() returned an empty Output");
    return result;
  } catch (Error& error) {
    // The outermost call of a layer that calls itself speaks for all.
    if (!has_scope() || under_way.nested() > 0) throw;
    // The innermost layer is the one whose input is at fault.
    if (layers().empty()) {
      error = Error(error.code(), str(error.message(), " (called on `", x.name(), "`)"));
    }
    error.add_context(str("layer `", where, "` (", type(), ")"));
    throw;
  }
}

Variable LayerBase::add_weight(Output x, std::string_view name, const Shape& shape,
                               const WeightOptions& options) {
  Graph& graph = x.graph();
  const auto built = built_.find(graph.id());
  THALWEG_CHECK(built != built_.end(), "add_weight() is for build(), on the graph it was given");
  DType dtype = options.dtype;
  if (dtype == DType::kInvalid) dtype = is_floating(x.dtype()) ? x.dtype() : kFloat32;

  Output initial;
  {
    const std::string full_name = str(graph.scope(), name);
    const NameScope scope(graph, str(name, "/Initializer"));
    initial = options.initializer(graph, shape, dtype, full_name);
  }
  const Variable variable(graph, initial,
                          {.name = std::string(name), .trainable = options.trainable});
  if (options.regularizer) {
    const NameScope scope(graph, str(name, "/Regularizer"));
    graph.collect(kRegularizationLosses, *options.regularizer(variable).node());
  }
  built->second.weights.emplace_back(name, variable);
  return variable;
}

const Variable& LayerBase::weight(const Graph& graph, std::string_view name) const {
  const auto built = built_.find(graph.id());
  THALWEG_CHECK(built != built_.end(), type(), " has made no weights in this graph");
  for (const auto& [key, variable] : built->second.weights) {
    if (key == name) return variable;
  }
  throw internal_error(type(), " has no weight `", name, "`: build() must make it by add_weight()");
}

}  // namespace thalweg
