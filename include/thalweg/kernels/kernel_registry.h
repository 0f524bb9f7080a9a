// Which implementations each op has, best first.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/kernels/kernel.h"

namespace thalweg {

/// Kernels by op, in the order they are tried. Thread-compatible; const use is thread-safe.
class KernelRegistry {
 public:
  /// Appends; earlier ones are tried first.
  void add(std::span<const KernelDef> kernels);
  /// Puts kernels in front of those that are there (a user's own beats ours).
  void add_first(std::span<const KernelDef> kernels);

  /// Empty when the op has none.
  std::span<const KernelDef> find(std::string_view op) const;

  /// The first implementation that accepts. Throws unimplemented naming op, dtypes and shapes.
  KernelPtr make(const KernelRequest& request, std::string* provider = nullptr) const;

  /// Only the kernels of one provider: KernelRegistry(...).only("reference").
  KernelRegistry only(std::string_view provider) const;

 private:
  std::map<std::string, std::vector<KernelDef>, std::less<>> kernels_;
};

/// oneDNN, then our SIMD kernels, then reference.
const KernelRegistry& standard_kernels();
/// The plain loops that everything else is checked against.
const KernelRegistry& reference_kernels();

/// Converts between layouts: `from` and `to` of one dtype and shape, one of them may be null
/// (plain).
KernelPtr make_layout_conversion(DType dtype, const Shape& shape, const LayoutPtr& from,
                                 const LayoutPtr& to);
/// Converts a whole value now, for reading or loading a variable that lies in a kernel's layout.
void convert_layout(DType dtype, const Shape& shape, const LayoutPtr& from, const void* source,
                    const LayoutPtr& to, void* target);

}  // namespace thalweg
