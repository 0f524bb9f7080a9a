#!/usr/bin/env python3
"""Writes golden cases: what TensorFlow says that ops and their gradients give.

Usage: make_golden.py FOLDER        (needs tensorflow-cpu; run once, the cases are committed)

Each op of the table below is called through tf.raw_ops on fixed random inputs. The case holds attributes, inputs and
outputs as TensorFlow computed them and, for differentiable inputs, the gradient of sum(output * upstream) with the
upstream it was taken for. The format is that of tests/cases/README.md, with two more lines:

  upstream y: float32[2] ...      the gradient that flows into an output
  slope x: float32[2] ...         the gradient that TensorFlow gives for an input
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf

RANDOM = np.random.default_rng(20160425)


def normal(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def positive(*shape):
    return (np.abs(RANDOM.normal(size=shape)) + 0.1).astype(np.float32)


def inside(*shape):
    """In (-0.9, 0.9)."""
    return RANDOM.uniform(-0.9, 0.9, size=shape).astype(np.float32)


def ints(low, high, *shape, dtype=np.int32):
    return RANDOM.integers(low, high, size=shape).astype(dtype)


def i32(*values):
    return np.array(values, np.int32)


class Case:
    """One call. `inputs` maps argument names to arrays (or lists of them); `slopes` names the differentiable ones."""

    def __init__(self, op, inputs, slopes=(), outputs=None, tolerance=None, **attrs):
        self.op, self.inputs, self.slopes, self.attrs = op, inputs, slopes, attrs
        self.outputs, self.tolerance = outputs, tolerance


def unary(op, make=normal, slope=True, **attrs):
    name = {"Relu": "features", "Relu6": "features", "Elu": "features", "Selu": "features", "Softplus": "features",
            "Softsign": "features", "LeakyRelu": "features", "Softmax": "logits", "LogSoftmax": "logits",
            "L2Loss": "t"}.get(op, "x")
    return [Case(op, {name: make(3, 4)}, [name] if slope else [], **attrs),
            Case(op, {name: make(7)}, [name] if slope else [], **attrs)]


def binary(op, a=normal, b=normal, slope=True):
    slopes = ["x", "y"] if slope else []
    return [Case(op, {"x": a(3, 4), "y": b(3, 4)}, slopes),
            Case(op, {"x": a(2, 3, 4), "y": b(4)}, slopes),
            Case(op, {"x": a(3, 1), "y": b(1, 5)}, slopes)]


def reduction(op, make=normal, slope=True):
    arg = "input"
    slopes = [arg] if slope else []
    return [Case(op, {arg: make(3, 4), "axis": i32(1)}, slopes),
            Case(op, {arg: make(2, 3, 4), "axis": i32(0, -1)}, slopes, keep_dims=True),
            Case(op, {arg: make(5), "axis": i32(0)}, slopes)]


def convolution(op, filter_shape, **attrs):
    return Case(op, {"input": normal(2, 7, 6, filter_shape[2]), "filter": normal(*filter_shape)}, ["input", "filter"],
                tolerance=1e-4, **attrs)


def cases():
    for op in ["Neg", "Abs", "Sign", "Exp", "Expm1", "Square", "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh", "Tanh",
               "Sigmoid", "Erf", "Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "Softmax", "LogSoftmax",
               "L2Loss"]:
        yield from unary(op)
    for op in ["Floor", "Ceil", "Round", "Rint", "IsNan", "IsInf", "IsFinite"]:
        yield from unary(op, slope=False)
    for op in ["Log", "Log1p", "Sqrt", "Rsqrt", "Reciprocal"]:
        yield from unary(op, positive)
    for op in ["Asin", "Acos"]:
        yield from unary(op, inside)
    yield from unary("LeakyRelu", alpha=0.1)
    for op in ["AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "Atan2"]:
        yield from binary(op)
    for op in ["RealDiv", "DivNoNan"]:
        yield from binary(op, normal, positive)
    yield from binary("Pow", positive, normal)
    for op in ["FloorDiv", "FloorMod"]:
        yield from binary(op, normal, positive, slope=False)
    for op in ["Less", "LessEqual", "Greater", "GreaterEqual"]:
        yield from binary(op, slope=False)
    yield Case("FloorDiv", {"x": i32(7, -7, 7, -7), "y": i32(2, 2, -2, -2)})
    yield Case("FloorMod", {"x": i32(7, -7, 7, -7), "y": i32(2, 2, -2, -2)})
    yield Case("Equal", {"x": i32(1, 2, 3), "y": i32(1, 5, 3)}, incompatible_shape_error=True)
    yield Case("NotEqual", {"x": i32(1, 2, 3), "y": i32(1, 5, 3)}, incompatible_shape_error=True)
    bools = np.array([[True, False, True], [False, True, False]])
    yield Case("LogicalNot", {"x": bools})
    yield Case("LogicalAnd", {"x": bools, "y": bools[:1]})
    yield Case("LogicalOr", {"x": bools, "y": bools[:1]})
    yield Case("SelectV2", {"condition": bools, "t": normal(2, 3), "e": normal(3)}, ["t", "e"])
    yield Case("AddN", {"inputs": [normal(2, 3), normal(2, 3), normal(2, 3)]})
    yield Case("Cast", {"x": normal(5) * 3}, DstT=tf.int32)
    for op in ["Sum", "Mean", "Max", "Min", "Prod"]:
        yield from reduction(op)
    for op in ["Any", "All"]:
        yield Case(op, {"input": bools, "axis": i32(1)})
    yield Case("ArgMax", {"input": normal(3, 5), "dimension": np.int32(1)})
    yield Case("ArgMin", {"input": normal(3, 5), "dimension": np.int32(0)})
    yield Case("Cumsum", {"x": normal(3, 4), "axis": np.int32(1)}, ["x"])
    yield Case("Cumsum", {"x": normal(3, 4), "axis": np.int32(0)}, ["x"], exclusive=True, reverse=True)
    for ta in [False, True]:
        for tb in [False, True]:
            yield Case("MatMul", {"a": normal(*((4, 3) if ta else (3, 4))), "b": normal(*((5, 4) if tb else (4, 5)))},
                       ["a", "b"], transpose_a=ta, transpose_b=tb)
    yield Case("BatchMatMulV2", {"x": normal(2, 3, 4), "y": normal(2, 4, 5)}, ["x", "y"])
    yield Case("BatchMatMulV2", {"x": normal(2, 1, 4, 3), "y": normal(3, 5, 4)}, ["x", "y"], adj_x=True, adj_y=True)
    yield Case("Einsum", {"inputs": [normal(2, 3, 4), normal(2, 4, 5)]}, equation="bij,bjk->bik")
    yield Case("Einsum", {"inputs": [normal(3, 4), normal(4)]}, equation="ij,j->i")
    yield Case("BiasAdd", {"value": normal(2, 3, 4), "bias": normal(4)}, ["value", "bias"])
    for padding in ["SAME", "VALID"]:
        for strides, dilations in [((1, 1), (1, 1)), ((2, 2), (1, 1)), ((2, 1), (1, 1)), ((1, 1), (2, 2))]:
            yield convolution("Conv2D", (3, 2, 3, 4), padding=padding, strides=[1, *strides, 1],
                              dilations=[1, *dilations, 1])
    yield convolution("Conv2D", (3, 3, 2, 2), padding="EXPLICIT", strides=[1, 1, 1, 1],
                      explicit_paddings=[0, 0, 2, 1, 0, 1, 0, 0])
    yield convolution("DepthwiseConv2dNative", (3, 3, 2, 2), padding="SAME", strides=[1, 1, 1, 1])
    yield convolution("DepthwiseConv2dNative", (2, 2, 3, 1), padding="VALID", strides=[1, 2, 2, 1])
    for padding in ["SAME", "VALID"]:
        yield Case("MaxPool", {"input": normal(2, 5, 6, 3)}, ["input"], ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1],
                   padding=padding)
        yield Case("AvgPool", {"value": normal(2, 5, 6, 3)}, ["value"], ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1],
                   padding=padding)
    scale, offset = positive(3), normal(3)
    empty = np.zeros([0], np.float32)
    yield Case("FusedBatchNormV3", {"x": normal(4, 3, 2, 3), "scale": scale, "offset": offset, "mean": empty,
                                    "variance": empty}, ["x", "scale", "offset"],
               outputs=["y", "batch_mean", "batch_variance"], tolerance=1e-4, epsilon=0.001, is_training=True)
    yield Case("FusedBatchNormV3", {"x": normal(4, 3, 2, 3), "scale": scale, "offset": offset, "mean": normal(3),
                                    "variance": positive(3)}, ["x", "scale", "offset"], outputs=["y"], tolerance=1e-4,
               epsilon=0.001, is_training=False)
    labels = np.abs(normal(4, 5)) + 0.1
    labels /= labels.sum(axis=1, keepdims=True)
    yield Case("SoftmaxCrossEntropyWithLogits", {"features": normal(4, 5), "labels": labels}, ["features"])
    for dtype in [np.int32, np.int64]:
        yield Case("SparseSoftmaxCrossEntropyWithLogits", {"features": normal(4, 5), "labels": ints(0, 5, 4, dtype=dtype)},
                   ["features"])
    yield Case("Shape", {"input": normal(2, 3)})
    yield Case("Rank", {"input": normal(2, 3)})
    yield Case("Size", {"input": normal(2, 3)})
    yield Case("Reshape", {"tensor": normal(2, 6), "shape": i32(3, -1)}, ["tensor"])
    yield Case("Transpose", {"x": normal(2, 3, 4), "perm": i32(2, 0, 1)}, ["x"])
    yield Case("ExpandDims", {"input": normal(2, 3), "axis": np.int32(-1)}, ["input"])
    yield Case("Squeeze", {"input": normal(1, 3, 1, 2)}, ["input"], axis=[0])
    yield Case("ConcatV2", {"values": [normal(2, 3), normal(2, 1)], "axis": np.int32(1)})
    yield Case("Split", {"axis": np.int32(1), "value": normal(2, 6)}, ["value"], num_split=3)
    yield Case("SplitV", {"value": normal(2, 6), "size_splits": i32(1, 2, 3), "axis": np.int32(1)}, ["value"], num_split=3)
    yield Case("Pack", {"values": [normal(2, 3), normal(2, 3)]}, axis=1)
    yield Case("Unpack", {"value": normal(2, 3)}, ["value"], num=3, axis=1)
    yield Case("Slice", {"input": normal(4, 5), "begin": i32(1, 2), "size": i32(2, -1)}, ["input"])
    yield Case("StridedSlice", {"input": normal(4, 6), "begin": i32(3, 1), "end": i32(0, 6), "strides": i32(-1, 2)},
               ["input"])
    yield Case("StridedSlice", {"input": normal(4, 6), "begin": i32(1, 0), "end": i32(2, 3), "strides": i32(1, 1)},
               ["input"], shrink_axis_mask=1, begin_mask=2)
    yield Case("PadV2", {"input": normal(2, 3), "paddings": np.array([[1, 0], [2, 1]], np.int32),
                         "constant_values": np.float32(1.5)}, ["input"])
    for mode in ["REFLECT", "SYMMETRIC"]:
        yield Case("MirrorPad", {"input": normal(3, 4), "paddings": np.array([[1, 1], [2, 1]], np.int32)}, ["input"],
                   mode=mode)
    yield Case("Tile", {"input": normal(2, 3), "multiples": i32(2, 1)}, ["input"])
    yield Case("Fill", {"dims": i32(2, 3), "value": np.float32(2.5)}, ["value"])
    yield Case("Range", {"start": np.int32(2), "limit": np.int32(11), "delta": np.int32(3)})
    yield Case("BroadcastTo", {"input": normal(3, 1), "shape": i32(2, 3, 4)}, ["input"])
    yield Case("ZerosLike", {"x": normal(2, 2)})
    yield Case("OnesLike", {"x": normal(2, 2)})
    yield Case("OneHot", {"indices": i32(0, 2, -1, 1), "depth": np.int32(3), "on_value": np.float32(2),
                          "off_value": np.float32(-1)}, axis=-1)
    yield Case("GatherV2", {"params": normal(4, 3), "indices": i32(3, 0, 3), "axis": np.int32(0)}, ["params"])
    yield Case("GatherV2", {"params": normal(2, 4, 3), "indices": i32(1, 1), "axis": np.int32(1)}, ["params"])
    yield Case("GatherNd", {"params": normal(3, 4), "indices": np.array([[0, 1], [2, 3]], np.int32)}, ["params"])
    yield Case("ScatterNd", {"indices": np.array([[4], [1], [4]], np.int32), "updates": normal(3), "shape": i32(6)},
               ["updates"])
    yield Case("ReverseV2", {"tensor": normal(3, 4), "axis": i32(1)}, ["tensor"])
    yield Case("TopKV2", {"input": normal(3, 6), "k": np.int32(2)}, ["input"], outputs=["values", "indices"])
    yield Case("Where", {"condition": bools})
    yield Case("UnsortedSegmentSum", {"data": normal(4, 2), "segment_ids": i32(2, 0, 2, 1), "num_segments": np.int32(3)},
               ["data"])


RENAMED_AXIS = {"Sum": "reduction_indices", "Mean": "reduction_indices", "Prod": "reduction_indices",
                "Max": "reduction_indices", "Min": "reduction_indices", "Any": "reduction_indices",
                "All": "reduction_indices", "ExpandDims": "dim", "Split": "split_dim", "SplitV": "split_dim"}


def raw_name(op, argument):
    """The schema's argument name for the one that tf.raw_ops takes; they differ in some axes."""
    if (op, argument) == ("Where", "condition"):
        return "input"
    return RENAMED_AXIS.get(op, argument) if argument == "axis" else argument


def number(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if np.issubdtype(type(value), np.integer):
        return str(int(value))
    return np.format_float_positional(np.float32(value), unique=True, trim="-") if np.isfinite(value) else str(value)


def tensor(array):
    array = np.asarray(array)
    shape = ",".join(str(d) for d in array.shape)
    return " ".join([f"{array.dtype.name}[{shape}]", *(number(v) for v in array.reshape(-1))])


def attr(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tf.DType):
        return value.name
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(attr(v) for v in value) + "]"
    return str(value)


def output_names(op):
    from tensorflow.python.framework import op_def_registry
    return [arg.name for arg in op_def_registry.get(op).output_arg]


def run(case):
    """The lines of one case."""
    op = getattr(tf.raw_ops, case.op)
    tensors = {name: [tf.constant(v) for v in value] if isinstance(value, list) else tf.constant(value)
               for name, value in case.inputs.items()}
    watched = [tensors[name] for name in case.slopes]
    with tf.GradientTape() as tape:
        for value in watched:
            tape.watch(value)
        result = op(**tensors, **case.attrs)
        names = output_names(case.op)
        if not isinstance(result, (list, tuple)):
            result = [result]
        if hasattr(result, "_asdict"):
            result = list(result)
        flat = []
        for name, value in zip(names if len(names) == len(result) else names * len(result), result):
            flat.append((name, value))
        kept = [(n, v) for n, v in flat if case.outputs is None or n in case.outputs]
        upstream = []
        total = 0.0
        if case.slopes:
            for i, (name, value) in enumerate(kept):
                if not value.dtype.is_floating or (case.op.endswith("WithLogits") and i > 0):
                    continue
                if case.op == "FusedBatchNormV3" and i > 0:
                    continue
                weight = tf.constant(normal(*value.shape))
                upstream.append((name, weight))
                total += tf.reduce_sum(value * weight)
    lines = [f"attr {'squeeze_dims' if (case.op, name) == ('Squeeze', 'axis') else name}: {attr(value)}"
             for name, value in case.attrs.items()]
    for name, value in case.inputs.items():
        for item in value if isinstance(value, list) else [value]:
            lines.append(f"input {raw_name(case.op, name)}: {tensor(item)}")
    lines += [f"output {name}: {tensor(value.numpy())}" for name, value in kept]
    if case.slopes:
        lines += [f"upstream {name}: {tensor(weight.numpy())}" for name, weight in upstream]
        for name, slope in zip(case.slopes, tape.gradient(total, watched)):
            lines.append(f"slope {raw_name(case.op, name)}: {tensor(tf.convert_to_tensor(slope).numpy())}")
    if case.tolerance:
        lines.append(f"tolerance {case.tolerance}")
    return lines


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    files = {}
    slopes = set()
    for case in cases():
        lines = files.setdefault(case.op, [])
        lines.append(f"\ncase golden {len([l for l in lines if 'case golden' in l]) + 1}")
        lines += run(case)
        if case.slopes:
            slopes.add(case.op)
    os.makedirs(sys.argv[1], exist_ok=True)
    for op, lines in files.items():
        with open(os.path.join(sys.argv[1], op + ".case"), "w") as out:
            out.write(f"# Made by tools/golden/make_golden.py with TensorFlow {tf.__version__}.\nop {op}\n")
            out.write("\n".join(lines) + "\n")
    print(f"{len(files)} ops, {len(slopes)} of them with gradients, TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()
