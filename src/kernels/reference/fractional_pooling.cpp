#include <algorithm>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/random_stream.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: streams in its words
using Request = const KernelRequest&;

// Sizes of `count` regions of `length` cells, each the quotient or one more, from the blocks of the
// stream from `first` on; adds how many of them it takes.
Ints region_sizes(int64_t length, int64_t count, bool pseudo_random, RandomStream stream,
                  uint64_t& first) {
  stream.start[0] = static_cast<uint32_t>(first);
  RandomWords random(stream);
  const int64_t least = length / count;
  Ints sizes(static_cast<size_t>(count), least);
  if (pseudo_random) {
    first += 1;
    const double ratio = static_cast<double>(length) / static_cast<double>(count);
    const double limit =
        std::min(static_cast<double>(least + 2) / ratio - 1,
                 static_cast<double>(length + 1 - least) / ratio - static_cast<double>(count - 1));
    const double start = random.uniform() * limit;
    int64_t last = 1;
    for (int64_t i = 1; i <= count; ++i) {
      const int64_t next =
          i == count ? length + 1
                     : static_cast<int64_t>(std::ceil(ratio * (static_cast<double>(i) + start)));
      sizes[static_cast<size_t>(i - 1)] = next - last;
      last = next;
    }
    return sizes;
  }
  first += static_cast<uint64_t>(count + 3) / 4;
  std::fill_n(sizes.begin(), length % count, least + 1);
  for (size_t i = 0; i + 1 < sizes.size(); ++i)
    std::swap(sizes[i], sizes[i + random.word() % static_cast<uint32_t>(sizes.size() - i)]);
  return sizes;
}

// Where regions begin, and the end of the last.
Ints sequence_of(const Ints& sizes) {
  Ints sequence = {0};
  for (int64_t size : sizes) sequence.push_back(sequence.back() + size);
  return sequence;
}

// Cells [begin, end) of region i.
struct Span {
  int64_t begin;
  int64_t end;

  Span(const Ints& sequence, size_t i, bool overlapping, int64_t length)
      : begin(sequence[i]), end(std::min(sequence[i + 1] + (overlapping ? 1 : 0), length)) {}
  int64_t size() const { return end - begin; }
};

// Calls f(place of the output's first channel, rows, columns, batch) for each region.
template <class F>
void for_each_region(const Shape& x, const Ints& rows, const Ints& columns, bool overlapping, F f) {
  int64_t place = 0;
  for (int64_t batch = 0; batch < x[0]; ++batch) {
    for (size_t r = 0; r + 1 < rows.size(); ++r) {
      for (size_t k = 0; k + 1 < columns.size(); ++k) {
        f(place, Span(rows, r, overlapping, x[1]), Span(columns, k, overlapping, x[2]), batch);
        place += x[3];
      }
    }
  }
}

// Calls f(place in the input) for the cells of a region in one channel.
template <class F>
void for_each_cell(const Shape& x, const Span& rows, const Span& columns, int64_t batch,
                   int64_t channel, F f) {
  for (int64_t r = rows.begin; r < rows.end; ++r) {
    for (int64_t k = columns.begin; k < columns.end; ++k)
      f(((batch * x[1] + r) * x[2] + k) * x[3] + channel);
  }
}

template <class F>
KernelPtr visit_pooled(DType dtype, F f) {
  switch (dtype) {
    case kFloat32: return f(TypeTag<float>{});
    case kFloat64: return f(TypeTag<double>{});
    case kInt32: return f(TypeTag<int32_t>{});
    case kInt64: return f(TypeTag<int64_t>{});
    default: return nullptr;
  }
}

template <bool kMean>
KernelPtr make_pool(Request request) {
  const Node& node = request.node;
  const Shape y = request.outputs[0].shape, x = request.inputs[0].shape;
  const bool pseudo_random = node.attr<bool>("pseudo_random");
  const bool overlapping = node.attr<bool>("overlapping");
  const bool fixed = node.attr<bool>("deterministic");
  const RandomStream own =
      stateful_stream(node.attr<int64_t>("seed"), node.attr<int64_t>("seed2"), 0);
  return visit_pooled(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([=, source = StreamSource(request)](KernelContext& c) {
      const RandomStream stream = fixed ? own : source.stream(c);
      uint64_t blocks = 0;
      const Ints rows = sequence_of(region_sizes(x[1], y[1], pseudo_random, stream, blocks));
      const Ints columns = sequence_of(region_sizes(x[2], y[2], pseudo_random, stream, blocks));
      std::copy(rows.begin(), rows.end(), c.output<int64_t>(1));
      std::copy(columns.begin(), columns.end(), c.output<int64_t>(2));
      const T* from = c.input<T>(0);
      T* to = c.output<T>(0);
      for_each_region(x, rows, columns, overlapping,
                      [&](int64_t place, const Span& r, const Span& k, int64_t batch) {
                        for (int64_t channel = 0; channel < x[3]; ++channel) {
                          T sum{}, largest = std::numeric_limits<T>::lowest();
                          for_each_cell(x, r, k, batch, channel, [&](int64_t cell) {
                            sum += from[cell];
                            largest = std::max(largest, from[cell]);
                          });
                          to[place + channel] =
                              kMean ? sum / static_cast<T>(r.size() * k.size()) : largest;
                        }
                      });
    });
  });
}

Ints checked(Ints sequence, int64_t length, std::string_view name) {
  bool good = sequence.front() >= 0 && sequence.back() <= length;
  for (size_t i = 1; i < sequence.size(); ++i) good = good && sequence[i - 1] < sequence[i];
  if (good) return sequence;
  throw invalid_argument("`", name, "` must ascend within [0, ", length, "], got ", sequence);
}

KernelPtr make_max_grad(Request request) {
  const Shape x = request.inputs[0].shape;
  const bool overlapping = request.node.attr<bool>("overlapping");
  return visit_pooled(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([=, row_input = IntsInput(request, 3),
                        column_input = IntsInput(request, 4)](KernelContext& c) {
      const Ints rows = checked(row_input.read(c), x[1], "row_pooling_sequence");
      const Ints columns = checked(column_input.read(c), x[2], "col_pooling_sequence");
      const T* from = c.input<T>(0);
      T* to = c.output<T>(0);
      std::fill_n(to, x.num_elements(), T{});
      for_each_region(x, rows, columns, overlapping,
                      [&](int64_t place, const Span& r, const Span& k, int64_t batch) {
                        for (int64_t channel = 0; channel < x[3]; ++channel) {
                          int64_t best = -1;
                          for_each_cell(x, r, k, batch, channel, [&](int64_t cell) {
                            if (best < 0 || from[cell] > from[best]) best = cell;
                          });
                          if (best >= 0) to[best] += c.input<T>(2)[place + channel];
                        }
                      });
    });
  });
}

KernelPtr make_avg_grad(Request request) {
  const bool overlapping = request.node.attr<bool>("overlapping");
  const Shape slope = request.inputs[1].shape;
  return visit_pooled(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([=, shape_input = IntsInput(request, 0), row_input = IntsInput(request, 2),
                        column_input = IntsInput(request, 3),
                        out = OutputPlace(request, 0)](KernelContext& c) {
      const Shape x = requested_shape(shape_input.read(c));
      if (x.rank() != 4 || x[0] != slope[0] || x[3] != slope[3])
        throw invalid_argument("`orig_input_tensor_shape` ", x, " and `out_backprop` ", slope,
                               " differ in batch or channels");
      const Ints rows = checked(row_input.read(c), x[1], "row_pooling_sequence");
      const Ints columns = checked(column_input.read(c), x[2], "col_pooling_sequence");
      std::vector<double> sums(static_cast<size_t>(x.num_elements()), 0.0);
      for_each_region(x, rows, columns, overlapping,
                      [&](int64_t place, const Span& r, const Span& k, int64_t batch) {
                        for (int64_t channel = 0; channel < x[3]; ++channel) {
                          const T share =
                              c.input<T>(1)[place + channel] / static_cast<T>(r.size() * k.size());
                          for_each_cell(x, r, k, batch, channel, [&](int64_t cell) {
                            sums[static_cast<size_t>(cell)] += static_cast<double>(share);
                          });
                        }
                      });
      T* to = static_cast<T*>(out.memory(c, x));
      for (double sum : sums) *to++ = static_cast<T>(sum);
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"FractionalMaxPool", "reference", make_pool<false>},
    {"FractionalAvgPool", "reference", make_pool<true>},
    {"FractionalMaxPoolGrad", "reference", make_max_grad},
    {"FractionalAvgPoolGrad", "reference", make_avg_grad},
};

}  // namespace

std::span<const KernelDef> reference_fractional_pooling_kernels() { return kKernels; }

}  // namespace thalweg
