// ParseExample and its like; what they do stands in example_batch.h.
#include <algorithm>
#include <array>

#include "kernels/families.h"
#include "kernels/reference/example_batch.h"

namespace thalweg {
namespace {

using reference::ExampleBatch;
using reference::FeatureRole;
using reference::WantedFeature;

constexpr reference::WantedLists kLists{"sparse_types", "Tdense", "dense_shapes"};
constexpr reference::WantedLists kListsV2{"sparse_types", "Tdense", "dense_shapes",
                                          "ragged_value_types", "ragged_split_types"};

void check_names(const TensorSpec& names, int64_t rows) {
  if (const int64_t count = names.shape.num_elements(); count != 0 && count != rows)
    throw invalid_argument("there are ", count, " names for ", rows, " examples");
}

KernelPtr make_parse(const KernelRequest& request) {
  const int64_t rows = request.inputs[0].shape.num_elements();
  check_names(request.inputs[1], rows);
  const auto keys = static_cast<int>(request.node.attr<int64_t>("Nsparse") +
                                     request.node.attr<int64_t>("Ndense"));
  return make_kernel([wanted = reference::wanted_features(request, kLists, 2 + keys), rows,
                      named = request.inputs[1].shape.num_elements() != 0](KernelContext& c) {
    std::vector<WantedFeature> features = wanted;
    for (size_t i = 0; i < features.size(); ++i)
      features[i].key = *c.input<std::string>(2 + static_cast<int>(i));
    ExampleBatch(features, c.input<std::string>(0), rows, true,
                 named ? c.input<std::string>(1) : nullptr)
        .parse(c);
  });
}

KernelPtr make_parse_v2(const KernelRequest& request) {
  const int64_t rows = request.inputs[0].shape.num_elements();
  check_names(request.inputs[1], rows);
  const std::vector<WantedFeature> wanted = reference::wanted_features(request, kListsV2, 5);
  const bool batched = request.inputs[0].shape.rank() == 1;
  int64_t counts[3];
  size_t total = 0;
  for (size_t k = 0; k < 3; ++k) {
    counts[k] = request.inputs[2 + k].shape.num_elements();
    const auto role =
        std::array{FeatureRole::kSparse, FeatureRole::kDense, FeatureRole::kRagged}[k];
    const auto expected = std::count_if(wanted.begin(), wanted.end(),
                                        [&](const WantedFeature& w) { return w.role == role; });
    if (expected != counts[k]) {
      throw invalid_argument("there are ", counts[k], " ",
                             std::array{"sparse", "dense", "ragged"}[k], " keys for ", expected,
                             " features");
    }
    total += static_cast<size_t>(counts[k]);
  }
  if (!batched && counts[2] != 0) {
    throw unimplemented("ParseExampleV2 of a scalar with ragged features; give it a vector of one");
  }
  return make_kernel([wanted, rows, batched, total, sparse = counts[0], dense = counts[1],
                      named = request.inputs[1].shape.num_elements() != 0](KernelContext& c) {
    std::vector<WantedFeature> features = wanted;
    for (size_t i = 0; i < total; ++i) {
      const auto n = static_cast<int64_t>(i);
      const int input = n < sparse ? 2 : n < sparse + dense ? 3 : 4;
      const int64_t first = input == 2 ? 0 : input == 3 ? sparse : sparse + dense;
      features[i].key = c.input<std::string>(input)[n - first];
    }
    ExampleBatch(features, c.input<std::string>(0), rows, batched,
                 named ? c.input<std::string>(1) : nullptr)
        .parse(c);
  });
}

KernelPtr make_parse_single(const KernelRequest& request) {
  std::vector<WantedFeature> wanted = reference::wanted_features(request, kLists, 1);
  size_t next = 0;
  for (const char* list : {"sparse_keys", "dense_keys"}) {
    for (const std::string& key : request.node.attr<std::vector<std::string>>(list))
      wanted[next++].key = key;
  }
  return make_kernel([wanted = std::move(wanted)](KernelContext& c) {
    ExampleBatch(wanted, c.input<std::string>(0), 1, false, nullptr).parse(c);
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
