#!/usr/bin/env python3
"""Lists TensorFlow's ops, one a line: name, and `gradient` where TensorFlow differentiates it.

Usage: list_tensorflow_ops.py >tools/tensorflow_ops.txt        (needs tensorflow-cpu; run once a version)
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow as tf
from tensorflow.python.framework import ops


def differentiable(name):
    try:
        return ops.gradient_registry.lookup(name) is not None
    except LookupError:
        return False


def main():
    print(f"# TensorFlow {tf.__version__}: the ops of tf.raw_ops")
    for name in sorted(n for n in dir(tf.raw_ops) if n[0].isupper()):
        print(name + (" gradient" if differentiable(name) else ""))


if __name__ == "__main__":
    main()
