// Many rows through an ensemble of decision trees. Rows of a block go through one tree after
// another, so that its nodes stay in the first cache, and several rows at a time step by step: each
// step is a chain of loads, and chains of different rows overlap. Nothing branches on the data; a
// row that has come to a leaf stays there, as a leaf is its own left child.
#include <algorithm>
#include <vector>

#include "kernels/trees.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

constexpr int64_t kLanes = 16;           // rows that walk together
constexpr int64_t kBlock = 256;          // rows that a tree is kept in cache for
constexpr int64_t kStepsInGrain = 4000;  // that take about 5 microseconds

// What the walk relies on, beside check_node(): that nothing at a leaf moves a row away from it.
bool leaf_stays(const TreeInputs& in, int64_t node) {
  return in.threshold[node] != in.threshold[node] && !in.missing_right[node] &&
         in.feature[node] >= 0 && in.feature[node] < in.columns;
}

// False when some leaf needs the slower walk. Throws like predict_row_by_row(), but for nodes that
// no row comes to as well.
bool check(const TreeInputs& in) {
  for (int64_t tree = 0; tree < in.trees; ++tree) in.check_tree(tree);
  bool stays = true;
  for (int64_t node = 0; node < in.nodes; ++node) {
    in.check_node(node);
    if (in.left[node] == node) stays = stays && leaf_stays(in, node);
  }
  return stays;
}

// Without kMissing the row has no missing value, which spares a third of the work.
template <bool kMissing>
inline int32_t step(const TreeInputs& in, const float* x, int32_t node) {
  const float value = x[in.feature[node]];
  // At a leaf the threshold is NaN: no number is right of it.
  int right = static_cast<int>(value >= in.threshold[node]);
  if constexpr (kMissing) {
    right |= static_cast<int>(value != value) & static_cast<int>(in.missing_right[node]);
  }
  return in.left[node] + right;
}

template <bool kMissing, int64_t kCount>
void walk(const TreeInputs& in, const float* x, int32_t root, int32_t* ends) {
  int32_t node[kCount];
  for (int64_t i = 0; i < kCount; ++i) node[i] = root;
  for (int32_t moved = 1; moved != 0;) {
    moved = 0;
    for (int64_t i = 0; i < kCount; ++i) {
      const int32_t next = step<kMissing>(in, x + i * in.columns, node[i]);
      moved |= next ^ node[i];
      node[i] = next;
    }
  }
  std::copy_n(node, kCount, ends);
}

// Whether a value is missing in each group of kLanes rows.
void find_missing(const TreeInputs& in, const float* x, int64_t rows, bool* missing) {
  const int64_t cells = kLanes * in.columns;
  for (int64_t group = 0; (group + 1) * kLanes <= rows; ++group) {
    int found = 0;
    const float* first = x + group * cells;
    for (int64_t i = 0; i < cells; ++i) found |= static_cast<int>(first[i] != first[i]);
    missing[group] = found != 0;
  }
}

// Rows [begin, end), at most kBlock.
void predict_block(const TreeInputs& in, int64_t begin, int64_t end, double* sums) {
  const int64_t rows = end - begin;
  const float* x = in.features + begin * in.columns;
  int32_t ends[kBlock];
  bool missing[kBlock / kLanes];
  find_missing(in, x, rows, missing);
  std::fill_n(sums, rows * in.outputs, 0.0);
  for (int64_t tree = 0; tree < in.trees; ++tree) {
    const int32_t root = in.roots[tree];
    int64_t row = 0;
    for (; row + kLanes <= rows; row += kLanes) {
      const float* lanes = x + row * in.columns;
      if (missing[row / kLanes]) {
        walk<true, kLanes>(in, lanes, root, ends + row);
      } else {
        walk<false, kLanes>(in, lanes, root, ends + row);
      }
    }
    for (; row < rows; ++row) walk<true, 1>(in, x + row * in.columns, root, ends + row);
    double* out = sums + in.first_output[tree];
    if (in.width == 1) {
      for (int64_t i = 0; i < rows; ++i) {
        out[i * in.outputs] += static_cast<double>(in.values[in.leaf[ends[i]]]);
      }
      continue;
    }
    for (int64_t i = 0; i < rows; ++i) {
      const float* values = in.values + in.leaf[ends[i]] * in.width;
      for (int64_t k = 0; k < in.width; ++k) {
        out[i * in.outputs + k] += static_cast<double>(values[k]);
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < in.outputs; ++k) {
      in.sums[(begin + i) * in.outputs + k] =
          static_cast<float>(static_cast<double>(in.base[k]) +
                             static_cast<double>(in.scale) * sums[i * in.outputs + k]);
    }
  }
}

KernelPtr make_predict(const KernelRequest& request) {
  return make_kernel([sizes = TreeInputs(request)](KernelContext& c) {
    const TreeInputs in = sizes.bound(c);
    // For few rows, checking all nodes would take longer than walking.
    const int64_t levels = 16;
    if (in.batch * in.trees * levels < in.nodes || !check(in)) return predict_row_by_row(in);
    const int64_t blocks = (in.batch + kBlock - 1) / kBlock;
    const int64_t steps = std::max<int64_t>(1, in.trees * 8 * std::min(in.batch, kBlock));
    // Blocks get shorter when there are fewer than threads, down to a few rows.
    const int64_t threads = num_threads();
    const int64_t share = (in.batch + threads - 1) / threads;
    const int64_t length =
        blocks >= threads ? kBlock : std::clamp<int64_t>((share + 15) / 16 * 16, kLanes, kBlock);
    const int64_t count = (in.batch + length - 1) / length;
    parallel_for(count, 1 + kStepsInGrain / steps, [&](int64_t begin, int64_t end) {
      std::vector<double> sums(static_cast<size_t>(length * in.outputs));
      for (int64_t block = begin; block < end; ++block) {
        predict_block(in, block * length, std::min((block + 1) * length, in.batch), sums.data());
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"_TreeEnsemblePredict", "cpu", make_predict},
};

}  // namespace

std::span<const KernelDef> cpu_tree_kernels() { return kKernels; }

}  // namespace thalweg
