// What the shim*.cpp files share, and the only place that knows two versions of oneDNN.
//
// Differences bridged here: 2.x first fills an operation descriptor and passes it on, 3.x takes the
// arguments in the primitive descriptor's constructor; 2.x memory descriptors are public
// structs, 3.x are opaque and answer queries; post-op scales are gone in 3.x.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "kernels/onednn/shim.h"
#include "kernels/onednn/shim_build.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace thalweg::onednn {

struct Desc::Rep {
  dnnl::memory::desc md;
  Dims dims;  // kept apart from md so that dims() can return a reference in both versions
  Element element;
};

struct Primitive::Rep {
  dnnl::primitive primitive;
  std::string impl;
  std::vector<Arg> args;
  std::vector<Desc> descs;        // one per argument
  std::vector<int> second_roles;  // one per argument, see ArgDesc
  dnnl::memory::desc scratch;
};

/// The process's CPU engine; the first call also sets oneDNN's global options.
const dnnl::engine& engine();

/// The md of a Desc; an empty one for an absent operand.
const dnnl::memory::desc& md_of(const Desc& desc);
Desc to_desc(const dnnl::memory::desc& md);
int exec_arg(Arg arg);
dnnl::memory::data_type to_dnnl(Element element);

/// The post-ops of an epilogue, and the user-owned scratchpad that every primitive here has.
dnnl::primitive_attr make_attr(const Epilogue& epilogue = {});

/// Uniform view of a blocked memory descriptor.
struct Blocking {
  bool is_any, is_blocked;
  dnnl::memory::dims dims, padded_dims, strides, inner_blocks, inner_dims;
  dnnl::memory::dim offset;
};
Blocking blocking_of(const dnnl::memory::desc& md);
Element element_of(const dnnl::memory::desc& md);

/// Throws for a failed oneDNN call: invalid_argument for wrong arguments, else internal.
[[noreturn]] void fail(dnnl_status_t status, const char* what);
[[noreturn]] void reject(const std::string& message);

template <class Op, class... Args>
typename Op::primitive_desc make_pd(const dnnl::primitive_attr& attr, const Args&... args) {
#if DNNL_VERSION_MAJOR >= 3
  return typename Op::primitive_desc(engine(), args..., attr);
#else
  return typename Op::primitive_desc(typename Op::desc(args...), attr, engine());
#endif
}

/// The same for a backward operation, which wants the primitive descriptor of its forward.
template <class Op, class Hint, class... Args>
typename Op::primitive_desc make_backward_pd(const Hint& hint, const Args&... args) {
  const dnnl::primitive_attr attr = make_attr();
#if DNNL_VERSION_MAJOR >= 3
  return typename Op::primitive_desc(engine(), args..., hint, attr);
#else
  return typename Op::primitive_desc(typename Op::desc(args...), attr, engine(), hint);
#endif
}

/// An argument whose layout oneDNN's generic query may not know (batch norm's vectors, reorders).
struct ArgDesc {
  Arg arg;
  dnnl::memory::desc md = {};  // empty: ask the primitive descriptor
  int second_role = 0;         // a oneDNN argument that gets the same pointer; 0 for none
};
Primitive finish(const dnnl::primitive_desc_base& pd, const dnnl::primitive& primitive,
                 std::initializer_list<ArgDesc> args);

bool is_reference_name(const std::string& impl);

/// Runs `build`, which returns a primitive descriptor, and wraps the best implementation that is
/// not a reference loop; nothing when there is none.
template <class Op, class Build>
std::optional<Primitive> try_build(const char* what, Build build,
                                   std::initializer_list<ArgDesc> args) {
  try {
    auto pd = build();
    if (is_reference_name(pd.impl_info_str())) return std::nullopt;  // always last in oneDNN's list
    return finish(pd, Op(pd), args);
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_unimplemented) return std::nullopt;
    fail(e.status, what);
  }
}

/// Whether products of these two element types exist at all; oneDNN calls others invalid arguments.
bool can_multiply(const Desc& a, const Desc& b);

/// `v`, or `rank` times `fill` when it is empty.
Dims or_default(const Dims& v, std::size_t rank, std::int64_t fill);

}  // namespace thalweg::onednn
