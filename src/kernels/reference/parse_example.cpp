// ParseExample: a batch of messages into dense, sparse and ragged features, in three steps: find
// each example's features and count their values, lay out the outputs, copy. The first and the last
// run in parallel over the examples.
#include <algorithm>
#include <unordered_map>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/example_reader.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using reference::FeatureValues;

enum class Role { kSparse, kDense, kRagged };

/// One feature that is asked for.
struct Wanted {
  Role role;
  DType dtype;
  int output = 0;          // dense: the output; sparse: indices; ragged: values
  int step = 0;            // between a sparse feature's outputs, or a ragged feature's
  std::string key = {};
  Shape shape = {};         // dense: of one example
  Shape planned = {};       // dense: of the output, as the plan knows it
  int default_input = 0;    // dense
  int64_t default_size = 0;
  DType split_dtype = kInt64;

  bool is_padded() const { return shape.rank() > 0 && shape[0] == kUnknownDim; }
  /// Elements of one example, or of one step of its unknown dimension.
  int64_t row_size() const { return (is_padded() ? shape.slice(1) : shape).num_elements(); }
};

struct Found {
  FeatureValues values;
  int64_t count = 0;
  bool is_there = false;
};

// One call: messages, names, what is wanted.
class Batch {
 public:
  Batch(const std::vector<Wanted>& wanted, const std::string* messages, int64_t rows, bool batched,
        const std::string* names)
      : wanted_(wanted), messages_(messages), rows_(rows), batched_(batched), names_(names) {
    for (size_t f = 0; f < wanted.size(); ++f) by_key_[wanted[f].key].push_back(f);
  }

  void parse(KernelContext& c) {
    found_.resize(static_cast<size_t>(rows_) * wanted_.size());
    parallel_for(rows_, 16, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) find_features(row);
    });
    for (size_t f = 0; f < wanted_.size(); ++f) {
      switch (wanted_[f].role) {
        case Role::kDense: write_dense(c, f); break;
        case Role::kSparse: write_sparse(c, f); break;
        case Role::kRagged: write_ragged(c, f); break;
      }
    }
  }

 private:
  std::string where(int64_t row) const {
    return names_ == nullptr ? str("example ", row) : str("example ", row, " (", names_[row], ")");
  }
  Found& found(int64_t row, size_t feature) {
    return found_[static_cast<size_t>(row) * wanted_.size() + feature];
  }

  void find_features(int64_t row) {
    try {
      // Later values of a key replace earlier ones.
      reference::for_each_feature(messages_[row], [&](std::string_view key, std::string_view bytes) {
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
      error.add_context(where(row));
      throw;
    }
  }

  static void check_feature(Found& found, const Wanted& wanted) {
    const DType dtype = found.values.dtype();
    found.is_there = found.is_there && dtype != kInvalid;
    if (!found.is_there) {
      if (wanted.role == Role::kDense && !wanted.is_padded() && wanted.default_size == 0 &&
          wanted.row_size() != 0) {
        throw invalid_argument("feature `", wanted.key, "` of ", wanted.dtype,
                               " is missing and has no default");
      }
      return;
    }
    if (dtype != wanted.dtype) {
      throw invalid_argument("feature `", wanted.key, "` holds ", dtype, ", expected ",
                             wanted.dtype);
    }
    try {
      found.count = found.values.count();
    } catch (Error& error) {
      error.add_context(str("feature `", wanted.key, "`"));
      throw;
    }
    if (wanted.role != Role::kDense) return;
    const int64_t size = wanted.row_size();
    if (wanted.is_padded() ? size == 0 || found.count % size != 0 : found.count != size) {
      throw invalid_argument("feature `", wanted.key, "` has ", found.count, " values, but shape ",
                             wanted.shape, wanted.is_padded() ? " takes a multiple of " : " takes ",
                             size);
    }
  }

  void copy_values(const Found& from, DType dtype, void* out) const {
    switch (dtype) {
      case kFloat32: from.values.copy_to(static_cast<float*>(out)); break;
      case kInt64: from.values.copy_to(static_cast<int64_t*>(out)); break;
      default: from.values.copy_to(static_cast<std::string*>(out));
    }
  }

  void write_dense(KernelContext& c, size_t f) {
    const Wanted& wanted = wanted_[f];
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
        void* to = reference::element_at(wanted.dtype, out, i * size);
        if (!wanted.is_padded() && !values.is_there) {
          reference::copy_elements(wanted.dtype, otherwise, to, size);
          continue;
        }
        copy_values(values, wanted.dtype, to);
        reference::fill_elements(wanted.dtype, otherwise,
                                 reference::element_at(wanted.dtype, to, values.count),
                                 size - values.count);
      }
    });
    if (made.is_valid()) c.set_output(wanted.output, std::move(made));
  }

  // All values of a feature behind each other, and where each row's begin.
  std::pair<Tensor, std::vector<int64_t>> concatenated(size_t f) {
    std::vector<int64_t> starts{0};
    for (int64_t i = 0; i < rows_; ++i) starts.push_back(starts.back() + found(i, f).count);
    const DType dtype = wanted_[f].dtype;
    Tensor values(dtype, Shape{starts.back()});
    void* out = values.mutable_raw();
    parallel_for(rows_, 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        copy_values(found(i, f), dtype,
                    reference::element_at(dtype, out, starts[static_cast<size_t>(i)]));
    });
    return {std::move(values), std::move(starts)};
  }

  void write_sparse(KernelContext& c, size_t f) {
    const Wanted& wanted = wanted_[f];
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

  void write_ragged(KernelContext& c, size_t f) {
    const Wanted& wanted = wanted_[f];
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

  const std::vector<Wanted>& wanted_;
  const std::string* messages_;
  const int64_t rows_;
  const bool batched_;
  const std::string* names_;
  std::unordered_map<std::string_view, std::vector<size_t>> by_key_;
  std::vector<Found> found_;
};

using Types = std::vector<DType>;

// What the three ops ask for; keys are added when they are known. `first_default` is the first
// input with a default.
std::vector<Wanted> make_wanted(const KernelRequest& request, int first_default) {
  const Node& node = request.node;
  std::vector<Wanted> wanted;
  const auto& sparse = node.attr<Types>("sparse_types");
  const int num_sparse = static_cast<int>(sparse.size());
  for (int i = 0; i < num_sparse; ++i) {
    wanted.push_back({.role = Role::kSparse, .dtype = sparse[static_cast<size_t>(i)], .output = i,
                      .step = num_sparse});
  }
  const auto& dense = node.attr<Types>("Tdense");
  const auto& shapes = node.attr<std::vector<Shape>>("dense_shapes");
  for (size_t i = 0; i < dense.size(); ++i) {
    const int output = 3 * num_sparse + static_cast<int>(i);
    const int input = first_default + static_cast<int>(i);
    const Shape& value = request.inputs[static_cast<size_t>(input)].shape;
    Wanted feature{.role = Role::kDense,
                   .dtype = dense[i],
                   .output = output,
                   .shape = shapes[i],
                   .planned = request.outputs[static_cast<size_t>(output)].shape,
                   .default_input = input,
                   .default_size = value.num_elements()};
    if (feature.is_padded() ? feature.default_size != 1
                            : feature.default_size != 0 && value != shapes[i]) {
      throw invalid_argument("the default of dense feature ", i, " has shape ", value, "; expected ",
                             feature.is_padded() ? str("one element, the padding of ", shapes[i])
                                                 : str(shapes[i], ", or no elements"));
    }
    wanted.push_back(std::move(feature));
  }
  if (node.find_attr("ragged_value_types") == nullptr) return wanted;
  const auto& ragged = node.attr<Types>("ragged_value_types");
  const auto& splits = node.attr<Types>("ragged_split_types");
  for (size_t i = 0; i < ragged.size(); ++i) {
    wanted.push_back({.role = Role::kRagged,
                      .dtype = ragged[i],
                      .output = 3 * num_sparse + static_cast<int>(dense.size() + i),
                      .step = static_cast<int>(ragged.size()),
                      .split_dtype = splits[i]});
  }
  return wanted;
}

void check_names(const TensorSpec& names, int64_t rows) {
  if (const int64_t count = names.shape.num_elements(); count != 0 && count != rows)
    throw invalid_argument("there are ", count, " names for ", rows, " examples");
}

KernelPtr make_parse(const KernelRequest& request) {
  const int64_t rows = request.inputs[0].shape.num_elements();
  check_names(request.inputs[1], rows);
  const auto keys = static_cast<int>(request.node.attr<int64_t>("Nsparse") +
                                     request.node.attr<int64_t>("Ndense"));
  return make_kernel([wanted = make_wanted(request, 2 + keys), rows,
                      named = request.inputs[1].shape.num_elements() != 0](KernelContext& c) {
    std::vector<Wanted> features = wanted;
    for (size_t i = 0; i < features.size(); ++i)
      features[i].key = *c.input<std::string>(2 + static_cast<int>(i));
    Batch(features, c.input<std::string>(0), rows, true, named ? c.input<std::string>(1) : nullptr)
        .parse(c);
  });
}

KernelPtr make_parse_v2(const KernelRequest& request) {
  const int64_t rows = request.inputs[0].shape.num_elements();
  check_names(request.inputs[1], rows);
  const std::vector<Wanted> wanted = make_wanted(request, 5);
  const bool batched = request.inputs[0].shape.rank() == 1;
  int64_t counts[3];
  size_t total = 0;
  for (size_t k = 0; k < 3; ++k) {
    counts[k] = request.inputs[2 + k].shape.num_elements();
    const auto role = std::array{Role::kSparse, Role::kDense, Role::kRagged}[k];
    const auto expected = std::count_if(wanted.begin(), wanted.end(),
                                        [&](const Wanted& w) { return w.role == role; });
    if (expected != counts[k]) {
      throw invalid_argument("there are ", counts[k], " ", std::array{"sparse", "dense", "ragged"}[k],
                             " keys for ", expected, " features");
    }
    total += static_cast<size_t>(counts[k]);
  }
  if (!batched && counts[2] != 0) {
    throw unimplemented("ParseExampleV2 of a scalar with ragged features; give it a vector of one");
  }
  return make_kernel([wanted, rows, batched, total, sparse = counts[0], dense = counts[1],
                      named = request.inputs[1].shape.num_elements() != 0](KernelContext& c) {
    std::vector<Wanted> features = wanted;
    for (size_t i = 0; i < total; ++i) {
      const auto n = static_cast<int64_t>(i);
      const int input = n < sparse ? 2 : n < sparse + dense ? 3 : 4;
      const int64_t first = input == 2 ? 0 : input == 3 ? sparse : sparse + dense;
      features[i].key = c.input<std::string>(input)[n - first];
    }
    Batch(features, c.input<std::string>(0), rows, batched,
          named ? c.input<std::string>(1) : nullptr)
        .parse(c);
  });
}

KernelPtr make_parse_single(const KernelRequest& request) {
  std::vector<Wanted> wanted = make_wanted(request, 1);
  size_t next = 0;
  for (const char* list : {"sparse_keys", "dense_keys"}) {
    for (const std::string& key : request.node.attr<std::vector<std::string>>(list))
      wanted[next++].key = key;
  }
  return make_kernel([wanted = std::move(wanted)](KernelContext& c) {
    Batch(wanted, c.input<std::string>(0), 1, false, nullptr).parse(c);
  });
}

constexpr KernelDef kKernels[] = {
    {"ParseExample", "reference", make_parse},
    {"ParseExampleV2", "reference", make_parse_v2},
    {"ParseSingleExample", "reference", make_parse_single},
};

}  // namespace

std::span<const KernelDef> reference_parse_example_kernels() { return kKernels; }

}  // namespace thalweg
