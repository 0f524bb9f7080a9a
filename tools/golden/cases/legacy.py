"""Names that old graphs hold, ops that hand their input on, norms, clipping, shifts, counting."""

import numpy as np
import tensorflow as tf

from golden import Case, i32, inside, ints, normal, positive

INF, NAN = np.inf, np.nan


def f32(*values):
    return np.array(values, np.float32)


def i64(*values):
    return np.array(values, np.int64)


def legacy():
    for op in ["Mod", "TruncateMod"]:
        yield Case(op, {"x": i32(7, -7, 7, -7, -2147483648), "y": i32(3, 3, -3, -3, -1)})
        yield Case(op, {"x": normal(3, 4) * 5, "y": positive(4)})
        yield Case(op, {"x": f32(INF, NAN, 1, -0.0, 5), "y": f32(2, 2, 0, 3, INF)})
    yield Case("BatchMatMul", {"x": normal(2, 3, 4), "y": normal(2, 4, 2)}, ["x", "y"])
    yield Case("BatchMatMul", {"x": normal(2, 4, 3), "y": normal(2, 2, 4)}, ["x", "y"], adj_x=True, adj_y=True)
    yield Case("BatchMatMulV3", {"x": normal(2, 3, 4), "y": normal(4, 2)}, ["x", "y"], Tout=tf.float32)
    yield Case("BatchMatMulV3", {"x": ints(-128, 128, 2, 3, dtype=np.int8), "y": ints(-128, 128, 3, 2, dtype=np.int8)},
               Tout=tf.int32, adj_x=False)
    yield Case("BatchMatMulV3", {"x": ints(0, 256, 3, 2, dtype=np.uint8), "y": ints(-128, 128, 3, 2, dtype=np.int8)},
               Tout=tf.int32, adj_x=True)
    yield Case("Gather", {"params": normal(4, 3), "indices": i32(3, 0, 3)}, ["params"])
    yield Case("Gather", {"params": normal(5), "indices": i64(4, 1).reshape(2, 1)}, ["params"])
    yield Case("Gather", {"params": normal(5, 2), "indices": np.zeros((0,), np.int32)})
    yield Case("Concat", {"concat_dim": np.int32(1), "values": [normal(2, 3), normal(2, 1)]})
    yield Case("Concat", {"concat_dim": np.int32(-2), "values": [normal(1, 2), normal(0, 2), normal(2, 2)]})
    yield Case("ConcatOffset", {"concat_dim": np.int32(1), "shape": [i32(2, 3, 5), i32(2, 7, 5), i32(2, 1, 5)]})
    yield Case("ConcatOffset", {"concat_dim": np.int32(-1), "shape": [i32(2, 3), i32(2, 0)]})
    yield Case("Reverse", {"tensor": normal(2, 3, 2), "dims": np.array([True, False, True])}, ["tensor"])
    yield Case("Reverse", {"tensor": i32(1, 2, 3), "dims": np.array([True])})
    yield Case("Reverse", {"tensor": np.array([b"a", b"b"], object), "dims": np.array([True])})
    yield Case("BiasAddV1", {"value": normal(2, 3, 4), "bias": normal(4)}, ["value", "bias"])
    yield Case("BiasAddV1", {"value": ints(-9, 9, 2, 2), "bias": i32(2147483647, 1)})


def passing():
    yield Case("EnsureShape", {"input": normal(2, 3)}, ["input"], shape=[None, 3])
    yield Case("IdentityN", {"input": [normal(2), i32(1, 2), np.array([b"a"], object)]})
    yield Case("Snapshot", {"input": normal(2, 3)})
    yield Case("PreventGradient", {"input": i32(1, 2)}, message="never")
    yield Case("GuaranteeConst", {"input": normal(3)})
    yield Case("CheckNumericsV2", {"tensor": normal(3)}, ["tensor"], message="x")
    yield Case("Bitcast", {"input": np.array([[1.5], [-2]])}, type=tf.uint8)
    yield Case("Bitcast", {"input": f32(1, -2, INF)}, type=tf.int32)
    yield Case("Bitcast", {"input": ints(-128, 128, 2, 8, dtype=np.int8)}, type=tf.int64)
    yield Case("Bitcast", {"input": ints(-128, 128, 4, dtype=np.int8)}, type=tf.uint32)
    yield Case("ShapeN", {"input": [normal(2, 3), normal(0, 4)]}, out_type=tf.int64)
    yield Case("ShapeN", {"input": [np.float32(1)]})
    yield Case("BroadcastArgs", {"s0": i32(2, 1), "s1": i32(3, 1, 5)})
    yield Case("BroadcastArgs", {"s0": i32(), "s1": i32(4)})
    yield Case("BroadcastArgs", {"s0": i64(0), "s1": i64(1)})


def arithmetic():
    yield Case("EuclideanNorm", {"input": normal(3, 4), "axis": i32(1)}, ["input"])
    yield Case("EuclideanNorm", {"input": normal(2, 3, 4), "axis": i32(0, -1)}, ["input"], keep_dims=True)
    yield Case("EuclideanNorm", {"input": normal(0, 2), "axis": i32(0)})
    yield Case("EuclideanNorm", {"input": f32(3, INF), "axis": i32()})
    yield Case("ClipByValue", {"t": normal(3, 4), "clip_value_min": np.float32(-0.5), "clip_value_max": np.float32(0.7)},
               ["t", "clip_value_min", "clip_value_max"])
    yield Case("ClipByValue", {"t": normal(3, 4), "clip_value_min": normal(3, 4) - 1, "clip_value_max": normal(3, 4) + 1},
               ["t", "clip_value_min", "clip_value_max"])
    yield Case("ClipByValue", {"t": f32(NAN, -INF, INF), "clip_value_min": np.float32(-1), "clip_value_max": np.float32(1)})
    yield Case("ClipByValue", {"t": i32(-5, 0, 5), "clip_value_min": np.int32(1), "clip_value_max": np.int32(-1)})
    yield Case("ApproximateEqual", {"x": f32(1, 1, 1, NAN, INF), "y": f32(1.05, 1.2, 0.95, NAN, INF)}, tolerance_=0.1)
    yield Case("Cross", {"a": normal(2, 2, 3), "b": normal(2, 2, 3)}, ["a", "b"])
    yield Case("Cross", {"a": i32(1, 2, 3), "b": i32(4, 5, 6)})
    yield Case("NthElement", {"input": normal(2, 3, 5), "n": np.int32(2)}, ["input"])
    yield Case("NthElement", {"input": normal(4, 5), "n": np.int32(0)}, ["input"], reverse=True)
    yield Case("NthElement", {"input": i32(3, 1, 3, 2), "n": np.int32(2)})
    for exclusive in [False, True]:
        for reverse in [False, True]:
            yield Case("CumulativeLogsumexp", {"x": normal(3, 4), "axis": np.int32(-1)}, ["x"],
                       exclusive=exclusive, reverse=reverse)
    yield Case("CumulativeLogsumexp", {"x": f32(1000, 1001, -1000), "axis": np.int32(0)}, ["x"])
    yield Case("CumulativeLogsumexp", {"x": normal(0, 4), "axis": np.int32(0)})


def rearrange():
    yield Case("Roll", {"input": normal(3, 4), "shift": np.int32(5), "axis": np.int32(1)}, ["input"])
    yield Case("Roll", {"input": normal(3, 4), "shift": i64(-1, 2, 2), "axis": i32(0, -1, 0)}, ["input"])
    yield Case("Roll", {"input": np.array([b"a", b"b", b"c"], object), "shift": i32(1), "axis": i32(0)})
    yield Case("Roll", {"input": normal(0, 2), "shift": i32(1), "axis": i32(0)})
    yield Case("ReverseSequence", {"input": normal(2, 4, 3), "seq_lengths": i64(3, 0)}, ["input"], seq_dim=1)
    yield Case("ReverseSequence", {"input": normal(4, 3), "seq_lengths": i32(4, 1, 2)}, ["input"], seq_dim=0, batch_dim=1)
    yield Case("ReverseSequence", {"input": ints(0, 9, 2, 3), "seq_lengths": i32(2, 3)}, seq_dim=1)
    yield Case("LinSpace", {"start": np.float32(1), "stop": np.float32(2), "num": np.int32(4)})
    yield Case("LinSpace", {"start": np.float32(3), "stop": np.float32(-1), "num": np.int32(1)})
    yield Case("LinSpace", {"start": np.float64(3), "stop": np.float64(-1), "num": np.int64(3)})


def counting():
    yield Case("Bucketize", {"input": f32(-1, 0, 0.5, 1, 5, INF)}, boundaries=[0.0, 1.0, 3.0])
    yield Case("Bucketize", {"input": ints(-4, 12, 2, 3)}, boundaries=[0.0, 5.0])
    yield Case("Bucketize", {"input": i64(3)}, boundaries=[])
    yield Case("UnravelIndex", {"indices": i32(5, 0, 23), "dims": i32(2, 3, 4)})
    yield Case("UnravelIndex", {"indices": np.int64(7), "dims": i64(3, 3)})
    yield Case("HistogramFixedWidth", {"values": f32(-1, 0, 1.5, 2, 5, 15, 4.99), "value_range": f32(0, 5), "nbins": np.int32(5)})
    yield Case("HistogramFixedWidth", {"values": ints(-3, 20, 3, 4), "value_range": i32(0, 10), "nbins": np.int32(3)},
               dtype=tf.int64)
    yield Case("HistogramFixedWidth", {"values": f32(), "value_range": f32(0, 5), "nbins": np.int32(2)})
    yield Case("Bincount", {"arr": i32(1, 2, 1, 7), "size": np.int32(4), "weights": f32()})
    yield Case("Bincount", {"arr": i32(1, 2, 1, 7), "size": np.int32(4), "weights": f32(0.5, 2, 1, 3)})
    yield Case("Bincount", {"arr": i32(), "size": np.int32(2), "weights": i32()})
    yield Case("DenseBincount", {"input": i32(1, 2, 1, 7).reshape(2, 2), "size": np.int32(4), "weights": f32()})
    yield Case("DenseBincount", {"input": i64(1, 2, 1, 7).reshape(2, 2), "size": np.int64(4), "weights": normal(2, 2)})
    yield Case("DenseBincount", {"input": i32(1, 2, 1, 7), "size": np.int32(3), "weights": i32()}, binary_output=True)
    for op in ["LowerBound", "UpperBound"]:
        yield Case(op, {"sorted_inputs": f32(1, 2, 2, 4, 0, 5, 6, 7).reshape(2, 4),
                        "values": f32(2, 0, 9, 7, 6, -1).reshape(2, 3)})
        yield Case(op, {"sorted_inputs": i32(1, 2, 2).reshape(1, 3), "values": i32(2, 3).reshape(1, 2)}, out_type=tf.int64)
    scores = f32(0.1, 0.5, 0.5, 0.2, 0.9, NAN, 0.1, 0.2, 0.3).reshape(3, 3)
    yield Case("InTopK", {"predictions": scores, "targets": i32(2, 1, 0)}, k=1)
    yield Case("InTopK", {"predictions": scores, "targets": i64(0, 0, 5)}, k=3)
    yield Case("InTopKV2", {"predictions": scores, "targets": i32(1, 0, 1), "k": np.int32(2)})


def cases():
    for family in [legacy, passing, arithmetic, rearrange, counting]:
        for case in family():
            if case.op == "ApproximateEqual":  # its attribute has the name of the case's own tolerance
                case.attrs["tolerance"] = case.attrs.pop("tolerance_")
            yield case
