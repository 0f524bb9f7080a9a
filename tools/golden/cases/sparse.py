"""Sparse tensors."""

import numpy as np
import tensorflow as tf

from golden import Case, i32, ints, normal


def f32(*values):
    return np.array(values, np.float32)


def i64(*values):
    return np.array(values, np.int64)


A = i64(0, 1, 1, 0, 1, 2, 3, 1).reshape(4, 2)  # of a [4, 3]
B = i64(0, 0, 0, 1, 1, 2).reshape(3, 2)
SHAPE = i64(4, 3)
NONE = np.zeros((0, 2), np.int64)


def placed(names, indices, values, shape):
    return dict(zip(names, [indices, values, shape]))


def plain(indices, values, shape):
    return placed(["indices", "values", "shape"], indices, values, shape)


def given(indices, values, shape):
    return placed(["input_indices", "input_values", "input_shape"], indices, values, shape)


def sp(indices, values, shape):
    return placed(["sp_indices", "sp_values", "sp_shape"], indices, values, shape)


def structure():
    yield Case("SparseToDense", {"sparse_indices": A, "output_shape": SHAPE, "sparse_values": normal(4), "default_value": np.float32(7)},
               ["sparse_values", "default_value"])
    yield Case("SparseToDense", {"sparse_indices": i32(1, 3), "output_shape": i32(5), "sparse_values": f32(1, 2),
                                 "default_value": np.float32(0)})
    yield Case("SparseToDense", {"sparse_indices": A, "output_shape": SHAPE, "sparse_values": np.int32(3), "default_value": np.int32(-1)})
    yield Case("SparseToDense", {"sparse_indices": i64(2), "output_shape": i64(3), "sparse_values": np.array([b"x"], object),
                                 "default_value": np.array(b"-", object)})
    yield Case("SparseToDense", {"sparse_indices": i32(3, 1, 3), "output_shape": i32(4), "sparse_values": f32(1, 2, 3),
                                 "default_value": np.float32(0)}, validate_indices=False)
    yield Case("SparseReshape", {"input_indices": A, "input_shape": SHAPE, "new_shape": i64(2, -1)})
    yield Case("SparseReshape", {"input_indices": A, "input_shape": SHAPE, "new_shape": i64(12)})
    yield Case("SparseReshape", {"input_indices": NONE, "input_shape": SHAPE, "new_shape": i64(3, 2, 2)})
    yield Case("SparseReorder", given(A[::-1].copy(), normal(4), SHAPE), ["input_values"])
    yield Case("SparseReorder", given(A[[2, 0, 3, 1]], np.array([b"a", b"b", b"c", b"d"], object), SHAPE))
    yield Case("SparseConcat", {"indices": [A, B], "values": [normal(4), normal(3)], "shapes": [SHAPE, SHAPE]}, concat_dim=0)
    yield Case("SparseConcat", {"indices": [A, B], "values": [normal(4), normal(3)], "shapes": [SHAPE, i64(4, 5)]}, concat_dim=-1)
    for dim, n in [(0, 3), (1, 2), (1, 1)]:
        yield Case("SparseSplit", {"split_dim": np.int64(dim), **plain(A, normal(4), SHAPE)}, num_split=n)
    yield Case("SparseSlice", {**plain(A, normal(4), SHAPE), "start": i64(1, 0), "size": i64(2, 2)}, ["values"],
               outputs=["output_indices", "output_values", "output_shape"])
    yield Case("SparseSlice", {**plain(A, ints(0, 9, 4), SHAPE), "start": i64(1, 1), "size": i64(9, 9)})
    yield Case("SparseSliceGrad", {"backprop_val_grad": normal(2), "input_indices": A, "input_start": i64(1, 0),
                                   "output_indices": i64(0, 0, 2, 1).reshape(2, 2)})
    for values, default in [(normal(4), np.float32(9)), (np.array([b"a", b"b", b"c", b"d"], object), np.array(b"?", object))]:
        yield Case("SparseFillEmptyRows", {"indices": A, "values": values, "dense_shape": SHAPE, "default_value": default},
                   ["values", "default_value"] if values.dtype == np.float32 else [])
    yield Case("SparseFillEmptyRows", {"indices": NONE, "values": f32(), "dense_shape": i64(2, 3), "default_value": np.float32(1)})
    yield Case("SparseFillEmptyRowsGrad", {"reverse_index_map": i64(2, 0), "grad_values": normal(4)})


def products():
    for adjoint_a in [False, True]:
        for adjoint_b in [False, True]:
            inner = 4 if adjoint_a else 3
            b = normal(2, inner) if adjoint_b else normal(inner, 2)
            yield Case("SparseTensorDenseMatMul", {"a_indices": A, "a_values": normal(4), "a_shape": SHAPE, "b": b},
                       ["a_values", "b"], adjoint_a=adjoint_a, adjoint_b=adjoint_b)
            yield Case("SparseMatMul", {"a": normal(*((3, 2) if adjoint_a else (2, 3))), "b": normal(*((4, 3) if adjoint_b else (3, 4)))},
                       ["a", "b"], transpose_a=adjoint_a, transpose_b=adjoint_b, a_is_sparse=True)
    yield Case("SparseTensorDenseMatMul", {"a_indices": A.astype(np.int32), "a_values": ints(-9, 9, 4), "a_shape": SHAPE, "b": ints(-9, 9, 3, 2)})


def sums():
    yield Case("SparseAdd", {"a_indices": A, "a_values": f32(1, 2, 3, 4), "a_shape": SHAPE, "b_indices": B, "b_values": f32(5, -0.5, 7),
                             "b_shape": SHAPE, "thresh": np.float32(0)}, ["a_values", "b_values"])
    yield Case("SparseAdd", {"a_indices": A, "a_values": f32(1, 2, -3, 4), "a_shape": SHAPE, "b_indices": B, "b_values": f32(5, -0.5, 1),
                             "b_shape": SHAPE, "thresh": np.float32(2)}, ["a_values", "b_values"])
    yield Case("SparseAdd", {"a_indices": A, "a_values": ints(-9, 9, 4), "a_shape": SHAPE, "b_indices": NONE, "b_values": i32(),
                             "b_shape": SHAPE, "thresh": np.int32(0)})
    yield Case("SparseAddGrad", {"backprop_val_grad": normal(2), "a_indices": A, "b_indices": B, "sum_indices": A[[0, 2]]})
    yield Case("SparseTensorDenseAdd", {"a_indices": A, "a_values": normal(4), "a_shape": SHAPE, "b": normal(4, 3)}, ["a_values", "b"])
    yield Case("SparseTensorDenseAdd", {"a_indices": A.astype(np.int32), "a_values": ints(-9, 9, 4), "a_shape": i32(4, 3), "b": ints(-9, 9, 4, 3)})
    for op in ["SparseReduceSum", "SparseReduceMax"]:
        slopes = ["input_values"] if op == "SparseReduceSum" else []
        for axes, keep in [(i32(0), False), (i32(1), True), (i32(-1), False), (i32(0, 1), False), (np.int32(0), True)]:
            yield Case(op, {**given(A, normal(4), SHAPE), "reduction_axes": axes}, slopes, keep_dims=keep)
            yield Case(op + "Sparse", {**given(A, normal(4), SHAPE), "reduction_axes": axes}, keep_dims=keep)
        yield Case(op, {**given(NONE, f32(), SHAPE), "reduction_axes": i32(1)})
        yield Case(op, {**given(A, ints(-9, 0, 4), SHAPE), "reduction_axes": i32(1)})
    yield Case("SparseSoftmax", sp(A, normal(4), SHAPE), ["sp_values"])
    yield Case("SparseSoftmax", sp(i64(0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0).reshape(4, 3), normal(4), i64(2, 2, 2)), ["sp_values"])
    for op in ["SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv"]:
        slopes = [] if op.endswith("Add") else ["sp_values", "dense"]
        for shape in [(4, 3), (3,), (4, 1), (1,)]:
            yield Case(op, {**sp(A, normal(4), SHAPE), "dense": normal(*shape)}, slopes)
        yield Case(op, {**sp(A, ints(-9, 9, 4), SHAPE), "dense": ints(1, 9, 4, 3)})
    for op in ["SparseSparseMaximum", "SparseSparseMinimum"]:
        yield Case(op, {"a_indices": A, "a_values": normal(4), "a_shape": SHAPE, "b_indices": B, "b_values": normal(3), "b_shape": SHAPE})
        yield Case(op, {"a_indices": A, "a_values": ints(-9, 9, 4), "a_shape": SHAPE, "b_indices": NONE, "b_values": i32(), "b_shape": SHAPE})


def cross(op, sparse, dense, **attrs):
    inputs = {"indices": [i for i, _, _ in sparse], "values": [v for _, v, _ in sparse],
              "shapes": [s for _, _, s in sparse], "dense_inputs": dense}
    if op == "SparseCrossV2":
        inputs["sep"] = np.array(b" x ", object)
    if op == "SparseCrossHashed":
        inputs.update(num_buckets=np.int64(attrs.pop("buckets")), strong_hash=np.bool_(attrs.pop("strong")),
                      salt=i64(7, -3))
    case = Case(op, inputs, **attrs)

    def kind(value):
        return tf.string if value.dtype == object else tf.int64

    case.told = {"N": len(sparse), "sparse_types": [kind(v) for _, v, _ in sparse], "dense_types": [kind(v) for v in dense]}
    return case


def crosses():
    words = np.array([b"a", b"b", b"", b"d"], object)
    first = (A, words, SHAPE)
    second = (B, i64(7, -1, 2**40), i64(4, 3))
    dense = np.array([[b"x", b"y"], [b"z", b"x"], [b"u", b""], [b"v", b"w"]], object)
    for columns, others in [([first, second], []), ([first], [dense]), ([], [i64(1, 2, 3, 4).reshape(4, 1), dense])]:
        for buckets in [0, 100]:
            yield cross("SparseCross", columns, others, hashed_output=True, num_buckets=buckets, hash_key=956888297470,
                        out_type=tf.int64, internal_type=tf.int64)
            yield cross("SparseCrossHashed", columns, others, buckets=buckets, strong=False)
        yield cross("SparseCrossV2", columns, others)
    yield cross("SparseCrossHashed", [first], [dense], buckets=1000, strong=True)
    yield cross("SparseCrossHashed", [second, first], [dense], buckets=0, strong=True)  # dense integers crash it
    yield cross("SparseCross", [first], [dense], hashed_output=False, num_buckets=0, hash_key=1, out_type=tf.string,
                internal_type=tf.string)


def cases():
    for family in [structure, products, sums, crosses]:
        yield from family()
