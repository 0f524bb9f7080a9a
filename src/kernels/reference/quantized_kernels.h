// The kernels on quantized numbers, of which quantized.cpp makes one family.
#pragma once

#include "thalweg/kernels/kernel.h"

namespace thalweg::reference {

// requantize.cpp: other integers for the same numbers, and the ranges for that.
KernelPtr make_requantize(const KernelRequest& request);
KernelPtr make_requantize_per_channel(const KernelRequest& request);
KernelPtr make_requantization_range(const KernelRequest& request);
KernelPtr make_requantization_range_per_channel(const KernelRequest& request);
KernelPtr make_quantize_down_and_shrink_range(const KernelRequest& request);

// quantized_windows.cpp: over the windows of an image.
KernelPtr make_quantized_conv2d(const KernelRequest& request);
KernelPtr make_quantized_max_pool(const KernelRequest& request);
KernelPtr make_quantized_avg_pool(const KernelRequest& request);

// quantized_movement.cpp: the same elements in another place.
KernelPtr make_quantized_reshape(const KernelRequest& request);
KernelPtr make_quantized_concat(const KernelRequest& request);

}  // namespace thalweg::reference
