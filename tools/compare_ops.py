#!/usr/bin/env python3
"""Compares our ops with TensorFlow's: the table that docs/tensorflow_ops.md holds.

Usage: compare_ops.py THALWEG [TABLE]      prints the table; with TABLE, fails when that file holds another

TensorFlow's ops come from tools/tensorflow_ops.txt (tools/list_tensorflow_ops.py writes it).
"""

import difflib
import os
import re
import subprocess
import sys

# What parse_graph() turns into other ops before anything runs (src/formats/functionalize.h).
CONVERTED = """
Assign AssignAdd AssignSub ApplyAdadelta ApplyAdagrad ApplyAdam ApplyFtrl ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyRMSProp
Enter Exit LoopCond Merge NextIteration RefEnter RefExit RefIdentity RefMerge RefNextIteration RefSwitch Switch
FIFOQueue HashTable InitializeTable InitializeTableFromTextFile IsVariableInitialized LookupTableExport LookupTableFind
LookupTableImport LookupTableInsert LookupTableSize MutableHashTable PaddingFIFOQueue QueueClose QueueDequeue QueueDequeueMany
QueueEnqueue QueueEnqueueMany QueueSize RandomShuffleQueue ScatterAdd ScatterSub ScatterUpdate StackCloseV2 StackPopV2
StackPushV2 StackV2 TensorArrayCloseV3 TensorArrayConcatV3 TensorArrayGatherV3 TensorArrayGradV3 TensorArrayReadV3 TensorArrayScatterV3 TensorArraySizeV3 TensorArraySplitV3
TensorArrayV3 TensorArrayWriteV3 Variable VariableV2
""".split()


def table(program):
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "tensorflow_ops.txt"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    theirs = {line.split()[0]: line.endswith(" gradient") for line in lines[1:]}
    listing = subprocess.run([program, "ops"], check=True, capture_output=True, text=True).stdout
    ours = {re.match(r"\w+", line).group() for line in listing.splitlines() if line}
    here_too = [name for name in theirs if name in ours]
    converted = [name for name in CONVERTED if name in theirs and name not in ours]
    slopes = [name for name in theirs if theirs[name]]
    covered = [name for name in slopes if name in ours or name in converted]
    missing = [name for name in theirs if name not in ours and name not in converted]
    text = ["# TensorFlow's ops and ours", "",
            f"{lines[0][2:].split(':')[0]} has {len(theirs)} ops. {len(here_too)} of them are ours, with the same names and meaning "
            f"(docs/ops.md); {len(converted)} more, of TensorFlow 1, become others when a graph is read. Of the {len(slopes)} that "
            f"TensorFlow differentiates, {len(covered)} are covered ({100 * len(covered) // len(slopes)} %).", "",
            "Written by tools/compare_ops.py.", ""]
    for title, names in (("Ours", here_too), ("Converted on reading", converted), ("Not there", missing)):
        text += [f"## {title}", "", ", ".join(f"`{name}`" for name in sorted(names)) + ".", ""]
    return "\n".join(text[:-1]) + "\n"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    text = table(sys.argv[1])
    if len(sys.argv) == 2:
        sys.stdout.write(text)
        return
    with open(sys.argv[2], encoding="utf-8") as file:
        held = file.read()
    print(text.splitlines()[2])
    if held != text:
        sys.stdout.writelines(difflib.unified_diff(held.splitlines(True), text.splitlines(True), sys.argv[2], "program"))
        sys.exit(f"write it anew: {sys.argv[0]} {sys.argv[1]} >{sys.argv[2]}")


if __name__ == "__main__":
    main()
