"""Fourier transforms of even, odd, prime and power-of-two lengths."""

import numpy as np
import tensorflow as tf

from cases.complex import signal
from golden import Case, i32, normal


def cases():
    for op in ["FFT", "IFFT"]:
        for shape in [(8,), (2, 6), (3, 1, 7), (1,), (2, 0), (13,)]:
            yield Case(op, {"input": signal(*shape)}, ["input"] if np.prod(shape) else [])
        yield Case(op, {"input": signal(5, dtype=np.complex128)}, ["input"])
    for op in ["FFT2D", "IFFT2D"]:
        for shape in [(4, 3), (2, 3, 5)]:
            yield Case(op, {"input": signal(*shape)}, ["input"])
    for op in ["FFT3D", "IFFT3D"]:
        yield Case(op, {"input": signal(2, 2, 3, 4)}, ["input"])
    for n in [8, 7, 6, 1, 2]:
        yield Case("RFFT", {"input": normal(2, n), "fft_length": i32(n)}, ["input"])
    yield Case("RFFT", {"input": normal(2, 7), "fft_length": i32(4)})
    yield Case("RFFT", {"input": normal(0, 4), "fft_length": i32(4)})
    yield Case("RFFT", {"input": normal(5).astype(np.float64), "fft_length": i32(5)}, ["input"], Tcomplex=tf.complex128)
    for n in [8, 7, 6, 2]:
        yield Case("IRFFT", {"input": signal(2, n // 2 + 1), "fft_length": i32(n)}, ["input"])
    yield Case("IRFFT", {"input": signal(2, 7), "fft_length": i32(4)})
    yield Case("IRFFT", {"input": signal(4, dtype=np.complex128), "fft_length": i32(7)}, ["input"], Treal=tf.float64)
    for shape in [(4, 6), (3, 5)]:
        yield Case("RFFT2D", {"input": normal(2, *shape), "fft_length": i32(*shape)}, ["input"])
        yield Case("IRFFT2D", {"input": signal(2, shape[0], shape[1] // 2 + 1), "fft_length": i32(*shape)}, ["input"])
    yield Case("RFFT3D", {"input": normal(2, 3, 4), "fft_length": i32(2, 3, 4)})
    yield Case("IRFFT3D", {"input": signal(2, 3, 3), "fft_length": i32(2, 3, 4)})
