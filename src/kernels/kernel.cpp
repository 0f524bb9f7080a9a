#include "thalweg/kernels/kernel.h"

#include "thalweg/base/error.h"

namespace thalweg {

void KernelContext::wrong_resource(const Resource& resource) {
  throw invalid_argument("the handle `", resource.name, "` stands for another kind of resource ",
                         "than the op works on");
}

}  // namespace thalweg
