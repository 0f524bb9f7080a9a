// oneDNN's layouts as the engine's opaque tags, and conversions to and from plain tensors.
//
// One rule links a tensor to oneDNN's logical dimensions: every operand has a *view*, the Desc over
// the primitive's dimensions that describes the plain TensorFlow tensor (images as [n, c, h, w],
// filters as [o, i, h, w] or grouped, weights of a dense layer as [o, i]; see views.h). A layout is
// another Desc over the same dimensions, kept together with its view: reordering between the two is
// the conversion, and kernels that share a view can hand the memory on as it is.
#pragma once

#include "kernels/onednn/shim.h"
#include "thalweg/kernels/kernel.h"

namespace thalweg::onednn {

/// A tensor that lies as `desc` says. Immutable.
class DnnlLayout final : public Layout {
 public:
  /// `desc` is no `any`, and has the dimensions of `view`.
  DnnlLayout(Desc desc, Desc view);

  size_t size_bytes() const override { return desc_.size_bytes(); }
  bool has_padding() const override { return desc_.has_padding(); }
  bool equals(const Layout& other) const override;
  /// "f32 aBcd16b 64x32x28x28".
  std::string to_string() const override { return desc_.to_string(); }

  const Desc& desc() const { return desc_; }
  const Desc& view() const { return view_; }

 private:
  Desc desc_;
  Desc view_;
};

/// The tag of a tensor with the given view that lies as `desc` says; null when that is plain.
LayoutPtr to_layout(const Desc& desc, const Desc& view);

/// How a tensor that is viewed so arrives; an empty Desc when its layout belongs to another view or
/// to another library, and has to be converted.
Desc arriving(const TensorSpec& spec, const Desc& view);

}  // namespace thalweg::onednn
