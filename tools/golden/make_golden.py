#!/usr/bin/env python3
"""Writes golden cases: what TensorFlow says that ops and their gradients give.

Usage: make_golden.py FOLDER [FAMILY ...]       (needs tensorflow-cpu; run once, the cases are committed)

A family is a file of tools/golden/cases; without any, all are made. Each op there is called through tf.raw_ops on fixed random inputs. The
case holds attributes, inputs and outputs as TensorFlow computed them and, for differentiable inputs, the gradient of
sum(output * upstream) with the upstream it was taken for. The format is that of tests/cases/README.md, with two more lines:

  upstream y: float32[2] ...      the gradient that flows into an output
  slope x: float32[2] ...         the gradient that TensorFlow gives for an input
"""

import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import golden  # noqa: E402


def write_family(folder, family):
    """Writes one file for each op of the family; returns the ops, and those with gradients."""
    golden.reseed()
    files, slopes = {}, set()
    for case in importlib.import_module(f"cases.{family}").cases():
        lines = files.setdefault(case.op, [])
        lines.append(f"\ncase golden {len([l for l in lines if 'case golden' in l]) + 1}")
        try:
            lines += golden.run(case)
        except Exception as error:
            sys.exit(f"{family}: {case.op}: {error}")
        if case.slopes:
            slopes.add(case.op)
    for op, lines in files.items():
        with open(os.path.join(folder, op + ".case"), "w") as out:
            out.write(f"# Made by tools/golden/make_golden.py {family} with TensorFlow {golden.tf.__version__}.\nop {op}\n")
            out.write("\n".join(lines) + "\n")
    return set(files), slopes


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    known = sorted(f[:-3] for f in os.listdir(os.path.join(HERE, "cases")) if f.endswith(".py"))
    os.makedirs(sys.argv[1], exist_ok=True)
    ops, slopes = set(), set()
    for family in sys.argv[2:] or known:
        if family not in known:
            sys.exit(f"there is no family {family}; there are {', '.join(known)}")
        more_ops, more_slopes = write_family(sys.argv[1], family)
        if ops & more_ops:
            sys.exit(f"{family}: {', '.join(sorted(ops & more_ops))} are in another family too")
        ops |= more_ops
        slopes |= more_slopes
    print(f"{len(ops)} ops, {len(slopes)} of them with gradients, TensorFlow {golden.tf.__version__}")


if __name__ == "__main__":
    main()
