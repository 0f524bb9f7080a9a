"""Pooling over regions of uneven size, in the first run of a seed."""

import numpy as np

from golden import Case, ints, normal


def cases():
    images = [normal(2, 7, 9, 2), normal(1, 10, 5, 1)]
    for op in ["FractionalMaxPool", "FractionalAvgPool"]:
        for image in images:
            for pseudo_random in [False, True]:
                for overlapping in [False, True]:
                    yield Case(op, {"value": image}, ["value"], pooling_ratio=[1., 1.44, 1.73, 1.], pseudo_random=pseudo_random,
                               overlapping=overlapping, deterministic=True, seed=5, seed2=6)
        yield Case(op, {"value": images[0]}, ["value"], pooling_ratio=[1., 1., 2.25, 1.], deterministic=True, seed=1, seed2=9)
        yield Case(op, {"value": ints(-9, 9, 1, 5, 6, 2)}, pooling_ratio=[1., 2., 1.5, 1.], deterministic=True, seed=1, seed2=9)
    rows, columns = np.array([0, 2, 3, 5], np.int64), np.array([0, 1, 3], np.int64)
    for overlapping in [False, True]:
        x = normal(1, 5, 3, 2).round(0)
        more = int(overlapping)
        y = np.array([[[x[0, a:b + more, c:d + more].max((0, 1)) for c, d in zip(columns, columns[1:])]
                       for a, b in zip(rows, rows[1:])]])
        yield Case("FractionalMaxPoolGrad", {"orig_input": x, "orig_output": y, "out_backprop": normal(1, 3, 2, 2),
                                             "row_pooling_sequence": rows, "col_pooling_sequence": columns}, overlapping=overlapping)
        yield Case("FractionalAvgPoolGrad", {"orig_input_tensor_shape": np.array([1, 5, 3, 2], np.int64),
                                             "out_backprop": normal(1, 3, 2, 2), "row_pooling_sequence": rows,
                                             "col_pooling_sequence": columns}, overlapping=overlapping)
