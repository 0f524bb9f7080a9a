"""Rounding to what few bits can hold, and integers for floats."""

import numpy as np
import tensorflow as tf

from golden import Case, ints, normal

FLOAT = np.float32
EDGES = np.array([-100, -6, -5.99, -0.02, -0.01, 0, 0.01, 0.0235, 0.5, 5.98, 6, 7, 100], FLOAT)


def cases():
    yield Case("FakeQuantWithMinMaxArgs", {"inputs": EDGES}, ["inputs"])
    yield Case("FakeQuantWithMinMaxArgs", {"inputs": normal(3, 4)}, ["inputs"], min=-1.3, max=0.7, num_bits=4, narrow_range=True)
    yield Case("FakeQuantWithMinMaxArgs", {"inputs": normal(5)}, ["inputs"], min=0.5, max=1.5, num_bits=3)
    yield Case("FakeQuantWithMinMaxArgsGradient", {"gradients": normal(13), "inputs": EDGES})
    for low, high, bits, narrow in [(-6, 6, 8, False), (-0.7, 1.1, 4, True), (0, 0, 8, False), (0.3, 2, 8, False), (-2, -1, 8, False)]:
        attrs = dict(num_bits=bits, narrow_range=narrow)
        yield Case("FakeQuantWithMinMaxVars", {"inputs": normal(3, 4), "min": FLOAT(low), "max": FLOAT(high)},
                   ["inputs", "min", "max"], **attrs)
        yield Case("FakeQuantWithMinMaxVarsGradient", {"gradients": normal(13), "inputs": EDGES, "min": FLOAT(low),
                                                       "max": FLOAT(high)}, **attrs)
    lows, highs = np.array([-1, 0, -0.3], FLOAT), np.array([1, 0, 2], FLOAT)
    for shape in [(3,), (4, 3), (2, 2, 3)]:
        yield Case("FakeQuantWithMinMaxVarsPerChannel", {"inputs": normal(*shape) * 2, "min": lows, "max": highs},
                   ["inputs", "min", "max"])
    yield Case("FakeQuantWithMinMaxVarsPerChannelGradient", {"gradients": normal(4, 3), "inputs": normal(4, 3) * 2,
                                                             "min": lows, "max": highs}, num_bits=5)
    for signed in [True, False]:
        for narrow in [True, False]:
            for mode in ["HALF_TO_EVEN", "HALF_UP"]:
                for op in ["QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"]:
                    yield Case(op, {"input": normal(2, 5) * 2, "input_min": FLOAT(-1), "input_max": FLOAT(1.5)}, ["input"],
                               signed_input=signed, narrow_range=narrow, round_mode=mode, range_given=True, num_bits=5)
            yield Case("QuantizeAndDequantizeV3", {"input": normal(2, 5) * 2, "input_min": FLOAT(-1), "input_max": FLOAT(1.5),
                                                   "num_bits": np.int32(6)}, ["input"], signed_input=signed, narrow_range=narrow)
    yield Case("QuantizeAndDequantizeV2", {"input": normal(2, 5), "input_min": FLOAT(0), "input_max": FLOAT(0)}, ["input"])
    yield Case("QuantizeAndDequantizeV2", {"input": normal(3, 2).astype(np.float64), "input_min": np.float64(-1),
                                           "input_max": np.float64(0.5)}, range_given=True)
    yield Case("QuantizeAndDequantizeV2", {"input": normal(3, 2), "input_min": FLOAT(0), "input_max": FLOAT(0)}, axis=1,
               num_bits=4)
    yield Case("QuantizeAndDequantizeV4", {"input": normal(3, 2), "input_min": FLOAT(-0.5), "input_max": FLOAT(0.6)},
               ["input", "input_min", "input_max"], range_given=True)
    yield Case("QuantizeAndDequantizeV4Grad", {"gradients": normal(7), "input": normal(7), "input_min": FLOAT(-0.5),
                                               "input_max": FLOAT(0.5)})
    for dtype in [tf.quint8, tf.qint8, tf.qint16, tf.quint16, tf.qint32]:
        for mode in ["MIN_COMBINED", "MIN_FIRST", "SCALED"]:
            if mode == "MIN_FIRST" and dtype != tf.quint8:
                continue
            if dtype == tf.qint32 and mode == "MIN_COMBINED":
                continue
            if dtype in (tf.qint8, tf.quint8) or (mode == "SCALED" and dtype != tf.qint32):  # which overflows
                yield Case("QuantizeV2", {"input": np.concatenate([normal(10) * 2, EDGES]), "min_range": FLOAT(-2.5),
                                          "max_range": FLOAT(3)}, T=dtype, mode=mode)
            if dtype == tf.qint32:
                continue
            values = ints(0, 127, 8, dtype=np.int32)
            values = tf.bitcast(tf.cast(values, {tf.quint8: tf.uint8, tf.qint8: tf.int8, tf.qint16: tf.int16,
                                                 tf.quint16: tf.uint16, tf.qint32: tf.int32}[dtype]), dtype)
            yield Case("Dequantize", {"input": values, "min_range": FLOAT(-2.5), "max_range": FLOAT(3)}, mode=mode)
    for narrow in [False, True]:
        # TensorFlow hands the other pair to oneDNN, which takes another factor.
        for mode in ["HALF_AWAY_FROM_ZERO"] + ["HALF_TO_EVEN"] * narrow:
            yield Case("QuantizeV2", {"input": normal(8), "min_range": FLOAT(-1), "max_range": FLOAT(1.5)}, T=tf.qint8,
                       mode="SCALED", narrow_range=narrow, round_mode=mode)
        yield Case("Dequantize", {"input": tf.bitcast(tf.constant([-128, -3, 0, 5, 127], tf.int8), tf.qint8),
                                  "min_range": FLOAT(-1), "max_range": FLOAT(1.5)}, mode="SCALED", narrow_range=narrow)
    yield Case("QuantizeV2", {"input": normal(3, 2), "min_range": np.array([-1, -3], FLOAT), "max_range": np.array([1, 2], FLOAT)},
               T=tf.qint8, mode="SCALED", axis=1)
    yield Case("QuantizeV2", {"input": normal(3), "min_range": FLOAT(0), "max_range": FLOAT(0)}, T=tf.quint8)
    yield Case("Dequantize", {"input": tf.bitcast(tf.constant([[1, -2], [3, 4]], tf.int8), tf.qint8),
                              "min_range": np.array([-1, -3], FLOAT), "max_range": np.array([1, 2], FLOAT)}, mode="SCALED", axis=1)
