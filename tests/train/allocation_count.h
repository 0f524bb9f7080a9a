// How often this test program has called operator new, for promises that something allocates
// nothing.
#pragma once

#include <cstdint>

namespace thalweg::testing {

int64_t allocation_count();

}  // namespace thalweg::testing
