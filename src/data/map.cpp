#include "thalweg/data/map.h"

#include "data/node.h"

namespace thalweg::data {
namespace {

void check_component(const Spec& spec, size_t i) {
  if (i < spec.size()) return;
  throw invalid_argument("there is no component ", i, "; the elements have ", spec.size(), " (",
                         to_string(spec), ")");
}

Tensor& component_of(Example& example, size_t i) {
  if (i >= example.size()) {
    throw invalid_argument("there is no component ", i, "; the element has ", example.size());
  }
  return example[i];
}

Tensor scaled(const Tensor& input, float scale) {
  Tensor result(kFloat32, input.shape());
  float* out = result.mutable_data<float>().data();
  const auto count = static_cast<size_t>(input.num_elements());
  if (input.dtype() == kUInt8) {
    const uint8_t* in = input.data<uint8_t>().data();
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]) * scale;
    return result;
  }
  const Tensor floats = input.cast(kFloat32);
  const float* in = floats.data<float>().data();
  for (size_t i = 0; i < count; ++i) out[i] = in[i] * scale;
  return result;
}

/// `function` in place of component i, which becomes `dtype`.
template <class F>
MapFunction component_map(DType dtype, int component, F function) {
  if (component < 0)
    throw invalid_argument("component ", component, " does not exist; they count from 0");
  const auto i = static_cast<size_t>(component);
  return {[i, function](Example example) {
            Tensor& tensor = component_of(example, i);
            tensor = function(tensor);
            return example;
          },
          [i, dtype](const Spec& input) {
            check_component(input, i);
            Spec result = input;
            result[i].dtype = dtype;
            return result;
          }};
}

class MapStream : public ExampleStream {
 public:
  MapStream(std::unique_ptr<ExampleStream> input, const MapFunction& function)
      : input_(std::move(input)), function_(function) {}
  std::optional<Example> next() override {
    std::optional<Example> example = input_->next();
    if (example) example = function_(std::move(*example));
    return example;
  }
  int64_t skip(int64_t count) override { return input_->skip(count); }

 private:
  std::unique_ptr<ExampleStream> input_;
  const MapFunction& function_;
};

}  // namespace

MapFunction to_float(float scale, int component) {
  return component_map(kFloat32, component,
                       [scale](const Tensor& tensor) { return scaled(tensor, scale); });
}

MapFunction cast(DType dtype, int component) {
  return component_map(dtype, component,
                       [dtype](const Tensor& tensor) { return tensor.cast(dtype); });
}

// Over a source with random access, the mapped rows are themselves such a source: what comes after
// still works on row numbers, and only the rows asked for are mapped.
class MapNode : public Node, private Rows {
 public:
  MapNode(NodePtr input, MapFunction function)
      : input_(std::move(input)), function_(std::move(function)) {}

  Spec spec() const override { return mapped_spec(*input_, function_, cache_); }
  int64_t size() const override { return input_->size(); }
  uint64_t hash(Hash what) const override { return fold(input_->hash(what), 9); }
  const Rows* rows() const override { return input_->rows() == nullptr ? nullptr : this; }
  std::unique_ptr<IndexStream> indices(int64_t epoch) const override {
    return input_->indices(epoch);
  }
  bool fixed_order() const override { return input_->fixed_order(); }
  std::unique_ptr<ExampleStream> examples(int64_t epoch) const override {
    return std::make_unique<MapStream>(input_->examples(epoch), function_);
  }

 private:
  Example row(int64_t index) const override { return function_(input_->rows()->row(index)); }
  Example gather(std::span<const int64_t> indices) const override {
    std::vector<Example> examples;
    examples.reserve(indices.size());
    for (const int64_t index : indices) examples.push_back(row(index));
    return stack(examples);
  }

  NodePtr input_;
  MapFunction function_;
  mutable SpecCache cache_;
};

Spec mapped_spec(const Node& input, const MapFunction& function, SpecCache& cache) {
  if (function.knows_spec()) return function.spec(input.spec());
  const std::lock_guard lock(cache.mutex);
  if (cache.spec) return *cache.spec;
  Spec result = input.spec();
  if (std::optional<Example> first = input.examples(0)->next()) {
    // What varies between inputs may vary between outputs: an unknown first dimension (short
    // batches) stays unknown.
    bool varies = false;
    for (const Component& component : result) {
      varies = varies || !component.shape.has_rank() ||
               (component.shape.rank() > 0 && component.shape[0] < 0);
    }
    const Example mapped = function(std::move(*first));
    const Spec names = std::move(result);
    result.clear();
    for (size_t i = 0; i < mapped.size(); ++i) {
      std::string name = i < names.size() ? names[i].name : str("component_", i);
      result.push_back({std::move(name), mapped[i].dtype(), mapped[i].shape()});
      if (varies && mapped[i].rank() > 0) result[i].shape.set_dim(0, kUnknownDim);
    }
  }
  cache.spec = result;
  return result;
}

NodePtr map_node(NodePtr input, MapFunction function) {
  return std::make_shared<MapNode>(std::move(input), std::move(function));
}

}  // namespace thalweg::data
