// Transposition, 16-bit conversion and random streams, on every target.
#include <bit>
#include <cstring>

#include "kernels/cpu/convert.h"
#include "kernels/cpu/random.h"
#include "kernels/cpu/transpose.h"
#include "kernels/simd_testing.h"

namespace thalweg::simd {
namespace {

THALWEG_FOR_EACH_TARGET(SimdTranspose);
THALWEG_FOR_EACH_TARGET(SimdConvert);
THALWEG_FOR_EACH_TARGET(SimdRandom);

template <class T>
void expect_transposed(int64_t batch, int64_t rows, int64_t columns) {
  std::vector<T> x(static_cast<size_t>(batch * rows * columns)), y(x.size()), parts(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 37 + 5);
  transpose(x.data(), y.data(), sizeof(T), batch, rows, columns);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        ASSERT_EQ(y[(b * columns + c) * rows + r], x[(b * rows + r) * columns + c])
            << sizeof(T) << ": " << rows << " x " << columns;
      }
    }
  }
  if (batch != 1) return;
  const int64_t half = rows / 2;
  transpose_rows(x.data(), parts.data(), sizeof(T), rows, columns, 0, half);
  transpose_rows(x.data(), parts.data(), sizeof(T), rows, columns, half, rows);
  EXPECT_EQ(parts, y);
}

TEST_P(SimdTranspose, SwapsRowsAndColumnsOfEverySize) {
  const int64_t shapes[][3] = {{0, 3, 4}, {1, 0, 5},   {1, 1, 1},   {1, 1, 40},  {2, 8, 8},
                               {3, 7, 9}, {2, 16, 33}, {1, 65, 31}, {1, 64, 128}};
  for (const auto& [batch, rows, columns] : shapes) {
    expect_transposed<uint8_t>(batch, rows, columns);
    expect_transposed<uint16_t>(batch, rows, columns);
    expect_transposed<uint32_t>(batch, rows, columns);
    expect_transposed<uint64_t>(batch, rows, columns);
  }
}

TEST_P(SimdConvert, RoundsToBfloat16AsToTheNearestEven) {
  const std::vector<uint32_t> bits = {0x3F800000, 0x3F808000, 0x3F818000, 0x3F808001,
                                      0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001,
                                      0xFFFFFFFF, 0x80000000, 0x00000001, 0x00008001};
  const std::vector<uint16_t> want = {0x3F80, 0x3F80, 0x3F82, 0x3F81, 0x7F80, 0x7F80,
                                      0xFF80, 0x7FC0, 0xFFFF, 0x8000, 0x0000, 0x0001};
  for (size_t repeat : {1, 3}) {  // in the tail alone, and in whole vectors
    std::vector<float> x;
    std::vector<uint16_t> all;
    for (size_t r = 0; r < repeat; ++r) {
      for (uint32_t b : bits) x.push_back(std::bit_cast<float>(b));
      all.insert(all.end(), want.begin(), want.end());
    }
    std::vector<uint16_t> y(x.size());
    float_to_bfloat16(x.data(), y.data(), static_cast<int64_t>(x.size()));
    EXPECT_EQ(y, all);
  }
}

TEST_P(SimdConvert, BringsEvery16BitNumberBackUnchanged) {
  std::vector<uint16_t> all(65536), back(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  std::vector<float> wide(65536);
  bfloat16_to_float(all.data(), wide.data(), 65536);
  EXPECT_EQ(wide[0x4049], 3.140625f);
  float_to_bfloat16(wide.data(), back.data(), 65536);
  for (uint32_t i = 0; i < 65536; ++i) {
    const bool is_nan = (i & 0x7FFF) > 0x7F80;
    ASSERT_EQ(back[i], is_nan ? i | 0x40 : i);
  }
  half_to_float(all.data(), wide.data(), 65536);
  EXPECT_EQ(wide[0x3C00], 1.0f);
  EXPECT_EQ(wide[0x0001], 0x1p-24f);
  EXPECT_EQ(wide[0x7BFF], 65504.0f);
  EXPECT_EQ(wide[0xFC00], -kInf);
  float_to_half(wide.data(), back.data(), 65536);
  for (uint32_t i = 0; i < 65536; ++i) {
    const bool is_nan = (i & 0x7FFF) > 0x7C00;
    ASSERT_EQ(std::isnan(wide[i]), is_nan);
    ASSERT_EQ(back[i], is_nan ? i | 0x200 : i);
  }
}

TEST_P(SimdConvert, RoundsToHalfAsToTheNearestEven) {
  const std::vector<float> x = {1 + 0x1p-11f,    1 + 0x3p-11f, 65519.0f, 65520.0f, -1e30f,
                                0x1p-25f,        0x1.8p-24f,   0x1p-14f, kNaN,     0x1.002p-1f,
                                0x1.ffep-15f,    -0.0f,        0x1p-26f, 2049.0f,  2051.0f,
                                0x1.000002p-25f, 65504.0f};
  const std::vector<uint16_t> want = {0x3C00, 0x3C02, 0x7BFF, 0x7C00, 0xFC00, 0x0000,
                                      0x0002, 0x0400, 0x7E00, 0x3800, 0x0400, 0x8000,
                                      0x0000, 0x6800, 0x6802, 0x0001, 0x7BFF};
  std::vector<uint16_t> y(x.size());
  float_to_half(x.data(), y.data(), static_cast<int64_t>(x.size()));
  EXPECT_EQ(y, want);
}

TEST_P(SimdRandom, GivesThePublishedPhiloxWords) {
  uint32_t y[4];
  fill_words({}, y, 0, 4);
  EXPECT_EQ(y[0], 0x6627E8D5u);
  EXPECT_EQ(y[1], 0xE169C58Du);
  EXPECT_EQ(y[2], 0xBC57AC4Cu);
  EXPECT_EQ(y[3], 0x9B00DBD8u);
  const uint64_t ones = ~uint64_t{0};
  fill_words({0xFFFFFFFF, 0xFFFFFFFF, ones, ones}, y, 0, 4);
  EXPECT_EQ(y[0], 0x408F276Du);
  EXPECT_EQ(y[1], 0x41C83B0Eu);
  EXPECT_EQ(y[2], 0xA20BC7C6u);
  EXPECT_EQ(y[3], 0x6D5451FDu);
  // Counter and key of the digits of pi.
  fill_words({0xA4093822, 0x299F31D0, 0x85A308D3243F6A88, 0x0370734413198A2E}, y, 0, 4);
  EXPECT_EQ(y[0], 0xD16CFE09u);
  EXPECT_EQ(y[1], 0x94FDCCEBu);
  EXPECT_EQ(y[2], 0x5001E420u);
  EXPECT_EQ(y[3], 0x24126EA1u);
}

TEST_P(SimdRandom, FillsAnyPartOfAStreamAlike) {
  // Starts three blocks before the low half of the counter wraps.
  const PhiloxStream stream{7, 8, ~uint64_t{0} - 2, 5};
  std::vector<uint32_t> words(1000);
  std::vector<float> uniform(1000), normal(1000);
  fill_words(stream, words.data(), 0, 1000);
  fill_uniform(stream, uniform.data(), 0, 1000);
  fill_normal(stream, normal.data(), 0, 1000);
  for (int64_t begin : {0, 1, 2, 3, 4, 13, 500}) {
    for (int64_t n : {0, 1, 2, 5, 31, 64, 333}) {
      std::vector<uint32_t> w(n);
      std::vector<float> u(n), z(n);
      fill_words(stream, w.data(), begin, begin + n);
      fill_uniform(stream, u.data(), begin, begin + n);
      fill_normal(stream, z.data(), begin, begin + n);
      EXPECT_TRUE(std::equal(w.begin(), w.end(), words.begin() + begin));
      EXPECT_TRUE(std::equal(u.begin(), u.end(), uniform.begin() + begin));
      EXPECT_TRUE(std::equal(z.begin(), z.end(), normal.begin() + begin));
    }
  }
  std::vector<uint32_t> after(4);
  fill_words({7, 8, 0, 6}, after.data(), 0, 4);
  EXPECT_TRUE(std::equal(after.begin(), after.end(), words.begin() + 12));
}

TEST_P(SimdRandom, DerivesUniformAndNormalNumbersFromTheWords) {
  const PhiloxStream stream{1, 2, 3, 4};
  std::vector<uint32_t> words(4000);
  std::vector<float> uniform(4000), normal(4000);
  fill_words(stream, words.data(), 0, 4000);
  fill_uniform(stream, uniform.data(), 0, 4000);
  fill_normal(stream, normal.data(), 0, 4000);
  double mean = 0, square = 0;
  for (size_t i = 0; i < 4000; i += 2) {
    const double u = (words[i] & 0x7FFFFF) * 0x1p-23, v = (words[i + 1] & 0x7FFFFF) * 0x1p-23;
    EXPECT_EQ(uniform[i], static_cast<float>(u));
    EXPECT_EQ(uniform[i + 1], static_cast<float>(v));
    const double radius = std::sqrt(-2 * std::log(std::max(u, 1e-7)));
    EXPECT_NEAR(normal[i], radius * std::sin(2 * M_PI * v), 1e-6 * (1 + radius));
    EXPECT_NEAR(normal[i + 1], radius * std::cos(2 * M_PI * v), 1e-6 * (1 + radius));
    mean += normal[i] + normal[i + 1];
    square += normal[i] * normal[i] + normal[i + 1] * normal[i + 1];
  }
  EXPECT_NEAR(mean / 4000, 0, 0.05);
  EXPECT_NEAR(square / 4000, 1, 0.07);
}

TEST(SimdTargets, GiveTheSameRandomWordsEverywhere) {
  std::vector<std::vector<uint32_t>> results;
  for (const char* name : available_targets()) {
    force_target_for_test(name);
    results.emplace_back(103);
    fill_words({11, 22, 33, 44}, results.back().data(), 5, 108);
  }
  force_target_for_test("");
  for (const auto& words : results) EXPECT_EQ(words, results.front());
}

TEST(SimdTargets, ForcesAnAvailableTargetAndRefusesAnother) {
  const std::string best = target_name();
  for (const char* name : available_targets()) {
    EXPECT_TRUE(force_target_for_test(name));
    EXPECT_STREQ(target_name(), name);
  }
  EXPECT_FALSE(force_target_for_test("PDP11"));
  EXPECT_TRUE(force_target_for_test(""));
  EXPECT_EQ(target_name(), best);
}

}  // namespace
}  // namespace thalweg::simd
