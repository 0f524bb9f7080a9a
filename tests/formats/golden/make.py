"""Writes the checkpoints in this folder; those here were made with tensorflow-cpu 2.21.0."""
import numpy as np
import tensorflow as tf


def save(prefix, tensors):
    names, slices, values = zip(*tensors)
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=values)


rows = tf.constant(np.arange(12, dtype=np.int16).reshape(6, 2))
wide = tf.constant(np.arange(140, dtype=np.float32).reshape(2, 70))
save("part0", [("w", "6 2 0,4:0,2", rows[:4]), ("wide", "2 70 0,2:0,64", wide[:, :64]),
               ("s", "", tf.constant(["ab", "c"]))])
save("part1", [("w", "6 2 4,2:-", rows[4:]), ("wide", "2 70 -:64,6", wide[:, 64:])])
tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=["part0", "part1"], destination_prefix="partitioned")

save("kinds", [("bf", "", tf.constant([1.5, -2], tf.bfloat16)), ("b", "", tf.constant([True, False])),
               ("h", "", tf.constant([0.5], tf.float16)), ("i", "", tf.constant(7, tf.int64)),
               ("d", "", tf.constant([[1.0], [2.0]], tf.float64)), ("u", "", tf.constant([200], tf.uint8))])
