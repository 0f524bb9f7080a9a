"""Strings, their characters, and records that are read from strings."""

import numpy as np
import tensorflow as tf

from golden import Case, i32


def strings(*values):
    """Bytes of each value, whatever they hold; np.array(values) would drop zeros at the end."""
    array = np.empty(len(values), object)
    for i, value in enumerate(values):
        array[i] = value if isinstance(value, bytes) else value.encode()
    return array


WORDS = strings("", "a", "Hello World", b"a\0b\0", "h\u00e9llo \u4e16\u754c \U0001f600", " \t x y\n ", b"\xff\xfe")
GRID = strings("a", "b", "c", "d", "e", "f").reshape(2, 3)


def one(value):
    return strings(value).reshape(())


def elementwise():
    for unit in ["BYTE", "UTF8_CHAR"]:
        yield Case("StringLength", {"input": WORDS}, unit=unit)
    yield Case("StringLength", {"input": strings().reshape(0, 2)})
    for op in ["StringLower", "StringUpper"]:
        yield Case(op, {"input": WORDS})
        yield Case(op, {"input": strings("\u00c9\u0130A\u00df\u01c6", b"\xffAz", "")}, encoding="utf-8")
    yield Case("StringStrip", {"input": WORDS})
    yield Case("StringStrip", {"input": strings("\u00a0x", "  ", "\v\f\r\n a b \t").reshape(3, 1)})
    for pad in [False, True]:
        yield Case("EncodeBase64", {"input": WORDS}, pad=pad)
    yield Case("DecodeBase64", {"input": strings("", "YQ", "YWI=", "YWI", "YWJj", "_-8", "YQ==", "AAAA")})
    for unit in ["BYTE", "UTF8_CHAR"]:
        yield Case("Substr", {"input": strings("hello", "h\u00e9llo"), "pos": i32(1, -3), "len": i32(3, 9)}, unit=unit)
        yield Case("Substr", {"input": one("\u4e16\u754cabc"), "pos": np.int64(2), "len": np.int64(2)}, unit=unit)
    yield Case("Substr", {"input": GRID, "pos": i32(0, 1, 0), "len": i32(1, 1, 0)})
    yield Case("Substr", {"input": strings("abc", "def"), "pos": i32(0, 1, 1, 2).reshape(2, 2),
                          "len": i32(1, 2, 1, 5).reshape(2, 2)})
    yield Case("Substr", {"input": one(b"a\0bc"), "pos": np.int32(1), "len": np.int32(-1)})


def joins():
    yield Case("StringJoin", {"inputs": [GRID, one("-"), GRID]}, separator="")
    yield Case("StringJoin", {"inputs": [strings("a", b"\0"), strings("x", "y")]}, separator=", ")
    yield Case("StringJoin", {"inputs": [strings().reshape(0), strings().reshape(0)]})
    for axes, keep in [([0], False), ([1], True), ([1, 0], False), ([0, -1], False), ([], False)]:
        yield Case("ReduceJoin", {"inputs": GRID, "reduction_indices": i32(*axes)}, keep_dims=keep, separator="|")
    yield Case("ReduceJoin", {"inputs": strings().reshape(0, 2), "reduction_indices": i32(0)})
    yield Case("UnsortedSegmentJoin", {"inputs": strings("a", "b", "c"), "segment_ids": i32(2, 0, 2),
                                       "num_segments": np.int32(4)}, separator=":")
    yield Case("UnsortedSegmentJoin", {"inputs": GRID, "segment_ids": np.array([1, 1], np.int64),
                                       "num_segments": np.int64(2)}, separator="")
    for splits in [np.array([0, 4, 4, 5], np.int64), i32(0, 1, 5)]:
        for pad_width, preserve in [(0, False), (-1, False), (1, True), (0, True)]:
            yield Case("StringNGrams", {"data": strings("a", "b", "c", "d", "e"), "data_splits": splits}, separator="|",
                       ngram_widths=[1, 3], left_pad="LP", right_pad="RP", pad_width=pad_width,
                       preserve_short_sequences=preserve)
    yield Case("StringNGrams", {"data": strings("a", "b"), "data_splits": i32(0, 2)}, separator=" ", ngram_widths=[5],
               left_pad="<", right_pad=">", pad_width=1, preserve_short_sequences=True)


def splits():
    texts = strings("a b  c", "", " lead", "trail ", "x,y;z")
    for skip in [True, False]:
        for delimiter in [" ", ",; ", ""]:
            yield Case("StringSplit", {"input": texts, "delimiter": one(delimiter)}, skip_empty=skip)
    for limit in [-1, 0, 1, 2]:
        for sep in ["", " ", "<>"]:
            yield Case("StringSplitV2", {"input": strings("a b  c", "", " x ", "1<><>2<>3", "\t\n"), "sep": one(sep)},
                       maxsplit=limit)
    yield Case("StringSplitV2", {"input": strings(), "sep": one(" ")})
    sparse = dict(hypothesis_indices=np.array([[0, 0], [0, 1], [2, 0], [2, 1]], np.int64),
                  hypothesis_shape=np.array([3, 2], np.int64),
                  truth_indices=np.array([[0, 0], [1, 0], [2, 0], [2, 1], [2, 2]], np.int64),
                  truth_shape=np.array([3, 3], np.int64))
    for normalize in [True, False]:
        yield Case("EditDistance", {**sparse, "hypothesis_values": strings("a", "b", "c", "d"),
                                    "truth_values": strings("a", "x", "c", "y", "d")}, normalize=normalize)
        yield Case("EditDistance", {**sparse, "hypothesis_values": i32(1, 2, 3, 4), "truth_values": i32(1, 5, 3, 3, 4)},
                   normalize=normalize)


def numbers():
    reals = strings("1e39", "-1e39", "0x10", " 1.5 ", "inf", "-Inf", "NaN", "infinity", "1e-50", "+3", ".5", "5.", "-0")
    for out in [tf.float32, tf.float64]:
        yield Case("StringToNumber", {"string_tensor": reals}, out_type=out)
    for out in [tf.int32, tf.int64]:
        yield Case("StringToNumber", {"string_tensor": strings(" 12 ", "-5", "+7", "2147483647", "00")}, out_type=out)
    for out in [tf.uint32, tf.uint64]:
        yield Case("StringToNumber", {"string_tensor": strings(" 12 ", "4294967295").reshape(2, 1)}, out_type=out)
    for values in [np.array([1.5, -2, np.inf, np.nan, 1e10, 1 / 3], np.float32), np.array([1e-3, 123456789.125])]:
        for attrs in [{}, {"precision": 2}, {"shortest": True}, {"scientific": True, "precision": 3},
                      {"width": 12, "precision": 1, "fill": "0"}, {"width": 12, "fill": "-"}, {"fill": "+"}]:
            yield Case("AsString", {"input": values}, **attrs)
    for dtype in [np.int8, np.int16, np.int32, np.int64]:
        yield Case("AsString", {"input": np.array([5, -7, np.iinfo(dtype).min], dtype)}, width=4, fill="0")
    for dtype in [np.uint8, np.uint16, np.uint32, np.uint64]:
        yield Case("AsString", {"input": np.array([5, np.iinfo(dtype).max], dtype)}, width=4, fill=" ")
    yield Case("AsString", {"input": np.array([1.1, -2], np.float16)})
    yield Case("AsString", {"input": np.array([True, False])})
    yield Case("AsString", {"input": np.array([1 + 2j, -0.5j], np.complex64)}, precision=1, width=6)
    yield Case("AsString", {"input": strings("a", "bcdef", b"\0")}, width=4)
    yield Case("StringFormat", {"inputs": [np.array([True, False]), strings(b'a\0"', b"\xff\n"),
                                           np.array([0.1, 1e10, 1 / 3], np.float32), one("hi"), np.zeros([0, 2], np.int32),
                                           np.arange(60, dtype=np.int64).reshape(3, 4, 5)]},
               template="%s|%s|%s|%s|%s|%s", summarize=1)
    yield Case("StringFormat", {"inputs": [np.arange(4, dtype=np.int32).reshape(2, 2),
                                           np.array([0.1, 1e-20, 123456789.123])]},
               template="{}, then {}.", placeholder="{}", summarize=-1)
    yield Case("StringFormat", {"inputs": [np.arange(9, dtype=np.uint8)]}, summarize=3)
    yield Case("StringFormat", {"inputs": []}, template="nothing")


def regex():
    texts = strings("abcabc", "", "xay", b"a\0a", "\u00e9a")
    for everywhere in [True, False]:
        for pattern, rewrite in [("a", "<\\0>"), ("(a)(.)", "\\2\\1"), ("", "-"), ("[^a]+", ""), ("\\x00", "0")]:
            yield Case("StaticRegexReplace", {"input": texts}, pattern=pattern, rewrite=rewrite,
                       replace_global=everywhere)
        yield Case("RegexReplace", {"input": texts.reshape(5, 1), "pattern": one("a(.)?"), "rewrite": one("[\\1]")},
                   replace_global=everywhere)
    for pattern in ["a.*", ".*", "", "(?i)ABCabc", "[a-y]+", "\\pL+"]:
        yield Case("StaticRegexFullMatch", {"input": texts}, pattern=pattern)
    yield Case("RegexFullMatch", {"input": texts, "pattern": one("[ax]..?")})


def hashes():
    texts = strings("", "a", "hello", b"\0\0", "12345678", "x" * 17, "y" * 40, "z" * 100, "\u00e9")
    for buckets in [1, 10, 1 << 62]:
        yield Case("StringToHashBucketFast", {"input": texts}, num_buckets=buckets)
        yield Case("StringToHashBucketStrong", {"input": texts}, num_buckets=buckets, key=[123, -45678901234])
        yield Case("StringToHashBucket", {"string_tensor": texts}, num_buckets=buckets)
    yield Case("StringToHashBucketFast", {"input": GRID}, num_buckets=1000)
    for data in [GRID, strings("a", ""), i32(1, 2, 3, 4).reshape(2, 2), np.array([1.5, -2]), np.zeros([2, 0], np.int32)]:
        yield Case("Fingerprint", {"data": data, "method": one("farmhash64")})


def unicode():
    texts = strings("a\u00e9\u4e16\U0001f600", b"a\xff\xe2\x82b", "", b"\x01\x00\n", b"\xed\xa0\x80\xf4\x90\x80\x80")
    for errors in ["replace", "ignore"]:
        for control in [False, True]:
            for op in ["UnicodeDecode", "UnicodeDecodeWithOffsets"]:
                yield Case(op, {"input": texts}, input_encoding="UTF-8", errors=errors,
                           replace_control_characters=control, replacement_char=63)
            yield Case("UnicodeTranscode", {"input": texts}, input_encoding="UTF-8", output_encoding="UTF-16-BE",
                       errors=errors, replace_control_characters=control)
    yield Case("UnicodeDecode", {"input": strings(b"\0a\xd8\x3d\xde\0", b"\0").reshape(2, 1)},
               input_encoding="UTF-16-BE", Tsplits=tf.int32)
    yield Case("UnicodeDecode", {"input": strings(b"caf\xe9")}, input_encoding="ISO-8859-1", errors="strict")
    yield Case("UnicodeTranscode", {"input": strings(b"\xc1\xf0", b"")}, input_encoding="windows-1251",
               output_encoding="UTF-8")
    yield Case("UnicodeTranscode", {"input": texts}, input_encoding="UTF-8", output_encoding="UTF-32-BE")
    values = i32(65, 0x110000, 0xD800, 0xFFFE, 0x1F600, 0, -1)
    for encoding in ["UTF-8", "UTF-16-BE", "UTF-32-BE"]:
        for errors in ["replace", "ignore"]:
            yield Case("UnicodeEncode", {"input_values": values, "input_splits": np.array([0, 2, 2, 7], np.int64)},
                       output_encoding=encoding, errors=errors)
    yield Case("UnicodeEncode", {"input_values": i32(), "input_splits": i32(0)}, output_encoding="UTF-8")
    yield Case("UnicodeScript", {"input": i32(65, 0x430, 0x4E16, 0x1F600, -1, 0x110000, 32).reshape(7, 1)})


def cases():
    for family in [elementwise, joins, splits, numbers, regex, hashes, unicode]:
        yield from family()
