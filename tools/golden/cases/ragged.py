"""Ragged tensors, and counts of integers in rows."""

import numpy as np
import tensorflow as tf

from golden import Case, i32, ints, normal


def f32(*values):
    return np.array(values, np.float32)


def i64(*values):
    return np.array(values, np.int64)


def ragged():
    yield Case("RaggedRange", {"starts": i32(2, 5, 8), "limits": i32(3, 5, 12), "deltas": np.int32(1)})
    yield Case("RaggedRange", {"starts": f32(0, 3), "limits": f32(1, 1), "deltas": f32(0.25, -0.5)}, Tsplits=tf.int32)
    yield Case("RaggedRange", {"starts": i64(), "limits": i64(), "deltas": i64()})
    for indices in [i32(2, 0, 2), np.int64(1), i64(1, 0, 2, 2).reshape(2, 2), i32()]:
        yield Case("RaggedGather", {"params_nested_splits": [i64(0, 2, 2, 5)], "params_dense_values": normal(5, 2), "indices": indices},
                   OUTPUT_RAGGED_RANK=max(indices.ndim, 0))
    yield Case("RaggedGather", {"params_nested_splits": [i32(0, 2, 3), i32(0, 1, 1, 4)],
                                "params_dense_values": np.array([b"a", b"b", b"c", b"d"], object), "indices": i32(1, 0)},
               OUTPUT_RAGGED_RANK=2)
    yield Case("RaggedTensorToSparse", {"rt_nested_splits": [i64(0, 2, 2, 5)], "rt_dense_values": normal(5)}, ["rt_dense_values"],
               outputs=["sparse_indices", "sparse_values", "sparse_dense_shape"])
    yield Case("RaggedTensorToSparse", {"rt_nested_splits": [i32(0, 2, 3), i32(0, 1, 1, 4)], "rt_dense_values": ints(0, 9, 4, 2)})
    for shape in [i64(-1, -1), i64(-1, 2), i64(4, 4), np.int64(-1)]:
        yield Case("RaggedTensorToTensor", {"shape": shape, "values": normal(5), "default_value": np.float32(9),
                                            "row_partition_tensors": [i64(0, 2, 2, 5)]}, row_partition_types=["ROW_SPLITS"])
    yield Case("RaggedTensorToTensor", {"shape": i64(-1, -1, 2), "values": normal(4, 2), "default_value": f32(1, 2),
                                        "row_partition_tensors": [np.int64(3), i64(0, 0, 2, 2)]},
               row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
    yield Case("RaggedTensorToTensor", {"shape": i32(-1, -1, -1), "values": ints(1, 9, 4), "default_value": np.int32(0),
                                        "row_partition_tensors": [i32(0, 2, 3), i32(0, 1, 1, 4)]},
               row_partition_types=["ROW_SPLITS", "ROW_SPLITS"])


def counts():
    numbers = i32(1, 2, 1, 7, 0, 1).reshape(2, 3)
    indices = i64(0, 1, 0, 3, 2, 0, 2, 1).reshape(4, 2)
    for binary, low, high in [(False, -1, -1), (True, -1, -1), (False, 10, -1), (False, -1, 2)]:
        attrs = {"binary_output": binary, "minlength": low, "maxlength": high}
        yield Case("DenseCountSparseOutput", {"values": numbers, "weights": f32()}, **attrs)
        yield Case("SparseCountSparseOutput", {"indices": indices, "values": i64(5, 1, 2, 2), "dense_shape": i64(3, 4), "weights": i32()}, **attrs)
        yield Case("RaggedCountSparseOutput", {"splits": i64(0, 2, 2, 5), "values": i32(5, 1, 2, 2, 0), "weights": i64()}, **attrs)
    yield Case("DenseCountSparseOutput", {"values": i64(3, 1, 3), "weights": f32(0.5, 2, 1)}, binary_output=False)
    yield Case("SparseCountSparseOutput", {"indices": indices, "values": i64(5, 1, 2, 2), "dense_shape": i64(3, 4),
                                           "weights": f32(0.5, 2, 1, 4)}, binary_output=False)


def cases():
    for family in [ragged, counts]:
        yield from family()
