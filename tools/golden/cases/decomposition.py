"""Matrix decompositions and linear systems, well conditioned, empty, and in batches."""

import numpy as np
import tensorflow as tf

from cases.complex import signal
from golden import Case, normal


def definite(*shape):
    x = normal(*shape)
    return (x @ np.swapaxes(x, -1, -2) + 2 * np.eye(shape[-1])).astype(np.float32)


def regular(*shape):
    return (normal(*shape) + 3 * np.eye(shape[-1])).astype(np.float32)


def complex_regular(n):
    return (signal(n, n) + 3 * np.eye(n)).astype(np.complex64)


def graded(*shape):
    """With singular values far apart."""
    u, _, v = np.linalg.svd(normal(*shape), full_matrices=False)
    s = 1 + np.arange(min(shape[-2:]), dtype=np.float32)
    return (u * s) @ v


def cases():
    loose = dict(tolerance=1e-4)
    empty = np.zeros([2, 0, 0], np.float32)
    yield Case("Cholesky", {"input": definite(3, 3)}, ["input"], **loose)
    yield Case("Cholesky", {"input": definite(2, 2, 2)}, ["input"], **loose)
    yield Case("Cholesky", {"input": empty})
    yield Case("Cholesky", {"input": definite(3, 3).astype(np.float64)}, ["input"])
    c = complex_regular(2)
    yield Case("Cholesky", {"input": (c @ c.conj().T).astype(np.complex64)}, ["input"], **loose)
    lower = np.tril(regular(3, 3))
    yield Case("CholeskyGrad", {"l": lower, "grad": normal(3, 3)}, **loose)
    for adjoint in [False, True]:
        yield Case("MatrixInverse", {"input": regular(2, 3, 3)}, ["input"], adjoint=adjoint, **loose)
        yield Case("MatrixInverse", {"input": complex_regular(2)}, ["input"], adjoint=adjoint, **loose)
        yield Case("MatrixSolve", {"matrix": regular(3, 3), "rhs": normal(3, 2)}, ["matrix", "rhs"], adjoint=adjoint, **loose)
        yield Case("MatrixSolve", {"matrix": regular(2, 2, 2), "rhs": normal(2, 2, 1)}, ["matrix", "rhs"], adjoint=adjoint,
                   **loose)
        yield Case("MatrixSolve", {"matrix": complex_regular(2), "rhs": signal(2, 2)}, ["matrix", "rhs"], adjoint=adjoint,
                   **loose)
        for low in [False, True]:
            yield Case("MatrixTriangularSolve", {"matrix": regular(3, 3), "rhs": normal(3, 2)}, ["matrix", "rhs"],
                       lower=low, adjoint=adjoint, **loose)
        yield Case("MatrixTriangularSolve", {"matrix": regular(3, 1, 2, 2), "rhs": normal(2, 2, 3)}, ["matrix", "rhs"],
                   adjoint=adjoint, **loose)
        yield Case("MatrixTriangularSolve", {"matrix": complex_regular(2), "rhs": signal(2, 1)}, ["matrix", "rhs"],
                   adjoint=adjoint, **loose)
    yield Case("MatrixInverse", {"input": empty})
    yield Case("MatrixSolve", {"matrix": empty, "rhs": np.zeros([2, 0, 3], np.float32)})
    yield Case("MatrixDeterminant", {"input": regular(3, 3)}, ["input"], **loose)
    yield Case("MatrixDeterminant", {"input": normal(2, 2, 2)}, ["input"], **loose)
    yield Case("MatrixDeterminant", {"input": np.array([[1, 2], [2, 4]], np.float32)})
    yield Case("MatrixDeterminant", {"input": empty})
    yield Case("MatrixDeterminant", {"input": complex_regular(2)}, **loose)
    yield Case("LogMatrixDeterminant", {"input": normal(2, 3, 3)}, ["input"], **loose)
    yield Case("LogMatrixDeterminant", {"input": np.zeros([2, 2], np.float32)})
    yield Case("LogMatrixDeterminant", {"input": complex_regular(2)}, **loose)
    for shape in [(4, 2), (2, 4), (2, 3, 3)]:
        for l2 in [0.0, 0.5]:
            yield Case("MatrixSolveLs", {"matrix": graded(*shape), "rhs": normal(*shape[:-1], 2), "l2_regularizer": np.float64(l2)},
                       ["matrix", "rhs"], tolerance=1e-3)
    yield Case("MatrixSolveLs", {"matrix": normal(4, 2), "rhs": normal(4, 1), "l2_regularizer": np.float64(0)}, fast=False, **loose)
    yield Case("MatrixSolveLs", {"matrix": normal(2, 4), "rhs": normal(2, 1), "l2_regularizer": np.float64(0)}, fast=False, **loose)
    for shape in [(3, 3), (2, 4, 2), (2, 4)]:
        yield Case("Qr", {"input": graded(*shape)}, ["input"], **loose)
    for shape in [(3, 3), (2, 3)]:
        yield Case("Qr", {"input": graded(*shape)}, ["input"], full_matrices=True, **loose)
    yield Case("Qr", {"input": normal(4, 2)}, full_matrices=True, **loose)
    yield Case("Qr", {"input": complex_regular(3)}, **loose)
    for shape in [(3, 3), (2, 4, 2), (2, 4)]:
        yield Case("Svd", {"input": graded(*shape)}, ["input"], outputs=["s"], compute_uv=False, **loose)
    yield Case("Svd", {"input": complex_regular(3)}, outputs=["s"], compute_uv=False, **loose)
    yield Case("Svd", {"input": np.zeros([0, 3], np.float32)}, outputs=["s"], compute_uv=False)
    for x in [definite(3, 3), definite(2, 2, 2), normal(3, 3)]:
        yield Case("SelfAdjointEigV2", {"input": x}, ["input"], outputs=["e"], compute_v=False, **loose)
    yield Case("SelfAdjointEigV2", {"input": empty}, outputs=["e"], compute_v=False)
    yield Case("Lu", {"input": normal(3, 3)}, **loose)
    yield Case("Lu", {"input": normal(2, 4, 4)}, output_idx_type=tf.int64, **loose)
    yield Case("Lu", {"input": complex_regular(2)}, **loose)
