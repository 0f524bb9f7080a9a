// Values, and shapes of variables, that no shape function has seen: what only a run can refuse.
#include <gtest/gtest.h>

#include <cfloat>
#include <cstring>

#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;

class FedValuesTest : public ::testing::Test {
 protected:
  Output fed(DType dtype, const Shape& shape, const Tensor& value) {
    const Output x = placeholder(graph_, dtype, shape);
    feeds_.push_back({x, value});
    return x;
  }
  // A variable whose declaration tells no shape.
  Output open_variable(const std::string& name, const Tensor& value) {
    const Output handle =
        graph_
            .add("VarHandleOp", {}, {{"dtype", value.dtype()}, {"shape", Shape::unknown()}},
                 {.name = name})
            .output();
    session_.run(graph_.add("AssignVariableOp", {handle, constant(graph_, value)}));
    return handle;
  }
  Tensor value_of(Output handle, DType dtype) {
    return session_.run(graph_.add("ReadVariableOp", {handle}, {{"dtype", dtype}}).output());
  }
  Tensor run(Output x) { return session_.run(x, feeds_); }
  void run(Node& node) { session_.run(node, feeds_); }

  Graph graph_{standard_ops()};
  Session session_{graph_};
  std::vector<Feed> feeds_;
};

TEST_F(FedValuesTest, RowsOfSlotsAreThoseOfTheVariable) {
  const Output var = open_variable("var", Tensor::zeros(kFloat32, Shape{1000, 2}));
  const Output accum = open_variable("accum", Tensor::zeros(kFloat32, Shape{1, 2}));
  const Output lr = constant(graph_, Tensor(0.1f));
  Node& update =
      graph_.add("ResourceSparseApplyAdagrad",
                 {var, accum, lr, fed(kFloat32, Shape{1, 2}, Tensor::of<float>({1, 1}, {1, 2})),
                  fed(kInt32, Shape{1}, Tensor::of<int32_t>({999}))});
  expect_error(
      Code::kInvalidArgument, [&] { run(update); }, "slot `accum`", "[1, 2]", "[1000, 2]");
}

TEST_F(FedValuesTest, RowsAreCheckedBeforeTheFirstIsChanged) {
  const Output var = open_variable("var", Tensor::of<float>({1, 2}));
  Node& update =
      graph_.add("ResourceSparseApplyProximalGradientDescent",
                 {var, constant(graph_, Tensor(1.0f)), constant(graph_, Tensor(0.0f)),
                  constant(graph_, Tensor(0.0f)), constant(graph_, Tensor::of<float>({1, 1})),
                  fed(kInt32, Shape{2}, Tensor::of<int32_t>({0, 2}))});
  expect_error(
      Code::kInvalidArgument, [&] { run(update); }, "indices[1] is 2");
  EXPECT_EQ(value_of(var, kFloat32).to_string(), "float32[2] [1, 2]");
}

TEST_F(FedValuesTest, DivisorsAreCheckedBeforeTheFirstCellIsChanged) {
  const Output var = open_variable("var", Tensor::of<int32_t>({8, 6}));
  Node& divide = graph_.add("ResourceScatterDiv",
                            {var, constant(graph_, Tensor::of<int32_t>({0, 1})),
                             fed(kInt32, Shape{2}, Tensor::of<int32_t>({2, 0}))},
                            {{"dtype", kInt32}});
  expect_error(
      Code::kInvalidArgument, [&] { run(divide); }, "division by zero");
  EXPECT_EQ(value_of(var, kInt32).to_string(), "int32[2] [8, 6]");
}

TEST_F(FedValuesTest, AScalarVariableHasNoRows) {
  const Output var = open_variable("var", Tensor(1.0f));
  Node& add = graph_.add("ResourceScatterAdd",
                         {var, fed(kInt32, Shape{1}, Tensor::of<int32_t>({0})),
                          constant(graph_, Tensor::of<float>({1}))},
                         {{"dtype", kFloat32}});
  expect_error(
      Code::kInvalidArgument, [&] { run(add); }, "`var` is a scalar");
}

TEST_F(FedValuesTest, OnlyAScalarIsCountedUp) {
  const Output var = open_variable("var", Tensor::of<int32_t>({1, 2, 3}));
  const Output count =
      graph_.add("ResourceCountUpTo", {var}, {{"limit", int64_t{5}}, {"T", kInt32}}).output();
  expect_error(
      Code::kInvalidArgument, [&] { run(count); }, "`var`", "[3]", "scalar");
}

TEST_F(FedValuesTest, FiltersFitTheirImages) {
  const auto backprop = [&](const char* op, const Tensor& sizes) {
    feeds_.clear();
    return graph_
        .add(op,
             {constant(graph_, Tensor::zeros(kFloat32, Shape{1, 2, 2, 3})),
              fed(kInt32, Shape{4}, sizes),
              constant(graph_, Tensor::zeros(kFloat32, Shape{1, 2, 2, 3}))},
             {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", std::string("SAME")}})
        .output();
  };
  const char* const depthwise = "DepthwiseConv2dNativeBackpropFilter";
  const char* const dense = "Conv2DBackpropFilter";
  for (const Tensor& sizes :
       {Tensor::of<int32_t>({1, 1000, 0, 1}), Tensor::of<int32_t>({1, 1, 2, 1}),
        Tensor::of<int32_t>({1, 1, -1, 1})}) {
    const Output x = backprop(depthwise, sizes);
    expect_error(Code::kInvalidArgument, [&] { run(x); });
  }
  for (const Tensor& sizes :
       {Tensor::of<int32_t>({1, 1000, 0, 3}), Tensor::of<int32_t>({1, 1, 2, 3}),
        Tensor::of<int32_t>({-1, 1, 3, 3})}) {
    const Output x = backprop(dense, sizes);
    expect_error(Code::kInvalidArgument, [&] { run(x); });
  }
  EXPECT_EQ(run(backprop(depthwise, Tensor::of<int32_t>({1, 1, 3, 1}))).num_elements(), 3);
  EXPECT_EQ(run(backprop(dense, Tensor::of<int32_t>({1, 1, 3, 3}))).num_elements(), 9);
}

TEST_F(FedValuesTest, PooledImagesHaveNoNegativeSizes) {
  const std::vector<int64_t> window = {1, 1, 1, 1};
  const Output x =
      graph_
          .add("AvgPoolGrad",
               {fed(kInt32, Shape{4}, Tensor::of<int32_t>({1, -1, 2, 1})),
                constant(graph_, Tensor::zeros(kFloat32, Shape{1, 2, 2, 1}))},
               {{"ksize", window}, {"strides", window}, {"padding", std::string("VALID")}})
          .output();
  expect_error(
      Code::kInvalidArgument, [&] { run(x); }, "negative");
}

TEST_F(FedValuesTest, SignalsHaveNoNegativeLength) {
  const Tensor spectrum = Tensor::of<float>({1, 2, 3}).cast(kComplex64);
  for (int32_t length : {-1, -4}) {
    feeds_.clear();
    const Output x = graph_
                         .add("IRFFT", {constant(graph_, spectrum),
                                        fed(kInt32, Shape{1}, Tensor::of<int32_t>({length}))})
                         .output();
    expect_error(
        Code::kInvalidArgument, [&] { run(x); }, "negative", str(length));
  }
}

TEST_F(FedValuesTest, EmptyRowsNeedRows) {
  const auto filled = [&](const Shape& indices, const Tensor& shape) {
    feeds_.clear();
    return graph_
        .add("SparseFillEmptyRows",
             {constant(graph_, Tensor::zeros(kInt64, indices)),
              constant(graph_, Tensor::zeros(kFloat32, Shape{indices[0]})),
              fed(kInt64, shape.shape(), shape), constant(graph_, Tensor(0.0f))})
        .output();
  };
  const Output negative = filled(Shape{0, 2}, Tensor::of<int64_t>({-1, 2}));
  expect_error(
      Code::kInvalidArgument, [&] { run(negative); }, "no rows");
  const Output many = filled(Shape{0, 2}, Tensor::of<int64_t>({int64_t{1} << 50, 2}));
  expect_error(Code::kResourceExhausted, [&] { run(many); });
}

TEST_F(FedValuesTest, ResultsThatNoMemoryHoldsAreRefused) {
  const int64_t many = int64_t{1} << 50;
  const Output indices = constant(graph_, Tensor::zeros(kInt64, Shape{0, 2}));
  const Output product = graph_
                             .add("SparseTensorDenseMatMul",
                                  {indices, constant(graph_, Tensor::zeros(kFloat32, Shape{0})),
                                   fed(kInt64, Shape{2}, Tensor::of<int64_t>({many, 2})),
                                   constant(graph_, Tensor::zeros(kFloat32, Shape{2, 2}))})
                             .output();
  expect_error(Code::kResourceExhausted, [&] { run(product); });
  feeds_.clear();
  const Output zero = constant(graph_, Tensor::of<int32_t>({0}));
  const Output means = graph_
                           .add("SparseSegmentMeanWithNumSegments",
                                {constant(graph_, Tensor::of<float>({1}, {1, 1})), zero, zero,
                                 fed(kInt64, Shape{}, Tensor(many))})
                           .output();
  expect_error(Code::kResourceExhausted, [&] { run(means); });
  feeds_.clear();
  const Output sums = graph_
                          .add("UnsortedSegmentSum", {constant(graph_, Tensor::of<float>({1})),
                                                      zero, fed(kInt64, Shape{}, Tensor(many))})
                          .output();
  expect_error(Code::kResourceExhausted, [&] { run(sums); });
  feeds_.clear();
  const Output cells = graph_
                           .add("ScatterNd", {constant(graph_, Tensor::of<int64_t>({0}, {1, 1})),
                                              constant(graph_, Tensor::of<float>({1})),
                                              fed(kInt64, Shape{1}, Tensor::of<int64_t>({many}))})
                           .output();
  expect_error(Code::kResourceExhausted, [&] { run(cells); });
}

// The largest double lies in no bucket but the last, which ends there.
TEST_F(FedValuesTest, HistogramsTakeTheLargestNumber) {
  const Output summary =
      graph_
          .add("HistogramSummary", {constant(graph_, Tensor(std::string("h"))),
                                    constant(graph_, Tensor::of<double>({DBL_MAX, 1, DBL_MAX}))})
          .output();
  const std::string message = run(summary).item<std::string>();
  const double count = 2;
  ASSERT_GE(message.size(), sizeof count);
  EXPECT_EQ(std::memcmp(message.data() + message.size() - sizeof count, &count, sizeof count), 0);
}

}  // namespace
}  // namespace thalweg
