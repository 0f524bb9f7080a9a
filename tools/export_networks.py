#!/usr/bin/env python3
"""Exports common networks with random weights from real TensorFlow, each with one input and TensorFlow's output.

Usage: export_networks.py FOLDER [NETWORK ...]      (needs tensorflow-cpu; NETWORK: mobilenet_v2 resnet50 transformer lstm)

FOLDER/<network>/model is a SavedModel; FOLDER/<network>/input.npy and output.npy are float32 arrays.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf
from tensorflow import keras


def mobilenet_v2():
    return keras.applications.MobileNetV2(weights=None, input_shape=(224, 224, 3)), (1, 224, 224, 3)


def resnet50():
    return keras.applications.ResNet50(weights=None, input_shape=(224, 224, 3)), (1, 224, 224, 3)


def transformer():
    """Four blocks of a post-norm encoder: width 256, 8 heads, 128 positions."""
    x = inputs = keras.Input((128, 256))
    for _ in range(4):
        attention = keras.layers.MultiHeadAttention(num_heads=8, key_dim=32)(x, x)
        x = keras.layers.LayerNormalization()(x + attention)
        hidden = keras.layers.Dense(256)(keras.layers.Dense(1024, activation="gelu")(x))
        x = keras.layers.LayerNormalization()(x + hidden)
    return keras.Model(inputs, x), (4, 128, 256)


def lstm():
    """Two LSTM layers of 128 units over 50 steps of 64 features."""
    inputs = keras.Input((50, 64))
    x = keras.layers.LSTM(128, return_sequences=True)(inputs)
    x = keras.layers.LSTM(128)(x)
    return keras.Model(inputs, keras.layers.Dense(10, activation="softmax")(x)), (16, 50, 64)


NETWORKS = {f.__name__: f for f in (mobilenet_v2, resnet50, transformer, lstm)}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[2:] or NETWORKS:
        if name not in NETWORKS:
            sys.exit(f"there is no network {name}; there are {', '.join(NETWORKS)}")
        keras.utils.set_random_seed(20160425)
        model, shape = NETWORKS[name]()
        # Moving statistics and biases as after training, not zeros and ones.
        random = np.random.default_rng(1)
        for weight in model.weights:
            if any(part in weight.path for part in ("moving_", "beta", "bias")):
                noise = random.uniform(0.5, 1.5, weight.shape) if "variance" in weight.path else random.normal(0, 0.1, weight.shape)
                weight.assign(noise.astype(np.float32))
        x = random.normal(size=shape).astype(np.float32)
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder, exist_ok=True)
        model.export(os.path.join(folder, "model"), verbose=False)
        signature = tf.saved_model.load(os.path.join(folder, "model")).signatures["serving_default"]
        (key,) = signature.structured_input_signature[1]
        (y,) = signature(**{key: tf.constant(x)}).values()
        np.save(os.path.join(folder, "input.npy"), x)
        np.save(os.path.join(folder, "output.npy"), y.numpy())
        print(f"{name}: {model.count_params()} parameters, {x.shape} -> {tuple(y.shape)}")


if __name__ == "__main__":
    main()
