// From the class scores of steps to label sequences: the best class of each step, or the most
// probable sequences of a beam search over prefixes (Graves 2012).
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kernels/families.h"

namespace thalweg {
namespace {

using Request = const KernelRequest&;
using Labels = std::vector<int64_t>;

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  if (a == kLogZero) return b;
  if (b == kLogZero) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}

struct Scores {
  explicit Scores(Request request)
      : dtype(request.inputs[0].dtype),
        steps(request.inputs[0].shape[0]),
        batch(request.inputs[0].shape[1]),
        classes(request.inputs[0].shape[2]) {}

  double at(const KernelContext& c, int64_t t, int64_t row, int64_t k) const {
    const int64_t i = (t * batch + row) * classes + k;
    return dtype == kFloat32 ? c.input<float>(0)[i] : c.input<double>(0)[i];
  }
  int64_t length(const KernelContext& c, int64_t row) const {
    const int64_t length = c.input<int32_t>(1)[row];
    if (length < 0 || length > steps)
      throw invalid_argument("`sequence_length` of row ", row, " is ", length, ", of ", steps,
                             " steps");
    return length;
  }
  void write(const KernelContext& c, int output, int64_t i, double value) const {
    if (dtype == kFloat32) {
      c.output<float>(output)[i] = static_cast<float>(value);
    } else {
      c.output<double>(output)[i] = value;
    }
  }

  DType dtype;
  int64_t steps, batch, classes;
};

// One list a row as a sparse tensor: outputs indices, values, shape, `stride` outputs apart.
void set_sparse(KernelContext& c, const std::vector<Labels>& rows, int first, int stride) {
  std::vector<int64_t> indices, values;
  size_t longest = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    longest = std::max(longest, rows[row].size());
    for (size_t i = 0; i < rows[row].size(); ++i) {
      indices.push_back(static_cast<int64_t>(row));
      indices.push_back(static_cast<int64_t>(i));
      values.push_back(rows[row][i]);
    }
  }
  const auto count = static_cast<int64_t>(values.size());
  c.set_output(first, Tensor::from(std::span<const int64_t>(indices), Shape{count, 2}));
  c.set_output(first + stride, Tensor::from(std::span<const int64_t>(values), Shape{count}));
  int64_t* shape = c.output<int64_t>(first + 2 * stride);
  shape[0] = static_cast<int64_t>(rows.size());
  shape[1] = static_cast<int64_t>(longest);
}

KernelPtr make_greedy(Request request) {
  const Scores scores(request);
  int64_t blank = request.node.attr<int64_t>("blank_index");
  if (blank < 0) blank += scores.classes;
  if (blank < 0 || blank >= scores.classes)
    throw invalid_argument("blank_index ", request.node.attr<int64_t>("blank_index"),
                           " is outside of ", scores.classes, " classes");
  const bool merge = request.node.attr<bool>("merge_repeated");
  return make_kernel([=](KernelContext& c) {
    std::vector<Labels> rows(static_cast<size_t>(scores.batch));
    for (int64_t row = 0; row < scores.batch; ++row) {
      double total = 0;
      int64_t previous = -1;
      const int64_t length = scores.length(c, row);
      for (int64_t t = 0; t < length; ++t) {
        int64_t best = 0;
        for (int64_t k = 1; k < scores.classes; ++k)
          if (scores.at(c, t, row, k) > scores.at(c, t, row, best)) best = k;
        total -= scores.at(c, t, row, best);
        if (best != blank && !(merge && best == previous))
          rows[static_cast<size_t>(row)].push_back(best);
        previous = best;
      }
      scores.write(c, 3, row, total);
    }
    set_sparse(c, rows, 0, 1);
  });
}

// Log probabilities of all alignments of a prefix that end with a blank, or with its last label.
struct Prefix {
  double blank = kLogZero;
  double label = kLogZero;
  double total() const { return log_add(blank, label); }
};
using Beam = std::map<Labels, Prefix>;

void keep_best(Beam& beam, size_t width) {
  if (beam.size() <= width) return;
  std::vector<double> totals;
  for (const auto& [labels, prefix] : beam) totals.push_back(prefix.total());
  std::nth_element(totals.begin(), totals.begin() + static_cast<std::ptrdiff_t>(width - 1),
                   totals.end(), std::greater<>());
  const double least = totals[width - 1];
  auto spare = static_cast<size_t>(std::count_if(
      beam.begin(), beam.end(), [&](const auto& entry) { return entry.second.total() > least; }));
  spare = width - spare;  // places for those that just make it
  for (auto it = beam.begin(); it != beam.end();) {
    const double total = it->second.total();
    const bool keep = total > least || (total == least && spare > 0);
    if (keep && total == least) --spare;
    it = keep ? std::next(it) : beam.erase(it);
  }
}

Beam step(const Beam& beam, const std::vector<double>& log_y, int64_t blank) {
  Beam next;
  for (const auto& [labels, prefix] : beam) {
    const double total = prefix.total();
    Prefix& same = next[labels];
    same.blank = log_add(same.blank, total + log_y[static_cast<size_t>(blank)]);
    if (!labels.empty())
      same.label = log_add(same.label, prefix.label + log_y[static_cast<size_t>(labels.back())]);
    for (int64_t k = 0; k < static_cast<int64_t>(log_y.size()); ++k) {
      if (k == blank) continue;
      // The same label again needs a blank in between.
      const bool again = !labels.empty() && labels.back() == k;
      const double from = again ? prefix.blank : total;
      if (from == kLogZero) continue;
      Labels longer = labels;
      longer.push_back(k);
      Prefix& grown = next[longer];
      grown.label = log_add(grown.label, from + log_y[static_cast<size_t>(k)]);
    }
  }
  return next;
}

std::vector<double> log_softmax(const Scores& scores, const KernelContext& c, int64_t t,
                                int64_t row) {
  std::vector<double> y;
  for (int64_t k = 0; k < scores.classes; ++k) y.push_back(scores.at(c, t, row, k));
  const double largest = *std::max_element(y.begin(), y.end());
  double sum = 0;
  for (double v : y) sum += std::exp(v - largest);
  for (double& v : y) v -= largest + std::log(sum);
  return y;
}

Labels merged(const Labels& labels) {
  Labels result = labels;
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

KernelPtr make_beam_search(Request request) {
  const Scores scores(request);
  const auto width = static_cast<size_t>(request.node.attr<int64_t>("beam_width"));
  const auto paths = static_cast<size_t>(request.node.attr<int64_t>("top_paths"));
  const bool merge = request.node.attr<bool>("merge_repeated");
  if (paths > width)
    throw invalid_argument("top_paths ", paths, " must not be above beam_width ", width);
  return make_kernel([=](KernelContext& c) {
    std::vector<std::vector<Labels>> found(paths,
                                           std::vector<Labels>(static_cast<size_t>(scores.batch)));
    for (int64_t row = 0; row < scores.batch; ++row) {
      Beam beam{{Labels{}, Prefix{.blank = 0}}};
      const int64_t length = scores.length(c, row);
      for (int64_t t = 0; t < length; ++t) {
        beam = step(beam, log_softmax(scores, c, t, row), scores.classes - 1);
        keep_best(beam, width);
      }
      std::vector<std::pair<double, Labels>> best;
      for (const auto& [labels, prefix] : beam) best.emplace_back(prefix.total(), labels);
      std::stable_sort(best.begin(), best.end(),
                       [](const auto& a, const auto& b) { return a.first > b.first; });
      if (best.size() < paths)
        throw invalid_argument("row ", row, " has ", best.size(),
                               " label sequences, fewer than "
                               "top_paths ",
                               paths);
      for (size_t p = 0; p < paths; ++p) {
        found[p][static_cast<size_t>(row)] = merge ? merged(best[p].second) : best[p].second;
        scores.write(c, static_cast<int>(3 * paths),
                     row * static_cast<int64_t>(paths) + static_cast<int64_t>(p), best[p].first);
      }
    }
    for (size_t p = 0; p < paths; ++p)
      set_sparse(c, found[p], static_cast<int>(p), static_cast<int>(paths));
  });
}

constexpr KernelDef kKernels[] = {
    {"CTCGreedyDecoder", "reference", make_greedy},
    {"CTCBeamSearchDecoder", "reference", make_beam_search},
};

}  // namespace

std::span<const KernelDef> reference_ctc_decoder_kernels() { return kKernels; }

}  // namespace thalweg
