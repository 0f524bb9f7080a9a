"""Element-wise ops, reductions, products, convolutions, pooling, losses, movement and indexing."""

import numpy as np
import tensorflow as tf

from golden import Case, binary, convolution, i32, inside, ints, normal, positive, reduction, unary


def cases():
    for op in ["Neg", "Abs", "Sign", "Exp", "Expm1", "Square", "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh", "Tanh",
               "Sigmoid", "Erf", "Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "Softmax", "LogSoftmax",
               "L2Loss"]:
        yield from unary(op)
    for op in ["Floor", "Ceil", "Round", "Rint", "IsNan", "IsInf", "IsFinite"]:
        yield from unary(op, slope=False)
    for op in ["Log", "Log1p", "Sqrt", "Rsqrt", "Reciprocal"]:
        yield from unary(op, positive)
    for op in ["Asin", "Acos"]:
        yield from unary(op, inside)
    yield from unary("LeakyRelu", alpha=0.1)
    for op in ["AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "Atan2"]:
        yield from binary(op)
    for op in ["RealDiv", "DivNoNan"]:
        yield from binary(op, normal, positive)
    yield from binary("Pow", positive, normal)
    for op in ["FloorDiv", "FloorMod"]:
        yield from binary(op, normal, positive, slope=False)
    for op in ["Less", "LessEqual", "Greater", "GreaterEqual"]:
        yield from binary(op, slope=False)
    yield Case("FloorDiv", {"x": i32(7, -7, 7, -7), "y": i32(2, 2, -2, -2)})
    yield Case("FloorMod", {"x": i32(7, -7, 7, -7), "y": i32(2, 2, -2, -2)})
    yield Case("Equal", {"x": i32(1, 2, 3), "y": i32(1, 5, 3)}, incompatible_shape_error=True)
    yield Case("NotEqual", {"x": i32(1, 2, 3), "y": i32(1, 5, 3)}, incompatible_shape_error=True)
    bools = np.array([[True, False, True], [False, True, False]])
    yield Case("LogicalNot", {"x": bools})
    yield Case("LogicalAnd", {"x": bools, "y": bools[:1]})
    yield Case("LogicalOr", {"x": bools, "y": bools[:1]})
    yield Case("SelectV2", {"condition": bools, "t": normal(2, 3), "e": normal(3)}, ["t", "e"])
    yield Case("AddN", {"inputs": [normal(2, 3), normal(2, 3), normal(2, 3)]})
    yield Case("Cast", {"x": normal(5) * 3}, DstT=tf.int32)
    for op in ["Sum", "Mean", "Max", "Min", "Prod"]:
        yield from reduction(op)
    for op in ["Any", "All"]:
        yield Case(op, {"input": bools, "axis": i32(1)})
    yield Case("ArgMax", {"input": normal(3, 5), "dimension": np.int32(1)})
    yield Case("ArgMin", {"input": normal(3, 5), "dimension": np.int32(0)})
    yield Case("Cumsum", {"x": normal(3, 4), "axis": np.int32(1)}, ["x"])
    yield Case("Cumsum", {"x": normal(3, 4), "axis": np.int32(0)}, ["x"], exclusive=True, reverse=True)
    for ta in [False, True]:
        for tb in [False, True]:
            yield Case("MatMul", {"a": normal(*((4, 3) if ta else (3, 4))), "b": normal(*((5, 4) if tb else (4, 5)))},
                       ["a", "b"], transpose_a=ta, transpose_b=tb)
    yield Case("BatchMatMulV2", {"x": normal(2, 3, 4), "y": normal(2, 4, 5)}, ["x", "y"])
    yield Case("BatchMatMulV2", {"x": normal(2, 1, 4, 3), "y": normal(3, 5, 4)}, ["x", "y"], adj_x=True, adj_y=True)
    yield Case("Einsum", {"inputs": [normal(2, 3, 4), normal(2, 4, 5)]}, equation="bij,bjk->bik")
    yield Case("Einsum", {"inputs": [normal(3, 4), normal(4)]}, equation="ij,j->i")
    yield Case("BiasAdd", {"value": normal(2, 3, 4), "bias": normal(4)}, ["value", "bias"])
    for padding in ["SAME", "VALID"]:
        for strides, dilations in [((1, 1), (1, 1)), ((2, 2), (1, 1)), ((2, 1), (1, 1)), ((1, 1), (2, 2))]:
            yield convolution("Conv2D", (3, 2, 3, 4), padding=padding, strides=[1, *strides, 1],
                              dilations=[1, *dilations, 1])
    yield convolution("Conv2D", (3, 3, 2, 2), padding="EXPLICIT", strides=[1, 1, 1, 1],
                      explicit_paddings=[0, 0, 2, 1, 0, 1, 0, 0])
    yield convolution("DepthwiseConv2dNative", (3, 3, 2, 2), padding="SAME", strides=[1, 1, 1, 1])
    yield convolution("DepthwiseConv2dNative", (2, 2, 3, 1), padding="VALID", strides=[1, 2, 2, 1])
    for padding in ["SAME", "VALID"]:
        yield Case("MaxPool", {"input": normal(2, 5, 6, 3)}, ["input"], ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1],
                   padding=padding)
        yield Case("AvgPool", {"value": normal(2, 5, 6, 3)}, ["value"], ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1],
                   padding=padding)
    scale, offset = positive(3), normal(3)
    empty = np.zeros([0], np.float32)
    yield Case("FusedBatchNormV3", {"x": normal(4, 3, 2, 3), "scale": scale, "offset": offset, "mean": empty,
                                    "variance": empty}, ["x", "scale", "offset"],
               outputs=["y", "batch_mean", "batch_variance"], tolerance=1e-4, epsilon=0.001, is_training=True)
    yield Case("FusedBatchNormV3", {"x": normal(4, 3, 2, 3), "scale": scale, "offset": offset, "mean": normal(3),
                                    "variance": positive(3)}, ["x", "scale", "offset"], outputs=["y"], tolerance=1e-4,
               epsilon=0.001, is_training=False)
    labels = np.abs(normal(4, 5)) + 0.1
    labels /= labels.sum(axis=1, keepdims=True)
    yield Case("SoftmaxCrossEntropyWithLogits", {"features": normal(4, 5), "labels": labels}, ["features"])
    for dtype in [np.int32, np.int64]:
        yield Case("SparseSoftmaxCrossEntropyWithLogits", {"features": normal(4, 5), "labels": ints(0, 5, 4, dtype=dtype)},
                   ["features"])
    yield Case("Shape", {"input": normal(2, 3)})
    yield Case("Rank", {"input": normal(2, 3)})
    yield Case("Size", {"input": normal(2, 3)})
    yield Case("Reshape", {"tensor": normal(2, 6), "shape": i32(3, -1)}, ["tensor"])
    yield Case("Transpose", {"x": normal(2, 3, 4), "perm": i32(2, 0, 1)}, ["x"])
    yield Case("ExpandDims", {"input": normal(2, 3), "axis": np.int32(-1)}, ["input"])
    yield Case("Squeeze", {"input": normal(1, 3, 1, 2)}, ["input"], axis=[0])
    yield Case("ConcatV2", {"values": [normal(2, 3), normal(2, 1)], "axis": np.int32(1)})
    yield Case("Split", {"axis": np.int32(1), "value": normal(2, 6)}, ["value"], num_split=3)
    yield Case("SplitV", {"value": normal(2, 6), "size_splits": i32(1, 2, 3), "axis": np.int32(1)}, ["value"], num_split=3)
    yield Case("Pack", {"values": [normal(2, 3), normal(2, 3)]}, axis=1)
    yield Case("Unpack", {"value": normal(2, 3)}, ["value"], num=3, axis=1)
    yield Case("Slice", {"input": normal(4, 5), "begin": i32(1, 2), "size": i32(2, -1)}, ["input"])
    yield Case("StridedSlice", {"input": normal(4, 6), "begin": i32(3, 1), "end": i32(0, 6), "strides": i32(-1, 2)},
               ["input"])
    yield Case("StridedSlice", {"input": normal(4, 6), "begin": i32(1, 0), "end": i32(2, 3), "strides": i32(1, 1)},
               ["input"], shrink_axis_mask=1, begin_mask=2)
    yield Case("PadV2", {"input": normal(2, 3), "paddings": np.array([[1, 0], [2, 1]], np.int32),
                         "constant_values": np.float32(1.5)}, ["input"])
    for mode in ["REFLECT", "SYMMETRIC"]:
        yield Case("MirrorPad", {"input": normal(3, 4), "paddings": np.array([[1, 1], [2, 1]], np.int32)}, ["input"],
                   mode=mode)
    yield Case("Tile", {"input": normal(2, 3), "multiples": i32(2, 1)}, ["input"])
    yield Case("Fill", {"dims": i32(2, 3), "value": np.float32(2.5)}, ["value"])
    yield Case("Range", {"start": np.int32(2), "limit": np.int32(11), "delta": np.int32(3)})
    yield Case("BroadcastTo", {"input": normal(3, 1), "shape": i32(2, 3, 4)}, ["input"])
    yield Case("ZerosLike", {"x": normal(2, 2)})
    yield Case("OnesLike", {"x": normal(2, 2)})
    yield Case("OneHot", {"indices": i32(0, 2, -1, 1), "depth": np.int32(3), "on_value": np.float32(2),
                          "off_value": np.float32(-1)}, axis=-1)
    yield Case("GatherV2", {"params": normal(4, 3), "indices": i32(3, 0, 3), "axis": np.int32(0)}, ["params"])
    yield Case("GatherV2", {"params": normal(2, 4, 3), "indices": i32(1, 1), "axis": np.int32(1)}, ["params"])
    yield Case("GatherNd", {"params": normal(3, 4), "indices": np.array([[0, 1], [2, 3]], np.int32)}, ["params"])
    yield Case("ScatterNd", {"indices": np.array([[4], [1], [4]], np.int32), "updates": normal(3), "shape": i32(6)},
               ["updates"])
    yield Case("ReverseV2", {"tensor": normal(3, 4), "axis": i32(1)}, ["tensor"])
    yield Case("TopKV2", {"input": normal(3, 6), "k": np.int32(2)}, ["input"], outputs=["values", "indices"])
    yield Case("Where", {"condition": bools})
    yield Case("UnsortedSegmentSum", {"data": normal(4, 2), "segment_ids": i32(2, 0, 2, 1), "num_segments": np.int32(3)},
               ["data"])
    yield from complex_arithmetic()


def complex_arithmetic():
    def signal(*shape):
        return (normal(*shape) + 1j * normal(*shape)).astype(np.complex64)

    for op in ["AddV2", "Sub", "Mul", "RealDiv"]:
        yield Case(op, {"x": signal(2, 3), "y": signal(3)}, ["x", "y"])
    for op in ["Neg", "Exp", "Square"]:
        yield Case(op, {"x": signal(3)}, ["x"])
    for op in ["Sum", "Mean"]:
        yield Case(op, {"input": signal(2, 3), "axis": i32(1)}, ["input"])
    yield Case("AddN", {"inputs": [signal(2), signal(2)]})
    yield Case("Cast", {"x": normal(3)}, ["x"], DstT=tf.complex64)
    yield Case("Cast", {"x": signal(3)}, ["x"], DstT=tf.float32)
    yield Case("Reshape", {"tensor": signal(2, 3), "shape": i32(3, 2)}, ["tensor"])
    yield Case("Transpose", {"x": signal(2, 3), "perm": i32(1, 0)}, ["x"])
    yield Case("ConcatV2", {"values": [signal(2), signal(1)], "axis": np.int32(0)})
    yield Case("MatMul", {"a": signal(2, 3), "b": signal(3, 2)}, ["a", "b"])
    yield Case("BatchMatMulV2", {"x": signal(2, 3, 2), "y": signal(2, 3)}, ["x", "y"], adj_x=True, adj_y=True)
