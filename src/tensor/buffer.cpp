#include "thalweg/tensor/buffer.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCaching = false;  // so that a use after free is seen
#else
constexpr bool kCaching = true;
#endif

constexpr size_t kSmallestCached = size_t{64} << 10;
constexpr size_t kLargestCache = size_t{1} << 30;

void* allocate_bytes(size_t size) {
  return ::operator new (size, std::align_val_t{kAlignment}, std::nothrow);
}
void free_bytes(void* data) { ::operator delete (data, std::align_val_t{kAlignment}); }

// Four classes for each power of two: a block is at most a quarter larger than asked for.
struct SizeClass {
  size_t index;
  size_t bytes;
};

SizeClass size_class(size_t size) {
  const int power = std::bit_width(size - 1) - 1;  // 2^power < size <= 2^(power + 1)
  const size_t step = size_t{1} << (power - 2);
  const size_t bytes = (size + step - 1) / step * step;
  return {static_cast<size_t>(power) * 4 + bytes / step - 5, bytes};
}

// Free blocks by size class. When full, the class that was left alone longest gives way, so that
// blocks of a model that is gone do not crowd out those of the one that runs.
class BlockCache {
 public:
  void* take(SizeClass wanted) {
    const std::lock_guard lock(mutex_);
    Bin& bin = bins_[wanted.index];
    bin.last_use = ++now_;
    if (bin.blocks.empty()) return nullptr;
    void* block = bin.blocks.back();
    bin.blocks.pop_back();
    held_ -= wanted.bytes;
    return block;
  }

  void give(SizeClass which, void* block) noexcept {
    const std::lock_guard lock(mutex_);
    if (which.bytes > kLargestCache) return free_bytes(block);
    while (held_ + which.bytes > kLargestCache) drop_oldest();
    Bin& bin = bins_[which.index];
    bin.last_use = ++now_;
    bin.bytes = which.bytes;
    try {
      bin.blocks.push_back(block);
    } catch (const std::bad_alloc&) {
      return free_bytes(block);
    }
    held_ += which.bytes;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    while (held_ > 0) drop_oldest();
  }

  size_t held() {
    const std::lock_guard lock(mutex_);
    return held_;
  }

 private:
  struct Bin {
    std::vector<void*> blocks;
    size_t bytes = 0;
    uint64_t last_use = 0;
  };

  void drop_oldest() {
    Bin* oldest = nullptr;
    for (Bin& bin : bins_) {
      if (bin.blocks.empty()) continue;
      if (oldest == nullptr || bin.last_use < oldest->last_use) oldest = &bin;
    }
    free_bytes(oldest->blocks.back());
    oldest->blocks.pop_back();
    held_ -= oldest->bytes;
  }

  std::mutex mutex_;
  std::array<Bin, 64 * 4> bins_;
  size_t held_ = 0;
  uint64_t now_ = 0;
};

BlockCache& cache() {
  static BlockCache* const instance = new BlockCache;  // outlives every static tensor
  return *instance;
}

// No request beyond this can succeed; the system itself may grant it and kill the process later.
uint64_t machine_bytes() {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) return uint64_t{1} << 47;
  return (uint64_t{info.totalram} + info.totalswap) * info.mem_unit;
}

void* allocate_block(size_t size) {
  static const uint64_t most = machine_bytes();
  if (size > most) {
    throw resource_exhausted("cannot allocate ", size, " bytes: the machine has ", most);
  }
  const bool cached = kCaching && size >= kSmallestCached;
  const SizeClass which = cached ? size_class(size) : SizeClass{0, size};
  if (cached) {
    if (void* block = cache().take(which)) return block;
  }
  void* block = allocate_bytes(which.bytes);
  if (block == nullptr) {
    cache().clear();
    block = allocate_bytes(which.bytes);
  }
  if (block == nullptr) throw resource_exhausted("cannot allocate ", size, " bytes: out of memory");
  return block;
}

void free_block(void* block, size_t size) noexcept {
  if (kCaching && size >= kSmallestCached) {
    cache().give(size_class(size), block);
  } else {
    free_bytes(block);
  }
}

}  // namespace

// An empty release_ stands for a block of ours, which saves a closure for each tensor.
Buffer::Buffer(void* data, size_t size, std::function<void()> release)
    : data_(data), size_(size), release_(std::move(release)) {}

Buffer::~Buffer() {
  if (release_) {
    release_();
  } else {
    free_block(data_, size_);
  }
}

std::shared_ptr<Buffer> Buffer::allocate(size_t size) {
  void* block = allocate_block(size);
  Buffer* buffer;
  try {
    buffer = new Buffer(block, size, {});
  } catch (...) {
    free_block(block, size);
    throw;
  }
  return std::shared_ptr<Buffer>(buffer);
}

std::shared_ptr<Buffer> Buffer::wrap(void* data, size_t size, std::function<void()> release) {
  if (!release) release = [] {};
  return std::shared_ptr<Buffer>(new Buffer(data, size, std::move(release)));
}

size_t cached_bytes() { return cache().held(); }

}  // namespace thalweg
