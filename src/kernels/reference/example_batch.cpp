#include "kernels/reference/example_batch.h"

#include <algorithm>

#include "kernels/reference/elements.h"
#include "thalweg/base/parallel.h"

namespace thalweg::reference {

std::string example_name(int64_t row, const std::string* names) {
  return names == nullptr ? str("example ", row) : str("example ", row, " (", names[row], ")");
}

void copy_values(const FeatureValues& values, DType dtype, void* out) {
  switch (dtype) {
    case kFloat32: values.copy_to(static_cast<float*>(out)); break;
    case kInt64: values.copy_to(static_cast<int64_t*>(out)); break;
    default: values.copy_to(static_cast<std::string*>(out));
  }
}

ExampleBatch::ExampleBatch(const std::vector<WantedFeature>& wanted, const std::string* messages,
                           int64_t rows, bool batched, const std::string* names)
    : wanted_(wanted), messages_(messages), rows_(rows), batched_(batched), names_(names) {
  for (size_t f = 0; f < wanted.size(); ++f) by_key_[wanted[f].key].push_back(f);
}

void ExampleBatch::parse(KernelContext& c) {
  found_.resize(static_cast<size_t>(rows_) * wanted_.size());
  parallel_for(rows_, 16, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) find_features(row);
  });
  for (size_t f = 0; f < wanted_.size(); ++f) {
    switch (wanted_[f].role) {
      case FeatureRole::kDense: write_dense(c, f); break;
      case FeatureRole::kSparse: write_sparse(c, f); break;
      case FeatureRole::kRagged: write_ragged(c, f); break;
    }
  }
}

void ExampleBatch::find_features(int64_t row) {
  try {
    // Later values of a key replace earlier ones.
    for_each_feature(messages_[row], [&](std::string_view key, std::string_view bytes) {
      const auto it = by_key_.find(key);
      if (it == by_key_.end()) return;
      for (size_t f : it->second) {
        try {
          found(row, f) = {.values = FeatureValues(bytes), .is_there = true};
        } catch (Error& error) {
          error.add_context(str("feature `", key, "`"));
          throw;
        }
      }
    });
    for (size_t f = 0; f < wanted_.size(); ++f) check_feature(found(row, f), wanted_[f]);
  } catch (Error& error) {
    error.add_context(example_name(row, names_));
    throw;
  }
}

void ExampleBatch::check_feature(Found& found, const WantedFeature& wanted) {
  const DType dtype = found.values.dtype();
  found.is_there = found.is_there && dtype != kInvalid;
  if (!found.is_there) {
    if (wanted.role == FeatureRole::kDense && !wanted.is_padded() && wanted.default_size == 0 &&
        wanted.row_size() != 0) {
      throw invalid_argument("feature `", wanted.key, "` of ", wanted.dtype,
                             " is missing and has no default");
    }
    return;
  }
  if (dtype != wanted.dtype) {
    throw invalid_argument("feature `", wanted.key, "` holds ", dtype, ", expected ", wanted.dtype);
  }
  try {
    found.count = found.values.count();
  } catch (Error& error) {
    error.add_context(str("feature `", wanted.key, "`"));
    throw;
  }
  if (wanted.role != FeatureRole::kDense) return;
  const int64_t size = wanted.row_size();
  if (wanted.is_padded() ? size == 0 || found.count % size != 0 : found.count != size) {
    throw invalid_argument("feature `", wanted.key, "` has ", found.count, " values, but shape ",
                           wanted.shape, wanted.is_padded() ? " takes a multiple of " : " takes ",
                           size);
  }
}

void ExampleBatch::write_dense(KernelContext& c, size_t f) {
  const WantedFeature& wanted = wanted_[f];
  Shape row = wanted.shape;
  if (wanted.is_padded()) {
    int64_t longest = 0;
    for (int64_t i = 0; i < rows_; ++i) longest = std::max(longest, found(i, f).count);
    row.set_dim(0, wanted.row_size() == 0 ? 0 : longest / wanted.row_size());
  }
  const Shape shape = batched_ ? Shape{rows_}.concat(row) : row;
  Tensor made;
  if (!wanted.planned.is_fully_defined()) made = Tensor(wanted.dtype, shape);
  void* out = made.is_valid() ? made.mutable_raw() : c.output_pointer(wanted.output);
  const void* otherwise = c.input_pointer(wanted.default_input);
  const int64_t size = row.num_elements();
  parallel_for(rows_, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Found& values = found(i, f);
      void* to = element_at(wanted.dtype, out, i * size);
      if (!wanted.is_padded() && !values.is_there) {
        copy_elements(wanted.dtype, otherwise, to, size);
        continue;
      }
      copy_values(values.values, wanted.dtype, to);
      fill_elements(wanted.dtype, otherwise, element_at(wanted.dtype, to, values.count),
                    size - values.count);
    }
  });
  if (made.is_valid()) c.set_output(wanted.output, std::move(made));
}

// All values of a feature behind each other, and where each row's begin.
std::pair<Tensor, std::vector<int64_t>> ExampleBatch::concatenated(size_t f) {
  std::vector<int64_t> starts{0};
  for (int64_t i = 0; i < rows_; ++i) starts.push_back(starts.back() + found(i, f).count);
  const DType dtype = wanted_[f].dtype;
  Tensor values(dtype, Shape{starts.back()});
  void* out = values.mutable_raw();
  parallel_for(rows_, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      copy_values(found(i, f).values, dtype,
                  element_at(dtype, out, starts[static_cast<size_t>(i)]));
  });
  return {std::move(values), std::move(starts)};
}

void ExampleBatch::write_sparse(KernelContext& c, size_t f) {
  const WantedFeature& wanted = wanted_[f];
  auto [values, starts] = concatenated(f);
  Tensor indices(kInt64, Shape{starts.back(), batched_ ? 2 : 1});
  int64_t* index = indices.mutable_data<int64_t>().data();
  int64_t most = 0;
  for (int64_t i = 0; i < rows_; ++i) {
    const int64_t count = found(i, f).count;
    most = std::max(most, count);
    for (int64_t k = 0; k < count; ++k) {
      if (batched_) *index++ = i;
      *index++ = k;
    }
  }
  c.set_output(wanted.output, std::move(indices));
  c.set_output(wanted.output + wanted.step, std::move(values));
  auto* shape = c.output<int64_t>(wanted.output + 2 * wanted.step);
  if (batched_) *shape++ = rows_;
  *shape = most;
}

void ExampleBatch::write_ragged(KernelContext& c, size_t f) {
  const WantedFeature& wanted = wanted_[f];
  auto [values, starts] = concatenated(f);
  Tensor splits = Tensor::from(std::span<const int64_t>(starts), Shape{rows_ + 1});
  c.set_output(wanted.output, std::move(values));
  const int i = wanted.output + wanted.step;
  if (void* out = c.output_pointer(i)) {
    convert_elements(kInt64, splits.raw(), wanted.split_dtype, out, rows_ + 1);
  } else {
    c.set_output(i, splits.cast(wanted.split_dtype));
  }
}

std::vector<WantedFeature> wanted_features(const KernelRequest& request, const WantedLists& lists,
                                           int first_default) {
  using Types = std::vector<DType>;
  const Node& node = request.node;
  std::vector<WantedFeature> wanted;
  const auto& sparse = node.attr<Types>(lists.sparse_types);
  const int num_sparse = static_cast<int>(sparse.size());
  for (int i = 0; i < num_sparse; ++i) {
    wanted.push_back({.role = FeatureRole::kSparse,
                      .dtype = sparse[static_cast<size_t>(i)],
                      .output = i,
                      .step = num_sparse});
  }
  const auto& dense = node.attr<Types>(lists.dense_types);
  const auto& shapes = node.attr<std::vector<Shape>>(lists.dense_shapes);
  for (size_t i = 0; i < dense.size(); ++i) {
    const int output = 3 * num_sparse + static_cast<int>(i);
    const int input = first_default + static_cast<int>(i);
    const Shape& value = request.inputs[static_cast<size_t>(input)].shape;
    WantedFeature feature{.role = FeatureRole::kDense,
                          .dtype = dense[i],
                          .output = output,
                          .shape = shapes[i],
                          .planned = request.outputs[static_cast<size_t>(output)].shape,
                          .default_input = input,
                          .default_size = value.num_elements()};
    if (feature.is_padded() ? feature.default_size != 1
                            : feature.default_size != 0 && value != shapes[i]) {
      throw invalid_argument("the default of dense feature ", i, " has shape ", value,
                             "; expected ",
                             feature.is_padded() ? str("one element, the padding of ", shapes[i])
                                                 : str(shapes[i], ", or no elements"));
    }
    wanted.push_back(std::move(feature));
  }
  if (lists.ragged_types == nullptr) return wanted;
  const auto& ragged = node.attr<Types>(lists.ragged_types);
  const auto& splits = node.attr<Types>(lists.ragged_splits);
  for (size_t i = 0; i < ragged.size(); ++i) {
    wanted.push_back({.role = FeatureRole::kRagged,
                      .dtype = ragged[i],
                      .output = 3 * num_sparse + static_cast<int>(dense.size() + i),
                      .step = static_cast<int>(ragged.size()),
                      .split_dtype = splits[i]});
  }
  return wanted;
}

}  // namespace thalweg::reference
