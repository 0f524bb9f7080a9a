// Old names on the kernels of today's ops.
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elementwise.h"
#include "kernels/reference/indices.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: a table of rows in its words
using Request = const KernelRequest&;

// The kernel of another op with the same inputs and attributes.
KernelPtr as(std::span<const KernelDef> family, std::string_view op, Request request) {
  for (const KernelDef& kernel : family) {
    if (kernel.op == op) return kernel.make(request);
  }
  throw internal_error("there is no reference kernel of ", op);
}

constexpr auto kTruncatedModulo = []<class T>(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) throw invalid_argument("integer division by zero: ", a, " % 0");
    return b == T(-1) ? T(0) : static_cast<T>(a % b);
  } else {
    return std::fmod(a, b);
  }
};

KernelPtr make_batch_matmul(Request request) {
  const DType out = request.outputs[0].dtype;
  const DType a = request.inputs[0].dtype, b = request.inputs[1].dtype;
  std::vector<TensorSpec> inputs(request.inputs.begin(), request.inputs.end());
  for (TensorSpec& input : inputs) input.dtype = out;
  KernelPtr product =
      as(reference_linalg_kernels(), "BatchMatMulV2", {request.node, inputs, request.outputs});
  if (a == out && b == out) return product;
  // The operands are converted into scratch memory, and the product sees those.
  class Converted final : public KernelContext {
   public:
    Converted(KernelContext& context, const void* x, const void* y)
        : context_(context), values_{x, y}, result_(context.output_pointer(0)) {
      inputs_ = values_;
      outputs_ = &result_;
    }
    void set_output(int i, Tensor value) override { context_.set_output(i, std::move(value)); }
    uint64_t random_run() const override { return context_.random_run(); }
    void print(std::string_view text) override { context_.print(text); }

   private:
    KernelContext& context_;
    const void* values_[2];
    void* result_;
  };
  std::shared_ptr<Kernel> shared = std::move(product);
  return make_kernel([=, x_shape = request.inputs[0].shape,
                      y_shape = request.inputs[1].shape](KernelContext& context) {
    Tensor x(out, x_shape), y(out, y_shape);
    convert_elements(a, context.input_pointer(0), out, x.mutable_raw(), x.num_elements());
    convert_elements(b, context.input_pointer(1), out, y.mutable_raw(), y.num_elements());
    Converted converted(context, x.raw(), y.raw());
    shared->compute(converted);
  });
}

KernelPtr make_gather(Request request) {
  const TensorSpec& params = request.inputs[0];
  if (!has_elements(params.dtype)) return nullptr;
  return make_kernel([dtype = params.dtype, table = params.shape,
                      indices = IndexInput(request, 1)](KernelContext& context) {
    const int64_t inner = table.slice(1).num_elements();
    Ints starts = indices.read(context);
    for (size_t i = 0; i < starts.size(); ++i) {
      if (starts[i] < 0 || starts[i] >= table[0]) {
        throw indices.out_of_range(static_cast<int64_t>(i), starts[i], table[0],
                                   str("the rows of `params` with shape ", table));
      }
      starts[i] *= inner;
    }
    gather_elements(dtype, {starts, evenly(0, 1, inner)}, context.input_pointer(0),
                    context.output_pointer(0));
  });
}

KernelPtr make_concat(Request request) {
  const DType dtype = request.outputs[0].dtype;
  if (!has_elements(dtype)) return nullptr;
  std::vector<Shape> shapes;
  for (size_t i = 1; i < request.inputs.size(); ++i) shapes.push_back(request.inputs[i].shape);
  return make_kernel([dtype, shapes, axis = IntsInput(request, 0),
                      place = OutputPlace(request, 0)](KernelContext& context) {
    const size_t along = place_axis(axis.read_one(context), static_cast<size_t>(shapes[0].rank()));
    const auto d = static_cast<int>(along);
    Shape whole = shapes[0];
    int64_t total = 0;
    for (const Shape& piece : shapes) {
      total += piece[d];
      whole.set_dim(d, piece[d]);
      if (piece != whole) {
        throw invalid_argument("values of shape ", shapes[0], " and ", piece,
                               " cannot be joined along axis ", d);
      }
    }
    whole.set_dim(d, total);
    void* to = place.memory(context, whole);
    const int64_t stride = row_major_strides(whole)[along];
    int64_t begin = 0;
    for (size_t i = 0; i < shapes.size(); ++i) {
      Offsets offsets = dense_offsets(whole);
      offsets[along] = evenly(begin * stride, stride, shapes[i][d]);
      scatter_elements(dtype, offsets, context.input_pointer(static_cast<int>(i) + 1), to);
      begin += shapes[i][d];
    }
  });
}

template <class T>
void concat_offsets(KernelContext& context, int64_t dim, int64_t rank, int count) {
  const auto along = static_cast<int64_t>(place_axis(dim, static_cast<size_t>(rank)));
  T begin = 0;
  for (int i = 0; i < count; ++i) {
    const T* shape = context.input<T>(i + 1);
    for (int64_t d = 0; d < rank; ++d) {
      if (d != along && shape[d] != context.input<T>(1)[d]) {
        throw invalid_argument("shape ", i, " has ", shape[d], " along dimension ", d,
                               ", the first has ", context.input<T>(1)[d],
                               "; they may differ along dimension ", along, " only");
      }
      context.output<T>(i)[d] = d == along ? begin : T(0);
    }
    begin += shape[along];
  }
}

KernelPtr make_concat_offset(Request request) {
  const int64_t rank = request.inputs[1].shape[0];
  for (const TensorSpec& input : request.inputs.subspan(1)) {
    if (input.shape != Shape{rank})
      throw invalid_argument("shapes of ", rank, " and ", input.shape[0],
                             " dimensions cannot be joined");
  }
  return make_kernel([rank, dtype = request.inputs[1].dtype,
                      count = static_cast<int>(request.inputs.size()) - 1](KernelContext& context) {
    const int64_t dim = *context.input<int32_t>(0);
    if (dtype == kInt32) return concat_offsets<int32_t>(context, dim, rank, count);
    return concat_offsets<int64_t>(context, dim, rank, count);
  });
}

KernelPtr make_reverse(Request request) {
  const TensorSpec& x = request.inputs[0];
  if (!has_elements(x.dtype)) return nullptr;
  return make_kernel([dtype = x.dtype, shape = x.shape](KernelContext& context) {
    Offsets offsets = dense_offsets(shape);
    for (size_t axis = 0; axis < offsets.size(); ++axis) {
      if (context.input<bool>(1)[axis])
        offsets[axis] = Ints(offsets[axis].rbegin(), offsets[axis].rend());
    }
    gather_elements(dtype, offsets, context.input_pointer(0), context.output_pointer(0));
  });
}

// TopKV2 reads k as its second input; here it is put behind the first.
KernelPtr make_top_k(Request request) {
  class WithCount final : public KernelContext {
   public:
    WithCount(KernelContext& context, const int32_t* k)
        : context_(context),
          values_{context.input_pointer(0), k},
          results_{context.output_pointer(0), context.output_pointer(1)} {
      inputs_ = values_;
      outputs_ = results_;
    }
    void set_output(int i, Tensor value) override { context_.set_output(i, std::move(value)); }
    uint64_t random_run() const override { return context_.random_run(); }
    void print(std::string_view text) override { context_.print(text); }

   private:
    KernelContext& context_;
    const void* values_[2];
    void* results_[2];
  };
  const TensorSpec inputs[] = {request.inputs[0], {.dtype = kInt32, .shape = Shape{}}};
  std::shared_ptr<Kernel> kernel =
      as(reference_selection_kernels(), "TopKV2", {request.node, inputs, request.outputs});
  return make_kernel(
      [kernel, k = static_cast<int32_t>(request.node.attr<int64_t>("k"))](KernelContext& context) {
        WithCount with_count(context, &k);
        kernel->compute(with_count);
      });
}

KernelPtr make_bias_add(Request request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([count = request.inputs[0].shape.num_elements(),
                        channels = request.inputs[1].shape[0]](KernelContext& context) {
      for (int64_t i = 0; i < count; ++i) {
        context.output<T>()[i] =
            narrow<T>(widen(context.input<T>(0)[i]) + widen(context.input<T>(1)[i % channels]));
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    binary_kernel("Mod", kNumbers, kTruncatedModulo),
    binary_kernel("TruncateMod", kNumbers, kTruncatedModulo),
    {"BatchMatMul", "reference", make_batch_matmul},
    {"BatchMatMulV3", "reference", make_batch_matmul},
    {"Gather", "reference", make_gather},
    {"Concat", "reference", make_concat},
    {"ConcatOffset", "reference", make_concat_offset},
    {"Reverse", "reference", make_reverse},
    {"TopK", "reference", make_top_k},
    {"BiasAddV1", "reference", make_bias_add},
    {"AccumulateNV2", "reference",
     [](Request request) { return as(reference_binary_kernels(), "AddN", request); }},
};

}  // namespace

std::span<const KernelDef> reference_legacy_kernels() { return kKernels; }

}  // namespace thalweg
