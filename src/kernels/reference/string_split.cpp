// Strings taken apart: into parts, and by how many edits two sequences of parts differ.
#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/text.h"

namespace thalweg {
namespace {

using Parts = std::vector<std::string_view>;

// Any byte of `delimiters` parts; without any, each byte is a part.
Parts split_at_any(std::string_view text, std::string_view delimiters, bool skip_empty) {
  Parts parts;
  if (text.empty()) return parts;
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) parts.push_back(text.substr(i, 1));
    return parts;
  }
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && delimiters.find(text[i]) == std::string_view::npos) continue;
    if (i > begin || !skip_empty) parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

std::string_view without_leading_space(std::string_view text) {
  while (!text.empty() && reference::is_space(text.front())) text.remove_prefix(1);
  return text;
}

// Python's str.split().
Parts split_at_space(std::string_view text, int64_t maxsplit) {
  Parts parts;
  text = without_leading_space(text);
  while (!text.empty()) {
    if (maxsplit > 0 && static_cast<int64_t>(parts.size()) == maxsplit) {
      parts.push_back(text);
      break;
    }
    size_t end = 0;
    while (end < text.size() && !reference::is_space(text[end])) ++end;
    parts.push_back(text.substr(0, end));
    text = without_leading_space(text.substr(end));
    // TensorFlow adds what is left after the last split even when nothing is left.
    if (text.empty() && maxsplit > 0 && static_cast<int64_t>(parts.size()) == maxsplit)
      parts.push_back(text);
  }
  return parts;
}

// Python's str.split(separator).
Parts split_at(std::string_view text, std::string_view separator, int64_t maxsplit) {
  if (maxsplit == 0) return {text};
  if (separator.empty()) return split_at_space(text, maxsplit);
  Parts parts;
  for (size_t end = text.find(separator);
       end != std::string_view::npos &&
       (maxsplit < 0 || static_cast<int64_t>(parts.size()) < maxsplit);
       end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  parts.push_back(text);
  return parts;
}

// A kernel that gives the sparse matrix of what split(text, input 1) makes of each row.
template <class F>
KernelPtr make_split_by(const KernelRequest& request, F split) {
  return make_kernel([rows = request.inputs[0].shape[0], split](KernelContext& c) {
    const auto* x = c.input<std::string>(0);
    const std::string& separator = *c.input<std::string>(1);
    std::vector<int64_t> indices;
    std::vector<std::string> values;
    int64_t most = 0;
    for (int64_t row = 0; row < rows; ++row) {
      int64_t place = 0;
      for (std::string_view part : split(x[row], separator)) {
        indices.insert(indices.end(), {row, place++});
        values.emplace_back(part);
      }
      most = std::max(most, place);
    }
    const auto count = static_cast<int64_t>(values.size());
    c.set_output(0, Tensor::from(std::span<const int64_t>(indices), Shape{count, 2}));
    c.set_output(1, Tensor::from(std::span<const std::string>(values), Shape{count}));
    c.output<int64_t>(2)[0] = rows;
    c.output<int64_t>(2)[1] = most;
  });
}

KernelPtr make_split(const KernelRequest& request) {
  return make_split_by(request, [skip = request.node.attr<bool>("skip_empty")](
                                    std::string_view text, std::string_view delimiters) {
    return split_at_any(text, delimiters, skip);
  });
}

KernelPtr make_split_v2(const KernelRequest& request) {
  return make_split_by(request, [maxsplit = request.node.attr<int64_t>("maxsplit")](
                                    std::string_view text, std::string_view separator) {
    return split_at(text, separator, maxsplit);
  });
}

// A sparse tensor's rows along the last dimension: values [begin, end) of the row whose place in
// the output is `row`.
struct SparseRows {
  struct Row {
    int64_t row, begin, end;
  };
  std::vector<Row> rows;
};

SparseRows sparse_rows(const int64_t* indices, int64_t count, const int64_t* shape,
                       const Shape& out, std::string_view name) {
  SparseRows result;
  const auto rank = static_cast<int64_t>(out.rank()) + 1;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t* index = indices + i * rank;
    int64_t row = 0;
    for (int64_t k = 0; k < rank; ++k) {
      if (index[k] < 0 || index[k] >= shape[k]) {
        throw invalid_argument(name, "_indices holds ", index[k], " at [", i, ", ", k,
                               "]; its shape allows [0, ", shape[k], ")");
      }
      if (k + 1 < rank) row = row * out[static_cast<int>(k)] + index[k];
    }
    if (!result.rows.empty() && result.rows.back().row > row)
      throw invalid_argument(name, "_indices are not in ascending order at row ", i);
    if (result.rows.empty() || result.rows.back().row != row) result.rows.push_back({row, i, i});
    result.rows.back().end = i + 1;
  }
  return result;
}

// Wagner and Fischer's recurrence, one row of the table at a time.
template <class T>
int64_t edit_distance(std::span<const T> a, std::span<const T> b) {
  std::vector<int64_t> previous(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = static_cast<int64_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::vector<int64_t> current(b.size() + 1);
    current[0] = static_cast<int64_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min(
          {previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
    }
    previous = std::move(current);
  }
  return previous.back();
}

KernelPtr make_edit_distance(const KernelRequest& request) {
  const int64_t rank = request.inputs[2].shape.num_elements();
  const Shape& h_indices = request.inputs[0].shape;
  const Shape& t_indices = request.inputs[3].shape;
  if (h_indices[1] != rank || t_indices[1] != rank ||
      request.inputs[5].shape.num_elements() != rank) {
    throw invalid_argument("hypothesis and truth must have one rank, got indices ", h_indices,
                           " and ", t_indices, " for ", rank, " dimensions");
  }
  for (int first : {0, 3}) {
    const auto i = static_cast<size_t>(first);
    if (request.inputs[i].shape[0] != request.inputs[i + 1].shape[0]) {
      throw invalid_argument(request.inputs[i].shape[0], " indices for ",
                             request.inputs[i + 1].shape[0], " values");
    }
  }
  return visit_dtype(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([rank, hypotheses = h_indices[0], truths = t_indices[0],
                        place = reference::OutputPlace(request, 0),
                        normalize = request.node.attr<bool>("normalize")](KernelContext& c) {
      const auto* h_shape = c.input<int64_t>(2);
      const auto* t_shape = c.input<int64_t>(5);
      std::vector<int64_t> dims;
      for (int64_t i = 0; i + 1 < rank; ++i) dims.push_back(std::max(h_shape[i], t_shape[i]));
      const Shape out(dims);
      const SparseRows h = sparse_rows(c.input<int64_t>(0), hypotheses, h_shape, out, "hypothesis");
      const SparseRows t = sparse_rows(c.input<int64_t>(3), truths, t_shape, out, "truth");
      auto* y = static_cast<float*>(place.memory(c, out));
      std::fill(y, y + out.num_elements(), 0.0f);
      const T* h_values = c.input<T>(1);
      const T* t_values = c.input<T>(4);
      auto a = h.rows.begin();
      auto b = t.rows.begin();
      while (a != h.rows.end() || b != t.rows.end()) {
        const int64_t row =
            std::min(a == h.rows.end() ? b->row : a->row, b == t.rows.end() ? a->row : b->row);
        std::span<const T> left, right;
        if (a != h.rows.end() && a->row == row) {
          left = {h_values + a->begin, h_values + a->end};
          ++a;
        }
        if (b != t.rows.end() && b->row == row) {
          right = {t_values + b->begin, t_values + b->end};
          ++b;
        }
        const auto distance = static_cast<float>(edit_distance(left, right));
        if (!normalize) {
          y[row] = distance;
        } else {
          y[row] = right.empty() ? std::numeric_limits<float>::infinity()
                                 : distance / static_cast<float>(right.size());
        }
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"StringSplit", "reference", make_split},
    {"StringSplitV2", "reference", make_split_v2},
    {"EditDistance", "reference", make_edit_distance},
};

}  // namespace

std::span<const KernelDef> reference_string_split_kernels() { return kKernels; }

}  // namespace thalweg
