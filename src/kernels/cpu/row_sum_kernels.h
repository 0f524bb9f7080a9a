// The families of kernels on rows that indices name.
#pragma once

#include <span>

#include "thalweg/kernels/kernel.h"

namespace thalweg {

/// UnsortedSegmentSum and _SumDuplicates.
std::span<const KernelDef> cpu_row_sum_kernels();
/// Updates of rows of a variable.
std::span<const KernelDef> cpu_row_update_kernels();

}  // namespace thalweg
