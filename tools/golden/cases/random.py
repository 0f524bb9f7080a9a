"""Random numbers that are a function of their seeds; and those of stateful ops in their first run."""

import numpy as np
import tensorflow as tf

from golden import Case, i32, normal

ALG = np.int32(1)


def keyed(**more):
    key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=[7, 11])
    return {"key": key.numpy(), "counter": counter.numpy(), "alg": ALG, **more}


def cases():
    for seed in [i32(0, 0), i32(1, 2), np.array([-5, 1 << 40], np.int64)]:
        yield Case("StatelessRandomGetKeyCounter", {"seed": seed})
        yield Case("StatelessRandomGetKeyCounterAlg", {"seed": seed})
    yield Case("StatelessRandomGetAlg", {})
    for dtype in [tf.float32, tf.float64]:
        for op in ["StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"]:
            for shape in [i32(2, 5), i32(0), np.array([], np.int32)]:
                yield Case(op, {"shape": shape, **keyed()}, dtype=dtype)
        for op in ["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"]:
            yield Case(op, {"shape": i32(7), "seed": i32(3, 4)}, dtype=dtype)
    for dtype in [np.int32, np.int64, np.uint32, np.uint64]:
        if dtype in (np.int32, np.int64):
            yield Case("StatelessRandomUniformIntV2", {"shape": i32(6), **keyed(minval=dtype(3), maxval=dtype(100))})
        yield Case("StatelessRandomUniformFullIntV2", {"shape": i32(5), **keyed()}, dtype=tf.as_dtype(dtype))
        yield Case("StatelessRandomUniformFullInt", {"shape": i32(5), "seed": i32(3, 4)}, dtype=tf.as_dtype(dtype))
    yield Case("StatelessRandomUniformInt", {"shape": i32(6), "seed": i32(3, 4), "minval": np.int32(-3), "maxval": np.int32(4)})
    logits = normal(1, 4)
    yield Case("StatelessMultinomial", {"logits": logits, "num_samples": np.int32(9), "seed": i32(3, 4)})
    yield Case("StatelessMultinomial", {"logits": np.log(np.array([[0, 1, 0]], np.float32)), "num_samples": np.int32(3),
                                        "seed": i32(3, 4)}, output_dtype=tf.int32)
    yield Case("StatelessMultinomial", {"logits": logits, "num_samples": np.int32(0), "seed": i32(3, 4)})
    alpha = np.array([0.3, 1, 2.5], np.float32)
    yield Case("StatelessRandomGammaV2", {"shape": i32(4, 3), "seed": i32(3, 4), "alpha": alpha}, tolerance=1e-4)
    yield Case("StatelessRandomGammaV2", {"shape": i32(5), "seed": i32(3, 4), "alpha": np.float64(7)})
    yield Case("StatelessRandomGammaV3", {"shape": i32(2, 3), **keyed(alpha=alpha)}, tolerance=1e-4)
    rates = np.array([0.5, 4, 30], np.float32)
    yield Case("StatelessRandomPoisson", {"shape": i32(4, 3), "seed": i32(3, 4), "lam": rates}, dtype=tf.int64)
    yield Case("StatelessRandomPoisson", {"shape": i32(4), "seed": i32(3, 4), "lam": np.float64(100)}, dtype=tf.float32)
    yield Case("RandomGamma", {"shape": i32(4), "alpha": alpha}, seed=5, seed2=6, tolerance=1e-4)
    yield Case("RandomPoissonV2", {"shape": i32(4), "rate": rates}, seed=5, seed2=6, dtype=tf.int32)
    yield Case("Multinomial", {"logits": logits, "num_samples": np.int32(9)}, seed=5, seed2=6)
    yield Case("RandomUniformInt", {"shape": i32(6), "minval": np.int32(-3), "maxval": np.int32(4)}, seed=5, seed2=6)
    yield Case("RandomUniform", {"shape": i32(6)}, seed=5, seed2=6, dtype=tf.float32)
    yield Case("RandomStandardNormal", {"shape": i32(6)}, seed=5, seed2=6, dtype=tf.float32)
    yield Case("TruncatedNormal", {"shape": i32(6)}, seed=5, seed2=6, dtype=tf.float32)
    for seed, shape in enumerate([i32(4), i32(2, 2), np.zeros([0], np.int32)]):  # a seed is in its first run once
        yield Case("RandomGamma", {"shape": shape, "alpha": alpha.astype(np.float64)}, ["alpha"], seed=5, seed2=60 + seed)
    yield Case("StatelessRandomGammaV2", {"shape": i32(4, 3), "seed": i32(3, 4), "alpha": alpha.astype(np.float64)}, ["alpha"])
    yield Case("StatelessRandomGammaV3", {"shape": i32(2, 3), **keyed(alpha=alpha.astype(np.float64))}, ["alpha"])
    samples = np.array([[1e-3, 0.2, 1, 5], [0, 30, 80, 1e-8]])
    for parameters in [np.array([0.1, 1, 7, 50]), np.array([[2.5], [0.4]])]:
        yield Case("RandomGammaGrad", {"alpha": parameters, "sample": samples}, tolerance=1e-6)
        yield Case("RandomGammaGrad", {"alpha": parameters.astype(np.float32), "sample": samples.astype(np.float32)},
                   tolerance=1e-3)
