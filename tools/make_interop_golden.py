#!/usr/bin/env python3
"""Runs models of others in TensorFlow and writes down what they give, for tests/interop.

  make_interop_golden.py DATA [NAME ...]

DATA holds the folders frozen_graph and saved_model; for each model in them a text file appears in
tests/interop/golden: a `run` (of a signature, for a SavedModel), what was fed, which nodes were run,
what was fetched. Needs `tensorflow-cpu`; the files say which version made them.
"""
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "interop" / "golden"
v1 = tf.compat.v1


def rng(name):
    return np.random.default_rng(sum(name.encode()))


def example(**features):
    def feature(value):
        if isinstance(value, (bytes, str)):
            value = value.encode() if isinstance(value, str) else value
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
        if isinstance(value, int):
            return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))
        return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))

    features = {key: feature(value) for key, value in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString(deterministic=True)


EXAMPLES = np.array([example(x=1.0, x2=10.0), example(x=-2.5, x2=4.0)], object)
PENGUINS = [dict(culmen_length_mm=0.25, culmen_depth_mm=0.5, flipper_length_mm=0.125, body_mass_g=0.75),
            dict(culmen_length_mm=0.9, culmen_depth_mm=0.1, flipper_length_mm=0.8, body_mass_g=0.6)]


# What a frozen graph is fed and asked for, one run after another: (feeds, targets, fetches).
GRAPHS = {
    "autoencoder_ae0.pb": [({"X:0": "uniform 1 784"}, [], ["output:0"])],
    "cppflow_small.pb": [({"x:0": "normal 3 5"}, [], ["Identity:0"])],
    "gru.pb": [({"X:0": "normal 2 28 28", "keep_prob:0": np.float32(1)}, [], ["output:0"])],
    "lucid_graphdef.pb": [({}, ["Variable/Assign"], []), ({}, [], ["Variable/read:0"])],
    "regression.pb": [({"X:0": "normal 4"}, [], ["pred:0"])],
    "rust_addition.pb": [({"x:0": np.int32(3), "y:0": np.int32(-40)}, [], ["z:0"])],
    "rust_multiplication.pb": [({"a:0": np.float32(3), "b:0": np.float32(-0.5)}, [], ["c:0"])],
    "rust_regression_training.pb": [
        ({"random_uniform/RandomUniform:0": np.float32([0.25])}, ["init"], []),
        ({"x:0": "normal 100", "y:0": "normal 100"}, ["train"], []),
        ({"x:0": "normal 100", "y:0": "normal 100"}, ["train"], ["gradients/mul_grad/tuple/control_dependency_1:0"]),
        ({}, [], ["w:0", "b:0"])],
    "tensorspace_lenet.pb": [({"MyInput:0": "uniform 2 28 28 1"}, [], ["MySoftMax:0"])],
}
# Inputs of signatures where random ones do not do, and the order of runs where it matters.
SIGNATURES = {
    "counter": [("get_counter", {}), ("incr_counter", {}), ("incr_counter_by", {"delta": np.float32(2.5)}),
                ("get_counter", {}), ("reset_counter", {}), ("get_counter", {})],
    "rust_regression_training": [
        ("w", {}), ("b", {}), ("train", {"x": "normal 100", "y": "normal 100"}),
        ("train", {"x": "normal 100", "y": "normal 100"}), ("w", {}), ("b", {})],
    "taxi_keras": [("serving_default", {"examples": np.array([example(**p) for p in PENGUINS], object)})],
    "uint8_multiply": [("serving_default", {"x": np.array([7], np.uint8)}),
                       ("serving_default", {"x": np.array([200], np.uint8)})],
}


def made(value, random):
    if not isinstance(value, str):
        return np.asarray(value)
    kind, *dims = value.split()
    shape = [int(d) for d in dims]
    values = random.normal(size=shape) if kind == "normal" else random.uniform(size=shape)
    return np.round(values, 4).astype(np.float32)


def number(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, np.floating):
        if np.isnan(value):
            return "nan"
        if np.isinf(value):
            return "inf" if value > 0 else "-inf"
        return repr(float(value)) if value.dtype == np.float64 else str(value)
    if isinstance(value, (bytes, str)):
        value = value.encode() if isinstance(value, str) else value
        plain = all(32 <= b < 127 and b not in b'"\\\\' for b in value)
        text = value.decode() if plain else "".join(f"\\x{b:02x}" for b in value)
        return f'"{text}"'
    return str(value)


def tensor(value):
    value = np.asarray(value)
    name = "string" if value.dtype == object or value.dtype.kind in "SU" else value.dtype.name
    shape = ",".join(str(d) for d in value.shape)
    return " ".join([f"{name}[{shape}]"] + [number(v) for v in value.ravel()])


def write(name, runs):
    lines = [f"# {name}: what TensorFlow {tf.__version__} gives; made by tools/make_interop_golden.py"]
    for title, feeds, targets, fetches in runs:
        lines += ["", title]
        lines += [f"feed {key}: {tensor(value)}" for key, value in feeds.items()]
        lines += [f"target {target}" for target in targets]
        lines += [f"fetch {key}: {tensor(value)}" for key, value in fetches.items()]
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / f"{name}.txt").write_text("\n".join(lines) + "\n")
    print(f"{name}: {len(runs)} runs")


def run_graph(path):
    random = rng(path.name)
    runs = []
    with v1.Graph().as_default() as graph, v1.Session() as session:
        definition = v1.GraphDef.FromString(path.read_bytes())
        tf.import_graph_def(definition, name="")
        for feeds, targets, fetches in GRAPHS[path.name]:
            feeds = {key: made(value, random) for key, value in feeds.items()}
            values, _ = session.run([fetches, [graph.get_operation_by_name(t) for t in targets]], feeds)
            runs.append(("run", feeds, targets, dict(zip(fetches, values))))
    write(path.name, runs)


def random_input(tensor, random):
    dims = [3] if tensor.shape.rank is None else [2 if d is None else d for d in tensor.shape.as_list()]
    dtype = tensor.dtype.base_dtype
    if dtype == tf.string:
        return EXAMPLES[:dims[0]] if dims else EXAMPLES[0]
    values = random.normal(size=dims)
    return np.round(values, 4).astype(np.float32) if dtype.is_floating else \
        random.integers(0, 9, dims).astype(dtype.as_numpy_dtype)


def run_saved_model(folder):
    random = rng(folder.name)
    runs = []
    with v1.Graph().as_default(), v1.Session() as session:
        meta = v1.saved_model.loader.load(session, ["serve"], str(folder))
        signatures = {k: s for k, s in meta.signature_def.items() if not k.startswith("__")}
        wanted = SIGNATURES.get(folder.name)
        if wanted is None:
            wanted = [(name, {key: random_input(session.graph.get_tensor_by_name(info.name), random)
                              for key, info in sorted(signatures[name].inputs.items())})
                      for name in sorted(signatures)]
        for name, feeds in wanted:
            signature = signatures[name]
            feeds = {key: made(value, random) for key, value in feeds.items()}
            values = session.run({k: o.name for k, o in signature.outputs.items()},
                                 {signature.inputs[k].name: v for k, v in feeds.items()})
            runs.append((f"run {name}", feeds, [], dict(sorted(values.items()))))
    write(folder.name, runs)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    data, only = pathlib.Path(sys.argv[1]), sys.argv[2:]
    for path in sorted((data / "frozen_graph").glob("*.pb")):
        if not only or path.name in only:
            run_graph(path)
    for folder in sorted((data / "saved_model").iterdir()):
        if not only or folder.name in only:
            run_saved_model(folder)


if __name__ == "__main__":
    main()
