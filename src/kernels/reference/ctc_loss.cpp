// The loss of connectionist temporal classification (Graves et al. 2006): the probability of a
// label sequence is that of all its alignments, summed by dynamic programming forwards and
// backwards over the labels with blanks between them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"

namespace thalweg {
namespace {

using Request = const KernelRequest&;
using Labels = std::vector<int64_t>;
using Table = std::vector<std::vector<double>>;

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  if (a == kLogZero) return b;
  if (b == kLogZero) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}

struct Options {
  explicit Options(Request request)
      : collapse(request.node.attr<bool>("preprocess_collapse_repeated")),
        merge(request.node.attr<bool>("ctc_merge_repeated")),
        ignore_longer(request.node.attr<bool>("ignore_longer_outputs_than_inputs")) {}
  bool collapse, merge, ignore_longer;
};

// One sequence: log probabilities of its steps and its labels with blanks around them.
class Alignments {
 public:
  Alignments(Table log_probabilities, const Labels& labels, int64_t blank, bool merge)
      : log_y_(std::move(log_probabilities)), blank_(blank), merge_(merge) {
    path_.push_back(blank);
    for (int64_t label : labels) {
      path_.push_back(label);
      path_.push_back(blank);
    }
  }

  // Log probability of the labels, by the sums over alignments of the first steps.
  double log_probability() {
    const size_t steps = log_y_.size();
    alpha_.assign(steps, std::vector<double>(path_.size(), kLogZero));
    for (size_t t = 0; t < steps; ++t) {
      for (size_t u = 0; u < path_.size(); ++u) {
        double before = t == 0 && u < 2 ? 0 : kLogZero;
        if (t > 0) {
          if (may_stay(u)) before = alpha_[t - 1][u];
          if (u > 0) before = log_add(before, alpha_[t - 1][u - 1]);
          if (may_skip(u)) before = log_add(before, alpha_[t - 1][u - 2]);
        }
        alpha_[t][u] = before + log_y(t, u);
      }
    }
    const std::vector<double>& last = alpha_.back();
    return log_add(last.back(), last.size() > 1 ? last[last.size() - 2] : kLogZero);
  }

  // The share of class k in step t among all alignments, in log, from the sums over the last steps.
  Table log_shares(double log_probability) const {
    const size_t steps = log_y_.size(), size = path_.size();
    Table beta(steps, std::vector<double>(size, kLogZero));
    Table shares(steps, std::vector<double>(log_y_[0].size(), kLogZero));
    for (size_t t = steps; t-- > 0;) {
      for (size_t u = 0; u < size; ++u) {
        double after = t + 1 == steps && u + 2 >= size ? 0 : kLogZero;
        if (t + 1 < steps) {
          const auto next = [&](size_t v) { return beta[t + 1][v] + log_y(t + 1, v); };
          if (may_stay(u)) after = next(u);
          if (u + 1 < size) after = log_add(after, next(u + 1));
          if (u + 2 < size && may_skip(u + 2)) after = log_add(after, next(u + 2));
        }
        beta[t][u] = after;
        double& share = shares[t][static_cast<size_t>(path_[u])];
        share = log_add(share, alpha_[t][u] + after - log_probability);
      }
    }
    return shares;
  }

 private:
  double log_y(size_t t, size_t u) const { return log_y_[t][static_cast<size_t>(path_[u])]; }
  // Without merging, a label said twice is two labels.
  bool may_stay(size_t u) const { return merge_ || path_[u] == blank_; }
  bool may_skip(size_t u) const {
    return u > 1 && path_[u] != blank_ && !(merge_ && path_[u] == path_[u - 2]);
  }

  Table log_y_;
  Labels path_;
  int64_t blank_;
  bool merge_;
  Table alpha_;
};

// Steps that labels need at least: one each, and a blank between equal ones.
int64_t steps_needed(const Labels& labels, bool merge) {
  auto needed = static_cast<int64_t>(labels.size());
  for (size_t i = 1; merge && i < labels.size(); ++i) needed += labels[i] == labels[i - 1];
  return needed;
}

struct Problem {
  explicit Problem(Request request)
      : steps(request.inputs[0].shape[0]),
        batch(request.inputs[0].shape[1]),
        classes(request.inputs[0].shape[2]),
        num_labels(request.inputs[2].shape[0]),
        blank(request.node.type() == "CTCLossV2" ? 0 : classes - 1),
        options(request) {}

  std::vector<Labels> labels(const KernelContext& c) const {
    std::vector<Labels> result(static_cast<size_t>(batch));
    for (int64_t i = 0; i < num_labels; ++i) {
      const int64_t row = c.input<int64_t>(1)[2 * i];
      const int64_t label = c.input<int32_t>(2)[i];
      if (row < 0 || row >= batch)
        throw invalid_argument("`labels_indices` names row ", row, " of a batch of ", batch);
      if (label < 0 || label >= classes || label == blank) {
        throw invalid_argument("label ", label, " of row ", row, " is no class: there are ",
                               classes, ", of which ", blank, " is the blank");
      }
      Labels& list = result[static_cast<size_t>(row)];
      if (!options.collapse || list.empty() || list.back() != label) list.push_back(label);
    }
    return result;
  }

  int64_t steps, batch, classes, num_labels, blank;
  Options options;
};

// Log of the softmax of a step's inputs.
template <class T>
std::vector<double> log_softmax(const T* x, int64_t classes) {
  std::vector<double> y(x, x + classes);
  const double largest = *std::max_element(y.begin(), y.end());
  double sum = 0;
  for (double v : y) sum += std::exp(v - largest);
  for (double& v : y) v -= largest + std::log(sum);
  return y;
}

template <class T>
void ctc_loss(KernelContext& c, const Problem& p) {
  const std::vector<Labels> labels = p.labels(c);
  std::fill_n(c.output<T>(0), p.batch, T(0));
  std::fill_n(c.output<T>(1), p.steps * p.batch * p.classes, T(0));
  for (int64_t row = 0; row < p.batch; ++row) {
    const int64_t length = c.input<int32_t>(3)[row];
    const Labels& list = labels[static_cast<size_t>(row)];
    if (length < 0 || length > p.steps)
      throw invalid_argument("`sequence_length` of row ", row, " is ", length, ", of ", p.steps,
                             " steps");
    const int64_t needed = steps_needed(list, p.options.merge);
    if (needed > length) {
      if (p.options.ignore_longer) continue;
      throw invalid_argument("not enough time for the labels of row ", row, ": ", needed,
                             " steps are required, ", length,
                             " are available; shorten the labels or set "
                             "`ignore_longer_outputs_than_inputs`");
    }
    if (length == 0) continue;
    const auto at = [&](int64_t t) { return (t * p.batch + row) * p.classes; };
    Table log_y;
    for (int64_t t = 0; t < length; ++t)
      log_y.push_back(log_softmax(c.input<T>(0) + at(t), p.classes));
    Alignments alignments(log_y, list, p.blank, p.options.merge);
    const double log_probability = alignments.log_probability();
    c.output<T>(0)[row] = static_cast<T>(-log_probability);
    const Table shares = alignments.log_shares(log_probability);
    for (int64_t t = 0; t < length; ++t) {
      for (int64_t k = 0; k < p.classes; ++k) {
        const auto i = static_cast<size_t>(t), j = static_cast<size_t>(k);
        const double share = log_probability == kLogZero ? 0 : std::exp(shares[i][j]);
        c.output<T>(1)[at(t) + k] = static_cast<T>(std::exp(log_y[i][j]) - share);
      }
    }
  }
}

KernelPtr make_loss(Request request) {
  const DType dtype = request.inputs[0].dtype;
  if (dtype != kFloat32 && dtype != kFloat64) return nullptr;
  return make_kernel([problem = Problem(request), dtype](KernelContext& c) {
    dtype == kFloat32 ? ctc_loss<float>(c, problem) : ctc_loss<double>(c, problem);
  });
}

constexpr KernelDef kKernels[] = {
    {"CTCLoss", "reference", make_loss},
    {"CTCLossV2", "reference", make_loss},
};

}  // namespace

std::span<const KernelDef> reference_ctc_loss_kernels() { return kKernels; }

}  // namespace thalweg
