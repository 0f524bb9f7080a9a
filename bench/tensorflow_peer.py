#!/usr/bin/env python3
"""The peer of bench_inference: a SavedModel run by real TensorFlow, in a process of its own.

Usage: tensorflow_peer.py MODEL INPUT.npy THREADS       reads numbers of runs, writes seconds a run
"""

import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    model, path, threads = sys.argv[1:]
    tf.config.threading.set_intra_op_parallelism_threads(int(threads))
    tf.config.threading.set_inter_op_parallelism_threads(1)
    signature = tf.saved_model.load(model).signatures["serving_default"]
    (key,) = signature.structured_input_signature[1]
    x = tf.constant(np.load(path))

    def run():
        (y,) = signature(**{key: x}).values()
        return y.numpy()

    for _ in range(5):
        run()
    for line in sys.stdin:
        count = int(line)
        begin = time.perf_counter()
        for _ in range(count):
            run()
        print(f"{(time.perf_counter() - begin) / count:.9f}", flush=True)


if __name__ == "__main__":
    main()
