// Where elements come from: tensors in memory, and functions.
#include <algorithm>
#include <cstring>
#include <set>

#include "data/node.h"
#include "thalweg/base/crc32c.h"

namespace thalweg::data {
namespace {

uint64_t hash_contents(uint64_t hash, const Tensor& tensor) {
  if (tensor.dtype() != kString) {
    return fold(hash, crc32c(0, tensor.raw(), tensor.byte_size()));
  }
  for (const std::string& text : tensor.data<std::string>()) {
    hash = fold(fold(hash, text.size()), crc32c(text));
  }
  return hash;
}

class AllIndices : public IndexStream {
 public:
  explicit AllIndices(int64_t size) : size_(size) {}
  std::optional<int64_t> next() override {
    if (next_ == size_) return std::nullopt;
    return next_++;
  }
  int64_t skip(int64_t count) override {
    const int64_t done = std::min(count, size_ - next_);
    next_ += done;
    return done;
  }

 private:
  int64_t size_;
  int64_t next_ = 0;
};

class TensorsNode : public Node, private Rows {
 public:
  TensorsNode(std::vector<Tensor> tensors, Spec spec)
      : tensors_(std::move(tensors)), spec_(std::move(spec)) {}

  Spec spec() const override { return spec_; }
  int64_t size() const override { return tensors_[0].dim(0); }
  const Rows* rows() const override { return this; }
  std::unique_ptr<IndexStream> indices(int64_t) const override {
    return std::make_unique<AllIndices>(size());
  }
  bool fixed_order() const override { return true; }

  uint64_t hash(Hash what) const override {
    uint64_t result = fold(fold(1, static_cast<uint64_t>(size())), spec_);
    if (what == Hash::kContent) {
      for (const Tensor& tensor : tensors_) result = hash_contents(result, tensor);
    }
    return result;
  }

 private:
  Example row(int64_t index) const override {
    Example result;
    result.reserve(tensors_.size());
    for (size_t i = 0; i < tensors_.size(); ++i) {
      result.push_back(tensors_[i].rows(index, index + 1).reshape(spec_[i].shape));
    }
    return result;
  }

  Example gather(std::span<const int64_t> indices) const override {
    Example result;
    result.reserve(tensors_.size());
    const Shape batch{static_cast<int64_t>(indices.size())};
    for (size_t i = 0; i < tensors_.size(); ++i) {
      result.emplace_back(spec_[i].dtype, batch.concat(spec_[i].shape));
      const auto cells = static_cast<size_t>(spec_[i].shape.num_elements());
      if (spec_[i].dtype == kString) {
        const std::string* in = tensors_[i].data<std::string>().data();
        auto out = result[i].mutable_data<std::string>().begin();
        for (const int64_t index : indices)
          out = std::copy_n(in + static_cast<size_t>(index) * cells, cells, out);
      } else {
        copy_rows(tensors_[i].raw(), cells * element_size(spec_[i].dtype), indices,
                  result[i].mutable_raw());
      }
    }
    return result;
  }

  static void copy_rows(const void* from, size_t bytes, std::span<const int64_t> indices,
                        void* to) {
    if (bytes == 0) return;
    const auto* in = static_cast<const std::byte*>(from);
    auto* out = static_cast<std::byte*>(to);
    for (const int64_t index : indices) {
      std::memcpy(out, in + static_cast<size_t>(index) * bytes, bytes);
      out += bytes;
    }
  }

  std::vector<Tensor> tensors_;
  Spec spec_;
};

class GeneratorStream : public ExampleStream {
 public:
  GeneratorStream(Generator generator, const Spec& spec)
      : generator_(std::move(generator)), spec_(spec) {}

  std::optional<Example> next() override {
    if (!generator_) return std::nullopt;
    std::optional<Example> result = generator_();
    if (result) {
      check_example(*result, spec_);
    } else {
      generator_ = nullptr;  // a generator is not asked again after its end
    }
    return result;
  }

 private:
  Generator generator_;
  const Spec& spec_;
};

class GeneratorNode : public Node {
 public:
  GeneratorNode(Spec spec, GeneratorFactory factory)
      : spec_(std::move(spec)), factory_(std::move(factory)) {}

  Spec spec() const override { return spec_; }
  int64_t size() const override { return kUnknownSize; }
  uint64_t hash(Hash) const override { return fold(2, spec_); }
  std::unique_ptr<ExampleStream> examples(int64_t epoch) const override {
    return std::make_unique<GeneratorStream>(factory_(epoch), spec_);
  }

 private:
  Spec spec_;
  GeneratorFactory factory_;
};

std::string default_name(size_t i) {
  if (i == 0) return "features";
  if (i == 1) return "label";
  return str("component_", i);
}

void check_names(const Spec& spec) {
  std::set<std::string> seen;
  for (const Component& component : spec) {
    if (component.name.empty()) throw invalid_argument("a component has an empty name");
    if (!seen.insert(component.name).second) {
      throw invalid_argument("two components are named '", component.name, "'; names must differ");
    }
  }
}

}  // namespace

NodePtr tensors_node(std::vector<Tensor> tensors, std::vector<std::string> names) {
  if (tensors.empty()) throw invalid_argument("a dataset needs at least one tensor");
  if (!names.empty() && names.size() != tensors.size()) {
    throw invalid_argument("got ", names.size(), " names for ", tensors.size(), " tensors");
  }
  Spec spec;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    std::string name = names.empty() ? default_name(i) : std::move(names[i]);
    if (!tensor.is_valid())
      throw invalid_argument("component '", name, "' is an empty Tensor without type and shape");
    if (tensor.rank() == 0) {
      throw invalid_argument(
          "component '", name,
          "' is a scalar; a dataset is made of the rows of tensors of rank >= 1");
    }
    if (tensor.dim(0) != tensors[0].dim(0)) {
      throw invalid_argument("component '", name, "' has ", tensor.dim(0), " rows ", tensor.shape(),
                             ", but '", spec[0].name, "' has ", tensors[0].dim(0), " ",
                             tensors[0].shape());
    }
    spec.push_back({std::move(name), tensor.dtype(), tensor.shape().slice(1)});
  }
  check_names(spec);
  return std::make_shared<TensorsNode>(std::move(tensors), std::move(spec));
}

NodePtr generator_node(Spec spec, GeneratorFactory factory) {
  if (!factory) throw invalid_argument("from_generator needs a function that starts a pass");
  if (spec.empty())
    throw invalid_argument("from_generator needs a spec with at least one component");
  check_names(spec);
  return std::make_shared<GeneratorNode>(std::move(spec), std::move(factory));
}

}  // namespace thalweg::data
