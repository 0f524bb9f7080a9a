#!/usr/bin/env python3
"""Checks that TensorFlow 2 loads a SavedModel of thalweg's and that both give the same numbers.

  check_tensorflow_loads.py THALWEG FOLDER [FOLDER ...]

THALWEG is the program. For each signature of each folder, random inputs go through
tf.saved_model.load and through `thalweg run`; outputs may differ by 1e-5, relative and absolute.
Prints one JSON object with what was compared. Exit status: 0 the same, 1 not the same or not
loaded, 77 when TensorFlow is not installed (a skipped test).
"""
import json
import os
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

TOLERANCE = 1e-5
BATCH = 3


def random_input(spec, key, random):
    import numpy as np

    shape = [BATCH if d is None else d for d in spec.shape.as_list()]
    dtype = spec.dtype.as_numpy_dtype
    if spec.dtype.is_floating:
        return random.normal(size=shape).astype(dtype)
    if spec.dtype.name == "string":
        texts = ["0.5", "", "12", "-3e2"] if "number" in key else ["text", "dog", "", "bird"]
        return random.choice(np.array(texts, object), size=shape)
    return random.integers(0, 5, size=shape).astype(dtype)


def run_thalweg(program, folder, signature, inputs):
    command = [program, "run", folder, "--signature", signature, "--json"]
    for key, value in inputs.items():
        command += ["--input", f"{key}={json.dumps(value.tolist())}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"thalweg run failed: {done.stderr.strip()}")
    return json.loads(done.stdout)["outputs"]


def check_folder(program, folder):
    import numpy as np
    import tensorflow as tf

    random = np.random.default_rng(7)
    model = tf.saved_model.load(folder)
    found = {}
    for name, function in model.signatures.items():
        specs = function.structured_input_signature[1]
        inputs = {key: random_input(spec, key, random) for key, spec in specs.items()}
        expected = function(**{key: tf.constant(value) for key, value in inputs.items()})
        got = run_thalweg(program, folder, name, inputs)
        if sorted(got) != sorted(expected):
            raise ValueError(f"{name}: outputs {sorted(got)}, TensorFlow has {sorted(expected)}")
        for key, value in expected.items():
            ours = np.array(got[key]["value"], dtype=value.dtype.as_numpy_dtype)
            if value.dtype == tf.string:
                theirs = [text.decode() for text in value.numpy().ravel()]
                np.testing.assert_array_equal(ours.ravel(), theirs, f"{folder}, {name}, {key}")
                found.setdefault(name, {})[key] = {"shape": list(ours.shape)}
                continue
            np.testing.assert_allclose(ours, value.numpy(), rtol=TOLERANCE, atol=TOLERANCE,
                                       err_msg=f"{folder}, {name}, {key}")
            found.setdefault(name, {})[key] = {"shape": list(ours.shape)}
    if not found:
        raise ValueError("TensorFlow sees no signatures")
    variables = [v.name for v in getattr(model, "variables", [])]
    return {"signatures": found, "variables": variables}


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        import tensorflow as tf
    except ImportError:
        print("check_tensorflow_loads: TensorFlow is not installed", file=sys.stderr)
        return 77
    report = {"tensorflow": tf.__version__, "models": {}}
    for folder in sys.argv[2:]:
        try:
            report["models"][folder] = check_folder(sys.argv[1], folder)
        except Exception as error:  # whatever the reason: it is not the same model there
            print(f"check_tensorflow_loads: {folder}: {error}", file=sys.stderr)
            return 1
    print(json.dumps(report, indent=2, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
