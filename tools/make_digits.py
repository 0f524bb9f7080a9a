#!/usr/bin/env python3
"""Writes a little data set in MNIST's layout: blurred bars, one position for each of ten classes.

Usage: make_digits.py FOLDER [TRAIN_IMAGES [TEST_IMAGES]]
"""

import gzip
import os
import random
import struct
import sys


def image(label, rng):
    pixels = bytearray(28 * 28)
    column = 3 + 2 * label + rng.randint(0, 1)
    for row in range(4, 24):
        for offset, shade in ((-1, 90), (0, 255), (1, 90)):
            pixels[row * 28 + column + offset] = max(0, shade - rng.randint(0, 60))
    return bytes(pixels)


def write(folder, name, count, rng):
    labels = [i % 10 for i in range(count)]
    rng.shuffle(labels)
    with gzip.open(os.path.join(folder, f"{name}-images-idx3-ubyte.gz"), "wb") as out:
        out.write(struct.pack(">IIII", 0x803, count, 28, 28) + b"".join(image(label, rng) for label in labels))
    with gzip.open(os.path.join(folder, f"{name}-labels-idx1-ubyte.gz"), "wb") as out:
        out.write(struct.pack(">II", 0x801, count) + bytes(labels))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    rng = random.Random(1)
    write(sys.argv[1], "train", int(sys.argv[2]) if len(sys.argv) > 2 else 200, rng)
    write(sys.argv[1], "t10k", int(sys.argv[3]) if len(sys.argv) > 3 else 50, rng)


if __name__ == "__main__":
    main()
