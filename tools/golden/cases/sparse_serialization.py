"""Sparse tensors as messages."""

import numpy as np
import tensorflow as tf

from golden import Case, normal

A = np.array([0, 1, 1, 0, 1, 2, 3, 1], np.int64).reshape(4, 2)  # of a [4, 3]
SHAPE = np.array([4, 3], np.int64)
NONE = np.zeros((0, 2), np.int64)


def sparse(indices, values, shape=SHAPE):
    return {"sparse_indices": indices, "sparse_values": values, "sparse_shape": shape}


def cases():
    tensors = [sparse(A, normal(4)), sparse(A, np.arange(4, dtype=np.int64)), sparse(NONE, normal(0)),
               sparse(A, np.array([b"a", b"", b"ccc", b"d\0"], object)),
               sparse(np.array([[0, 1, 2], [2, 0, 0]], np.int64), np.array([True, False]), np.array([3, 2, 3], np.int64))]
    for tensor in tensors:
        yield Case("SerializeSparse", tensor)
    for tensor in tensors:
        yield Case("SerializeManySparse", tensor)

    def one(tensor):
        return tf.raw_ops.SerializeSparse(**{k: tf.constant(v) for k, v in tensor.items()}).numpy()

    for tensor in tensors:
        yield Case("DeserializeSparse", {"serialized_sparse": one(tensor)}, dtype=tf.as_dtype(tf.constant(tensor["sparse_values"]).dtype))
    wide = sparse(np.array([[1, 6]], np.int64), normal(1), np.array([2, 7], np.int64))
    batch = np.stack([one(tensors[0]), one(wide), one(tensors[2])])
    yield Case("DeserializeSparse", {"serialized_sparse": batch}, dtype=tf.float32)
    yield Case("DeserializeSparse", {"serialized_sparse": batch[:2].reshape(1, 2, 3)}, dtype=tf.float32)
    yield Case("DeserializeManySparse", {"serialized_sparse": batch}, dtype=tf.float32)
    yield Case("DeserializeManySparse", {"serialized_sparse": one(tensors[3]).reshape(1, 3)}, dtype=tf.string)
