"""Recurrent cells and sequences, with and without peepholes, clipping and steps that do not count."""

import numpy as np
import tensorflow as tf

from golden import Case, normal


def state(batch, cell):
    return {"cs_prev": normal(batch, cell), "h_prev": normal(batch, cell)}


def weights(inputs, cell):
    return {"w": normal(inputs + cell, 4 * cell) * 0.5, "wci": normal(cell), "wcf": normal(cell), "wco": normal(cell),
            "b": normal(4 * cell)}


def cases():
    loose = dict(tolerance=5e-5)
    for batch, inputs, cell in [(2, 3, 2), (1, 1, 3)]:
        for attrs in [{}, dict(use_peephole=True, forget_bias=0.5), dict(cell_clip=0.4, use_peephole=True), dict(cell_clip=-1.0)]:
            x = {"x": normal(batch, inputs), **state(batch, cell), **weights(inputs, cell)}
            yield Case("LSTMBlockCell", x, **attrs, **loose)
            out = tf.raw_ops.LSTMBlockCell(**x, **attrs)
            saved = {n: getattr(out, n).numpy() for n in ["i", "cs", "f", "o", "ci", "co"]}
            yield Case("LSTMBlockCellGrad", {**x, **saved, "cs_grad": normal(batch, cell), "h_grad": normal(batch, cell)},
                       use_peephole=attrs.get("use_peephole", False), **loose)
    slopes = ["x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"]
    for op in ["BlockLSTM", "BlockLSTMV2"]:
        for length, attrs in [(3, {}), (2, dict(use_peephole=True)), (0, {}), (3, dict(use_peephole=True, cell_clip=0.5))]:
            x = {"seq_len_max": np.int64(length), "x": normal(3, 2, 3), **state(2, 2), **weights(3, 2)}
            # TensorFlow differentiates the second version by the gate order of the first, and leaves the gates of
            # steps that do not count as they are.
            yield Case(op, x, slopes if op == "BlockLSTM" else [], outputs=["cs", "h"], **attrs, **loose)
            if length == 3:
                yield Case(op, x, **attrs, **loose)
        x = {"seq_len_max": np.int64(3), "x": normal(3, 2, 3), **state(2, 2), **weights(3, 2)}
        out = getattr(tf.raw_ops, op)(**x)
        saved = {n: getattr(out, n).numpy() for n in ["i", "cs", "f", "o", "ci", "co", "h"]}
        yield Case(op.replace("LSTM", "LSTMGrad"), {**x, **saved, "cs_grad": normal(3, 2, 2), "h_grad": normal(3, 2, 2)},
                   use_peephole=False, **loose)
    for batch, inputs, cell in [(2, 3, 2), (1, 1, 3)]:
        x = {"x": normal(batch, inputs), "h_prev": normal(batch, cell), "w_ru": normal(inputs + cell, 2 * cell),
             "w_c": normal(inputs + cell, cell), "b_ru": normal(2 * cell), "b_c": normal(cell)}
        yield Case("GRUBlockCell", x, **loose)
        out = tf.raw_ops.GRUBlockCell(**x)
        yield Case("GRUBlockCellGrad", {**x, "r": out.r.numpy(), "u": out.u.numpy(), "c": out.c.numpy(),
                                        "d_h": normal(batch, cell)}, **loose)
