#include "data/node.h"

#include "thalweg/base/philox.h"

namespace thalweg::data {
namespace {

class RowStream : public ExampleStream {
 public:
  RowStream(const Rows& rows, std::unique_ptr<IndexStream> indices)
      : rows_(rows), indices_(std::move(indices)) {}

  std::optional<Example> next() override {
    const std::optional<int64_t> index = indices_->next();
    if (!index) return std::nullopt;
    return rows_.row(*index);
  }
  int64_t skip(int64_t count) override { return indices_->skip(count); }

 private:
  const Rows& rows_;
  std::unique_ptr<IndexStream> indices_;
};

}  // namespace

std::unique_ptr<IndexStream> Node::indices(int64_t) const {
  throw internal_error("this step of the pipeline has no row numbers");
}

std::unique_ptr<ExampleStream> Node::examples(int64_t epoch) const {
  THALWEG_CHECK(rows() != nullptr, "a node without rows must say how its examples are made");
  return std::make_unique<RowStream>(*rows(), indices(epoch));
}

uint64_t fold(uint64_t hash, uint64_t value) { return mix_seed(hash, value); }

uint64_t fold(uint64_t hash, const Spec& spec) {
  for (const Component& component : spec) hash = mix_seed(hash, std::string_view(component.name));
  return mix_seed(hash, std::string_view(to_string(spec)));
}

}  // namespace thalweg::data
