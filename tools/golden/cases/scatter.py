"""Slices of tensors and variables that are changed, and the update rules of optimizers."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

from golden import Case, Variable, i32, ints, normal, positive


def f32(*values):
    return np.array(values, np.float32)


def i64(*values):
    return np.array(values, np.int64)


def tensors():
    for op in ["TensorScatterSub", "TensorScatterMin", "TensorScatterMax", "ScatterNdNonAliasingAdd"]:
        x = "input" if op.startswith("Scatter") else "tensor"
        yield Case(op, {x: normal(4, 3), "indices": i32(2, 0, 2).reshape(3, 1), "updates": normal(3, 3)}, [x, "updates"])
        yield Case(op, {x: normal(2, 3), "indices": i64(0, 1, 1, 2).reshape(1, 2, 2), "updates": normal(1, 2)}, [x, "updates"])
        yield Case(op, {x: ints(-9, 9, 4), "indices": i32(3, 1, 3).reshape(3, 1), "updates": ints(-9, 9, 3)})
        yield Case(op, {x: normal(4), "indices": np.zeros((0, 1), np.int32), "updates": normal(0)})
    for op, x in [("TensorStridedSliceUpdate", normal)]:
        yield Case(op, {"input": x(4, 3), "begin": i32(3, 0), "end": i32(0, 2), "strides": i32(-2, 1), "value": x(2, 2)},
                   ["input", "value"])
        yield Case(op, {"input": x(4, 3), "begin": i64(1), "end": i64(2), "strides": i64(1), "value": x(3)},
                   ["input", "value"], shrink_axis_mask=1)
        yield Case(op, {"input": x(4, 3), "begin": i32(0, 1), "end": i32(0, 0), "strides": i32(1, 1), "value": x(4, 2)},
                   ["input"], begin_mask=1, end_mask=3)


def variables():
    for name in ["Update", "Sub", "Mul", "Div", "Min", "Max"]:
        op = "ResourceScatter" + name
        yield Case(op, {"resource": Variable(normal(4, 3)), "indices": i32(2, 0), "updates": normal(2, 3)})
        yield Case(op, {"resource": Variable(normal(4)), "indices": i64(2, 0).reshape(1, 2), "updates": normal(1, 2)})
        if name not in ["Update"]:
            yield Case(op, {"resource": Variable(normal(4, 3)), "indices": i32(1, 3), "updates": np.float32(2)})
            yield Case(op, {"resource": Variable(ints(-9, 9, 4)), "indices": i32(1, 1), "updates": i32(2, -3)})
    for name in ["Update", "Add", "Sub", "Min", "Max"]:
        op = "ResourceScatterNd" + name
        yield Case(op, {"ref": Variable(normal(4, 3)), "indices": i32(2, 0).reshape(2, 1), "updates": normal(2, 3)})
        yield Case(op, {"ref": Variable(normal(2, 3)), "indices": i64(0, 1, 1, 2).reshape(2, 2), "updates": normal(2)})
    yield Case("ResourceGatherNd", {"resource": Variable(normal(4, 3)), "indices": i32(2, 1, 0, 0).reshape(2, 2)}, dtype=tf.float32)
    yield Case("ResourceGatherNd", {"resource": Variable(normal(4, 3)), "indices": i64(2, 1).reshape(2, 1)}, dtype=tf.float32)
    yield Case("ResourceStridedSliceAssign", {"ref": Variable(normal(4, 3)), "begin": i32(0, 1), "end": i32(4, 3),
                                              "strides": i32(2, 1), "value": normal(2, 2)})
    yield Case("VariableShape", {"input": Variable(normal(4, 3))})
    yield Case("VariableShape", {"input": Variable(np.float32(1))}, out_type=tf.int64)
    yield Case("ResourceCountUpTo", {"resource": Variable(np.int64(3))}, limit=5, T=tf.int64)


# Slots hold positive numbers; scalars by their names.
SCALARS = {"lr": 0.1, "alpha": 0.1, "rho": 0.9, "momentum": 0.9, "epsilon": 0.01, "beta1_power": 0.9, "beta2_power": 0.99,
           "beta1": 0.9, "beta2": 0.99, "beta": 0.9, "sign_decay": 0.8, "logbase": 0.7, "l1": 0.05, "l2": 0.02,
           "l2_shrinkage": 0.03, "lr_power": -0.5}


def update(op, shape, **attrs):
    rows = i32(3, 0)
    inputs = {}
    for arg in op_def_registry.get(op).input_arg:
        if arg.type == tf.resource.as_datatype_enum:
            inputs[arg.name] = Variable(normal(*shape) if arg.name == "var" else positive(*shape))
        elif arg.name in ["grad", "delta"]:
            inputs[arg.name] = normal(*((2, *shape[1:]) if "Sparse" in op else shape))
        elif arg.name == "indices":
            inputs[arg.name] = rows
        elif arg.name == "global_step":
            inputs[arg.name] = np.int64(3)
        else:
            inputs[arg.name] = np.float32(SCALARS[arg.name])
    return Case(op, inputs, **attrs)


def updates():
    for op in ["ResourceApplyAdaMax", "ResourceApplyAdamWithAmsgrad", "ResourceApplyAddSign", "ResourceApplyPowerSign",
               "ResourceApplyProximalGradientDescent", "ResourceApplyProximalAdagrad", "ResourceApplyAdagradDA"]:
        yield update(op, (4, 3))
    for op in ["Momentum", "KerasMomentum", "Adagrad", "AdagradV2", "AdagradDA", "Adadelta", "RMSProp", "CenteredRMSProp",
               "Ftrl", "FtrlV2", "ProximalAdagrad", "ProximalGradientDescent"]:
        op = "ResourceSparseApply" + op
        yield update(op, (4, 3))
        yield update(op, (5,))
    for op in ["Momentum", "KerasMomentum"]:
        yield update("ResourceSparseApply" + op, (4, 2), use_nesterov=True)
    for op in ["Adagrad", "AdagradV2"]:
        yield update("ResourceSparseApply" + op, (4, 2), update_slots=False)
    for op in ["Ftrl", "FtrlV2"]:
        yield update("ResourceSparseApply" + op, (4, 2), multiply_linear_by_lr=True)


def cases():
    for family in [tensors, variables, updates]:
        yield from family()
