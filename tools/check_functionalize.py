#!/usr/bin/env python3
"""Checks our functional form of TensorFlow 1 graphs against TensorFlow itself.

  tools/check_functionalize.py CONVERTER [--write FOLDER] [CASE...]

CONVERTER is a program called as CONVERTER IN.pb OUT.pb OUTPUT..., such as the test program
`functionalize_file`. Each case (functionalize_cases.py) is a graph with the control flow, variables,
TensorArrays and tables of TensorFlow 1. It runs in TensorFlow as it is and as we convert it: both must
give the same numbers, step after step. --write keeps the graphs as text, with what they gave, as data
for tests that run where TensorFlow is not.
"""
import argparse
import os
import subprocess
import sys
import tempfile

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2

import functionalize_cases

v1 = tf.compat.v1
OLD_OPS = {'Switch', 'Merge', 'Enter', 'Exit', 'NextIteration', 'LoopCond', 'RefSwitch', 'RefMerge',
           'RefEnter', 'RefExit', 'RefIdentity', 'Variable', 'VariableV2', 'Assign', 'HashTable',
           'TensorArrayV3', 'TensorArrayWriteV3', 'TensorArrayReadV3', 'FIFOQueue'}


def node_of(name):
    return name.split(':')[0]


def run(graph_def, steps):
    """The values that each step fetches."""
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name='')
    config = v1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    results = []
    with v1.Session(graph=graph, config=config) as session:
        for step in steps:
            fetches = [name if ':' in name else name + ':0' for name in step.fetches]
            targets = [graph.get_operation_by_name(node_of(name)) for name in step.targets]
            feeds = {name + ':0': value for name, value in step.feeds.items()}
            results.append(session.run([fetches, targets], feeds)[0])
    return results


def convert(converter, graph_def, steps):
    outputs = sorted({node_of(name) for step in steps for name in step.fetches + step.targets})
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, 'in.pb'), os.path.join(folder, 'out.pb')
        with open(source, 'wb') as file:
            file.write(graph_def.SerializeToString())
        done = subprocess.run([converter, source, target] + outputs, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError('not converted: ' + done.stderr.strip())
        result = graph_pb2.GraphDef()
        with open(target, 'rb') as file:
            result.ParseFromString(file.read())
        return result


def old_ops_left(graph_def):
    nodes = list(graph_def.node)
    for function in graph_def.library.function:
        nodes.extend(function.node_def)
    return sorted({node.op for node in nodes} & OLD_OPS)


def same(expected, got):
    for x, y in ((np.asarray(x), np.asarray(y)) for a, b in zip(expected, got) for x, y in zip(a, b)):
        if x.shape != y.shape or x.dtype != y.dtype:
            return False
        if x.dtype.kind == 'f':
            if not np.allclose(x, y, rtol=1e-5, atol=1e-6, equal_nan=True):
                return False
        elif not np.array_equal(x, y):
            return False
    return True


def check(converter, name, graph_def, steps, write):
    try:
        expected = run(graph_def, steps)
        converted = convert(converter, graph_def, steps)
        left = old_ops_left(converted)
        if left:
            raise RuntimeError('ops of TensorFlow 1 are left: ' + ', '.join(left))
        got = run(converted, steps)
        if not same(expected, got):
            raise RuntimeError('expected %s\n     got %s' % (expected, got))
    except Exception as error:  # each case must be heard
        print('FAILED  %s: %s' % (name, str(error)[:1200]), flush=True)
        return False
    print('ok      %s' % name, flush=True)
    if write and name not in functionalize_cases.NOT_KEPT:
        write_case(write, name, graph_def, steps, expected)
    return True


def text_of(array):
    """float32[2] 1.0 2.0: as in case files."""
    array = np.asarray(array)
    dtype = 'string' if array.dtype.kind in 'SUO' else array.dtype.name
    values = ['"%s"' % v.decode() if isinstance(v, bytes) else str(v).lower() for v in array.reshape(-1).tolist()]
    return ' '.join(['%s[%s]' % (dtype, ','.join(map(str, array.shape)))] + values)


def write_case(folder, name, graph_def, steps, expected):
    """NAME.pbtxt is the graph, NAME.steps what to run: after a line "step" its feeds, targets and fetches."""
    lines = ['# What TensorFlow %s gives; made by tools/check_functionalize.py.' % tf.__version__]
    for step, values in zip(steps, expected):
        lines.append('step')
        lines += ['feed %s %s' % (key, text_of(value)) for key, value in sorted(step.feeds.items())]
        lines += ['target %s' % node_of(target) for target in step.targets]
        lines += ['fetch %s %s' % (fetch, text_of(value)) for fetch, value in zip(step.fetches, values)]
    with open(os.path.join(folder, name + '.pbtxt'), 'w') as file:
        for node in graph_def.node:
            node.ClearField('experimental_type')
            node.ClearField('experimental_debug_info')
            file.write('node { %s }\n' % text_format.MessageToString(node, as_one_line=True).strip())
        file.write('versions { %s }\n' % text_format.MessageToString(graph_def.versions, as_one_line=True).strip())
    with open(os.path.join(folder, name + '.steps'), 'w') as file:
        file.write('\n'.join(lines) + '\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('converter')
    parser.add_argument('--write', metavar='FOLDER')
    parser.add_argument('cases', nargs='*')
    arguments = parser.parse_intermixed_args()
    v1.disable_eager_execution()
    v1.disable_control_flow_v2()
    v1.disable_resource_variables()
    failed = 0
    for name, build in functionalize_cases.CASES.items():
        if arguments.cases and name not in arguments.cases:
            continue
        try:
            graph_def, steps = functionalize_cases.make(build)
        except Exception as error:
            print('FAILED  %s cannot be built: %s' % (name, error), flush=True)
            failed += 1
            continue
        failed += not check(arguments.converter, name, graph_def, steps, arguments.write)
    print('%d failed' % failed)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
