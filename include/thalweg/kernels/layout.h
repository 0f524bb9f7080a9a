// How a tensor's elements lie in memory when not in plain row-major order.
//
// A kernel library may want its own blocked orders. The engine treats them as opaque tags: equal
// tags can be handed on, different ones need a conversion, and only kernels look inside. A null
// LayoutPtr is plain row-major.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace thalweg {

/// Immutable.
class Layout {
 public:
  virtual ~Layout() = default;
  /// Bytes of a tensor in this layout, padding included.
  virtual size_t size_bytes() const = 0;
  /// Whether there are cells that belong to no element. They are kept zero, so that a kernel may
  /// read them; element-wise kernels may work on such a tensor only when they map zeros to zero.
  virtual bool has_padding() const = 0;
  virtual bool equals(const Layout& other) const = 0;
  virtual std::string to_string() const = 0;
};

using LayoutPtr = std::shared_ptr<const Layout>;

/// Both plain, or both the same layout.
inline bool same_layout(const LayoutPtr& a, const LayoutPtr& b) {
  return a == b || (a != nullptr && b != nullptr && a->equals(*b));
}

}  // namespace thalweg
