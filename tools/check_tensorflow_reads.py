#!/usr/bin/env python3
"""Checks that TensorFlow and TensorBoard read what thalweg wrote.

  check_tensorflow_reads.py --checkpoint MODEL/model-200 --logs MODEL/logs

Reads every tensor of the checkpoint with tf.train.load_checkpoint and every event file below the
log folder with TensorFlow's summary_iterator, and, where TensorBoard is installed, with its
EventAccumulator. Prints what was found as one JSON object; the exit status is 1 when something
could not be read. Needs `tensorflow-cpu`, and for the last part `tensorboard`.
"""
import argparse
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")


def read_checkpoint(prefix):
    import tensorflow as tf

    reader = tf.train.load_checkpoint(prefix)
    dtypes = reader.get_variable_to_dtype_map()
    found = {}
    for name, shape in sorted(reader.get_variable_to_shape_map().items()):
        value = reader.get_tensor(name)
        if list(value.shape if hasattr(value, "shape") else []) != list(shape):
            raise ValueError(f"{name}: shape {value.shape}, but the index says {shape}")
        entry = {"dtype": dtypes[name].name, "shape": list(shape)}
        if dtypes[name] == tf.string:
            entry["first"] = repr(value if not shape else value.ravel()[:1])
        elif dtypes[name] != tf.bool and getattr(value, "size", 1):
            entry["sum"] = float(value.astype("float64").sum())
        found[name] = entry
    return found


def event_files(folder):
    for parent, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if "tfevents" in name:
                yield os.path.join(parent, name)


def read_events(path):
    import tensorflow as tf

    found = {"events": 0, "scalars": {}, "histograms": {}, "graph_nodes": 0, "session_starts": []}
    for number, event in enumerate(tf.compat.v1.train.summary_iterator(path)):
        found["events"] += 1
        if number == 0 and event.file_version != "brain.Event:2":
            raise ValueError(f"{path}: the first record is no file version")
        if event.HasField("graph_def"):
            graph = tf.compat.v1.GraphDef.FromString(event.graph_def)
            found["graph_nodes"] = len(graph.node)
        if event.HasField("session_log"):
            found["session_starts"].append(event.step)
        for value in event.summary.value:
            plugin = value.metadata.plugin_data.plugin_name
            tensor = tf.make_ndarray(value.tensor)
            if plugin == "scalars":
                found["scalars"].setdefault(value.tag, []).append([event.step, float(tensor)])
            elif plugin == "histograms":
                count = float(tensor[:, 2].sum())
                found["histograms"].setdefault(value.tag, []).append([event.step, count])
    return found


def read_with_tensorboard(path):
    try:
        from tensorboard.backend.event_processing import event_accumulator
    except ImportError:
        return None
    keep_all = {event_accumulator.TENSORS: 0}
    accumulator = event_accumulator.EventAccumulator(path, size_guidance=keep_all)
    accumulator.Reload()
    tags = accumulator.Tags()
    points = {tag: len(accumulator.Tensors(tag)) for tag in tags["tensors"]}
    return {"tensors": points, "graph": tags["graph"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--checkpoint", metavar="PREFIX")
    parser.add_argument("--logs", metavar="FOLDER")
    options = parser.parse_args()
    if not options.checkpoint and not options.logs:
        parser.error("nothing to check: give --checkpoint, --logs or both")
    report = {}
    try:
        if options.checkpoint:
            report["checkpoint"] = read_checkpoint(options.checkpoint)
        if options.logs:
            report["events"], report["tensorboard"] = {}, {}
            for path in event_files(options.logs):
                name = os.path.relpath(path, options.logs)
                report["events"][name] = read_events(path)
                report["tensorboard"][name] = read_with_tensorboard(path)
            if not report["events"]:
                raise ValueError(f"no event files below {options.logs}")
    except Exception as error:  # whatever the reason: TensorFlow does not read it
        print(f"check_tensorflow_reads: {error}", file=sys.stderr)
        return 1
    print(json.dumps(report, indent=2, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
