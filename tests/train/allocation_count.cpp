// In a file of its own: where the compiler sees malloc() through operator new, it warns that the
// pairs do not match.
#include "allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int64_t> g_count{0};
}  // namespace

int64_t thalweg::testing::allocation_count() { return g_count; }

// The sanitizers bring allocation functions of their own, which must not be mixed with these; under
// them nothing is counted.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(size_t size) {
  ++g_count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif
