// Strings of several elements put together.
#include <algorithm>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/text.h"

namespace thalweg {
namespace {

using reference::Ints;

KernelPtr make_string_join(const KernelRequest& request) {
  std::vector<bool> scalars;
  int64_t count = 1;
  for (const TensorSpec& input : request.inputs) {
    scalars.push_back(input.shape.rank() == 0);
    if (!scalars.back()) count = input.shape.num_elements();
  }
  return make_kernel(
      [scalars, count, separator = request.node.attr<std::string>("separator")](KernelContext& c) {
        auto* y = c.output<std::string>();
        for (int64_t i = 0; i < count; ++i) {
          std::string joined;
          for (size_t k = 0; k < scalars.size(); ++k) {
            if (k != 0) joined += separator;
            joined += c.input<std::string>(static_cast<int>(k))[scalars[k] ? 0 : i];
          }
          y[i] = std::move(joined);
        }
      });
}

// One output: the elements at `base` plus each combination of steps along the joined axes.
KernelPtr make_reduce_join(const KernelRequest& request) {
  return make_kernel([shape = request.inputs[0].shape,
                      axes_input = reference::IntsInput(request, 1),
                      place = reference::OutputPlace(request, 0),
                      keep = request.node.attr<bool>("keep_dims"),
                      separator = request.node.attr<std::string>("separator")](KernelContext& c) {
    const Ints strides = reference::row_major_strides(shape);
    std::vector<bool> reduced(static_cast<size_t>(shape.rank()), false);
    reference::Offsets joined;
    const Ints axes = axes_input.read(c);
    for (int64_t axis : axes) {
      const size_t i = reference::place_axis(axis, reduced.size());
      if (reduced[i]) throw invalid_argument("axis ", axis, " is named twice in ", axes);
      reduced[i] = true;
      // The axis that is named first varies fastest.
      joined.insert(joined.begin(), reference::evenly(0, strides[i], shape[static_cast<int>(i)]));
    }
    reference::Offsets kept;
    std::vector<int64_t> dims;
    for (int i = 0; i < shape.rank(); ++i) {
      const auto k = static_cast<size_t>(i);
      if (!reduced[k]) kept.push_back(reference::evenly(0, strides[k], shape[i]));
      if (!reduced[k] || keep) dims.push_back(reduced[k] ? 1 : shape[i]);
    }
    const auto* x = c.input<std::string>(0);
    auto* y = static_cast<std::string*>(place.memory(c, Shape(dims)));
    reference::for_each_offset(kept, [&](int64_t n, int64_t base) {
      std::string text;
      reference::for_each_offset(joined, [&](int64_t i, int64_t offset) {
        if (i != 0) text += separator;
        text += x[base + offset];
      });
      y[n] = std::move(text);
    });
  });
}

KernelPtr make_segment_join(const KernelRequest& request) {
  const Shape& ids = request.inputs[1].shape;
  return make_kernel([row = request.inputs[0].shape.slice(ids.rank()),
                      ids_input = reference::IntsInput(request, 1),
                      segments_input = reference::IntsInput(request, 2),
                      place = reference::OutputPlace(request, 0),
                      separator = request.node.attr<std::string>("separator")](KernelContext& c) {
    const int64_t segments = segments_input.read_one(c);
    if (segments < 0)
      throw invalid_argument("num_segments is ", segments, "; it cannot be negative");
    const int64_t size = row.num_elements();
    const auto* x = c.input<std::string>(0);
    auto* y = static_cast<std::string*>(place.memory(c, Shape{segments}.concat(row)));
    std::fill(y, y + segments * size, std::string());
    std::vector<bool> begun(static_cast<size_t>(segments), false);
    const Ints ids = ids_input.read(c);
    for (size_t i = 0; i < ids.size(); ++i) {
      const int64_t id = ids[i];
      if (id < 0 || id >= segments) {
        throw invalid_argument("segment id ", id, " at position ", i, " is outside [0, ", segments,
                               ")");
      }
      for (int64_t k = 0; k < size; ++k) {
        std::string& text = y[id * size + k];
        if (begun[static_cast<size_t>(id)]) text += separator;
        text += x[static_cast<int64_t>(i) * size + k];
      }
      begun[static_cast<size_t>(id)] = true;
    }
  });
}

// The n-grams of one row of words, padded.
struct NGrams {
  std::string separator, left_pad, right_pad;
  std::vector<int64_t> widths;
  int64_t pad_width = 0;
  bool preserve_short = false;

  int64_t padding(int64_t width) const {
    return pad_width < 0 ? width - 1 : std::min(pad_width, width - 1);
  }

  void append_all(std::span<const std::string> words, std::vector<std::string>& out) const {
    const auto length = static_cast<int64_t>(words.size());
    const size_t before = out.size();
    for (int64_t width : widths) {
      const int64_t count = std::max<int64_t>(0, length + 2 * padding(width) - width + 1);
      for (int64_t i = 0; i < count; ++i) out.push_back(gram(words, i, count, width));
    }
    if (preserve_short && out.size() == before && length > 0)
      out.push_back(gram(words, 0, 1, length + 2 * std::max<int64_t>(pad_width, 0)));
  }

 private:
  std::string gram(std::span<const std::string> words, int64_t i, int64_t count,
                   int64_t width) const {
    const int64_t pad = padding(width);
    const int64_t left = std::max<int64_t>(0, pad - i);
    const int64_t right = std::max<int64_t>(0, pad - (count - i - 1));
    const int64_t first = left > 0 ? 0 : i - pad;
    std::vector<std::string> parts(static_cast<size_t>(left), left_pad);
    for (int64_t k = 0; k < width - left - right; ++k)
      parts.push_back(words[static_cast<size_t>(first + k)]);
    parts.insert(parts.end(), static_cast<size_t>(right), right_pad);
    return join(parts, separator);
  }
};

template <class T>
KernelPtr make_ngrams_of(const KernelRequest& request, NGrams ngrams) {
  const int64_t words = request.inputs[0].shape.num_elements();
  const int64_t splits = request.inputs[1].shape.num_elements();
  return make_kernel([words, splits, ngrams = std::move(ngrams)](KernelContext& c) {
    const auto* x = c.input<std::string>(0);
    const T* ends = c.input<T>(1);
    T* out_ends = c.output<T>(1);
    std::vector<std::string> out;
    if (splits > 0 && ends[0] != 0)
      throw invalid_argument("data_splits begins with ", ends[0], "; it must begin with 0");
    for (int64_t i = 0; i < splits; ++i) {
      if (i > 0) {
        if (ends[i] < ends[i - 1] || ends[i] > words) {
          throw invalid_argument("data_splits holds ", ends[i], " at position ", i, " after ",
                                 ends[i - 1], "; it must not fall, nor pass the ", words,
                                 " values");
        }
        ngrams.append_all({x + ends[i - 1], x + ends[i]}, out);
      }
      out_ends[i] = static_cast<T>(out.size());
    }
    if (splits > 0 && ends[splits - 1] != words) {
      throw invalid_argument("data_splits ends with ", ends[splits - 1], ", but there are ", words,
                             " values");
    }
    c.set_output(0, Tensor::from(std::span<const std::string>(out),
                                 Shape{static_cast<int64_t>(out.size())}));
  });
}

KernelPtr make_ngrams(const KernelRequest& request) {
  const Node& node = request.node;
  NGrams ngrams{node.attr<std::string>("separator"), node.attr<std::string>("left_pad"),
                node.attr<std::string>("right_pad"), node.attr<Ints>("ngram_widths"),
                node.attr<int64_t>("pad_width"),     node.attr<bool>("preserve_short_sequences")};
  return request.inputs[1].dtype == kInt32 ? make_ngrams_of<int32_t>(request, std::move(ngrams))
                                           : make_ngrams_of<int64_t>(request, std::move(ngrams));
}

constexpr KernelDef kKernels[] = {
    {"StringJoin", "reference", make_string_join},
    {"ReduceJoin", "reference", make_reduce_join},
    {"UnsortedSegmentJoin", "reference", make_segment_join},
    {"StringNGrams", "reference", make_ngrams},
};

}  // namespace

std::span<const KernelDef> reference_string_join_kernels() { return kKernels; }

}  // namespace thalweg
