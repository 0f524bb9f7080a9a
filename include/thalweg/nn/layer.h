// A layer: a part of a network that owns variables, made once and called on as many tensors as
// wanted.
//
// Networks need no class of their own. Outputs compose: branch, add, concatenate, call one layer
// twice to share its weights; whatever maps an Output and a Mode to an Output is a Network. A new
// kind of layer derives from LayerBase, in one small file: see docs of that class.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thalweg/graph/graph.h"
#include "thalweg/nn/initializers.h"
#include "thalweg/nn/regularizers.h"
#include "thalweg/ops/state.h"

namespace thalweg {

/// What a network is called for. An argument of every call, never a state: it cannot be left on.
enum class Mode { kTraining, kPredicting };
std::string_view to_string(Mode mode);

/// From features to predictions or logits. A Layer is one, and so is a lambda that calls layers.
using Network = std::function<Output(Output features, Mode mode)>;

/// Names under Graph::collect(): scalar losses of regularizers, and nodes to run with each step.
inline constexpr std::string_view kRegularizationLosses = "regularization_losses";
inline constexpr std::string_view kUpdates = "updates";

/// What was collected under kRegularizationLosses, summed; an empty Output when nothing was.
Output regularization_loss(const Graph& graph);

class LayerBase;

/// A handle of a layer; copies share the weights. The first call on a graph makes the layer's
/// variables there, later calls on that graph, in either mode, share them; on another graph it
/// makes new ones, of the same names. Thread-compatible.
class Layer {
 public:
  explicit Layer(std::shared_ptr<LayerBase> base) : base_(std::move(base)) {}
  template <std::derived_from<LayerBase> T>
  Layer(std::shared_ptr<T> base) : base_(std::move(base)) {}  // NOLINT: one's own layers convert

  /// Throws invalid_argument naming the layer, its type, what it got and what it wants.
  Output operator()(Output x, Mode mode) const;

  /// "Dense", "Conv2d", ...: what make_layer() takes.
  std::string_view type() const;
  /// The options it was made of; `make_layer(type(), config())` is such a layer with weights of its
  /// own.
  AttrMap config() const;
  /// The layers it calls (of a Sequential: in order); empty for most.
  std::vector<Layer> layers() const;
  /// What it and its layers made in `graph`, in order of creation; empty before the first call.
  std::vector<Variable> variables(const Graph& graph) const;
  /// Its name in `graph` with all scopes, "block/dense_1"; "" before the first call.
  std::string name_in(const Graph& graph) const;
  const LayerBase& base() const { return *base_; }

 private:
  std::shared_ptr<LayerBase> base_;
};

struct WeightOptions {
  Initializer initializer = initializers::glorot_uniform();
  Regularizer regularizer = {};
  bool trainable = true;
  DType dtype = DType::kInvalid;  // default: the input's when that is floating, else float32
};

/// Base class of layers:
///
///     class Scale : public LayerBase {
///      public:
///       std::string_view type() const override { return "Scale"; }
///       void build(Output x) override {
///         add_weight(x, "scale", {x.shape().dim(-1)}, {.initializer = initializers::ones()});
///       }
///       Output call(Output x, Mode) override { return x * weight(x.graph(), "scale"); }
///     };
///     Layer scale = std::make_shared<Scale>();
class LayerBase {
 public:
  /// `name`: base name in graphs; default: the type in snake case. Both are made unique: "dense_1".
  explicit LayerBase(std::string name = {}) : name_(std::move(name)) {}
  virtual ~LayerBase();
  LayerBase(const LayerBase&) = delete;
  LayerBase& operator=(const LayerBase&) = delete;

  virtual std::string_view type() const = 0;
  /// The options, as make_layer() would read them; the name is added by Layer::config().
  virtual AttrMap config() const { return {}; }
  /// Makes the variables, by add_weight(), for inputs like `x`. Called once a graph, before call().
  /// Throws invalid_argument when no input of that shape can be right; Layer adds who and where.
  virtual void build(Output x);
  virtual Output call(Output x, Mode mode) = 0;
  virtual std::vector<Layer> layers() const { return {}; }
  /// Whether nodes and variables go under the layer's name.
  virtual bool has_scope() const { return true; }

  const std::string& name() const { return name_; }

 protected:
  /// Makes the variable `<layer>/<name>` in the graph of `x`, and its regularization loss.
  Variable add_weight(Output x, std::string_view name, const Shape& shape,
                      const WeightOptions& options = {});
  /// What add_weight() made in `graph`. Throws internal_error when it made none of that name.
  const Variable& weight(const Graph& graph, std::string_view name) const;

 private:
  friend class Layer;
  struct Built {
    std::string scope;      // "block/dense_1/"
    bool complete = false;  // build() has succeeded
    std::vector<std::pair<std::string, Variable>> weights;
  };
  Output run(Output x, Mode mode);

  std::string name_;
  std::map<uint64_t, Built> built_;  // by Graph::id()
};

}  // namespace thalweg
