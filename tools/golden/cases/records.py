"""Records that are read from strings, tensors as bytes, and TensorBoard's summaries."""

import gzip
import zlib

import numpy as np
import tensorflow as tf

from golden import Case, i32, normal
from cases.text import one, strings


def example(**features):
    """Serialised with sorted keys; a feature that is None has no kind."""
    message = tf.train.Example()
    for key, values in sorted(features.items()):
        feature = message.features.feature[key]
        if values is None:
            continue
        if not values or isinstance(values[0], bytes):
            feature.bytes_list.value.extend(values)
        elif isinstance(values[0], float):
            feature.float_list.value.extend(values)
        else:
            feature.int64_list.value.extend(values)
    return message.SerializeToString(deterministic=True)


def field(number, payload):
    """A length-delimited protobuf field."""
    assert len(payload) < 128
    return bytes([number << 3 | 2, len(payload)]) + payload


def entry(key, feature):
    return field(1, field(1, key) + field(2, feature))


# Unpacked lists, as old writers make them; a key twice: the last value counts; fields nobody knows.
UNPACKED_INTS = field(3, b"\x08\x05\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
UNPACKED_FLOATS = field(2, b"\x0d\x00\x00\x80\x3f\x0d\x00\x00\x00\x40")
ODD = field(1, entry(b"n", field(3, field(1, b"\x01\x02"))) + entry(b"x", UNPACKED_FLOATS) +
            entry(b"n", UNPACKED_INTS)) + field(9, b"unknown")

BATCH = strings(example(n=[1, 2], x=[0.5, 1.5], s=[b"a\0b"]),
                example(n=[-3, 1 << 40], x=[2.0, -1.0], s=[b"", b"\xff"], more=[9]),
                example(n=[7, 8]),
                example(n=[7, 8], x=None, s=[]),
                ODD)


def v2(serialized, dense=(), sparse=(), ragged=(), splits=tf.int64, names=()):
    """`dense`: (key, default, shape); `sparse` and `ragged`: (key, type)."""
    return Case("ParseExampleV2", {"serialized": serialized, "names": strings(*names),
                                   "sparse_keys": strings(*[k for k, _ in sparse]),
                                   "dense_keys": strings(*[k for k, _, _ in dense]),
                                   "ragged_keys": strings(*[k for k, _ in ragged]),
                                   "dense_defaults": [d for _, d, _ in dense]},
                num_sparse=len(sparse), sparse_types=[t for _, t in sparse],
                ragged_value_types=[t for _, t in ragged], ragged_split_types=[splits for _ in ragged],
                dense_shapes=[s for _, _, s in dense])


def examples():
    n = ("n", np.zeros([0], np.int64), [2])
    x = ("x", np.array([10, 20], np.float32), [2])
    column = ("n", np.zeros([0], np.int64), [1, 2, 1])
    padded_text = ("s", one("pad"), [None])
    padded_x = ("x", np.float32(-1), [None, 1])
    sparse = [("s", tf.string), ("more", tf.int64), ("x", tf.float32)]
    yield v2(BATCH, [n, x])
    yield v2(BATCH, [n], sparse)
    yield v2(BATCH, [n, padded_text, padded_x], sparse[1:2])
    yield v2(BATCH, [column, x], sparse[:1], sparse[1:2])
    yield v2(BATCH, [], [], sparse)
    yield v2(BATCH, [x], [], sparse[:2], tf.int32, names=["a", "b", "c", "d", "e"])
    yield v2(BATCH[:0], [n, padded_x], sparse[:1], sparse[1:2])
    yield v2(one(BATCH[1]), [n, padded_x], sparse[:2])
    yield Case("ParseExample", {"serialized": BATCH, "names": strings(), "sparse_keys": [one("s"), one("x")],
                                "dense_keys": [one("n")], "dense_defaults": [np.zeros([0], np.int64)]},
               sparse_types=[tf.string, tf.float32], dense_shapes=[[2]],
               told={"Nsparse": 2, "Ndense": 1, "Tdense": [tf.int64]})
    yield Case("ParseExample", {"serialized": BATCH[:2], "names": strings("p", "q"), "sparse_keys": [],
                                "dense_keys": [one("x"), one("nothing")],
                                "dense_defaults": [np.zeros([0], np.float32), strings("default").reshape(1)]},
               sparse_types=[], dense_shapes=[[2], [1]],
               told={"Nsparse": 0, "Ndense": 2, "Tdense": [tf.float32, tf.string]})
    for message in BATCH:
        yield Case("ParseSingleExample", {"serialized": one(message),
                                          "dense_defaults": [np.zeros([0], np.int64), np.float32(3)]},
                   num_sparse=2, sparse_keys=["s", "more"], dense_keys=["n", "x"], sparse_types=[tf.string, tf.int64],
                   dense_shapes=[[2], [None]])


def sequence(lists, **context):
    """A SequenceExample; `lists` maps keys to lists of steps."""
    message = tf.train.SequenceExample()
    if context:
        message.context.MergeFromString(tf.train.Example.FromString(example(**context)).features.SerializeToString())
    for key, steps in sorted(lists.items()):
        target = message.feature_lists.feature_list[key]
        for step in steps:
            feature = tf.train.Example.FromString(example(f=step)).features.feature["f"]
            target.feature.add().CopyFrom(feature)
    return message.SerializeToString(deterministic=True)


def sequences():
    batch = strings(sequence({"n": [[1, 2], [3, 4], [5, 6]], "s": [[b"a"], [], [b"b", b"c"]]}, id=[1], t=[b"x", b"y"]),
                    sequence({"n": [], "s": [[b"\0"]]}, id=[2]),
                    sequence({"n": [[7, 8]]}, id=[3], t=[b"z"]))
    for messages in [batch, batch[1:2]]:
        yield Case("ParseSequenceExample", {"serialized": messages, "debug_name": strings(),
                                            "context_dense_defaults": [np.zeros([0], np.int64)]},
                   feature_list_dense_missing_assumed_empty=[], context_sparse_keys=["t"], context_dense_keys=["id"],
                   feature_list_sparse_keys=["s"], feature_list_dense_keys=["n"], Ncontext_sparse=1, Ncontext_dense=1,
                   Nfeature_list_sparse=1, Nfeature_list_dense=1, context_sparse_types=[tf.string],
                   feature_list_dense_types=[tf.int64], context_dense_shapes=[[1]],
                   feature_list_sparse_types=[tf.string], feature_list_dense_shapes=[[2]])
    for splits in [tf.int64, tf.int32]:
        yield Case("ParseSequenceExampleV2", {
            "serialized": batch, "debug_name": strings("a", "b", "c"), "context_sparse_keys": strings(),
            "context_dense_keys": strings("id"), "context_ragged_keys": strings("t"),
            "feature_list_sparse_keys": strings(), "feature_list_dense_keys": strings("n", "nothing"),
            "feature_list_ragged_keys": strings("s"), "feature_list_dense_missing_assumed_empty": np.array([False, True]),
            "context_dense_defaults": [np.array([5], np.int64)]},
                   Ncontext_sparse=0, context_sparse_types=[], context_ragged_value_types=[tf.string],
                   context_ragged_split_types=[splits], context_dense_shapes=[[1]], Nfeature_list_sparse=0,
                   Nfeature_list_dense=2, feature_list_dense_types=[tf.int64, tf.float32], feature_list_sparse_types=[],
                   feature_list_ragged_value_types=[tf.string], feature_list_ragged_split_types=[splits],
                   feature_list_dense_shapes=[[2], [1]])


def raw():
    data = strings(bytes(range(16)), bytes(range(240, 256)))
    for dtype in [tf.half, tf.float32, tf.float64, tf.int32, tf.uint16, tf.uint8, tf.int16, tf.int8, tf.int64]:
        for little in [True, False]:
            if dtype.is_floating:
                bits = strings(np.array([1.5, -2, 0, 4], dtype.as_numpy_dtype).byteswap(not little).tobytes())
                yield Case("DecodeRaw", {"bytes": bits}, out_type=dtype, little_endian=little)
            else:
                yield Case("DecodeRaw", {"bytes": data}, out_type=dtype, little_endian=little)
                yield Case("DecodePaddedRaw", {"input_bytes": data.reshape(2, 1), "fixed_length": np.int32(8)},
                           out_type=dtype, little_endian=little)
    yield Case("DecodeRaw", {"bytes": strings(b"\0\1").reshape(1, 1)}, out_type=tf.bool)
    yield Case("DecodeRaw", {"bytes": strings("", "")}, out_type=tf.int32)
    yield Case("DecodePaddedRaw", {"input_bytes": strings("ab", "", "abcdefgh"), "fixed_length": np.int32(4)},
               out_type=tf.uint8)
    lines = strings("1,2.5,x,9", '-1,,"a ""q"", b",8', "5,1e3,NA,7", "\r\n6,1,y,2147483648")
    defaults = [np.zeros([0], np.int32), np.array([0.25], np.float32), strings("none"), np.array([3], np.int64)]
    yield Case("DecodeCSV", {"records": lines, "record_defaults": defaults}, na_value="NA")
    yield Case("DecodeCSV", {"records": lines.reshape(2, 2), "record_defaults": defaults[2:]}, select_cols=[2, 3])
    yield Case("DecodeCSV", {"records": strings('1\t"', "2\t"), "record_defaults": [np.zeros([0]), strings("z")]},
               field_delim="\t", use_quote_delim=False)
    yield Case("DecodeCSV", {"records": strings(), "record_defaults": [np.float32(1)]})
    texts = strings("", b"some text\0" * 20, "x")
    yield Case("DecodeCompressed", {"bytes": texts})
    yield Case("DecodeCompressed", {"bytes": strings(*[zlib.compress(t) for t in texts])}, compression_type="ZLIB")
    yield Case("DecodeCompressed", {"bytes": strings(*[gzip.compress(t, mtime=0) for t in texts])},
               compression_type="GZIP")
    for value in [np.float32(1.5), normal(2, 3), np.zeros([0, 2], np.int64), strings("a", b"\0", ""), np.array(True),
                  np.array([1, -1], np.int8), np.array([1.5, -2], np.float16), np.array([1 + 2j], np.complex64)]:
        yield Case("SerializeTensor", {"tensor": value})
        kind = tf.string if value.dtype == object else tf.as_dtype(value.dtype)
        yield Case("ParseTensor", {"serialized": one(tf.io.serialize_tensor(value).numpy())}, out_type=kind)
    yield Case("ParseTensor", {"serialized": one(tf.make_tensor_proto([7, 7, 7], tf.int32).SerializeToString())},
               out_type=tf.int32)
    yield Case("ShardedFilename", {"basename": one("a/b"), "shard": np.int32(3), "num_shards": np.int32(123456)})
    yield Case("ShardedFilespec", {"basename": one("a/b"), "num_shards": np.int32(7)})


def summaries():
    yield Case("ScalarSummary", {"tags": strings("loss", "acc"), "values": np.array([0, 1.5], np.float32)})
    for dtype in [np.float64, np.float16, np.int32, np.int64, np.uint8]:
        yield Case("ScalarSummary", {"tags": one("x"), "values": dtype(3)})
    for values in [np.array([0, 1, 1, 2.5, -3, 1e-13, 1e30], np.float32), np.float32(0), np.zeros([0], np.float32),
                   i32(-5, 5, 5), np.arange(12).reshape(3, 4) * 0.5]:
        yield Case("HistogramSummary", {"tag": one("h"), "values": values})
    metadata = tf.compat.v1.SummaryMetadata()
    metadata.plugin_data.plugin_name = "p"
    for value in [np.float32(1.5), normal(2, 2), strings("a", b"\0")]:
        yield Case("TensorSummaryV2", {"tag": one("t"), "tensor": value,
                                       "serialized_summary_metadata": one(metadata.SerializeToString())})
    a = tf.raw_ops.ScalarSummary(tags=["a", "b"], values=[1., 2.]).numpy()
    b = tf.raw_ops.ScalarSummary(tags="c", values=3.).numpy()
    yield Case("MergeSummary", {"inputs": [one(a), one(b)]})
    yield Case("MergeSummary", {"inputs": [strings(b, a)]})
    yield Case("MergeSummary", {"inputs": [one(""), strings("")]})
    sound = np.clip(normal(4, 5, 2) * 0.7, -1.2, 1.2).astype(np.float32)
    for rate, more in [(8000, {}), (44100.5, dict(max_outputs=1)), (0.25, dict(max_outputs=7))]:
        yield Case("AudioSummaryV2", {"tag": one("s"), "tensor": sound, "sample_rate": np.float32(rate)}, **more)
    yield Case("AudioSummaryV2", {"tag": one("s"), "tensor": sound[:1, :, 1], "sample_rate": np.float32(16)}, max_outputs=1)


def sounds():
    for shape, rate in [((4, 1), 8000), ((3, 2), 44100)]:
        sound = np.clip(normal(*shape) * 0.7, -1.2, 1.2).astype(np.float32)
        yield Case("EncodeWav", {"audio": sound, "sample_rate": np.int32(rate)})
        file = one(tf.raw_ops.EncodeWav(audio=sound, sample_rate=rate).numpy())
        for more in [dict(), dict(desired_channels=2), dict(desired_samples=2), dict(desired_channels=1, desired_samples=6)]:
            yield Case("DecodeWav", {"contents": file}, **more)


def cases():
    for family in [examples, sequences, raw, summaries, sounds]:
        yield from family()
