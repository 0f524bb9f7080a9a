// The two faces of oneDNN: everything here has a 2.x and a 3.x body.

#include "kernels/onednn/shim_dnnl.h"
#include "thalweg/base/error.h"

namespace thalweg::onednn {

// Both versions keep the numbers of their C enums, but only these five are shared with us.
dnnl::memory::data_type to_dnnl(Element element) {
  using Type = dnnl::memory::data_type;
  switch (element) {
    case Element::f32: return Type::f32;
    case Element::bf16: return Type::bf16;
    case Element::s32: return Type::s32;
    case Element::s8: return Type::s8;
    case Element::u8: return Type::u8;
  }
  reject("unknown element type");
}

Element element_of(const dnnl::memory::desc& md) {
#if DNNL_VERSION_MAJOR >= 3
  const auto type = md.get_data_type();
#else
  const auto type = md.data_type();
#endif
  for (const Element e : {Element::f32, Element::bf16, Element::s32, Element::s8, Element::u8}) {
    if (to_dnnl(e) == type) return e;
  }
  reject("oneDNN chose an element type that thalweg does not know");
}

Blocking blocking_of(const dnnl::memory::desc& md) {
  Blocking b;
#if DNNL_VERSION_MAJOR >= 3
  const auto kind = md.get_format_kind();
  b.is_any = kind == dnnl::memory::format_kind::any;
  b.is_blocked = kind == dnnl::memory::format_kind::blocked;
  b.dims = md.get_dims();
  b.padded_dims = md.get_padded_dims();
  b.offset = md.get_submemory_offset();
  if (b.is_blocked) {
    b.strides = md.get_strides();
    b.inner_blocks = md.get_inner_blks();
    b.inner_dims = md.get_inner_idxs();
  }
#else
  const dnnl_memory_desc_t& c = md.data;
  const auto copy = [](const dnnl_dims_t& from, int count) {
    return dnnl::memory::dims(from, from + count);
  };
  b.is_any = c.format_kind == dnnl_format_kind_any;
  b.is_blocked = c.format_kind == dnnl_blocked;
  b.dims = copy(c.dims, c.ndims);
  b.padded_dims = copy(c.padded_dims, c.ndims);
  b.offset = c.offset0;
  if (b.is_blocked) {
    const dnnl_blocking_desc_t& blocking = c.format_desc.blocking;
    b.strides = copy(blocking.strides, c.ndims);
    b.inner_blocks = copy(blocking.inner_blks, blocking.inner_nblks);
    b.inner_dims = copy(blocking.inner_idxs, blocking.inner_nblks);
  }
#endif
  return b;
}

namespace {

void append(dnnl::post_ops& ops, dnnl::algorithm algorithm, float alpha, float beta) {
#if DNNL_VERSION_MAJOR >= 3
  ops.append_eltwise(algorithm, alpha, beta);
#else
  ops.append_eltwise(1.0f, algorithm, alpha, beta);
#endif
}

void append(dnnl::post_ops& ops, Activation activation, float alpha) {
  using A = dnnl::algorithm;
  switch (activation) {
    case Activation::none: return;
    case Activation::relu: return append(ops, A::eltwise_relu, 0.0f, 0.0f);
    case Activation::leaky_relu: return append(ops, A::eltwise_relu, alpha, 0.0f);
    case Activation::relu6: return append(ops, A::eltwise_clip, 0.0f, 6.0f);
    case Activation::elu: return append(ops, A::eltwise_elu, alpha, 0.0f);
    case Activation::tanh: return append(ops, A::eltwise_tanh, 0.0f, 0.0f);
    case Activation::sigmoid: return append(ops, A::eltwise_logistic, 0.0f, 0.0f);
    case Activation::gelu_tanh: return append(ops, A::eltwise_gelu_tanh, 0.0f, 0.0f);
    case Activation::gelu_erf: return append(ops, A::eltwise_gelu_erf, 0.0f, 0.0f);
    case Activation::swish: return append(ops, A::eltwise_swish, alpha, 0.0f);
  }
}

}  // namespace

dnnl::primitive_attr make_attr(const Epilogue& epilogue) {
  dnnl::post_ops ops;
  if (epilogue.sum_scale != 0.0f) ops.append_sum(epilogue.sum_scale);
  append(ops, epilogue.activation, epilogue.alpha);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attr.set_post_ops(ops);
  return attr;
}

std::string version_string() {
  const dnnl_version_t* v = dnnl_version();
  return str(v->major, ".", v->minor, ".", v->patch);
}

void fail(dnnl_status_t status, const char* what) {
  if (status == dnnl_invalid_arguments) {
    throw invalid_argument(what, ": the shapes, strides or element types do not fit together");
  }
  throw internal_error(what, ": oneDNN reports status ", static_cast<int>(status));
}

void reject(const std::string& message) { throw invalid_argument(message); }

}  // namespace thalweg::onednn
