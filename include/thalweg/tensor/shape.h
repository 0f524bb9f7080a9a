// Shapes, also partly or wholly unknown.
//
// One type serves graph building (a batch dimension is unknown) and execution (all known): what is
// known is checked as soon as it is known, and unknown dimensions stay unknown end to end.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace thalweg {

inline constexpr int64_t kUnknownDim = -1;

/// A value; immutable but for assignment and set_dim.
class Shape {
 public:
  static constexpr int kMaxRank = 8;

  /// A scalar: rank 0.
  Shape() = default;
  /// Dimensions >= 0, or kUnknownDim. Throws invalid_argument on others, and on more than kMaxRank
  /// of them.
  Shape(std::initializer_list<int64_t> dims);
  explicit Shape(std::span<const int64_t> dims);
  /// Not even the rank is known.
  static Shape unknown();
  /// `rank` unknown dimensions.
  static Shape unknown_of_rank(int rank);

  bool has_rank() const { return rank_ >= 0; }
  /// Number of dimensions; -1 when unknown.
  int rank() const { return rank_; }
  /// Dimension `i`, negative counts from the end; kUnknownDim when unknown. Throws out_of_range.
  int64_t dim(int i) const;
  int64_t operator[](int i) const { return dims_[static_cast<size_t>(i)]; }
  std::span<const int64_t> dims() const {
    return {dims_.data(), static_cast<size_t>(rank_ < 0 ? 0 : rank_)};
  }
  void set_dim(int i, int64_t value);

  bool is_fully_defined() const;
  /// Product of the dimensions (1 for a scalar); kUnknownDim when not fully defined. Throws
  /// invalid_argument when it overflows 64 bits.
  int64_t num_elements() const;

  /// Whether both could be the same shape: equal where both are known.
  bool is_compatible_with(const Shape& other) const;
  /// What is known of either; throws invalid_argument when they contradict each other.
  Shape merge(const Shape& other) const;
  /// Appends `tail`'s dimensions; unknown when either is.
  Shape concat(const Shape& tail) const;
  /// Dimensions [begin, end); negative counts from the end.
  Shape slice(int begin, int end) const;
  Shape slice(int begin) const { return slice(begin, rank_); }

  /// "[2, 3]", "[?, 3]", "[]" or "<unknown rank>".
  std::string to_string() const;

  /// Same rank and dimensions, unknown equal to unknown.
  friend bool operator==(const Shape& a, const Shape& b);

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

/// NumPy broadcasting; unknown where it cannot be told. Throws invalid_argument naming both shapes.
Shape broadcast(const Shape& a, const Shape& b);
/// Whether broadcast() would not throw.
bool can_broadcast(const Shape& a, const Shape& b);

}  // namespace thalweg
