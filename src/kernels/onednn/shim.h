// The one door to oneDNN: layouts, prepared primitives and their execution.
//
// oneDNN 2.x and 3.x differ in almost every call that creates something. Everything outside this
// folder's shim*.cpp sees plain values instead: a Desc says how a tensor lies in memory, a builder
// of shim_build.h turns Descs into a Primitive (at plan time), an Execution runs it (per step).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::onednn {

using Dims = std::vector<std::int64_t>;

enum class Element : std::uint8_t { f32, bf16, s32, s8, u8 };

/// How a tensor of up to 12 dimensions lies in memory: element type, logical dimensions, and
/// strides or blocks. Immutable, cheap to copy; any number of threads may share one. Factories
/// throw invalid_argument for negative dimensions, more than 12 of them, or strides of another
/// length.
class Desc {
 public:
  /// The absent operand, for example "no bias".
  Desc() = default;

  /// Dense, row-major.
  static Desc plain(const Dims& dims, Element element = Element::f32);
  /// Element [i, j, ...] lies at i * strides[0] + j * strides[1] + ...
  static Desc strided(const Dims& dims, const Dims& strides, Element element = Element::f32);
  /// "Choose for me": the builder's result names the layout that oneDNN wants.
  static Desc any(const Dims& dims, Element element = Element::f32);

  /// Logical [n, c, h, w] over memory [n, h, w, c] (TensorFlow's NHWC).
  static Desc nhwc(const Dims& nchw, Element element = Element::f32);
  /// Logical [n, c, h, w] in blocks of 8 or 16 channels, padded to whole blocks.
  static Desc channel_blocks(const Dims& nchw, int block, Element element = Element::f32);
  /// Logical [o, i, h, w] over memory [h, w, i, o] (TensorFlow's Conv2D filter).
  static Desc hwio(const Dims& oihw, Element element = Element::f32);
  /// TensorFlow's depthwise filter [h, w, channels, multiplier] as the grouped filter
  /// [g = channels, o = multiplier, i = 1, h, w]; output channel c * multiplier + m, as
  /// TensorFlow's.
  static Desc depthwise(const Dims& hwcm, Element element = Element::f32);

  explicit operator bool() const { return rep_ != nullptr; }
  bool operator==(const Desc& other) const;

  const Dims& dims() const;
  Element element() const;
  /// Bytes to reserve, padding included; 0 for `any`.
  std::size_t size_bytes() const;
  bool is_any() const;
  /// Dense row-major in the order of dims(): usable by any kernel that knows no layouts.
  bool is_plain() const;
  /// Some dimension is rounded up to a block. The cells past the end must hold zeros whenever
  /// oneDNN reads them; it writes zeros there in its own outputs. Other kernels that write the
  /// operand must keep them (f(0) = 0, an optimizer whose gradient is 0) or leave them alone.
  bool has_padding() const;
  /// "f32 aBcd16b 64x32x28x28" (letters in memory order, capitals are blocked), for explain.
  std::string to_string() const;

  /// The same memory under other dimensions, or nothing when the data would have to move.
  std::optional<Desc> reshape(const Dims& dims) const;
  /// Dimension i of the result is dimension perm[i] of this (as TensorFlow's Transpose); no data
  /// moves. Nothing for `any` and for opaque layouts.
  std::optional<Desc> permute(const std::vector<int>& perm) const;

  struct Rep;
  explicit Desc(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  const Rep* rep() const { return rep_.get(); }

 private:
  std::shared_ptr<const Rep> rep_;
};

/// The part that a pointer plays in a primitive.
enum class Arg : std::uint8_t {
  src,
  weights,
  bias,
  dst,
  mean,
  variance,
  scale,
  shift,
  workspace,
  diff_src,
  diff_weights,
  diff_bias,
  diff_dst,
  diff_scale,
  diff_shift
};

class Execution;

/// A prepared operation with every layout decided. Immutable, cheap to copy, thread-safe. Runs on
/// as many OpenMP threads as were allowed on the thread that built it, whatever the limit is by
/// then.
class Primitive {
 public:
  /// The roles, in the order in which run() wants the pointers.
  std::span<const Arg> args() const;
  /// The layout of an operand; an empty Desc when this primitive has none in that role.
  Desc desc(Arg arg) const;
  /// Bytes of uninitialised scratch memory that each run needs, 64-byte aligned; may be 0.
  std::size_t scratch_bytes() const;
  /// oneDNN's name of the implementation, such as "brgemm:avx512_core".
  const std::string& impl() const;
  /// Whether it is oneDNN's slow textbook loop. Builders never return one.
  bool is_reference() const;
  /// Allocates all that repeated runs need.
  Execution make_execution() const;

  struct Rep;
  explicit Primitive(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}

 private:
  std::shared_ptr<const Rep> rep_;
};

/// The mutable side of a Primitive: one thread at a time.
class Execution {
 public:
  Execution(Execution&&) noexcept;
  Execution& operator=(Execution&&) noexcept;
  ~Execution();

  /// Runs to completion. One pointer per Primitive::args(), in that order, and `scratch` of at
  /// least scratch_bytes(). Nothing here allocates, but oneDNN does: 3 to 14 small blocks per run
  /// (an entry per argument), tens to hundreds in its "gemm:jit" convolutions over plain layouts.
  /// Throws invalid_argument for a wrong count and internal when oneDNN reports a failure.
  void run(std::span<void* const> pointers, void* scratch);

  struct Rep;
  explicit Execution(std::unique_ptr<Rep> rep);

 private:
  std::unique_ptr<Rep> rep_;
};

/// "2.6.3".
std::string version_string();

}  // namespace thalweg::onednn
