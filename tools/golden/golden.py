"""What all families of golden cases share: random inputs, the Case, and how one is run and written."""

import inspect
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf

RANDOM = np.random.default_rng(20160425)


def reseed():
    """The same draws for a family, whichever families are made with it."""
    global RANDOM
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
    """One call. `inputs` maps argument names to arrays (or lists of them); `slopes` names the differentiable ones;
    `told` are attributes that tf.raw_ops tells from the inputs, but a case must say."""

    def __init__(self, op, inputs, slopes=(), outputs=None, tolerance=None, told=None, **attrs):
        self.op, self.inputs, self.slopes, self.attrs, self.told = op, inputs, slopes, attrs, told or {}
        self.outputs, self.tolerance = outputs, tolerance


class Variable:
    """An input that is the handle of a variable with this value; the case then holds its value afterwards too."""

    def __init__(self, value):
        self.value = np.asarray(value)
        self.state = None

    def handle(self):
        self.state = tf.Variable(self.value)
        return self.state.handle


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


def raw_name(op, argument):
    """The schema's argument name for the one that tf.raw_ops takes; they differ in some (`axis`)."""
    from tensorflow.python.framework import op_def_registry
    names = [arg.name for arg in op_def_registry.get(op).input_arg]
    if argument in names:
        return argument
    taken = inspect.signature(getattr(tf.raw_ops, op)).parameters
    return next(name for name in names if name not in taken)


def number(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if np.issubdtype(type(value), np.integer):
        return str(int(value))
    if isinstance(value, bytes):
        return '"' + "".join(chr(c) if 32 <= c < 127 and c not in (34, 92) else f"\\x{c:02x}" for c in value) + '"'
    if np.iscomplexobj(value):
        imaginary = number(value.imag)
        return number(value.real) + (imaginary if imaginary[0] == "-" else "+" + imaginary) + "j"
    if isinstance(value, np.float64):
        return repr(float(value))
    return np.format_float_positional(np.float32(value), unique=True, trim="-") if np.isfinite(value) else str(value)


def tensor(array):
    # A string scalar must stay an object: NumPy's own strings drop zeros at the end.
    quantized = "q" if isinstance(array, tf.Tensor) and array.dtype.is_quantized else ""
    array = np.asarray(array, object if isinstance(array, bytes) else None)
    shape = ",".join(str(d) for d in array.shape)
    name = "string" if array.dtype == object or array.dtype.kind in "SU" else array.dtype.name
    return " ".join([f"{quantized}{name}[{shape}]", *(number(v) for v in array.reshape(-1))])


def attr(value):
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return number(value.encode())
    if isinstance(value, tf.DType):
        return value.name
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(attr(v) for v in value) + "]"
    return str(value)


def output_names(op):
    from tensorflow.python.framework import op_def_registry
    return [arg.name for arg in op_def_registry.get(op).output_arg]


def weight_of(value):
    """A random gradient that flows into an output."""
    weight = normal(*value.shape)
    if value.dtype.is_complex:
        weight = weight + 1j * normal(*value.shape)
    return tf.constant(weight, value.dtype)


def run(case):
    """The lines of one case."""
    op = getattr(tf.raw_ops, case.op)
    variables = {name: value for name, value in case.inputs.items() if isinstance(value, Variable)}
    tensors = {name: [tf.constant(v) for v in value] if isinstance(value, list) else
               value.handle() if isinstance(value, Variable) else tf.constant(value)
               for name, value in case.inputs.items()}
    watched = [tensors[name] for name in case.slopes]
    with tf.GradientTape() as tape:
        for value in watched:
            tape.watch(value)
        result = op(**tensors, **case.attrs)
        if isinstance(result, tf.Operation):
            result = []
        names = output_names(case.op)
        if not isinstance(result, (list, tuple)):
            result = [result]
        if hasattr(result, "_asdict"):
            result = list(result)
        flat = []
        for name, value in zip(names if len(names) == len(result) else names * len(result), result):
            flat += [(name, item) for item in (value if isinstance(value, list) else [value])]
        kept = [(n, v) for n, v in flat if case.outputs is None or n in case.outputs]
        upstream = []
        if case.slopes:
            for i, (name, value) in enumerate(kept):
                if not (value.dtype.is_floating or value.dtype.is_complex) or (case.op.endswith("WithLogits") and i > 0):
                    continue
                if case.op == "FusedBatchNormV3" and i > 0:
                    continue
                upstream.append((name, value, weight_of(value)))
    lines = [f"attr {'squeeze_dims' if (case.op, name) == ('Squeeze', 'axis') else name}: {attr(value)}"
             for name, value in {**case.told, **case.attrs}.items()]
    for name, value in case.inputs.items():
        for item in value if isinstance(value, list) else [value]:
            text = "resource " + tensor(item.value) if isinstance(item, Variable) else tensor(item)
            lines.append(f"input {raw_name(case.op, name)}: {text}")
    lines += [f"output {name}: {tensor(value if value.dtype.is_quantized else value.numpy())}" for name, value in kept]
    lines += [f"variable {name}: {tensor(variable.state.numpy())}" for name, variable in variables.items()]
    if case.slopes:
        lines += [f"upstream {name}: {tensor(weight.numpy())}" for name, _, weight in upstream]
        slopes = tape.gradient([value for _, value, _ in upstream], watched,
                               output_gradients=[weight for _, _, weight in upstream])
        for name, slope in zip(case.slopes, slopes):
            lines.append(f"slope {raw_name(case.op, name)}: {tensor(tf.convert_to_tensor(slope).numpy())}")
    if case.tolerance:
        lines.append(f"tolerance {case.tolerance}")
    return lines
