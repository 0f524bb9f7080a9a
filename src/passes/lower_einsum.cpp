// lower_einsum: an Einsum of one or two operands becomes sums, a product and as few transposes as
// possible, and a batch times one matrix becomes one large product: all ops with fast kernels, and
// products of matrices are what biases and activations join.
#include <algorithm>
#include <limits>
#include <numeric>

#include "passes/pass_list.h"
#include "thalweg/graph/einsum.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

using Loops = std::vector<int>;

// An operand whose dimensions are these loops of the equation, none of them of one round.
struct Term {
  Output value;
  Loops loops;
};

// The ways to write a product with the fewest elements moved.
struct Arrangement {
  Loops left, right;     // the order in which each operand is read
  Loops result;          // the order of what the product gives
  bool swapped = false;  // the second operand is the left one
  bool adj_left = false;
  bool adj_right = false;
  int64_t moved = std::numeric_limits<int64_t>::max();
};

bool holds(const Loops& loops, int loop) {
  return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

Loops sorted(Loops loops) {
  std::sort(loops.begin(), loops.end());
  return loops;
}

template <class Predicate>
Loops those(const Loops& loops, Predicate wanted) {
  Loops result;
  std::copy_if(loops.begin(), loops.end(), std::back_inserter(result), wanted);
  return result;
}

Loops joined(const Loops& a, const Loops& b, const Loops& c) {
  Loops result = a;
  result.insert(result.end(), b.begin(), b.end());
  result.insert(result.end(), c.begin(), c.end());
  return result;
}

Tensor int_vector(const std::vector<int64_t>& values) {
  return Tensor::from(std::span<const int64_t>(values), Shape{static_cast<int64_t>(values.size())});
}

class LowerEinsum : public Rewriter {
 public:
  explicit LowerEinsum(const PlanGraph& source) : Rewriter(source) {}

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    const std::string_view type = node.type();
    if ((type != "Einsum" && type != "BatchMatMulV2") || is_pinned(node) ||
        !node.control_inputs().empty() || !all_known(node, inputs)) {
      return copy(node, inputs);
    }
    node_ = &node;
    const Output lowered = type == "Einsum" ? lower(inputs) : as_matmul(inputs);
    return lowered ? std::vector<Output>{lowered} : copy(node, inputs);
  }

 private:
  static bool all_known(const Node& node, const std::vector<Output>& inputs) {
    const auto known = [](const Shape& shape) {
      return shape.is_fully_defined() && shape.num_elements() > 0;
    };
    return known(node.output_shape(0)) &&
           std::all_of(inputs.begin(), inputs.end(),
                       [&](const Output& input) { return known(input.shape()); });
  }

  // A batch of matrices [..., m, k] times one matrix is one product of more rows.
  Output as_matmul(const std::vector<Output>& in) {
    const Shape& x = in[0].shape();
    const Shape& y = in[1].shape();
    const bool adj_y = node_->attr<bool>("adj_y");
    if (node_->attr<bool>("adj_x") || y.slice(0, -2).num_elements() != 1 ||
        (adj_y && is_complex(in[0].dtype()))) {
      return {};
    }
    const int64_t k = x.dim(-1);
    const Output rows = reshaped(in[0], {x.num_elements() / k, k});
    const Output matrix = reshaped(in[1], {y.dim(-2), y.dim(-1)});
    const Output product =
        replace(*node_, "MatMul", {rows, matrix}, {{"transpose_b", adj_y}}).output();
    return reshaped(product, node_->output_shape(0));
  }

  Output lower(const std::vector<Output>& in) {
    if (in.size() > 2) return {};
    std::vector<Shape> shapes;
    for (const Output& input : in) shapes.push_back(input.shape());
    loops_ = einsum_loops(
        parse_einsum(node_->attr<std::string>("equation"), static_cast<int>(in.size())), shapes);
    if (in.size() == 1) return whole(arranged(term(in[0], 0, {})));
    const Term a = term(in[0], 0, loops_.inputs[1]);
    const Term b = term(in[1], 1, loops_.inputs[0]);
    const bool contracts =
        std::any_of(a.loops.begin(), a.loops.end(), [&](int loop) { return !in_result(loop); });
    const auto is_inside = [](const Term& x, const Term& y) {
      return std::all_of(x.loops.begin(), x.loops.end(),
                         [&](int loop) { return holds(y.loops, loop); });
    };
    if (!contracts && (is_inside(a, b) || is_inside(b, a))) {
      return whole(replace(*node_, "Mul", {spread(a), spread(b)}, {}).output());
    }
    return product(a, b);
  }

  bool in_result(int loop) const { return loop < loops_.outputs; }
  int64_t extent(int loop) const { return loops_.extents[static_cast<size_t>(loop)]; }

  std::vector<int64_t> extents(const Loops& loops) const {
    std::vector<int64_t> result;
    for (int loop : loops) result.push_back(extent(loop));
    return result;
  }
  int64_t elements(const Loops& loops) const { return Shape(extents(loops)).num_elements(); }

  // Operand `which` summed over what neither the result nor the other operand has.
  Term term(Output value, size_t which, const Loops& other) {
    Loops kept;
    std::vector<int64_t> summed;
    const Loops& dims = loops_.inputs[which];
    for (size_t d = 0; d < dims.size(); ++d) {
      if (value.shape()[static_cast<int>(d)] == 1) continue;
      if (in_result(dims[d]) || holds(other, dims[d])) {
        kept.push_back(dims[d]);
      } else {
        summed.push_back(static_cast<int64_t>(d));
      }
    }
    if (!summed.empty()) {
      const Output axes = constant(*node_, int_vector(summed));
      value = replace(*node_, "Sum", {value, axes}, {}).output();
    }
    return {reshaped(value, Shape(extents(kept))), kept};
  }

  Output reshaped(Output value, const Shape& shape) {
    if (value.shape() == shape) return value;
    if (const Tensor* tensor = constant_value(value)) {
      return constant(*node_, tensor->reshape(shape));
    }
    const Output dims = constant(*node_, int_vector({shape.dims().begin(), shape.dims().end()}));
    return replace(*node_, "Reshape", {value, dims}, {}).output();
  }

  Output whole(Output value) { return reshaped(value, node_->output_shape(0)); }

  Output arranged(const Term& term, const Loops& order) {
    if (term.loops == order) return term.value;
    std::vector<int64_t> perm;
    for (int loop : order) {
      perm.push_back(std::find(term.loops.begin(), term.loops.end(), loop) - term.loops.begin());
    }
    const Output by = constant(*node_, int_vector(perm));
    return replace(*node_, "Transpose", {term.value, by}, {}).output();
  }
  // Loops of the result are numbered as its dimensions are.
  Output arranged(const Term& term) { return arranged(term, sorted(term.loops)); }

  // With a dimension for each of the result's, 1 where the term has none.
  Output spread(const Term& term) {
    Shape shape = node_->output_shape(0);
    for (int loop = 0; loop < loops_.outputs; ++loop) {
      if (!holds(term.loops, loop)) shape.set_dim(loop, 1);
    }
    return reshaped(arranged(term), shape);
  }

  Output product(const Term& a, const Term& b) {
    const Arrangement best = best_arrangement(a, b);
    const auto batch = those(a.loops, [&](int l) { return in_result(l) && holds(b.loops, l); });
    const int64_t count = elements(batch);
    const int64_t inner = elements(those(a.loops, [&](int l) { return !in_result(l); }));
    const auto matrices = [&](Output value, bool adjoint) {
      const int64_t outer = value.shape().num_elements() / (count * inner);
      Shape shape = adjoint ? Shape{inner, outer} : Shape{outer, inner};
      return reshaped(value, batch.empty() ? shape : Shape{count}.concat(shape));
    };
    Output left = matrices(arranged(best.swapped ? b : a, best.left), best.adj_left);
    Output right = matrices(arranged(best.swapped ? a : b, best.right), !best.adj_right);
    const AttrMap attrs =
        batch.empty() ? AttrMap{{"transpose_a", best.adj_left}, {"transpose_b", best.adj_right}}
                      : AttrMap{{"adj_x", best.adj_left}, {"adj_y", best.adj_right}};
    const Output result =
        replace(*node_, batch.empty() ? "MatMul" : "BatchMatMulV2", {left, right}, attrs).output();
    if (best.result == sorted(best.result)) return whole(result);
    return whole(arranged({reshaped(result, Shape(extents(best.result))), best.result}));
  }

  // Tries the orders that operands and result have already. In each group of loops (batch, rows,
  // columns, summed over) all must agree on one.
  Arrangement best_arrangement(const Term& a, const Term& b) const {
    const auto in_a = [&](int l) { return holds(a.loops, l); };
    const auto in_b = [&](int l) { return holds(b.loops, l); };
    const auto is_batch = [&](int l) { return in_result(l) && in_a(l) && in_b(l); };
    const Loops own_a = those(a.loops, [&](int l) { return !in_b(l); });
    const Loops own_b = those(b.loops, [&](int l) { return !in_a(l); });
    const auto is_inner = [&](int l) { return !in_result(l); };
    const Loops batch = those(a.loops, is_batch);
    Arrangement best;
    for (const Loops& g : {sorted(batch), batch, those(b.loops, is_batch)}) {
      for (const Loops& k : {those(a.loops, is_inner), those(b.loops, is_inner)}) {
        for (const Loops& m : {sorted(own_a), own_a}) {
          for (const Loops& n : {sorted(own_b), own_b}) {
            Arrangement plain = {
                .left = joined(g, m, k), .right = joined(g, k, n), .result = joined(g, m, n)};
            Arrangement other = {.left = joined(g, n, k),
                                 .right = joined(g, k, m),
                                 .result = joined(g, n, m),
                                 .swapped = true};
            // Either order of the last two groups can be read.
            settle(plain, a, b, joined(g, k, m), joined(g, n, k));
            settle(other, b, a, joined(g, k, n), joined(g, m, k));
            for (const Arrangement& candidate : {plain, other}) {
              if (candidate.moved < best.moved) best = candidate;
            }
          }
        }
      }
    }
    return best;
  }

  // Reads the operands turned where that spares moving them, and counts what is moved all the same.
  void settle(Arrangement& x, const Term& left, const Term& right, const Loops& turned_left,
              const Loops& turned_right) const {
    x.moved = 0;
    x.adj_left = left.loops != x.left && left.loops == turned_left;
    x.adj_right = right.loops != x.right && right.loops == turned_right;
    if (x.adj_left) x.left = turned_left;
    if (x.adj_right) x.right = turned_right;
    if (left.loops != x.left) x.moved += elements(left.loops);
    if (right.loops != x.right) {
      // Rows are moved in longer runs than columns, so what is moved is moved to be read turned
      // when its last dimension stays.
      if (!right.loops.empty() && right.loops.back() == turned_right.back()) {
        x.adj_right = true;
        x.right = turned_right;
      }
      x.moved += elements(right.loops);
    }
    if (x.result != sorted(x.result)) x.moved += elements(x.result);
  }

  const Node* node_ = nullptr;
  EinsumLoops loops_;
};

}  // namespace

PlanGraph lower_einsum(const PlanGraph& source, const PassContext&) {
  return LowerEinsum(source).run();
}

}  // namespace thalweg
