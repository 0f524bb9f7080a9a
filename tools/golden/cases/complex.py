"""Complex numbers: made of parts, taken apart, and through the arithmetic that graphs do with them."""

import numpy as np
import tensorflow as tf

from golden import Case, normal


def signal(*shape, dtype=np.complex64):
    return (normal(*shape) + 1j * normal(*shape)).astype(dtype)


def cases():
    yield Case("Complex", {"real": normal(2, 3), "imag": normal(3)}, ["real", "imag"])
    yield Case("Complex", {"real": normal(4).astype(np.float64), "imag": normal(4).astype(np.float64)},
               Tout=tf.complex128)
    for op in ["Real", "Imag", "Angle"]:
        yield Case(op, {"input": signal(3, 2)}, ["input"])
        yield Case(op, {"input": np.array([0, -1, 1j, -2 - 2j], np.complex64)})
        yield Case(op, {"input": signal(3, dtype=np.complex128)}, Tout=tf.float64)
    yield Case("ComplexAbs", {"x": signal(3, 2)}, ["x"])
    yield Case("ComplexAbs", {"x": np.array([0, 3 + 4j, -1j], np.complex64)}, ["x"])
    yield Case("ComplexAbs", {"x": np.zeros([0, 2], np.complex64)})
    yield Case("Conj", {"input": signal(2, 3)}, ["input"])
    yield Case("Conj", {"input": signal(3, dtype=np.complex128)})
