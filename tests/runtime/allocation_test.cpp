// A training step in steady state allocates nothing on the heap: counted by replacing operator new.
// What oneDNN allocates inside its own execute calls (an argument map) is told apart by the
// caller's address and reported.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "thalweg/autodiff/gradients.h"
#include "thalweg/base/parallel.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/control.h"
#include "thalweg/ops/functional.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/loss.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/training.h"
#include "thalweg/ops/unary.h"
#include "thalweg/runtime/session.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<int> ours{0};
std::atomic<int> library{0};

void count(const void* caller) {
  if (!counting.load(std::memory_order_relaxed)) return;
  Dl_info info{};
  const bool in_library = dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
                          std::strstr(info.dli_fname, "dnnl") != nullptr;
  (in_library ? library : ours).fetch_add(1);
}

void* allocate(size_t size, size_t alignment) {
  void* memory = alignment == 0 ? std::malloc(size == 0 ? 1 : size)
                                : std::aligned_alloc(
                                      alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) {
  count(__builtin_return_address(0));
  return allocate(size, 0);
}
void* operator new(size_t size, std::align_val_t alignment) {
  count(__builtin_return_address(0));
  return allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace thalweg {
namespace {

TEST(Allocations, ATrainingStepMakesNone) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 64}, {.name = "x"});
  const Output labels = placeholder(graph, kInt64, {kUnknownDim}, {.name = "labels"});
  Tensor weights(kFloat32, {64, 32});
  float next = 0;
  for (float& w : weights.mutable_data<float>())
    w = 0.01f * static_cast<float>(static_cast<int>(next++) % 7);
  const Variable w(graph, weights, {.name = "w"});
  const Variable b(graph, Tensor::zeros(kFloat32, {32}), {.name = "b"});
  const Output loss = reduce_mean(
      sparse_softmax_cross_entropy_with_logits(thalweg::tanh(matmul(x, w) + b) * 2.0, labels));
  const std::vector<Output> slopes = gradients({loss}, {w, b});
  const Output rate = constant(graph, Tensor(0.1f));
  Node& step = group({&apply_gradient_descent(w.handle(), rate, slopes[0]),
                      &apply_gradient_descent(b.handle(), rate, slopes[1])});
  Session session(graph);
  session.initialize();
  const Callable call = session.make_callable({x, labels}, {loss}, {&step});
  const std::vector<Tensor> batch = {Tensor::zeros(kFloat32, {32, 64}),
                                     Tensor::zeros(kInt64, {32})};
  std::vector<Tensor> results(1);

  for (int threads : {1, 2}) {
    const ScopedNumThreads scope(threads);
    for (int i = 0; i < 3; ++i) call.run(batch, results);
    ours = library = 0;
    counting = true;
    for (int i = 0; i < 10; ++i) call.run(batch, results);
    counting = false;
    EXPECT_EQ(ours.load(), 0) << "allocations of thalweg in 10 steps with " << threads
                              << " threads";
    std::printf("%d threads: 0 wanted, %d of thalweg, %d inside oneDNN, in 10 steps\n", threads,
                ours.load(), library.load());
  }
}

// A run of a loop may allocate a little; an iteration may not.
TEST(Allocations, AnIterationOfALoopMakesNone) {
  Graph graph(standard_ops());
  const Output n = placeholder(graph, kInt32, {});
  const Output x = placeholder(graph, kFloat32, {16});
  const Outputs last =
      while_loop([&](Output i, Output) { return less(i, n); },
                 [&](Output i, Output y) {
                   return Outputs{i + 1.0, cond(
                                               less(i, constant(graph, Tensor(5))),
                                               [&] { return y * 1.5; }, [&] { return y * 0.5; })};
                 },
                 {constant(graph, Tensor(0)), x});
  Session session(graph);
  const Callable call = session.make_callable({n, x}, {last[1]});
  const auto allocations = [&](int iterations) {
    const std::vector<Tensor> feeds = {Tensor(iterations), Tensor::zeros(kFloat32, {16})};
    std::vector<Tensor> results(1);
    for (int i = 0; i < 3; ++i) call.run(feeds, results);
    ours = library = 0;
    counting = true;
    call.run(feeds, results);
    counting = false;
    return ours.load();
  };
  const int few = allocations(10);
  EXPECT_EQ(allocations(1000), few);
  EXPECT_LE(few, 20);
}

}  // namespace
}  // namespace thalweg
