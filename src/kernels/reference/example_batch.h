// A batch of messages with features into dense, sparse and ragged tensors, in three steps: find
// each example's features and count their values, lay out the outputs, copy. The first and the last
// run in parallel over the examples.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/reference/example_reader.h"
#include "thalweg/kernels/kernel.h"

namespace thalweg::reference {

enum class FeatureRole { kSparse, kDense, kRagged };

/// One feature that is asked for.
struct WantedFeature {
  FeatureRole role = FeatureRole::kDense;
  DType dtype = kInvalid;
  int output = 0;  // dense: the output; sparse: indices; ragged: values
  int step = 0;    // between a sparse feature's outputs, or a ragged feature's
  std::string key = {};
  Shape shape = {};       // dense: of one example
  Shape planned = {};     // dense: of the output, as the plan knows it
  int default_input = 0;  // dense
  int64_t default_size = 0;
  DType split_dtype = kInt64;  // ragged

  bool is_padded() const { return shape.rank() > 0 && shape[0] == kUnknownDim; }
  /// Elements of one example, or of one step of its unknown dimension.
  int64_t row_size() const { return (is_padded() ? shape.slice(1) : shape).num_elements(); }
};

/// The attributes that say what an op asks for. Its first outputs are the indices, the values, then
/// the shapes of sparse features; the dense features; and where there are any, the values, then the
/// row splits of ragged features.
struct WantedLists {
  const char* sparse_types;
  const char* dense_types;
  const char* dense_shapes;
  const char* ragged_types = nullptr;
  const char* ragged_splits = nullptr;
};
/// The features in that order, their keys left open; `first_default` is the first input that holds
/// a default. Throws invalid_argument for defaults that do not fit.
std::vector<WantedFeature> wanted_features(const KernelRequest& request, const WantedLists& lists,
                                           int first_default);

/// What messages say of themselves in errors: "example 3 (name)".
std::string example_name(int64_t row, const std::string* names);

/// Values of one feature, put into memory for elements of `dtype`.
void copy_values(const FeatureValues& values, DType dtype, void* out);

/// One call of a kernel. Not to be kept.
class ExampleBatch {
 public:
  /// `messages` are `rows` Examples, or SequenceExamples, whose context lies in the same field;
  /// `names` may be null. Unless `batched`, there is one, and outputs have no batch dimension.
  ExampleBatch(const std::vector<WantedFeature>& wanted, const std::string* messages, int64_t rows,
               bool batched, const std::string* names);

  /// Reads all, and gives the context its outputs. Throws invalid_argument for features that are
  /// missing or of other types or sizes, data_loss for damaged messages, naming example and
  /// feature.
  void parse(KernelContext& context);

 private:
  struct Found {
    FeatureValues values;
    int64_t count = 0;
    bool is_there = false;
  };

  Found& found(int64_t row, size_t feature) {
    return found_[static_cast<size_t>(row) * wanted_.size() + feature];
  }
  void find_features(int64_t row);
  static void check_feature(Found& found, const WantedFeature& wanted);
  std::pair<Tensor, std::vector<int64_t>> concatenated(size_t feature);
  void write_dense(KernelContext& context, size_t feature);
  void write_sparse(KernelContext& context, size_t feature);
  void write_ragged(KernelContext& context, size_t feature);

  const std::vector<WantedFeature>& wanted_;
  const std::string* const messages_;
  const int64_t rows_;
  const bool batched_;
  const std::string* const names_;
  std::unordered_map<std::string_view, std::vector<size_t>> by_key_;
  std::vector<Found> found_;
};

}  // namespace thalweg::reference
