"""Candidate samplers in their first run, and accidental hits."""

import numpy as np

from golden import Case


def classes(*rows):
    return np.array(rows, np.int64)


def cases():
    for unique in [False, True]:
        for op in ["LogUniformCandidateSampler", "UniformCandidateSampler"]:
            yield Case(op, {"true_classes": classes([0], [3], [19])}, num_true=1, num_sampled=6, unique=unique, range_max=20,
                       seed=5, seed2=6)
            yield Case(op, {"true_classes": classes([0, 1], [7, 2])}, num_true=2, num_sampled=8, unique=unique, range_max=8,
                       seed=1, seed2=2)
        for op in ["ThreadUnsafeUnigramCandidateSampler", "LearnedUnigramCandidateSampler"]:
            yield Case(op, {"true_classes": classes([0], [3], [19])}, num_true=1, num_sampled=6, unique=unique, range_max=20,
                       seed=5, seed2=6)
        weights = [1., 5., 0.5, 2., 0., 3.]
        for more in [dict(range_max=6), dict(range_max=6, distortion=0.5), dict(range_max=8, num_reserved_ids=2),
                     dict(range_max=3, num_shards=2, shard=1)]:
            count = 3 if more["range_max"] > 3 else 2
            yield Case("FixedUnigramCandidateSampler", {"true_classes": classes([0, 1], [2, 1])}, num_true=2, num_sampled=count,
                       unique=unique, unigrams=weights, seed=5, seed2=6, **more)
    yield Case("AllCandidateSampler", {"true_classes": classes([0, 1], [3, 2])}, num_true=2, num_sampled=4, unique=True)
    yield Case("ComputeAccidentalHits", {"true_classes": classes([1, 2], [3, 4], [5, 1]),
                                         "sampled_candidates": np.array([5, 1, 9], np.int64)}, num_true=2)
    yield Case("ComputeAccidentalHits", {"true_classes": classes([1], [2]), "sampled_candidates": np.array([7], np.int64)},
               num_true=1)
