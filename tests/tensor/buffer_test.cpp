#include "thalweg/tensor/buffer.h"

#include <cstring>
#include <thread>
#include <vector>

#include "testing.h"

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

namespace thalweg {
namespace {

using testing::expect_error;

TEST(Buffer, IsAlignedAndHoldsItsSizeAtEverySize) {
  for (size_t size = 0; size <= (size_t{1} << 21); size = size * 5 / 4 + 1) {
    for (const size_t exact : {size, size + 1}) {
      const std::shared_ptr<Buffer> buffer = Buffer::allocate(exact);
      ASSERT_EQ(buffer->size(), exact);
      ASSERT_NE(buffer->data(), nullptr);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % kAlignment, 0u);
      std::memset(buffer->data(), 0xAB, exact);
    }
  }
}

TEST(Buffer, OfLargeSizeIsReusedForSimilarSizes) {
  if (!kCaching) GTEST_SKIP() << "no cache under AddressSanitizer";
  constexpr size_t kSize = 1000000;
  void* const first = Buffer::allocate(kSize)->data();
  const size_t held = cached_bytes();
  EXPECT_GE(held, kSize);
  const std::shared_ptr<Buffer> again = Buffer::allocate(kSize + 10);
  EXPECT_EQ(again->data(), first);
  EXPECT_LT(cached_bytes(), held);
}

TEST(Buffer, OfSmallSizeIsNotCached) {
  const size_t held = cached_bytes();
  Buffer::allocate(100);
  EXPECT_EQ(cached_bytes(), held);
}

TEST(Buffer, CacheStaysBelowAGibibyte) {
  constexpr size_t kSize = size_t{300} << 20;  // never touched, so that it costs no memory
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (int i = 0; i < 5; ++i) buffers.push_back(Buffer::allocate(kSize));
  buffers.clear();
  EXPECT_LE(cached_bytes(), size_t{1} << 30);
  Buffer::allocate(size_t{2} << 20);
  EXPECT_LE(cached_bytes(), size_t{1} << 30);
}

TEST(Buffer, RefusesAbsurdSizesWithTheirNumberOfBytes) {
  expect_error(
      Code::kResourceExhausted, [] { Buffer::allocate(size_t{1} << 50); },
      "1125899906842624 bytes");
  expect_error(
      Code::kResourceExhausted, [] { Buffer::allocate(SIZE_MAX); }, "18446744073709551615 bytes");
}

TEST(Buffer, RunsTheReleaseOfWrappedMemoryWithTheLastReference) {
  int values[4] = {};
  int released = 0;
  std::shared_ptr<Buffer> buffer = Buffer::wrap(values, sizeof values, [&] { ++released; });
  std::shared_ptr<Buffer> other = buffer;
  EXPECT_EQ(buffer->data(), values);
  buffer.reset();
  EXPECT_EQ(released, 0);
  other.reset();
  EXPECT_EQ(released, 1);
  Buffer::wrap(values, sizeof values, nullptr).reset();  // borrowed: nothing to do
}

TEST(Buffer, MayBeMadeAndFreedByManyThreads) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([t] {
      for (size_t i = 0; i < 200; ++i) {
        const std::shared_ptr<Buffer> buffer = Buffer::allocate(70000 + i * 1000);
        auto* bytes = static_cast<char*>(buffer->data());
        bytes[0] = bytes[buffer->size() - 1] = static_cast<char>(t);
        ASSERT_EQ(bytes[0], t);
      }
    });
  }
}

}  // namespace
}  // namespace thalweg
