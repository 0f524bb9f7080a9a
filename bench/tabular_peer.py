#!/usr/bin/env python3
"""The peers of bench_tabular, each in a process of its own.

Usage: tabular_peer.py CASE THREADS DATA   reads numbers of runs, writes seconds a run
       tabular_peer.py make FOLDER         writes events.npy: 100,000 made-up events, label first

CASE: keras_wide_deep, torch_wide_deep (DATA: census.npz), sklearn_linear, xgboost_trees (DATA: events.npy)
"""

import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
case = sys.argv[1] if len(sys.argv) > 2 else ""
threads = int(sys.argv[2]) if len(sys.argv) == 4 else 1
if case in ("sklearn_linear", "xgboost_trees"):
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(threads)

import numpy as np

BATCH = 256
HIDDEN = (100, 50)
DIMENSION = 8


def census(path):
    """numbers, ids [rows, columns], buckets, how many columns are deep, labels: as prepared by bench_tabular."""
    archive = np.load(path)
    return archive["numbers"], archive["ids"], archive["buckets"], archive["deep"], archive["labels"]


def keras_wide_deep(path):
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    numbers, ids, buckets, deep, labels = census(path)
    inputs = [tf.keras.Input((numbers.shape[1],)), tf.keras.Input((ids.shape[1],), dtype="int64")]
    # One table with offsets for all wide columns: the fastest form that Keras has for them.
    offsets = np.concatenate([[0], np.cumsum(buckets)[:-1]])
    wide = tf.keras.layers.Embedding(int(buckets.sum()), 1, embeddings_initializer="zeros", name="wide")
    linear = tf.keras.ops.sum(wide(inputs[1] + offsets), axis=1)
    parts = [inputs[0]]
    for column in deep:
        parts.append(tf.keras.layers.Embedding(int(buckets[column]), DIMENSION)(inputs[1][:, int(column)]))
    x = tf.keras.ops.concatenate(parts, axis=1)
    for units in HIDDEN:
        x = tf.keras.layers.Dense(units, "relu")(x)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(x) + linear)
    model.compile("adagrad", tf.keras.losses.BinaryCrossentropy(from_logits=True))
    data = tf.data.Dataset.from_tensor_slices(((numbers, ids), labels.astype("float32")[:, None]))
    data = data.cache().shuffle(len(labels)).batch(BATCH).prefetch(2)
    return lambda: model.fit(data, epochs=1, verbose=0)


def torch_wide_deep(path):
    import torch

    torch.set_num_threads(threads)
    numbers, ids, buckets, deep, labels = (torch.from_numpy(a) for a in census(path))
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), torch.cumsum(buckets, 0)[:-1]])

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.wide = torch.nn.EmbeddingBag(int(buckets.sum()), 1, mode="sum", sparse=True)
            torch.nn.init.zeros_(self.wide.weight)
            self.tables = torch.nn.ModuleList(
                torch.nn.Embedding(int(buckets[c]), DIMENSION, sparse=True) for c in deep)
            width = numbers.shape[1] + DIMENSION * len(deep)
            layers = []
            for units in HIDDEN:
                layers += [torch.nn.Linear(width, units), torch.nn.ReLU()]
                width = units
            self.deep = torch.nn.Sequential(*layers, torch.nn.Linear(width, 1))

        def forward(self, numbers, ids):
            parts = [numbers] + [t(ids[:, c]) for t, c in zip(self.tables, deep)]
            return self.deep(torch.cat(parts, 1)) + self.wide(ids + offsets)

    model = Model()
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    loss = torch.nn.BCEWithLogitsLoss()
    targets = labels.float()[:, None]

    def epoch():
        order = torch.randperm(len(labels))
        for begin in range(0, len(labels), BATCH):
            rows = order[begin:begin + BATCH]
            optimizer.zero_grad()
            loss(model(numbers[rows], ids[rows]), targets[rows]).backward()
            optimizer.step()

    return epoch


def sklearn_linear(path):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    events = np.load(path)
    x, y = np.ascontiguousarray(events[:, 1:]), events[:, 0].astype("int64")
    return lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)).fit(x, y)


def xgboost_trees(path):
    import xgboost

    events = np.load(path)
    x, y = np.ascontiguousarray(events[:, 1:]), events[:, 0]
    options = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 6, "eta": 0.1,
               "nthread": threads}
    return lambda: xgboost.train(options, xgboost.DMatrix(x, y, nthread=threads), 100)


def make(folder):
    random = np.random.default_rng(1)
    x = random.normal(size=(100000, 28)).astype("float32")
    score = x @ random.normal(size=28) * 0.5 + x[:, 0] * x[:, 1] + random.normal(size=100000)
    np.save(os.path.join(folder, "events.npy"), np.column_stack([score > 0, x]).astype("float32"))


def main():
    if len(sys.argv) == 3 and case == "make":
        make(sys.argv[2])
        return
    cases = {f.__name__: f for f in (keras_wide_deep, torch_wide_deep, sklearn_linear, xgboost_trees)}
    if len(sys.argv) != 4 or case not in cases:
        sys.exit(__doc__)
    run = cases[case](sys.argv[3])
    run()
    for line in sys.stdin:
        count = int(line)
        begin = time.perf_counter()
        for _ in range(count):
            run()
        print(f"{(time.perf_counter() - begin) / count:.9f}", flush=True)


if __name__ == "__main__":
    main()
