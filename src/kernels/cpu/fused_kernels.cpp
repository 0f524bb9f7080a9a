// _FusedElementwise: interprets a small program over tiles that stay in the first-level cache.
//
// Interpreting op by op over tiles of 1 KiB beats one fused loop: each op's loop is short and
// pipelines, a fused chain of dependent operations stalls (measured: see docs of performance).
// Intermediate tiles live on the stack.
#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/operands.h"
#include "kernels/families.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

constexpr int64_t kTile = 256;  // floats
constexpr size_t kMaxTiles = 16;
constexpr size_t kMaxArgs = 16;

enum class Form { kUnary, kBinary, kTernary, kScalarFirst, kScalarSecond, kLeaky, kLeakyGrad };

// Where an instruction reads or writes.
struct Slot {
  enum Kind { kNone, kArg, kTile, kResult } kind = kNone;
  int index = 0;
};

struct Instruction {
  Form form = Form::kUnary;
  simd::UnaryFn unary = nullptr;
  simd::BinaryFn binary = nullptr;
  simd::TernaryFn ternary = nullptr;
  simd::BinaryScalarFn scalar = nullptr;
  float alpha = 0;
  std::array<Slot, 3> operands{};
  Slot result;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<Operand> args;
  std::vector<int> splats;  // scalar args that some instruction needs as a tile: which tile, or -1
  int64_t segment = 0;      // tiles do not cross multiples of this (the length of rows); 0: none
  int64_t cost = 0;         // of one element, in units of a plain addition
};

bool is_transcendental(std::string_view op) {
  static constexpr std::string_view kCheap[] = {
      "Neg",      "Abs",       "Sign",    "Square",           "AddV2", "Add",
      "Sub",      "Mul",       "Maximum", "Minimum",          "Relu",  "Relu6",
      "ReluGrad", "Relu6Grad", "_MulAdd", "SquaredDifference"};
  return std::find(std::begin(kCheap), std::end(kCheap), op) == std::end(kCheap);
}

class Compiler {
 public:
  Compiler(const Node& node, const ElementwisePlan& plan)
      : ops_(node.attr<std::vector<std::string>>("ops")),
        operands_(node.attr<std::vector<int64_t>>("operands")),
        alphas_(node.attr<std::vector<float>>("alphas")) {
    program_.args = plan.operands;
    program_.splats.assign(plan.operands.size(), -1);
    last_use_.assign(ops_.size(), -1);
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (const int64_t v = operands_[i] - num_args(); v >= 0)
        last_use_[static_cast<size_t>(v)] = static_cast<int>(i / 3);
    }
  }

  // False when an op has no SIMD function or the tiles do not suffice.
  bool compile() {
    for (const Operand& arg : program_.args) {
      if (arg.pattern == Pattern::kColumn) return false;
      if (arg.pattern != Pattern::kRow) continue;
      if (program_.segment != 0 && program_.segment != arg.length) return false;
      program_.segment = arg.length;
    }
    if (program_.args.size() > kMaxArgs) return false;
    for (size_t i = 0; i < ops_.size(); ++i) {
      if (!translate(i)) return false;
    }
    return tiles_ <= static_cast<int>(kMaxTiles);
  }

  Program take() { return std::move(program_); }

 private:
  int64_t num_args() const { return static_cast<int64_t>(program_.args.size()); }
  bool is_scalar(int64_t operand) const {
    return operand < num_args() &&
           program_.args[static_cast<size_t>(operand)].pattern == Pattern::kScalar;
  }

  int new_tile() {
    if (!free_.empty()) {
      const int tile = free_.back();
      free_.pop_back();
      return tile;
    }
    return tiles_++;
  }

  Slot read(int64_t operand) {
    if (operand >= num_args())
      return {Slot::kTile, tile_of_[static_cast<size_t>(operand - num_args())]};
    if (!is_scalar(operand)) return {Slot::kArg, static_cast<int>(operand)};
    int& tile = program_.splats[static_cast<size_t>(operand)];
    if (tile < 0) tile = tiles_++;  // never freed: filled once before the loop
    return {Slot::kTile, tile};
  }

  bool translate(size_t i) {
    const std::string& op = ops_[i];
    const int64_t* in = &operands_[3 * i];
    const int arity = in[1] < 0 ? 1 : in[2] < 0 ? 2 : 3;
    Instruction code;
    code.alpha = alphas_[i];
    if (op == "LeakyRelu") {
      code.form = Form::kLeaky;
    } else if (op == "LeakyReluGrad") {
      code.form = Form::kLeakyGrad;
    } else if (arity == 1) {
      code.unary = simd::find_unary(op);
      if (code.unary == nullptr) return false;
    } else if (arity == 3) {
      code.form = Form::kTernary;
      code.ternary = simd::find_ternary(op);
      if (code.ternary == nullptr) return false;
    } else {
      const bool first = is_scalar(in[0]);
      const bool second = is_scalar(in[1]);
      if (first != second) {
        code.scalar = simd::find_binary_scalar(
            op, first ? simd::ScalarSide::kFirst : simd::ScalarSide::kSecond);
      }
      if (code.scalar != nullptr) {
        code.form = first ? Form::kScalarFirst : Form::kScalarSecond;
        code.operands[0] = read(in[first ? 1 : 0]);
        code.operands[1] = {Slot::kArg, static_cast<int>(in[first ? 0 : 1])};
      } else {
        code.form = Form::kBinary;
        code.binary = simd::find_binary(op);
        if (code.binary == nullptr) return false;
      }
    }
    if (code.scalar == nullptr) {
      for (int k = 0; k < arity; ++k) code.operands[static_cast<size_t>(k)] = read(in[k]);
    }
    // Tiles whose last reader this is are free for the result: each op may work in place.
    for (int k = 0; k < arity; ++k) {
      const int64_t v = in[k] - num_args();
      if (v >= 0 && last_use_[static_cast<size_t>(v)] == static_cast<int>(i)) {
        const int tile = tile_of_[static_cast<size_t>(v)];
        if (std::find(free_.begin(), free_.end(), tile) == free_.end()) free_.push_back(tile);
      }
    }
    const bool is_last = i + 1 == ops_.size();
    code.result = is_last ? Slot{Slot::kResult, 0} : Slot{Slot::kTile, new_tile()};
    tile_of_.push_back(code.result.index);
    program_.code.push_back(code);
    program_.cost += is_transcendental(op) ? 3 : 1;
    return true;
  }

  const std::vector<std::string>& ops_;
  const std::vector<int64_t>& operands_;
  const std::vector<float>& alphas_;
  Program program_;
  std::vector<int> last_use_;  // by instruction
  std::vector<int> tile_of_;   // by instruction
  std::vector<int> free_;
  int tiles_ = 0;
};

void run_range(const Program& program, const std::array<const float*, kMaxArgs>& args, float* y,
               int64_t begin, int64_t end) {
  alignas(64) float tiles[kMaxTiles][kTile];
  for (size_t a = 0; a < program.splats.size(); ++a) {
    if (program.splats[a] >= 0) std::fill_n(tiles[program.splats[a]], kTile, *args[a]);
  }
  for (int64_t at = begin; at < end;) {
    int64_t n = std::min(kTile, end - at);
    int64_t column = 0;
    if (program.segment != 0) {
      column = at % program.segment;
      n = std::min(n, program.segment - column);
    }
    const auto in = [&](const Slot& slot) -> const float* {
      if (slot.kind == Slot::kTile) return tiles[slot.index];
      const auto arg = static_cast<size_t>(slot.index);
      return args[arg] + (program.args[arg].pattern == Pattern::kRow ? column : at);
    };
    for (const Instruction& code : program.code) {
      float* out = code.result.kind == Slot::kResult ? y + at : tiles[code.result.index];
      switch (code.form) {
        case Form::kUnary: code.unary(in(code.operands[0]), out, n); break;
        case Form::kBinary: code.binary(in(code.operands[0]), in(code.operands[1]), out, n); break;
        case Form::kTernary:
          code.ternary(in(code.operands[0]), in(code.operands[1]), in(code.operands[2]), out, n);
          break;
        case Form::kScalarFirst:
        case Form::kScalarSecond:
          code.scalar(in(code.operands[0]), *args[static_cast<size_t>(code.operands[1].index)], out,
                      n);
          break;
        case Form::kLeaky: simd::leaky_relu(in(code.operands[0]), code.alpha, out, n); break;
        case Form::kLeakyGrad:
          simd::leaky_relu_grad(in(code.operands[0]), in(code.operands[1]), code.alpha, out, n);
          break;
      }
    }
    at += n;
  }
}

KernelPtr make_fused_elementwise(const KernelRequest& request) {
  // A program may turn zeros into something else: no padded layouts.
  auto plan = plan_elementwise(request, false);
  if (!plan) return nullptr;
  Compiler compiler(request.node, *plan);
  if (!compiler.compile()) return nullptr;
  const int64_t count = plan->count;
  // Rows are read by many elements of the result: only full operands may lie under it.
  return make_kernel(
      [program = compiler.take(), count](KernelContext& context) {
        std::array<const float*, kMaxArgs> args{};
        for (size_t i = 0; i < program.args.size(); ++i)
          args[i] = context.input<float>(static_cast<int>(i));
        float* y = context.output<float>();
        const int64_t grain = std::max<int64_t>(kTile, 32768 / std::max<int64_t>(program.cost, 1));
        parallel_for(count, grain,
                     [&](int64_t begin, int64_t end) { run_range(program, args, y, begin, end); });
      },
      std::move(plan->traits));
}

constexpr KernelDef kFusedKernels[] = {{"_FusedElementwise", "cpu", make_fused_elementwise}};

}  // namespace

std::span<const KernelDef> cpu_fused_kernels() { return kFusedKernels; }

}  // namespace thalweg
