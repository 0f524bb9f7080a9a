// Engine, Primitive and Execution.

#include "kernels/onednn/shim.h"

#include "kernels/onednn/shim_dnnl.h"
#include "thalweg/base/error.h"

namespace thalweg::onednn {

const dnnl::engine& engine() {
  // Never destroyed: primitives in static storage may outlive any static of ours.
  static const dnnl::engine* const instance = [] {
    dnnl_set_verbose(0);
    // A held primitive stays alive without the cache; the cache saves code generation when the same
    // plan is built again. A large training plan holds a few hundred.
    dnnl_set_primitive_cache_capacity(4096);
    return new dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return *instance;
}

int exec_arg(Arg arg) {
  switch (arg) {
    case Arg::src: return DNNL_ARG_SRC;
    case Arg::weights: return DNNL_ARG_WEIGHTS;
    case Arg::bias: return DNNL_ARG_BIAS;
    case Arg::dst: return DNNL_ARG_DST;
    case Arg::mean: return DNNL_ARG_MEAN;
    case Arg::variance: return DNNL_ARG_VARIANCE;
    case Arg::scale: return DNNL_ARG_SCALE;
    case Arg::shift: return DNNL_ARG_SHIFT;
    case Arg::workspace: return DNNL_ARG_WORKSPACE;
    case Arg::diff_src: return DNNL_ARG_DIFF_SRC;
    case Arg::diff_weights: return DNNL_ARG_DIFF_WEIGHTS;
    case Arg::diff_bias: return DNNL_ARG_DIFF_BIAS;
    case Arg::diff_dst: return DNNL_ARG_DIFF_DST;
    case Arg::diff_scale: return DNNL_ARG_DIFF_SCALE;
    case Arg::diff_shift: return DNNL_ARG_DIFF_SHIFT;
  }
  return 0;
}

bool is_reference_name(const std::string& impl) { return impl.find("ref") != std::string::npos; }

bool can_multiply(const Desc& a, const Desc& b) {
  const Element x = a.element(), y = b.element();
  if (x == Element::f32 || x == Element::bf16) return x == y;
  return x != Element::s32 && y == Element::s8;
}

Dims or_default(const Dims& v, std::size_t rank, std::int64_t fill) {
  if (v.empty()) return Dims(rank, fill);
  if (v.size() != rank) {
    reject(str("there are ", rank, " spatial dimensions but ", v.size(), " values"));
  }
  return v;
}

Primitive finish(const dnnl::primitive_desc_base& pd, const dnnl::primitive& primitive,
                 std::initializer_list<ArgDesc> args) {
  auto rep = std::make_shared<Primitive::Rep>();
  rep->primitive = primitive;
  rep->impl = pd.impl_info_str();
  rep->scratch = pd.scratchpad_desc();
  for (const ArgDesc& a : args) {
    const dnnl::memory::desc md =
        a.md.is_zero() ? pd.query_md(dnnl::query::exec_arg_md, exec_arg(a.arg)) : a.md;
    if (md.is_zero()) continue;  // an optional argument that this primitive lacks
    rep->args.push_back(a.arg);
    rep->descs.push_back(to_desc(md));
    rep->second_roles.push_back(a.second_role);
  }
  return Primitive(std::move(rep));
}

std::span<const Arg> Primitive::args() const { return rep_->args; }

Desc Primitive::desc(Arg arg) const {
  for (std::size_t i = 0; i < rep_->args.size(); ++i) {
    if (rep_->args[i] == arg) return rep_->descs[i];
  }
  return Desc();
}

std::size_t Primitive::scratch_bytes() const { return rep_->scratch.get_size(); }

const std::string& Primitive::impl() const { return rep_->impl; }

bool Primitive::is_reference() const { return is_reference_name(rep_->impl); }

// The C call takes an array that is filled once; the C++ one would build a hash map in every run.
// Memory objects never own a buffer: they are made without one and shown the caller's pointers.
struct Execution::Rep {
  std::shared_ptr<const Primitive::Rep> primitive;
  dnnl::stream stream;
  std::vector<dnnl::memory> memories;  // one per argument, then scratch
  std::vector<dnnl_exec_arg_t> args;   // the same, then second roles
  bool has_scratch = false;
  std::vector<void*> handles;

  void add(int arg, const dnnl::memory::desc& md) {
    memories.push_back(dnnl::memory(md, engine(), DNNL_MEMORY_NONE));
    args.push_back({arg, memories.back().get()});
    handles.push_back(nullptr);
  }

  void show(std::size_t i, void* pointer) {
    if (handles[i] == pointer) return;
    handles[i] = nullptr;
    const dnnl_status_t status = dnnl_memory_set_data_handle(args[i].memory, pointer);
    if (status != dnnl_success) fail(status, "an operand's pointer");
    handles[i] = pointer;
  }
};

Execution::Execution(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
Execution::Execution(Execution&&) noexcept = default;
Execution& Execution::operator=(Execution&&) noexcept = default;
Execution::~Execution() = default;

Execution Primitive::make_execution() const {
  auto run = std::make_unique<Execution::Rep>();
  run->primitive = rep_;
  run->stream = dnnl::stream(engine());
  for (std::size_t i = 0; i < rep_->args.size(); ++i) {
    run->add(exec_arg(rep_->args[i]), md_of(rep_->descs[i]));
  }
  run->has_scratch = scratch_bytes() > 0;
  if (run->has_scratch) run->add(DNNL_ARG_SCRATCHPAD, rep_->scratch);
  for (std::size_t i = 0; i < rep_->args.size(); ++i) {
    if (const int role = rep_->second_roles[i]) run->args.push_back({role, run->args[i].memory});
  }
  return Execution(std::move(run));
}

void Execution::run(std::span<void* const> pointers, void* scratch) {
  Rep& r = *rep_;
  const std::size_t count = r.primitive->args.size();
  if (pointers.size() != count) {
    throw invalid_argument("this primitive takes ", count, " pointers, got ", pointers.size());
  }
  for (std::size_t i = 0; i < count; ++i) r.show(i, pointers[i]);
  if (r.has_scratch) r.show(count, scratch);
  const dnnl_status_t status = dnnl_primitive_execute(
      r.primitive->primitive.get(), r.stream.get(), static_cast<int>(r.args.size()), r.args.data());
  if (status != dnnl_success) fail(status, r.primitive->impl.c_str());
  // The OpenMP engine runs a primitive inside the call, so there is nothing to wait for.
}

}  // namespace thalweg::onednn
