#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/block_copy.h"
#include "kernels/reference/elements.h"
#include "thalweg/base/parallel.h"
#include "thalweg/graph/window.h"

namespace thalweg {
namespace {

using reference::Box;

// Images are taken as volumes of one plane.
struct Patches {
  Window windows[3];
  int64_t batch, channels;
};

Patches make_patches(const KernelRequest& request) {
  using Ints = std::vector<int64_t>;
  const Node& node = request.node;
  const Shape& shape = request.inputs[0].shape;
  const int rank = shape.rank();
  const Ints& sizes = node.attr<Ints>("ksizes");
  const Ints& strides = node.attr<Ints>("strides");
  Patches p{{}, shape[0], shape[rank - 1]};
  p.windows[0] = make_window(1, 1, 1, 1, "VALID");
  for (int axis = 1; axis + 1 < rank; ++axis) {
    const auto at = static_cast<size_t>(axis);
    const int64_t rate = rank == 4 ? node.attr<Ints>("rates")[at] : 1;
    p.windows[axis + 4 - rank] =
        make_window(shape[axis], sizes[at], strides[at], rate, node.attr<std::string>("padding"));
  }
  return p;
}

KernelPtr make_patch_kernel(const KernelRequest& request) {
  const DType dtype = request.inputs[0].dtype;
  if (!reference::has_elements(dtype)) return nullptr;
  const int64_t count = request.outputs[0].shape.num_elements();
  return make_kernel([dtype, count, p = make_patches(request)](KernelContext& c) {
    const Window &deep = p.windows[0], &high = p.windows[1], &wide = p.windows[2];
    void* to = c.output_pointer(0);
    reference::zero_elements(dtype, to, count);
    const int64_t cells = deep.size * high.size * wide.size;
    parallel_for(p.batch * deep.output * high.output, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t oy = row % high.output;
        const int64_t oz = row / high.output % deep.output;
        const int64_t n = row / high.output / deep.output;
        for (int64_t kz = 0; kz < deep.size; ++kz) {
          const int64_t z = deep.cell(oz, kz);
          if (z < 0 || z >= deep.input) continue;
          for (int64_t ky = 0; ky < high.size; ++ky) {
            const int64_t y = high.cell(oy, ky);
            if (y < 0 || y >= high.input) continue;
            const int64_t source = ((n * deep.input + z) * high.input + y) * wide.input;
            for (int64_t kx = 0; kx < wide.size; ++kx) {
              // The columns whose cell kx lies inside.
              int64_t first = 0, past = wide.output;
              while (first < past && wide.cell(first, kx) < 0) ++first;
              while (past > first && wide.cell(past - 1, kx) >= wide.input) --past;
              if (first == past) continue;
              const int64_t cell = (kz * high.size + ky) * wide.size + kx;
              reference::copy_box(
                  dtype,
                  Box{.dims = {{past - first, wide.stride * p.channels, cells * p.channels}},
                      .run = p.channels,
                      .from = (source + wide.cell(first, kx)) * p.channels,
                      .to = ((row * wide.output + first) * cells + cell) * p.channels},
                  c.input_pointer(0), to);
            }
          }
        }
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"ExtractImagePatches", "reference", make_patch_kernel},
    {"ExtractVolumePatches", "reference", make_patch_kernel},
};

}  // namespace

std::span<const KernelDef> reference_patch_kernels() { return kKernels; }

}  // namespace thalweg
