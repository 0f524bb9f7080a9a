"""Matrices and their diagonals.

TensorFlow's gradients of the second versions align shorter diagonals as the third ones do by default, which is not how the
ops themselves align them; where that matters the slopes are left out, and tests/cases checks differences.
"""

import numpy as np

from golden import Case, i32, ints, normal


def k(low, high=None):
    return np.int32(low) if high is None else i32(low, high)


def cases():
    size = np.int32
    pad = np.float32(9)
    yield Case("MatrixDiag", {"diagonal": normal(3)}, ["diagonal"])
    yield Case("MatrixDiag", {"diagonal": normal(2, 3)}, ["diagonal"])
    yield Case("MatrixDiagPart", {"input": normal(2, 3, 4)}, ["input"])
    yield Case("MatrixDiagPart", {"input": normal(3, 3)}, ["input"])
    yield Case("MatrixSetDiag", {"input": normal(2, 3, 4), "diagonal": normal(2, 3)}, ["input", "diagonal"])
    for low, high, shape, m, n in [(0, None, (3,), -1, -1), (2, None, (2, 3), -1, -1), (-1, None, (3,), 4, -1),
                                   (-1, 1, (3, 3), -1, -1), (0, 2, (2, 3, 3), -1, 5), (-2, -1, (2, 2), 3, 3)]:
        inputs = {"diagonal": normal(*shape), "k": k(low, high), "num_rows": size(m), "num_cols": size(n), "padding_value": pad}
        yield Case("MatrixDiagV2", inputs, ["diagonal"] if high is None or high <= 0 else [])
        for align in ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]:
            yield Case("MatrixDiagV3", inputs, ["diagonal"], align=align)
    for low, high, shape in [(0, None, (3, 4)), (1, None, (2, 3, 3)), (-2, None, (4, 3)), (-1, 2, (3, 4)), (-2, -1, (2, 4, 3)),
                             (0, 1, (3, 3))]:
        inputs = {"input": normal(*shape), "k": k(low, high), "padding_value": pad}
        yield Case("MatrixDiagPartV2", inputs, ["input"] if high is None or high <= 0 else [])
        for align in ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]:
            yield Case("MatrixDiagPartV3", inputs, ["input"], align=align)
    for low, high, shape, packed in [(0, None, (3, 4), (3,)), (-1, None, (2, 3, 3), (2, 2)), (-1, 2, (3, 4), (4, 3)),
                                     (0, 1, (2, 3, 3), (2, 2, 3))]:
        inputs = {"input": normal(*shape), "diagonal": normal(*packed), "k": k(low, high)}
        yield Case("MatrixSetDiagV2", inputs, ["input", "diagonal"] if high is None or high <= 0 else [])
        for align in ["LEFT_RIGHT", "RIGHT_LEFT"]:
            yield Case("MatrixSetDiagV3", inputs, ["input", "diagonal"], align=align)
    for low, high in [(1, 0), (-1, 1), (0, -1), (0, 0), (-1, -1)]:
        yield Case("MatrixBandPart", {"input": normal(3, 4), "num_lower": np.int64(low), "num_upper": np.int64(high)}, ["input"])
    yield Case("MatrixBandPart", {"input": ints(1, 9, 2, 2, 3), "num_lower": np.int32(0), "num_upper": np.int32(1)})
    yield Case("Diag", {"diagonal": normal(3)}, ["diagonal"])
    yield Case("Diag", {"diagonal": ints(1, 9, 2, 2)})
    yield Case("DiagPart", {"input": normal(3, 3)}, ["input"])
    yield Case("DiagPart", {"input": ints(1, 9, 2, 3, 2, 3)})
