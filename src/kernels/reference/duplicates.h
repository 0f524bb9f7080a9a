// Rows of a gradient that name one row of a variable several times, summed.
#pragma once

#include "thalweg/kernels/kernel.h"

namespace thalweg::reference {

KernelPtr make_sum_duplicates(const KernelRequest& request);

}  // namespace thalweg::reference
