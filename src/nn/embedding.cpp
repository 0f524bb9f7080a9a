#include "nn/input_checks.h"
#include "nn/layer_types.h"
#include "nn/options.h"
#include "thalweg/nn/layers.h"

namespace thalweg {

template <class Visitor>
void visit_options(Visitor& v, EmbeddingOptions& o) {
  v("vocabulary", o.vocabulary);
  v("units", o.units);
  v("initializer", o.initializer);
  v("regularizer", o.regularizer);
}

namespace {

class EmbeddingLayer : public OptionLayer<EmbeddingOptions> {
 public:
  using OptionLayer::OptionLayer;
  std::string_view type() const override { return "Embedding"; }

  void build(Output ids) override {
    require_ids(ids);
    add_weight(ids, "embeddings", {options_.vocabulary, options_.units},
               {.initializer = options_.initializer, .regularizer = options_.regularizer});
  }

  Output call(Output ids, Mode) override {
    require_ids(ids);
    return resource_gather(weight(ids.graph(), "embeddings").handle(), ids, kFloat32);
  }

 private:
  static void require_ids(const Output& ids) {
    if (ids.dtype() == kInt32 || ids.dtype() == kInt64) return;
    throw invalid_argument("input ", ids.shape(), " is of dtype ", ids.dtype(),
                           ", ids of int32 or int64 are wanted; use cast(x, kInt64)");
  }
};

EmbeddingOptions checked(EmbeddingOptions options) {
  require_positive("vocabulary", options.vocabulary);
  require_positive("units", options.units);
  return options;
}

}  // namespace

Embedding::Embedding(EmbeddingOptions options)
    : Layer(std::make_shared<EmbeddingLayer>(checked(options))) {}

Layer embedding_from_config(const AttrMap& config) {
  return Embedding(read_options<EmbeddingOptions>(config));
}

}  // namespace thalweg
