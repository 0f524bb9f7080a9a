"""Segments, distinct elements, partitions and stitches."""

import numpy as np
import tensorflow as tf

from golden import Case, i32, ints, normal

INF, NAN = np.inf, np.nan


def f32(*values):
    return np.array(values, np.float32)


def i64(*values):
    return np.array(values, np.int64)


def segments():
    for op in ["SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"]:
        yield Case(op, {"data": normal(5, 3), "segment_ids": i32(0, 0, 1, 1, 1)}, ["data"])
        yield Case(op, {"data": normal(4), "segment_ids": i64(0, 2, 2, 4)}, ["data"])
        yield Case(op, {"data": ints(-9, 9, 4, 2), "segment_ids": i32(0, 0, 0, 1)})
        yield Case(op, {"data": normal(0, 2), "segment_ids": i32()})
        yield Case(op, {"data": f32(1, 1, 0, 2, 0, 0), "segment_ids": i32(0, 0, 1, 1, 2, 2)}, ["data"])
    for op in ["UnsortedSegmentProd", "UnsortedSegmentMin", "UnsortedSegmentMax"]:
        yield Case(op, {"data": normal(5, 3), "segment_ids": i32(2, 0, -1, 2, 0), "num_segments": np.int32(4)}, ["data"])
        yield Case(op, {"data": normal(2, 3, 2), "segment_ids": i64(1, 0, 1, 2, 2, 1).reshape(2, 3),
                        "num_segments": np.int32(3)}, ["data"])
        yield Case(op, {"data": ints(-9, 9, 4, 2), "segment_ids": i32(0, 1, 0, 1), "num_segments": np.int32(3)})
        yield Case(op, {"data": f32(1, 1, 0, 2, 0, 0), "segment_ids": i32(0, 0, 1, 1, 2, 2), "num_segments": np.int32(3)},
                   ["data"])


def bags():
    for name in ["Sum", "Mean", "SqrtN"]:
        op = "SparseSegment" + name
        yield Case(op, {"data": normal(5, 3), "indices": i32(4, 0, 4, 2), "segment_ids": i32(0, 0, 1, 3)}, ["data"])
        yield Case(op, {"data": normal(5), "indices": i64(1, 1, 3), "segment_ids": i64(0, 0, 0)}, ["data"])
        yield Case(op, {"data": normal(5, 2), "indices": i32(), "segment_ids": i32()})
        yield Case(op + "WithNumSegments", {"data": normal(5, 3), "indices": i32(4, 0, 4, 2), "segment_ids": i32(0, 0, 1, 3),
                                            "num_segments": np.int32(6)}, ["data"])
        yield Case(op + "Grad", {"grad": normal(3, 2), "indices": i32(4, 0, 4, 2), "segment_ids": i32(0, 0, 1, 2),
                                 "output_dim0": np.int32(5)})
        yield Case(op + "GradV2", {"grad": normal(3, 2), "indices": i32(4, 0, 4, 2), "segment_ids": i32(0, 0, 1, 2),
                                   "dense_output_dim0": np.int32(5)})
    yield Case("SparseSegmentSum", {"data": ints(-9, 9, 5, 3), "indices": i32(4, 0, 4), "segment_ids": i32(0, 0, 1)})


def partition():
    yield Case("Unique", {"x": i32(3, 1, 3, 2, 1)})
    yield Case("Unique", {"x": f32(0.5, 0, -0.0, 0.5)}, out_idx=tf.int64)
    yield Case("Unique", {"x": np.array([b"b", b"a", b"b", b""], object)})
    yield Case("Unique", {"x": f32()})
    yield Case("UniqueWithCounts", {"x": i64(3, 1, 3, 2, 1)})
    yield Case("UniqueV2", {"x": i32(1, 2, 1, 2, 3, 4).reshape(3, 2), "axis": i64(0)})
    yield Case("UniqueV2", {"x": i32(1, 2, 1, 3, 4, 3).reshape(2, 3), "axis": i64(1)})
    yield Case("UniqueV2", {"x": i32(1, 2, 1), "axis": i64()})
    yield Case("UniqueWithCountsV2", {"x": f32(1, 2, 1, 2, 3, 4).reshape(3, 2), "axis": i32(0)})
    yield Case("ListDiff", {"x": i32(1, 2, 3, 2, 5), "y": i32(2, 9)})
    yield Case("ListDiff", {"x": np.array([b"b", b"a"], object), "y": np.array([b"b"], object)}, out_idx=tf.int64)
    yield Case("ListDiff", {"x": f32(), "y": f32(1)})
    yield Case("DynamicPartition", {"data": normal(4, 2), "partitions": i32(1, 0, 1, 2)}, ["data"], num_partitions=4)
    yield Case("DynamicPartition", {"data": normal(2, 2, 3), "partitions": i32(1, 0, 1, 1).reshape(2, 2)}, ["data"],
               num_partitions=2)
    yield Case("DynamicPartition", {"data": normal(3), "partitions": np.int32(1)}, ["data"], num_partitions=2)
    yield Case("DynamicPartition", {"data": np.array([b"b", b"a"], object), "partitions": i32(1, 1)}, num_partitions=2)
    for op in ["DynamicStitch", "ParallelDynamicStitch"]:
        yield Case(op, {"indices": [np.int32(3), i32(0, 4), i32(1, 2)], "data": [normal(2), normal(2, 2), normal(2, 2)]})
        yield Case(op, {"indices": [i32(1, 0).reshape(1, 2)], "data": [np.array([[b"a", b"b"]], object)]})
    yield Case("DynamicStitch", {"indices": [i32(0, 1), i32(1, 0)], "data": [f32(1, 2), f32(3, 4)]})


def cases():
    for family in [segments, bags, partition]:
        yield from family()
