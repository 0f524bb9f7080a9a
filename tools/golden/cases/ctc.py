"""Losses of label sequences, and sequences read off again."""

import numpy as np
import tensorflow as tf

from golden import Case, i32, normal


def labels(*rows):
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    return {"labels_indices": np.array(indices, np.int64).reshape(-1, 2), "labels_values": i32(*[v for row in rows for v in row])}


def cases():
    for rows, lengths, attrs in [
            ([[0, 1], [2]], [4, 5], {}),
            ([[0, 0], [1, 2, 1]], [5, 5], {}),
            ([[0, 0, 1], [2, 2]], [5, 4], dict(preprocess_collapse_repeated=True)),
            ([[0, 0, 1], [2, 2]], [5, 4], dict(ctc_merge_repeated=False)),
            ([[0, 1, 2], [1]], [2, 5], dict(ignore_longer_outputs_than_inputs=True)),
            ([[1]], [1], {})]:
        inputs = {"inputs": normal(5, len(rows), 4), **labels(*rows), "sequence_length": i32(*lengths)}
        yield Case("CTCLoss", inputs, tolerance=5e-5, **attrs)
        yield Case("CTCLoss", inputs, ["inputs"], outputs=["loss"], tolerance=5e-5, **attrs)
    for merge in [False, True]:
        for blank in [-1, 0]:
            yield Case("CTCGreedyDecoder", {"inputs": np.round(normal(6, 2, 3), 1) + normal(6, 2, 3) * 0.01,
                                            "sequence_length": i32(6, 4)}, merge_repeated=merge, blank_index=blank)
    yield Case("CTCGreedyDecoder", {"inputs": normal(3, 1, 2).astype(np.float64), "sequence_length": i32(0)})
    for merge in [False, True]:
        for width, paths in [(10, 1), (12, 3), (2, 2)]:
            yield Case("CTCBeamSearchDecoder", {"inputs": normal(5, 2, 4), "sequence_length": i32(5, 3)}, beam_width=width,
                       top_paths=paths, merge_repeated=merge, tolerance=5e-5)
