"""Arithmetic on quantized numbers."""

import numpy as np
import tensorflow as tf

from golden import Case, ints

FLOAT = np.float32
RANGES = [(-1, 1, -1, 1), (-1, 3, -5, 2), (0, 0.5, -0.25, 0.125)]


def as_type(values, dtype=tf.quint8):
    return tf.bitcast(tf.constant(values), dtype)


def bytes_of(*shape):
    return as_type(ints(0, 256, *shape, dtype=np.uint8))


def signed_bytes(*shape):
    return as_type(ints(-128, 128, *shape, dtype=np.int8), tf.qint8)


def wide(*shape):
    return as_type(ints(-2**31, 2**31, *shape, dtype=np.int64).astype(np.int32), tf.qint32)


def pair(name, low, high, order="{}_{}"):
    return {order.format(*(("min", name))): FLOAT(low), order.format(*(("max", name))): FLOAT(high)}


def narrowing():
    edges = as_type(np.array([-2**31, -5, 0, 7, 2**31 - 1, 123456789], np.int32), tf.qint32)
    for x in [edges, wide(3, 4)]:
        for low, high in [(-1, 1), (-4, 4), (-3, 6)]:
            given = {"input": x, "input_min": FLOAT(low), "input_max": FLOAT(high)}
            for dtype in [tf.quint8, tf.qint8]:
                for a, b in [(-1, 1), (-0.5, 2), (0, 3)]:
                    yield Case("Requantize", {**given, "requested_output_min": FLOAT(a), "requested_output_max": FLOAT(b)},
                               out_type=dtype)
            yield Case("RequantizationRange", given)
            yield Case("QuantizeDownAndShrinkRange", given, out_type=tf.quint8)
    small = as_type(np.array([-1000000, 50000, 3000000], np.int32), tf.qint32)
    given = {"input": small, "input_min": FLOAT(-1000), "input_max": FLOAT(1000)}
    yield Case("RequantizationRange", given)
    yield Case("QuantizeDownAndShrinkRange", given, out_type=tf.quint8)
    for x in [wide(1, 2, 3, 2), as_type(ints(0, 2**31, 2, 1, 2, 2, dtype=np.int64).astype(np.int32), tf.qint32)]:
        given = {"input": x, "input_min": np.array([-1, -3], FLOAT), "input_max": np.array([1, 3], FLOAT)}
        for dtype in [tf.quint8, tf.qint8]:
            yield Case("RequantizePerChannel", {**given, "requested_output_min": FLOAT(-1), "requested_output_max": FLOAT(1.5)},
                       out_type=dtype)
        for clip in [0.5, 9.]:
            yield Case("RequantizationRangePerChannel", given, clip_value_max=clip)


def cases():
    yield from narrowing()
    for a, b, c, d in RANGES:
        two = {**pair("x", a, b), **pair("y", c, d)}
        for x, y in [((2, 4), (4,)), ((4,), (2, 4)), ((3,), (3,)), ((), (2,))]:
            yield Case("QuantizedAdd", {"x": bytes_of(*x), "y": bytes_of(*y), **two})
            yield Case("QuantizedMul", {"x": bytes_of(*x), "y": bytes_of(*y), **two})
        for make in [bytes_of, signed_bytes]:
            yield Case("QuantizedBiasAdd", {"input": make(2, 4), "bias": make(4), **pair("input", a, b), **pair("bias", c, d)},
                       out_type=tf.qint32)
        for ta in [False, True]:
            for tb in [False, True]:
                yield Case("QuantizedMatMul", {"a": bytes_of(*((3, 2) if ta else (2, 3))), "b": bytes_of(*((4, 3) if tb else (3, 4))),
                                               **pair("a", a, b), **pair("b", c, d)}, transpose_a=ta, transpose_b=tb)
        for padding, stride in [("SAME", 1), ("VALID", 1), ("SAME", 2)]:
            yield Case("QuantizedConv2D", {"input": bytes_of(1, 4, 5, 2), "filter": bytes_of(2, 3, 2, 3), **pair("input", a, b),
                                           **pair("filter", c, d)}, strides=[1, stride, stride, 1], padding=padding)
            for op in ["QuantizedMaxPool", "QuantizedAvgPool"]:
                for make in [bytes_of, signed_bytes]:
                    yield Case(op, {"input": make(1, 4, 5, 2), **pair("input", a, b)}, ksize=[1, 2, 2, 1],
                               strides=[1, stride, stride, 1], padding=padding)
        for op in ["QuantizedRelu", "QuantizedRelu6"]:
            yield Case(op, {"features": bytes_of(9), **pair("features", a * 5, b * 5)})
            yield Case(op, {"features": wide(2, 3), **pair("features", a * 5, b * 5)}, out_type=tf.qint32)
        yield Case("QuantizedConcat", {"concat_dim": np.int32(0), "values": [bytes_of(2, 3), bytes_of(1, 3)],
                                       "input_mins": [FLOAT(a), FLOAT(c)], "input_maxes": [FLOAT(b), FLOAT(d)]})
        yield Case("QuantizedConcat", {"concat_dim": np.int32(1), "values": [bytes_of(2, 3), bytes_of(2, 2), bytes_of(2, 0)],
                                       "input_mins": [FLOAT(a), FLOAT(c), FLOAT(a)], "input_maxes": [FLOAT(b), FLOAT(d), FLOAT(b)]})
    yield Case("QuantizedReshape", {"tensor": bytes_of(2, 3), "shape": np.array([3, -1], np.int32), "input_min": FLOAT(-1),
                                    "input_max": FLOAT(2)})
    yield Case("QuantizedReshape", {"tensor": wide(4), "shape": np.array([2, 2, 1], np.int64), "input_min": FLOAT(-1),
                                    "input_max": FLOAT(2)})
