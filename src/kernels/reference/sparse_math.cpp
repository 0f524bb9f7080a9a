#include <cmath>
#include <map>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elementwise.h"
#include "kernels/reference/sparse.h"

namespace thalweg {
namespace {

using reference::Arithmetic;
using reference::Ints;
using reference::IntsInput;
using reference::output_places;
using reference::OutputPlace;
using reference::SparseIndices;
using reference::SparseInput;
using Request = const KernelRequest&;

KernelPtr make_matmul(Request request) {
  return visit_numbers(request.inputs[3].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([a = SparseInput(request, 0, 2), b_shape = request.inputs[3].shape,
                        adjoint_a = request.node.attr<bool>("adjoint_a"),
                        adjoint_b = request.node.attr<bool>("adjoint_b"),
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const SparseIndices sparse = a.read(context);
      if (sparse.rank() != 2) throw invalid_argument("a has shape ", sparse.shape, ", no matrix");
      const int64_t m = sparse.shape[adjoint_a ? 1 : 0], k = sparse.shape[adjoint_a ? 0 : 1];
      const int64_t n = b_shape[adjoint_b ? 0 : 1];
      if (b_shape[adjoint_b ? 1 : 0] != k)
        throw invalid_argument("inner dimensions differ: a is ", sparse.shape, ", b is ", b_shape);
      // Memory first: it tells whether there is room for so many.
      T* to = static_cast<T*>(place.memory(context, Shape{m, n}));
      std::vector<Accumulator<T>> sums(static_cast<size_t>(m * n));
      for (int64_t i = 0; i < sparse.count; ++i) {
        const int64_t row = sparse.at(i)[adjoint_a ? 1 : 0],
                      inner = sparse.at(i)[adjoint_a ? 0 : 1];
        for (int64_t j = 0; j < n; ++j) {
          const int64_t cell = adjoint_b ? j * b_shape[1] + inner : inner * b_shape[1] + j;
          sums[static_cast<size_t>(row * n + j)] +=
              widen(context.input<T>(1)[i]) * widen(context.input<T>(3)[cell]);
        }
      }
      std::transform(sums.begin(), sums.end(), to, narrow<T>);
    });
  });
}

KernelPtr make_product(Request request) {
  const Shape a_shape = request.inputs[0].shape, b_shape = request.inputs[1].shape;
  return make_kernel([=, a_type = request.inputs[0].dtype, b_type = request.inputs[1].dtype,
                      ta = request.node.attr<bool>("transpose_a"),
                      tb = request.node.attr<bool>("transpose_b")](KernelContext& context) {
    Tensor a(kFloat32, a_shape), b(kFloat32, b_shape);
    convert_elements(a_type, context.input_pointer(0), kFloat32, a.mutable_raw(), a.num_elements());
    convert_elements(b_type, context.input_pointer(1), kFloat32, b.mutable_raw(), b.num_elements());
    const int64_t m = a_shape[ta ? 1 : 0], k = a_shape[ta ? 0 : 1], n = b_shape[tb ? 0 : 1];
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          sum += a.at(ta ? p * m + i : i * k + p) * b.at(tb ? j * k + p : p * n + j);
        }
        context.output<float>()[i * n + j] = static_cast<float>(sum);
      }
    }
  });
}

// The entries of two sparse tensors by index, in its order: the entry's number in each, or -1.
std::map<Ints, std::pair<int64_t, int64_t>> merge(const SparseIndices& a, const SparseIndices& b) {
  if (a.shape != b.shape)
    throw invalid_argument("the sparse tensors have shapes ", a.shape, " and ", b.shape,
                           "; they must be the same");
  std::map<Ints, std::pair<int64_t, int64_t>> entries;
  for (int64_t i = 0; i < a.count; ++i)
    entries.try_emplace(Ints(a.at(i).begin(), a.at(i).end()), -1, -1).first->second.first = i;
  for (int64_t i = 0; i < b.count; ++i)
    entries.try_emplace(Ints(b.at(i).begin(), b.at(i).end()), -1, -1).first->second.second = i;
  return entries;
}

// f(a, b, &result) tells whether the result is an entry.
template <class T, class F>
void combine(KernelContext& context, const std::vector<OutputPlace>& places, const SparseInput& a,
             const SparseInput& b, F f) {
  const SparseIndices x = a.read(context), y = b.read(context);
  Ints indices;
  std::vector<T> values;
  for (const auto& [index, sources] : merge(x, y)) {
    const T left = sources.first < 0 ? T{} : context.input<T>(1)[sources.first];
    const T right = sources.second < 0 ? T{} : context.input<T>(4)[sources.second];
    T result{};
    if (!f(left, right, result)) continue;
    indices.insert(indices.end(), index.begin(), index.end());
    values.push_back(result);
  }
  reference::write_indices(context, places[0], indices, x.rank());
  T* to = static_cast<T*>(places[1].memory(context, Shape{static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), to);
  if (places.size() > 2) reference::write_vector(context, places[2], x.shape);
}

KernelPtr make_add(Request request) {
  return visit_numbers(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([a = SparseInput(request, 0, 2), b = SparseInput(request, 3, 5),
                        threshold_type = request.inputs[6].dtype,
                        places = output_places(request)](KernelContext& context) {
      double threshold = 0;
      convert_elements(threshold_type, context.input_pointer(6), kFloat64, &threshold, 1);
      combine<T>(context, places, a, b, [&](T left, T right, T& sum) {
        using A = Arithmetic<T>;
        sum = static_cast<T>(reference::wrapping_add(A(left), A(right)));
        return std::abs(static_cast<double>(A(sum))) >= threshold;
      });
    });
  });
}

template <bool kLarger>
KernelPtr make_extreme(Request request) {
  return visit_numbers(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([a = SparseInput(request, 0, 2), b = SparseInput(request, 3, 5),
                        places = output_places(request)](KernelContext& context) {
      combine<T>(context, places, a, b, [&](T left, T right, T& result) {
        using A = Arithmetic<T>;
        result = (kLarger ? A(left) > A(right) : A(left) < A(right)) ? left : right;
        return true;
      });
    });
  });
}

KernelPtr make_add_grad(Request request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    std::vector<Shape> shapes;
    for (const TensorSpec& input : request.inputs) shapes.push_back(input.shape);
    const IntsInput inputs[] = {IntsInput(request, 1), IntsInput(request, 2),
                                IntsInput(request, 3)};
    return make_kernel(
        [shapes, a = inputs[0], b = inputs[1], sum = inputs[2]](KernelContext& context) {
          const auto key = [](const Ints& all, int64_t i, int64_t rank) {
            return Ints(all.begin() + i * rank, all.begin() + (i + 1) * rank);
          };
          if (shapes[0] != shapes[3].slice(0, 1)) {
            throw invalid_argument("gradients of shape ", shapes[0],
                                   " do not fit the indices of the sums, ", shapes[3]);
          }
          std::map<Ints, int64_t> place;
          const Ints sums = sum.read(context);
          for (int64_t i = 0; i < shapes[3][0]; ++i) place.emplace(key(sums, i, shapes[3][1]), i);
          for (int side = 0; side < 2; ++side) {
            const Ints indices = (side == 0 ? a : b).read(context);
            const Shape& shape = shapes[static_cast<size_t>(side + 1)];
            for (int64_t i = 0; i < shape[0]; ++i) {
              const auto found = place.find(key(indices, i, shape[1]));
              context.output<T>(side)[i] =
                  found == place.end() ? T{} : context.input<T>(0)[found->second];
            }
          }
        });
  });
}

KernelPtr make_dense_add(Request request) {
  return visit_numbers(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([a = SparseInput(request, 0, 2), shape = request.inputs[3].shape,
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const SparseIndices sparse = a.read(context);
      if (Shape(std::span<const int64_t>(sparse.shape)) != shape)
        throw invalid_argument("`b` has shape ", shape, ", the sparse tensor ", sparse.shape);
      T* to = static_cast<T*>(place.memory(context, shape));
      std::copy_n(context.input<T>(3), shape.num_elements(), to);
      for (int64_t i = 0; i < sparse.count; ++i) {
        T& cell = to[sparse.flat(i)];
        cell = narrow<T>(widen(cell) + widen(context.input<T>(1)[i]));
      }
    });
  });
}

// Entries grouped by the dimensions that are kept; the indices of a group in full, 0 where reduced.
struct Groups {
  std::vector<bool> reduced;
  std::map<Ints, Ints> entries;
};

Groups group(const SparseIndices& x, const Ints& axes) {
  Groups groups{std::vector<bool>(x.rank(), false), {}};
  for (int64_t axis : axes) groups.reduced[reference::place_axis(axis, x.rank())] = true;
  for (int64_t i = 0; i < x.count; ++i) {
    Ints index(x.at(i).begin(), x.at(i).end());
    for (size_t d = 0; d < x.rank(); ++d) {
      if (groups.reduced[d]) index[d] = 0;
    }
    groups.entries[index].push_back(i);
  }
  return groups;
}

// The dimensions that stay, of a shape or an index.
Ints kept(const Groups& groups, const Ints& all, bool keep_dims, int64_t reduced_size) {
  Ints result;
  for (size_t d = 0; d < all.size(); ++d) {
    if (!groups.reduced[d]) {
      result.push_back(all[d]);
    } else if (keep_dims) {
      result.push_back(reduced_size);
    }
  }
  return result;
}

template <class T, bool kLargest>
T reduce(const T* values, const Ints& entries) {
  if constexpr (kLargest) {
    using A = Arithmetic<T>;
    T best = values[entries.front()];
    for (int64_t i : entries) best = A(values[i]) > A(best) ? values[i] : best;
    return best;
  } else {
    Accumulator<T> sum = 0;
    for (int64_t i : entries) sum += widen(values[i]);
    return narrow<T>(sum);
  }
}

template <bool kLargest, bool kSparse>
KernelPtr make_reduce(Request request) {
  return visit_numbers(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([x = SparseInput(request, 0, 2), axes = IntsInput(request, 3),
                        keep_dims = request.node.attr<bool>("keep_dims"),
                        places = output_places(request)](KernelContext& context) {
      const SparseIndices sparse = x.read(context);
      const Groups groups = group(sparse, axes.read(context));
      const Ints dims = kept(groups, sparse.shape, keep_dims, 1);
      std::vector<T> values;
      Ints indices;
      for (const auto& [index, entries] : groups.entries) {
        values.push_back(reduce<T, kLargest>(context.input<T>(1), entries));
        const Ints at = kept(groups, index, keep_dims, 0);
        indices.insert(indices.end(), at.begin(), at.end());
      }
      const auto count = static_cast<int64_t>(values.size());
      if (kSparse) {
        const auto columns = static_cast<int64_t>(dims.size());
        auto* rows = static_cast<int64_t*>(places[0].memory(context, Shape{count, columns}));
        std::copy(indices.begin(), indices.end(), rows);
        T* to = static_cast<T*>(places[1].memory(context, Shape{count}));
        std::copy(values.begin(), values.end(), to);
        reference::write_vector(context, places[2], dims);
        return;
      }
      const Shape shape{std::span<const int64_t>(dims)};
      T* to = static_cast<T*>(places[0].memory(context, shape));
      std::fill_n(to, shape.num_elements(), T{});
      for (size_t i = 0; i < values.size(); ++i) {
        int64_t flat = 0;
        for (size_t d = 0; d < dims.size(); ++d)
          flat = flat * dims[d] + indices[i * dims.size() + d];
        to[flat] = values[i];
      }
    });
  });
}

KernelPtr make_softmax(Request request) {
  return visit_floats(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([x = SparseInput(request, 0, 2)](KernelContext& context) {
      const T* values = context.input<T>(1);
      for (const auto& [index, entries] : group(x.read(context), {-1}).entries) {
        const double largest = widen(reduce<T, true>(values, entries));
        double sum = 0;
        for (int64_t i : entries) sum += std::exp(widen(values[i]) - largest);
        for (int64_t i : entries)
          context.output<T>()[i] = narrow<T>(std::exp(widen(values[i]) - largest) / sum);
      }
    });
  });
}

enum class Operation { kAdd, kMultiply, kDivide };

template <Operation kOperation>
KernelPtr make_cwise(Request request) {
  return visit_numbers(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([x = SparseInput(request, 0, 2),
                        dense = request.inputs[3].shape](KernelContext& context) {
      using A = Arithmetic<T>;
      const SparseIndices sparse = x.read(context);
      const auto extra = static_cast<int>(sparse.rank()) - dense.rank();
      for (int d = 0; d < dense.rank(); ++d) {
        if (extra < 0 ||
            (dense[d] != 1 && dense[d] != sparse.shape[static_cast<size_t>(d + extra)]))
          throw invalid_argument("`dense` of shape ", dense, " does not broadcast to ",
                                 sparse.shape);
      }
      for (int64_t i = 0; i < sparse.count; ++i) {
        int64_t flat = 0;
        for (int d = 0; d < dense.rank(); ++d)
          flat =
              flat * dense[d] + (dense[d] == 1 ? 0 : sparse.at(i)[static_cast<size_t>(d + extra)]);
        const A a(context.input<T>(1)[i]), b(context.input<T>(3)[flat]);
        if constexpr (kOperation == Operation::kAdd) {
          context.output<T>()[i] = static_cast<T>(reference::wrapping_add(a, b));
        } else if constexpr (kOperation == Operation::kMultiply) {
          context.output<T>()[i] = static_cast<T>(reference::wrapping_mul(a, b));
        } else {
          if constexpr (std::is_integral_v<A>) {
            if (b == 0) throw invalid_argument("integer division by zero: ", a, " / 0");
            context.output<T>()[i] =
                b == static_cast<A>(-1) ? reference::wrapping_sub(A(0), a) : static_cast<T>(a / b);
          } else {
            context.output<T>()[i] = static_cast<T>(a / b);
          }
        }
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"SparseTensorDenseMatMul", "reference", make_matmul},
    {"SparseMatMul", "reference", make_product},
    {"SparseAdd", "reference", make_add},
    {"SparseAddGrad", "reference", make_add_grad},
    {"SparseTensorDenseAdd", "reference", make_dense_add},
    {"SparseReduceSum", "reference", make_reduce<false, false>},
    {"SparseReduceMax", "reference", make_reduce<true, false>},
    {"SparseReduceSumSparse", "reference", make_reduce<false, true>},
    {"SparseReduceMaxSparse", "reference", make_reduce<true, true>},
    {"SparseSoftmax", "reference", make_softmax},
    {"SparseDenseCwiseAdd", "reference", make_cwise<Operation::kAdd>},
    {"SparseDenseCwiseMul", "reference", make_cwise<Operation::kMultiply>},
    {"SparseDenseCwiseDiv", "reference", make_cwise<Operation::kDivide>},
    {"SparseSparseMaximum", "reference", make_extreme<true>},
    {"SparseSparseMinimum", "reference", make_extreme<false>},
};

}  // namespace

std::span<const KernelDef> reference_sparse_math_kernels() { return kKernels; }

}  // namespace thalweg
