// What a plan does beyond computing: layouts, memory, explanation, and agreement with the oracle.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/base/parallel.h"
#include "thalweg/base/philox.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/kernels/kernel_registry.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/control.h"
#include "thalweg/ops/convolution.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/loss.h"
#include "thalweg/ops/pooling.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/training.h"
#include "thalweg/ops/unary.h"
#include "thalweg/runtime/session.h"

namespace thalweg::testing {
namespace {

Tensor normal(const Shape& shape, double scale, uint64_t seed) {
  Tensor tensor(kFloat32, shape);
  Philox random(seed);
  for (float& cell : tensor.mutable_data<float>())
    cell = static_cast<float>(scale * random.normal());
  return tensor;
}

// A small convolutional network with Adam: convolution, bias, relu, pooling, dense layers, cross
// entropy.
class Network {
 public:
  explicit Network(SessionOptions options) : graph_(standard_ops()) {
    images_ = placeholder(graph_, kFloat32, {kUnknownDim, 12, 12, 1}, {.name = "images"});
    labels_ = placeholder(graph_, kInt64, {kUnknownDim}, {.name = "labels"});
    Output x = images_;
    x = max_pool(
        relu(conv2d(x, variable({3, 3, 1, 16}, 0.3), {.padding = "SAME"}) + variable({16}, 0)));
    x = max_pool(
        relu(conv2d(x, variable({3, 3, 16, 32}, 0.1), {.padding = "SAME"}) + variable({32}, 0)));
    x = relu(matmul(reshape(x, {-1, 3 * 3 * 32}), variable({288, 64}, 0.1)) + variable({64}, 0));
    logits_ = matmul(x, variable({64, 10}, 0.2)) + variable({10}, 0);
    loss_ = reduce_mean(sparse_softmax_cross_entropy_with_logits(logits_, labels_));
    std::vector<Output> handles;
    for (const Variable& v : variables_) handles.push_back(v.handle());
    const std::vector<Output> slopes = gradients({loss_}, handles);
    std::vector<Node*> updates;
    const auto number = [&](float value) { return constant(graph_, Tensor(value)); };
    for (size_t i = 0; i < handles.size(); ++i) {
      const Variable m(graph_, Tensor::zeros(kFloat32, variables_[i].shape()),
                       {.name = str("m", i), .trainable = false});
      const Variable v(graph_, Tensor::zeros(kFloat32, variables_[i].shape()),
                       {.name = str("v", i), .trainable = false});
      updates.push_back(&apply_adam(handles[i], m.handle(), v.handle(), number(0.9f),
                                    number(0.999f), number(0.01f), number(0.9f), number(0.999f),
                                    number(1e-7f), slopes[i]));
    }
    session_ = std::make_unique<Session>(graph_, std::move(options));
    session_->initialize();
    step_ = session_->make_callable({images_, labels_}, {loss_}, {&group(updates)});
    batch_ = {normal({16, 12, 12, 1}, 1, 99), Tensor(kInt64, {16})};
    for (size_t i = 0; i < 16; ++i)
      batch_[1].mutable_data<int64_t>()[i] = static_cast<int64_t>(i % 10);
  }

  double train(int steps) {
    std::vector<Tensor> loss(1);
    for (int i = 0; i < steps; ++i) step_.run(batch_, loss);
    return loss[0].at(0);
  }
  Tensor predict() { return session_->run(logits_, {{images_, batch_[0]}}); }
  const Callable& step() const { return step_; }
  const std::vector<Tensor>& batch() const { return batch_; }
  Session& session() { return *session_; }

 private:
  Output variable(const Shape& shape, double scale) {
    const auto index = variables_.size();
    variables_.emplace_back(graph_, normal(shape, scale, index + 1),
                            VariableOptions{.name = str("w", index)});
    return variables_.back();
  }

  Graph graph_;
  Output images_, labels_, logits_, loss_;
  std::vector<Variable> variables_;
  std::unique_ptr<Session> session_;
  Callable step_;
  std::vector<Tensor> batch_;
};

TEST(Plan, AgreesWithReferenceKernelsWithoutPasses) {
  Network fast({});
  Network oracle({.kernels = &reference_kernels(), .disabled_passes = {"all"}});
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(fast.train(1), oracle.train(1), 1e-4) << "step " << i;
  for (const std::string& name : oracle.session().variables().names()) {
    const Tensor expected = oracle.session().variables().get(name);
    const Tensor actual = fast.session().variables().get(name);
    for (int64_t i = 0; i < expected.num_elements(); ++i) {
      ASSERT_NEAR(expected.at(i), actual.at(i), 2e-3) << name << " element " << i;
    }
  }
}

TEST(Plan, AgreesWithItselfWithEachPassLeftOut) {
  Network full({});
  const double expected = full.train(3);
  for (const char* pass : {"fold", "simplify", "merge", "fuse_epilogue", "fuse_bias_grad",
                           "fuse_elementwise", "fuse_updates"}) {
    Network without({.disabled_passes = {pass}});
    EXPECT_NEAR(without.train(3), expected, 1e-3) << "without " << pass;
  }
}

TEST(Plan, GivesTheSameBitsEachTime) {
  for (int threads : {1, 2}) {
    const ScopedNumThreads scope(threads);
    Network a({});
    Network b({});
    a.train(5);
    b.train(5);
    for (const std::string& name : a.session().variables().names()) {
      EXPECT_TRUE(a.session().variables().get(name).same_bits(b.session().variables().get(name)))
          << name << " with " << threads << " threads";
    }
  }
}

TEST(Plan, PredictsBetweenTrainingStepsWhateverTheLayouts) {
  Network network({});
  Network oracle({.kernels = &reference_kernels(), .disabled_passes = {"all"}});
  for (int i = 0; i < 3; ++i) {
    network.train(1);
    oracle.train(1);
    const Tensor expected = oracle.predict();
    const Tensor actual = network.predict();
    for (int64_t e = 0; e < expected.num_elements(); ++e)
      ASSERT_NEAR(expected.at(e), actual.at(e), 2e-3);
  }
}

TEST(Plan, SharesMemoryAmongIntermediates) {
  Network network({});
  const Callable::Memory memory = network.step().memory(network.batch());
  EXPECT_LT(memory.arena_bytes, memory.intermediate_bytes * 7 / 10);
}

TEST(Plan, ExplainsFusionsLayoutsAndMemory) {
  Network network({});
  const std::string text = network.step().explain(network.batch());
  for (const char* word :
       {"_FusedConv2D", "_FusedMatMul", "_FusedResourceApply", "layout changes", "arena"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " is missing in\n" << text;
  }
}

TEST(Plan, WritesOverAnInputOnlyWhenNobodyReadsItLater) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {64}, {.name = "x"});
  const Output a = exp(x);
  const Output b = neg(a);  // could overwrite a ...
  const Output c = a + b;   // ... but a is read again
  Session session(graph, {.disabled_passes = {"all"}});
  const std::vector<Tensor> values = session.run({{x, Tensor::zeros(kFloat32, {64})}}, {a, b, c});
  EXPECT_EQ(values[0].at(5), 1);
  EXPECT_EQ(values[1].at(5), -1);
  EXPECT_EQ(values[2].at(5), 0);
}

TEST(Plan, RefusesATensorWhoseBytesNoMemoryHolds) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat64, {}, {.name = "x"});
  const auto filled = [&](int64_t count) {
    return fill(IntVector(constant(graph, Tensor::of<int64_t>({count}))), x);
  };
  // 2^61 elements of 8 bytes: the product wraps around to nothing.
  const Output huge = reduce_sum(filled(int64_t{1} << 61));
  // 2^59 elements each: the sum does.
  const std::vector<Output> large = {filled(int64_t{1} << 59), neg(filled(int64_t{1} << 59)),
                                     exp(filled(int64_t{1} << 59)), abs(filled(int64_t{1} << 59))};
  for (const std::vector<std::string>& disabled :
       {std::vector<std::string>{}, std::vector<std::string>{"all"}}) {
    Session session(graph, {.disabled_passes = disabled});
    expect_error(
        Code::kResourceExhausted,
        [&] {
          session.run(huge, {{x, Tensor(1.0)}});
        },
        "Fill", "float64[2305843009213693952]");
    expect_error(Code::kResourceExhausted, [&] { session.run({{x, Tensor(1.0)}}, large); });
  }
}

TEST(Plan, RefusesAnOutputThatIsNotOfTheInferredShape) {
  // Infers less than it knows, and something else.
  static constexpr OpDef kRows[] = {{.name = "TestAnswer",
                                     .inputs = {"x: int64"},
                                     .outputs = {"y: float"},
                                     .doc = "As many numbers as rows, or so it says.",
                                     .shape =
                                         [](ShapeContext& c) {
                                           const int64_t rows = c.input(0).dim(0);
                                           c.set_output(
                                               0, rows == kUnknownDim ? Shape{1000} : Shape{rows});
                                         },
                                     .no_gradient = "it is made for a test"}};
  constexpr KernelDef kKernels[] = {{"TestAnswer", "test", [](const KernelRequest& request) {
                                       const Shape shape = request.outputs[0].shape;
                                       return make_kernel([shape](KernelContext& c) {
                                         std::fill_n(c.output<float>(), shape.num_elements(), 1.f);
                                       });
                                     }}};
  OpRegistry ops = standard_ops();
  ops.add(kRows);
  KernelRegistry kernels = standard_kernels();
  kernels.add(kKernels);
  Graph graph(ops);
  const Output x = placeholder(graph, kFloat32, {3}, {.name = "x"});
  const Output y = graph.add("TestAnswer", {where(greater(x, 0.0))}, {}, {.name = "odd"}).output();
  ASSERT_EQ(y.shape(), Shape{1000});
  Session session(graph, {.kernels = &kernels});
  expect_error(
      Code::kInternal,
      [&] {
        session.run(y, {{x, Tensor::of<float>({1, -1, 1})}});
      },
      "odd", "[1000]", "[2]");
}

// A kernel that may write either output over its input, which suits when the other is not needed.
class TwoOutputs : public ::testing::Test {
 protected:
  static constexpr OpDef kRows[] = {{.name = "TestDoubleAndTriple",
                                     .inputs = {"x: float"},
                                     .outputs = {"twice: float", "thrice: float"},
                                     .doc = "Both.",
                                     .shape =
                                         [](ShapeContext& c) {
                                           c.set_output(0, c.input(0));
                                           c.set_output(1, c.input(0));
                                         },
                                     .no_gradient = "it is made for a test"}};
  static KernelPtr make(const KernelRequest& request) {
    const int64_t count = request.inputs[0].shape.num_elements();
    return make_kernel(
        [count](KernelContext& c) {
          for (int64_t i = 0; i < count; ++i) {
            const float x = c.input<float>(0)[i];
            c.output<float>(1)[i] = 3 * x;
            c.output<float>(0)[i] = 2 * x;
          }
        },
        {.in_place = {{0, 0}, {0, 1}}});
  }
  TwoOutputs() {
    static constexpr KernelDef kKernels[] = {{"TestDoubleAndTriple", "test", make}};
    ops_.add(kRows);
    kernels_.add(kKernels);
  }
  OpRegistry ops_ = standard_ops();
  KernelRegistry kernels_ = standard_kernels();
};

TEST_F(TwoOutputs, NeverShareTheirInputsMemory) {
  Graph graph(ops_);
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "x"});
  Node& node = graph.add("TestDoubleAndTriple", {exp(x)});
  const Output twice = node.output(0) + 1.0;
  const Output thrice = node.output(1) + 1.0;
  Session session(graph, {.kernels = &kernels_, .disabled_passes = {"all"}});
  const std::vector<Feed> feeds = {{x, Tensor::zeros(kFloat32, {2})}};
  EXPECT_EQ(session.run(thrice, feeds).to_string(), "float32[2] [4, 4]");
  EXPECT_EQ(session.run(twice, feeds).to_string(), "float32[2] [3, 3]");
  EXPECT_EQ(session.run(feeds, {twice, thrice})[1].to_string(), "float32[2] [4, 4]");
}

TEST(Plan, RunsSideBySideWithOneThatWantsAnotherLayoutOfAVariable) {
  Graph graph(standard_ops());
  const Variable w(graph, normal({512, 512}, 0.1, 3), {.name = "w"});
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 512}, {.name = "x"});
  Session session(graph);
  session.initialize();
  const Callable product = session.make_callable({x}, {matmul(x, w)});
  const auto differing_runs = [&](int64_t rows, std::atomic<int>& bad) {
    const std::vector<Tensor> feeds = {normal({rows, 512}, 1, 7)};
    const Tensor expected = product(feeds)[0];
    for (int i = 0; i < 100; ++i) bad += product(feeds)[0].same_bits(expected) ? 0 : 1;
  };
  std::atomic<int> bad = 0;
  std::thread other([&] { differing_runs(1, bad); });
  differing_runs(64, bad);
  other.join();
  EXPECT_EQ(bad, 0);
}

}  // namespace
}  // namespace thalweg::testing
