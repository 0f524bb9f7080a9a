#include <utility>

#include "thalweg/nn/layers.h"

namespace thalweg {
namespace {

class SequentialLayer : public LayerBase {
 public:
  SequentialLayer(std::vector<Layer> layers, std::string name)
      : LayerBase(std::move(name)), layers_(std::move(layers)) {
    if (layers_.empty()) throw invalid_argument("Sequential: at least one layer is wanted");
    for (const Layer& layer : layers_) layer.type();  // throws when it is empty
  }
  std::string_view type() const override { return "Sequential"; }
  std::vector<Layer> layers() const override { return layers_; }
  // Without a name it leaves no trace: the layers are named as if called one by one.
  bool has_scope() const override { return !name().empty(); }

  AttrMap config() const override {
    AttrMap config;
    std::vector<std::string> types;
    for (const Layer& layer : layers_) {
      for (auto& [name, value] : layer.config()) {
        config.emplace(str(types.size(), "/", name), value);
      }
      types.emplace_back(layer.type());
    }
    config.emplace("layers", std::move(types));
    return config;
  }

  Output call(Output x, Mode mode) override {
    for (const Layer& layer : layers_) x = layer(x, mode);
    return x;
  }

 private:
  std::vector<Layer> layers_;
};

}  // namespace

Sequential::Sequential(std::initializer_list<Layer> layers, SequentialOptions options)
    : Sequential(std::vector<Layer>(layers), std::move(options)) {}

Sequential::Sequential(std::vector<Layer> layers, SequentialOptions options)
    : Layer(std::make_shared<SequentialLayer>(std::move(layers), std::move(options.name))) {}

}  // namespace thalweg
