// ParseSequenceExample: the context is read as an Example is; feature lists have one feature a
// step.
#include <algorithm>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/example_batch.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using reference::ExampleBatch;
using reference::FeatureRole;
using reference::FeatureValues;
using reference::WantedFeature;

using Types = std::vector<DType>;

/// One feature list that is asked for.
struct WantedList {
  FeatureRole role;
  DType dtype;
  int output;  // sparse: indices; dense and ragged: values
  int step;    // to the feature list's next output
  std::string key = {};
  Shape shape = {};    // dense: of one step
  Shape planned = {};  // dense: of the output
  bool may_miss = true;
  DType split_dtype = kInt64;  // ragged
};

// The feature lists of all messages.
class ListBatch {
 public:
  ListBatch(const std::vector<WantedList>& wanted, const std::string* messages, int64_t rows,
            const std::string* names)
      : wanted_(wanted), rows_(rows), steps_(static_cast<size_t>(rows) * wanted.size()) {
    parallel_for(rows, 16, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        try {
          read(messages[row], row);
        } catch (Error& error) {
          error.add_context(reference::example_name(row, names));
          throw;
        }
      }
    });
  }

  void write(KernelContext& c) {
    for (size_t k = 0; k < wanted_.size(); ++k) {
      switch (wanted_[k].role) {
        case FeatureRole::kDense: write_dense(c, k); break;
        case FeatureRole::kSparse: write_sparse(c, k); break;
        case FeatureRole::kRagged: write_ragged(c, k); break;
      }
    }
  }

 private:
  struct Step {
    FeatureValues values;
    int64_t count = 0;
  };
  using Steps = std::vector<Step>;

  Steps& steps(int64_t row, size_t k) {
    return steps_[static_cast<size_t>(row) * wanted_.size() + k];
  }

  void read(const std::string& message, int64_t row) {
    std::vector<bool> seen(wanted_.size(), false);
    reference::WireReader reader(message);
    while (reader.next()) {
      if (reader.field() != 2 || !reader.is_bytes()) continue;
      reference::for_each_map_entry(reader.bytes(), 1,
                                    [&](std::string_view key, std::string_view bytes) {
                                      for (size_t k = 0; k < wanted_.size(); ++k) {
                                        if (wanted_[k].key != key) continue;
                                        seen[k] = true;
                                        steps(row, k) = read_list(bytes, wanted_[k]);
                                      }
                                    });
    }
    for (size_t k = 0; k < wanted_.size(); ++k) {
      if (!seen[k] && !wanted_[k].may_miss) {
        throw invalid_argument("feature list `", wanted_[k].key,
                               "` is missing; name it in "
                               "feature_list_dense_missing_assumed_empty if it may be");
      }
    }
  }

  static Steps read_list(std::string_view bytes, const WantedList& wanted) {
    Steps steps;
    try {
      reference::WireReader list(bytes);
      while (list.next()) {
        if (list.field() != 1 || !list.is_bytes()) continue;
        Step step{FeatureValues(list.bytes())};
        if (step.values.dtype() != kInvalid && step.values.dtype() != wanted.dtype) {
          throw invalid_argument("step ", steps.size(), " holds ", step.values.dtype(),
                                 ", expected ", wanted.dtype);
        }
        step.count = step.values.count();
        if (wanted.role == FeatureRole::kDense && step.count != wanted.shape.num_elements()) {
          throw invalid_argument("step ", steps.size(), " has ", step.count,
                                 " values, but its shape is ", wanted.shape);
        }
        steps.push_back(std::move(step));
      }
    } catch (Error& error) {
      error.add_context(str("feature list `", wanted.key, "`"));
      throw;
    }
    return steps;
  }

  void write_dense(KernelContext& c, size_t k) {
    const WantedList& wanted = wanted_[k];
    int64_t longest = 0;
    auto* lengths = c.output<int64_t>(wanted.output + wanted.step);
    for (int64_t i = 0; i < rows_; ++i) {
      lengths[i] = static_cast<int64_t>(steps(i, k).size());
      longest = std::max(longest, lengths[i]);
    }
    Tensor values = Tensor::zeros(wanted.dtype, Shape{rows_, longest}.concat(wanted.shape));
    const int64_t size = wanted.shape.num_elements();
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t s = 0; s < lengths[i]; ++s) {
        copy_values(
            steps(i, k)[static_cast<size_t>(s)].values, wanted.dtype,
            reference::element_at(wanted.dtype, values.mutable_raw(), (i * longest + s) * size));
      }
    }
    c.set_output(wanted.output, std::move(values));
  }

  // The values of all steps behind each other.
  Tensor concatenated(size_t k) {
    int64_t total = 0;
    for_each_step(k, [&](int64_t, int64_t, const Step& step) { total += step.count; });
    const DType dtype = wanted_[k].dtype;
    Tensor values(dtype, Shape{total});
    int64_t at = 0;
    for_each_step(k, [&](int64_t, int64_t, const Step& step) {
      copy_values(step.values, dtype, reference::element_at(dtype, values.mutable_raw(), at));
      at += step.count;
    });
    return values;
  }

  template <class F>
  void for_each_step(size_t k, F f) {
    for (int64_t i = 0; i < rows_; ++i) {
      int64_t s = 0;
      for (const Step& step : steps(i, k)) f(i, s++, step);
    }
  }

  void write_sparse(KernelContext& c, size_t k) {
    const WantedList& wanted = wanted_[k];
    std::vector<int64_t> indices;
    int64_t most_steps = 0;
    int64_t most_values = 0;
    for_each_step(k, [&](int64_t row, int64_t s, const Step& step) {
      for (int64_t v = 0; v < step.count; ++v) indices.insert(indices.end(), {row, s, v});
      most_steps = std::max(most_steps, s + 1);
      most_values = std::max(most_values, step.count);
    });
    const auto count = static_cast<int64_t>(indices.size() / 3);
    c.set_output(wanted.output, Tensor::from(std::span<const int64_t>(indices), Shape{count, 3}));
    c.set_output(wanted.output + wanted.step, concatenated(k));
    auto* shape = c.output<int64_t>(wanted.output + 2 * wanted.step);
    shape[0] = rows_;
    shape[1] = most_steps;
    shape[2] = most_values;
  }

  void write_ragged(KernelContext& c, size_t k) {
    const WantedList& wanted = wanted_[k];
    std::vector<int64_t> outer{0};
    std::vector<int64_t> inner{0};
    for (int64_t i = 0; i < rows_; ++i) {
      for (const Step& step : steps(i, k)) inner.push_back(inner.back() + step.count);
      outer.push_back(static_cast<int64_t>(inner.size()) - 1);
    }
    c.set_output(wanted.output, concatenated(k));
    const auto splits = [&](const std::vector<int64_t>& values, int output) {
      const Shape shape{static_cast<int64_t>(values.size())};
      if (void* out = c.output_pointer(output)) {
        convert_elements(kInt64, values.data(), wanted.split_dtype, out, shape[0]);
      } else {
        c.set_output(
            output, Tensor::from(std::span<const int64_t>(values), shape).cast(wanted.split_dtype));
      }
    };
    splits(outer, wanted.output + wanted.step);
    splits(inner, wanted.output + 2 * wanted.step);
  }

  const std::vector<WantedList>& wanted_;
  const int64_t rows_;
  std::vector<Steps> steps_;
};

// The feature lists that the attributes ask for, sparse, dense, then ragged ones; `output` is the
// first of their outputs.
std::vector<WantedList> wanted_lists(const Node& node, int output, bool has_ragged) {
  std::vector<WantedList> wanted;
  const auto& sparse = node.attr<Types>("feature_list_sparse_types");
  const auto& dense = node.attr<Types>("feature_list_dense_types");
  const auto& shapes = node.attr<std::vector<Shape>>("feature_list_dense_shapes");
  const auto num_sparse = static_cast<int>(sparse.size());
  const auto num_dense = static_cast<int>(dense.size());
  for (DType dtype : sparse) wanted.push_back({FeatureRole::kSparse, dtype, output++, num_sparse});
  output += 2 * num_sparse;
  for (size_t i = 0; i < dense.size(); ++i) {
    wanted.push_back({.role = FeatureRole::kDense,
                      .dtype = dense[i],
                      .output = output++,
                      .step = num_dense,
                      .shape = shapes[i],
                      .may_miss = false});
  }
  output += num_dense;
  if (!has_ragged) return wanted;
  const auto& ragged = node.attr<Types>("feature_list_ragged_value_types");
  const auto& splits = node.attr<Types>("feature_list_ragged_split_types");
  for (size_t i = 0; i < ragged.size(); ++i) {
    wanted.push_back({.role = FeatureRole::kRagged,
                      .dtype = ragged[i],
                      .output = output++,
                      .step = static_cast<int>(ragged.size()),
                      .split_dtype = splits[i]});
  }
  return wanted;
}

constexpr reference::WantedLists kContext{"context_sparse_types", "Tcontext_dense",
                                          "context_dense_shapes"};
constexpr reference::WantedLists kContextV2{"context_sparse_types", "Tcontext_dense",
                                            "context_dense_shapes", "context_ragged_value_types",
                                            "context_ragged_split_types"};

// What both versions prepare.
struct Prepared {
  int64_t rows = 0;
  bool named = false;
  std::vector<WantedFeature> context;
  std::vector<WantedList> lists;

  Prepared(const KernelRequest& request, bool v2)
      : context(reference::wanted_features(request, v2 ? kContextV2 : kContext, v2 ? 9 : 2)) {
    if (request.inputs[0].shape.rank() != 1) {
      throw unimplemented("parsing a single SequenceExample of shape ", request.inputs[0].shape,
                          "; give it a vector of one");
    }
    rows = request.inputs[0].shape.num_elements();
    const int64_t names = request.inputs[1].shape.num_elements();
    if (names != 0 && names != rows)
      throw invalid_argument("there are ", names, " names for ", rows, " examples");
    named = names != 0;
    int output = 0;
    for (const WantedFeature& feature : context)
      output += feature.role == FeatureRole::kSparse  ? 3
                : feature.role == FeatureRole::kDense ? 1
                                                      : 2;
    lists = wanted_lists(request.node, output, v2);
  }

  void run(KernelContext& c) const {
    const auto* names = named ? c.input<std::string>(1) : nullptr;
    ExampleBatch(context, c.input<std::string>(0), rows, true, names).parse(c);
    ListBatch(lists, c.input<std::string>(0), rows, names).write(c);
  }
};

using Keys = std::vector<std::string>;

KernelPtr make_sequence(const KernelRequest& request) {
  Prepared prepared(request, false);
  const Node& node = request.node;
  size_t next = 0;
  for (const char* attr : {"context_sparse_keys", "context_dense_keys"}) {
    for (const std::string& key : node.attr<Keys>(attr)) prepared.context.at(next++).key = key;
  }
  next = 0;
  const Keys& may_miss = node.attr<Keys>("feature_list_dense_missing_assumed_empty");
  for (const char* attr : {"feature_list_sparse_keys", "feature_list_dense_keys"}) {
    for (const std::string& key : node.attr<Keys>(attr)) {
      WantedList& list = prepared.lists.at(next++);
      list.key = key;
      if (std::find(may_miss.begin(), may_miss.end(), key) != may_miss.end()) list.may_miss = true;
    }
  }
  return make_kernel([prepared = std::move(prepared)](KernelContext& c) { prepared.run(c); });
}

KernelPtr make_sequence_v2(const KernelRequest& request) {
  const Prepared prepared(request, true);
  std::vector<int64_t> counts;  // of keys, by input
  for (const TensorSpec& input : request.inputs) counts.push_back(input.shape.num_elements());
  const auto check = [&](size_t got, int first) {
    int64_t keys = 0;
    for (int i = first; i < first + 3; ++i) keys += counts[static_cast<size_t>(i)];
    if (keys != static_cast<int64_t>(got))
      throw invalid_argument("there are ", keys, " keys for ", got, " features");
  };
  check(prepared.context.size(), 2);
  check(prepared.lists.size(), 5);
  return make_kernel([prepared, counts](KernelContext& c) {
    Prepared call = prepared;
    const auto name_all = [&](auto& features, int first) {
      size_t next = 0;
      for (int i = first; i < first + 3; ++i) {
        for (int64_t k = 0; k < counts[static_cast<size_t>(i)]; ++k)
          features[next++].key = c.input<std::string>(i)[k];
      }
    };
    name_all(call.context, 2);
    name_all(call.lists, 5);
    for (int64_t k = 0; k < std::min(counts[8], counts[6]); ++k) {
      if (c.input<bool>(8)[k]) call.lists[static_cast<size_t>(counts[5] + k)].may_miss = true;
    }
    call.run(c);
  });
}

constexpr KernelDef kKernels[] = {
    {"ParseSequenceExample", "reference", make_sequence},
    {"ParseSequenceExampleV2", "reference", make_sequence_v2},
};

}  // namespace

std::span<const KernelDef> reference_parse_sequence_kernels() { return kKernels; }

}  // namespace thalweg
