#include "thalweg/data/dataset.h"

#include "data/node.h"

namespace thalweg::data {

Dataset Dataset::from_tensors(std::vector<Tensor> tensors, std::vector<std::string> names) {
  return Dataset(tensors_node(std::move(tensors), std::move(names)));
}
Dataset Dataset::from_generator(Spec spec, GeneratorFactory factory) {
  return Dataset(generator_node(std::move(spec), std::move(factory)));
}

Dataset Dataset::shuffle(int64_t buffer_size, uint64_t seed) const {
  return Dataset(shuffle_node(node_, buffer_size, seed));
}
Dataset Dataset::batch(int64_t size, const BatchOptions& options) const {
  return Dataset(batch_node(node_, size, options.drop_remainder));
}
Dataset Dataset::repeat(int64_t count) const { return Dataset(repeat_node(node_, count)); }
Dataset Dataset::prefetch(int64_t count) const { return Dataset(prefetch_node(node_, count)); }
Dataset Dataset::take(int64_t count) const { return Dataset(take_node(node_, count)); }
Dataset Dataset::skip(int64_t count) const { return Dataset(skip_node(node_, count)); }
Dataset Dataset::select(const std::vector<int64_t>& indices) const {
  return Dataset(select_node(node_, indices));
}

Dataset Dataset::map(MapFunction function, const MapOptions& options) const {
  if (!function) throw invalid_argument("map: the function is empty, a std::function of nothing");
  if (options.parallel < 1 || options.parallel > kMostMapThreads) {
    throw invalid_argument("map: parallel is ", options.parallel, ", expected 1 to ",
                           kMostMapThreads, " threads");
  }
  if (options.parallel == 1) return Dataset(map_node(node_, std::move(function)));
  return Dataset(parallel_map_node(node_, std::move(function), options.parallel));
}

Iterator Dataset::iterate(const Position& start) const { return Iterator(node_, start); }

Spec Dataset::spec() const { return node_->spec(); }

std::optional<int64_t> Dataset::size() const {
  const int64_t size = node_->size();
  return size < 0 ? std::nullopt : std::optional<int64_t>(size);
}
bool Dataset::is_infinite() const {
  const int64_t size = node_->size();
  return size == kInfinite || size == kInfiniteOrEmpty;
}
bool Dataset::has_random_access() const { return node_->rows() != nullptr; }
uint64_t Dataset::fingerprint() const { return node_->hash(Hash::kContent); }

Tensor Dataset::component(int i) const {
  const Spec spec = node_->spec();
  if (i < 0 || static_cast<size_t>(i) >= spec.size()) {
    throw invalid_argument("there is no component ", i, "; the dataset has ", spec.size(), " (",
                           to_string(spec), ")");
  }
  if (is_infinite())
    throw invalid_argument("an endless dataset has no whole component; call take() first");
  std::vector<Example> cells;
  Iterator pass = iterate();
  while (std::optional<Example> example = pass.next()) {
    cells.push_back({std::move(example->at(static_cast<size_t>(i)))});
  }
  if (!cells.empty()) return stack(cells)[0];
  const Component& component = spec[static_cast<size_t>(i)];
  if (!component.shape.is_fully_defined())
    throw failed_precondition("component '", component.name, "' has no rows");
  return Tensor(component.dtype, Shape{0}.concat(component.shape));
}

}  // namespace thalweg::data
