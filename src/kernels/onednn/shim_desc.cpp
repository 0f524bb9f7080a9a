#include <algorithm>
#include <numeric>

#include "kernels/onednn/shim_dnnl.h"
#include "thalweg/base/error.h"

namespace thalweg::onednn {
namespace {

Desc make(dnnl::memory::desc md, const Dims& dims, Element element) {
  return Desc(std::make_shared<const Desc::Rep>(Desc::Rep{std::move(md), dims, element}));
}

void check_dims(const Dims& dims) {
  if (dims.empty() || dims.size() > 12) {
    reject(str("oneDNN takes 1 to 12 dimensions, got ", dims.size()));
  }
  for (const std::int64_t d : dims) {
    if (d < 0) reject(str("a dimension is negative: ", d));
  }
}

Dims row_major(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * std::max<std::int64_t>(dims[i], 1);
  }
  return strides;
}

// Strides of logical dimensions whose memory order (outermost first) is `order`.
Desc ordered(const Dims& dims, const std::vector<int>& order, Element element) {
  if (dims.size() != order.size()) {
    reject(str("this layout has ", order.size(), " dimensions, got ", dims.size()));
  }
  Dims memory(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) memory[i] = dims[order[i]];
  const Dims memory_strides = row_major(memory);
  Dims strides(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) strides[order[i]] = memory_strides[i];
  return Desc::strided(dims, strides, element);
}

const Desc::Rep& need(const Desc& desc) {
  THALWEG_CHECK(desc, "an absent operand has no layout");
  return *desc.rep();
}

const char* name_of(Element element) {
  switch (element) {
    case Element::f32: return "f32";
    case Element::bf16: return "bf16";
    case Element::s32: return "s32";
    case Element::s8: return "s8";
    case Element::u8: return "u8";
  }
  return "?";
}

// oneDNN's own notation: outer dimensions by falling stride, then the inner blocks with their
// sizes.
std::string blocking_text(const Blocking& b) {
  std::vector<int> order(b.dims.size());
  std::iota(order.begin(), order.end(), 0);
  const auto outer_size = [&b](int d) {
    std::int64_t size = b.padded_dims[d];
    for (std::size_t i = 0; i < b.inner_dims.size(); ++i) {
      if (b.inner_dims[i] == d) size /= b.inner_blocks[i];
    }
    return size;
  };
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
    if (b.strides[x] != b.strides[y]) return b.strides[x] > b.strides[y];
    return outer_size(x) > outer_size(y);
  });
  std::string text;
  for (const int d : order) {
    const bool blocked =
        std::find(b.inner_dims.begin(), b.inner_dims.end(), d) != b.inner_dims.end();
    text += static_cast<char>((blocked ? 'A' : 'a') + d);
  }
  for (std::size_t i = 0; i < b.inner_dims.size(); ++i) {
    text += str(b.inner_blocks[i], std::string(1, static_cast<char>('a' + b.inner_dims[i])));
  }
  return text;
}

}  // namespace

const dnnl::memory::desc& md_of(const Desc& desc) {
  static const dnnl::memory::desc absent;
  return desc ? desc.rep()->md : absent;
}

Desc to_desc(const dnnl::memory::desc& md) {
  return make(md, blocking_of(md).dims, element_of(md));
}

Desc Desc::plain(const Dims& dims, Element element) {
  check_dims(dims);
  return strided(dims, row_major(dims), element);
}

Desc Desc::strided(const Dims& dims, const Dims& strides, Element element) {
  check_dims(dims);
  if (strides.size() != dims.size()) {
    reject(str("there are ", dims.size(), " dimensions but ", strides.size(), " strides"));
  }
  try {
    return make({dims, to_dnnl(element), strides}, dims, element);
  } catch (const dnnl::error& e) {
    fail(e.status, "a strided layout");
  }
}

Desc Desc::any(const Dims& dims, Element element) {
  check_dims(dims);
  return make({dims, to_dnnl(element), dnnl::memory::format_tag::any}, dims, element);
}

Desc Desc::nhwc(const Dims& nchw, Element element) { return ordered(nchw, {0, 2, 3, 1}, element); }

Desc Desc::channel_blocks(const Dims& nchw, int block, Element element) {
  check_dims(nchw);
  using Tag = dnnl::memory::format_tag;
  if (block != 8 && block != 16) reject(str("channels come in blocks of 8 or 16, not ", block));
  try {
    return make({nchw, to_dnnl(element), block == 8 ? Tag::nChw8c : Tag::nChw16c}, nchw, element);
  } catch (const dnnl::error& e) {
    fail(e.status, "a layout in blocks of channels");
  }
}

Desc Desc::hwio(const Dims& oihw, Element element) { return ordered(oihw, {2, 3, 1, 0}, element); }

Desc Desc::depthwise(const Dims& hwcm, Element element) {
  if (hwcm.size() != 4) reject(str("a depthwise filter has 4 dimensions, got ", hwcm.size()));
  return ordered({hwcm[2], hwcm[3], 1, hwcm[0], hwcm[1]}, {3, 4, 0, 1, 2}, element);
}

bool Desc::operator==(const Desc& other) const {
  if (rep_ == other.rep_) return true;
  return rep_ && other.rep_ && rep_->md == other.rep_->md;
}

const Dims& Desc::dims() const { return need(*this).dims; }

Element Desc::element() const { return need(*this).element; }

bool Desc::is_any() const { return blocking_of(need(*this).md).is_any; }

std::size_t Desc::size_bytes() const { return is_any() ? 0 : need(*this).md.get_size(); }

bool Desc::is_plain() const {
  const Blocking b = blocking_of(need(*this).md);
  if (!b.is_blocked || !b.inner_blocks.empty() || b.offset != 0) return false;
  const Dims expected = row_major(dims());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (b.padded_dims[i] != b.dims[i]) return false;
    if (b.dims[i] > 1 && b.strides[i] != expected[i]) return false;
  }
  return true;
}

bool Desc::has_padding() const {
  const Blocking b = blocking_of(need(*this).md);
  return !b.is_any && b.padded_dims != b.dims;
}

std::string Desc::to_string() const {
  if (!*this) return "none";
  const Blocking b = blocking_of(rep_->md);
  std::string text = str(name_of(rep_->element), " ");
  text += b.is_any ? "any" : b.is_blocked ? blocking_text(b) : "opaque";
  for (std::size_t i = 0; i < b.dims.size(); ++i) text += str(i == 0 ? " " : "x", b.dims[i]);
  return text;
}

std::optional<Desc> Desc::reshape(const Dims& dims) const {
  check_dims(dims);
  try {
    return make(need(*this).md.reshape(dims), dims, element());
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
}

std::optional<Desc> Desc::permute(const std::vector<int>& perm) const {
  const Dims& from = dims();
  if (perm.size() != from.size()) {
    reject(str("permutation of length ", perm.size(), " for ", from.size(), " dimensions"));
  }
  // oneDNN's axis list is the inverse: source axis i becomes axis inverse[i].
  std::vector<int> inverse(perm.size(), -1);
  Dims result(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) {
    const auto source = static_cast<std::size_t>(perm[i]);
    if (source >= perm.size() || inverse[source] >= 0) reject("not a permutation");
    inverse[source] = static_cast<int>(i);
    result[i] = from[source];
  }
  try {
    return make(rep_->md.permute_axes(inverse), result, element());
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
}

}  // namespace thalweg::onednn
