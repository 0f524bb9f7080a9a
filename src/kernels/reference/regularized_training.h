// The optimizers whose rules shrink the variable by penalties on its size, L1 and L2, instead of
// adding them to the gradient.
#pragma once

#include "thalweg/kernels/kernel.h"

namespace thalweg::reference {

KernelPtr make_ftrl(const KernelRequest& request);
KernelPtr make_ftrl_v2(const KernelRequest& request);
KernelPtr make_proximal_gradient_descent(const KernelRequest& request);
KernelPtr make_proximal_adagrad(const KernelRequest& request);
KernelPtr make_adagrad_da(const KernelRequest& request);

}  // namespace thalweg::reference
