"""Special functions and bits."""

import numpy as np

from golden import Case, inside, ints, normal, positive, unary

INF, NAN = np.inf, np.nan


def f32(*values):
    return np.array(values, np.float32)


def in_unit(*shape):
    return np.abs(inside(*shape)) + np.float32(0.05)


def above_one(*shape):
    return positive(*shape) + 1


def of_two(op, first, second, make_x, make_y, slopes, **kw):
    yield Case(op, {first: make_x(3, 4), second: make_y(3, 4)}, slopes, tolerance=1e-4)
    yield Case(op, {first: make_x(2, 3, 1), second: make_y(4)}, slopes, tolerance=1e-4)


def cases():
    for op, make in [("Asinh", normal), ("Acosh", above_one), ("Atanh", inside), ("Erfc", normal), ("Erfinv", inside),
                     ("Ndtri", in_unit), ("Lgamma", positive), ("Digamma", positive), ("BesselI0", normal),
                     ("BesselI1", normal), ("BesselI0e", normal), ("BesselI1e", normal), ("BesselK0", positive),
                     ("BesselK1", positive), ("BesselK0e", positive), ("BesselK1e", positive), ("BesselJ0", normal),
                     ("BesselJ1", normal), ("BesselY0", positive), ("BesselY1", positive), ("Dawsn", normal),
                     ("Expint", positive), ("FresnelCos", normal), ("FresnelSin", normal), ("Spence", positive)]:
        yield Case(op, {"x": make(3, 4)}, ["x"], tolerance=1e-4)
        yield Case(op, {"x": make(2).astype(np.float64) * 1.0}, ["x"], tolerance=1e-6)
        yield Case(op, {"x": np.zeros((0, 2), np.float32)})
    for op in ["Asinh", "Acosh", "Atanh", "Erfc", "Erfinv", "Ndtri"]:
        yield Case(op, {"x": f32(-2, -1, 0, 1, 2, INF, NAN)}, tolerance=1e-5)
    for op in ["Lgamma", "Digamma"]:
        yield Case(op, {"x": f32(-2, -1.5, -0.25, 0, 0.5, 1, 30, NAN)}, tolerance=1e-4)
    for op in ["BesselI0e", "BesselI1e", "BesselK0e", "BesselK1e", "BesselJ0", "BesselJ1", "Dawsn", "FresnelCos",
               "FresnelSin", "Spence", "Expint"]:
        yield Case(op, {"x": f32(0, 0.5, 1, 2, 5, 20, 60)}, tolerance=1e-4)
    yield from of_two("Zeta", "x", "q", above_one, positive, ["q"])
    yield Case("Zeta", {"x": f32(1, 0.5, 2, 3, 2.5), "q": f32(2, 2, -2, -3, -0.5)})
    yield Case("Polygamma", {"a": f32(0, 1, 2, 3), "x": positive(3, 4) + 0.5}, ["x"], tolerance=1e-3)
    yield Case("Polygamma", {"a": f32(0.5, -1, 1, 2), "x": f32(1, 1, -0.5, 40)}, tolerance=1e-4)
    for op in ["Igamma", "Igammac"]:
        yield from of_two(op, "a", "x", positive, positive, ["a", "x"])
        yield Case(op, {"a": f32(-1, 0, 1, 1, 1, 40), "x": f32(1, 1, -1, 0, INF, 30)}, tolerance=1e-4)
    yield from of_two("IgammaGradA", "a", "x", positive, positive, [])
    yield Case("Betainc", {"a": positive(3, 4), "b": positive(3, 4), "x": in_unit(3, 4)}, ["x"], tolerance=1e-4)
    yield Case("Betainc", {"a": f32(1, 2, 2, -1), "b": f32(1, 3, 3, 1), "x": f32(0, 1, 1.5, 0.5)})
    yield Case("Betainc", {"a": np.float64(2), "b": np.float64(0.5), "x": np.array([0.1, 0.9])}, ["x"])
    for op in ["Xlogy", "Xlog1py", "Xdivy", "MulNoNan"]:
        yield from of_two(op, "x", "y", normal, positive, ["x", "y"])
        yield Case(op, {"x": f32(0, 0, 0, 2, NAN, INF), "y": f32(0, NAN, INF, 0, 0, 0)})
        yield Case(op, {"x": f32(0, 2), "y": f32(3, 4)}, ["x", "y"])
    yield Case("NextAfter", {"x1": f32(1, 1, 0, INF, NAN), "x2": f32(2, 0, -1, 0, 1)})
    yield Case("NextAfter", {"x1": np.array([1.0, -1.0]), "x2": np.array(2.0)}, ["x1", "x2"])
    for op in ["BitwiseAnd", "BitwiseOr", "BitwiseXor"]:
        yield Case(op, {"x": ints(-9999, 9999, 3, 4), "y": ints(-9999, 9999, 4)})
        yield Case(op, {"x": ints(0, 256, 4, dtype=np.uint8), "y": ints(0, 256, 4, dtype=np.uint8)})
    for op in ["LeftShift", "RightShift"]:
        yield Case(op, {"x": ints(-9999, 9999, 3, 4), "y": ints(0, 32, 4)})
        yield Case(op, {"x": np.array([1, -1, 100, -8], np.int8), "y": np.array([-1, 9, 7, 1], np.int8)})
        yield Case(op, {"x": np.array([1, 255, 100], np.uint8), "y": np.array([9, 3, 255], np.uint8)})
    for op in ["Invert", "PopulationCount"]:
        yield Case(op, {"x": ints(-9999, 9999, 3, 4)})
        yield Case(op, {"x": np.array([0, 255, 7], np.uint8)})
        yield Case(op, {"x": np.array([-1, 2**62], np.int64)})
