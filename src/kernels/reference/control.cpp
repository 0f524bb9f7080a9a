#include <atomic>
#include <cmath>
#include <memory>
#include <type_traits>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/indices.h"

namespace thalweg {
namespace {

KernelPtr make_no_op(const KernelRequest&) {
  return make_kernel([](KernelContext&) {});
}

// Inputs [first, end) as texts: up to `summarize` elements in row-major order, each dimension but
// the first in brackets.
class Summaries {
 public:
  Summaries(const KernelRequest& request, size_t first) : first_(static_cast<int>(first)) {
    for (size_t i = first; i < request.inputs.size(); ++i) {
      inputs_.push_back({request.inputs[i].dtype, request.inputs[i].shape});
    }
    limit_ = request.node.attr<int64_t>("summarize");
  }

  /// "[1 2 3...][[4 5][6 7]]": one pair of brackets an input.
  std::string text(const KernelContext& context) const {
    std::string out;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      out += '[';
      int64_t left = limit_ < 0 ? input.shape.num_elements() : limit_;
      int64_t next = 0;
      append_values(out, input, context.input_pointer(first_ + static_cast<int>(i)), 0, next, left);
      if (next < input.shape.num_elements()) out += "...";
      out += ']';
    }
    return out;
  }

 private:
  struct Input {
    DType dtype;
    Shape shape;
  };

  static void append_element(std::string& out, DType dtype, const void* data, int64_t i) {
    visit_dtype(dtype, [&]<class T>(TypeTag<T>) {
      const T& value = static_cast<const T*>(data)[i];
      if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
        append(out, static_cast<float>(value));
      } else if constexpr (std::is_same_v<T, bool>) {
        append(out, value ? 1 : 0);
      } else {
        append(out, value);
      }
    });
  }

  static void append_values(std::string& out, const Input& input, const void* data, int axis,
                            int64_t& next, int64_t& left) {
    if (axis == input.shape.rank()) {
      append_element(out, input.dtype, data, next++);
      --left;
      return;
    }
    const bool nested = axis + 1 < input.shape.rank();
    for (int64_t i = 0; i < input.shape[axis] && left > 0 && next < input.shape.num_elements();
         ++i) {
      if (nested) {
        out += '[';
      } else if (i > 0) {
        out += ' ';
      }
      append_values(out, input, data, axis + 1, next, left);
      if (nested) out += ']';
    }
  }

  int first_;
  std::vector<Input> inputs_;
  int64_t limit_ = 0;
};

KernelPtr make_assert(const KernelRequest& request) {
  return make_kernel([data = Summaries(request, 1)](KernelContext& context) {
    if (!*context.input<bool>(0)) throw invalid_argument("assertion failed: ", data.text(context));
  });
}

KernelPtr make_check_numerics(const KernelRequest& request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [shape = request.inputs[0].shape,
         message = request.node.attr<std::string>("message")](KernelContext& context) {
          const T* x = context.input<T>(0);
          const int64_t count = shape.num_elements();
          int64_t nans = 0;
          int64_t infinities = 0;
          int64_t first = -1;
          for (int64_t i = 0; i < count; ++i) {
            const double value = widen(x[i]);
            if (std::isfinite(value)) continue;
            if (first < 0) first = i;
            ++(std::isnan(value) ? nans : infinities);
          }
          if (first >= 0) {
            throw invalid_argument(message, ": ", nans, " NaN and ", infinities,
                                   " infinite values among the ", count, " elements of shape ",
                                   shape, ", the first at ", reference::coordinates(shape, first));
          }
          reference::copy_elements(kDTypeOf<T>, x, context.output_pointer(0), count);
        },
        {.in_place = {{0, 0}}});
  });
}

KernelPtr make_print(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!reference::has_elements(x.dtype)) return nullptr;
  // Counts over all runs of the plan that holds this kernel.
  auto printed = std::make_shared<std::atomic<int64_t>>(0);
  return make_kernel([dtype = x.dtype, count = x.shape.num_elements(), data = Summaries(request, 1),
                      printed, message = request.node.attr<std::string>("message"),
                      first_n = request.node.attr<int64_t>("first_n")](KernelContext& context) {
    if (first_n < 0 || printed->fetch_add(1) < first_n)
      context.print(str(message, data.text(context)));
    reference::copy_elements(dtype, context.input_pointer(0), context.output_pointer(0), count);
  });
}

constexpr KernelDef kKernels[] = {
    {"NoOp", "reference", make_no_op},
    {"ControlTrigger", "reference", make_no_op},
    {"Assert", "reference", make_assert},
    {"CheckNumerics", "reference", make_check_numerics},
    {"CheckNumericsV2", "reference", make_check_numerics},
    {"Print", "reference", make_print},
};

}  // namespace

std::span<const KernelDef> reference_control_kernels() { return kKernels; }

}  // namespace thalweg
