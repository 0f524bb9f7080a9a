"""Graphs of TensorFlow 1 for check_functionalize.py: each function builds one and returns its steps."""
import collections
import os
import tempfile

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
CASES = {}
# Checked, but not kept as data: large ones that show nothing more, and what needs a folder.
NOT_KEPT = {'trains_by_momentum', 'trains_by_adagrad', 'trains_by_rmsprop', 'trains_by_centered_rmsprop',
            'trains_by_ftrl', 'trains_by_adadelta', 'saves_and_restores'}
RNG = np.random.RandomState(7)
Step = collections.namedtuple('Step', 'fetches feeds targets')


def step(*fetches, run=(), **feeds):
    return Step(list(fetches), feeds, list(run))


def case(build):
    CASES[build.__name__] = build
    return build


def make(build):
    RNG.seed(7)
    with tf.Graph().as_default():
        v1.set_random_seed(1)
        steps = build()
        return v1.get_default_graph().as_graph_def(), steps


def rand(*shape):
    return RNG.uniform(-1, 1, shape).round(3).astype(np.float32)


def x_input(shape=(3,), name='x', dtype=tf.float32):
    return v1.placeholder(dtype, shape, name=name)


def variable(name, value):
    return v1.get_variable(name, initializer=value, use_resource=False)


def read(w, name=None):
    """The value now. A variable as such stands for its first read, whose buffer later writes change."""
    return tf.identity(w._ref(), name=name)


def name_it(**tensors):
    for name, value in tensors.items():
        tf.identity(value, name=name)


# ---- loops --------------------------------------------------------------------------------------
@case
def loop_counts():
    x = x_input(())
    n = x_input((), 'n', tf.int32)
    i, y = v1.while_loop(lambda i, y: i < n, lambda i, y: [i + 1, y * 2.0 + x], [0, x])
    name_it(y=y, i=i)
    return [step('y', 'i', 'while/Exit_1', x=np.float32(0.5), n=np.int32(k)) for k in (0, 1, 5)]


@case
def loop_uses_invariants():
    x = x_input((2, 3))
    w = tf.constant(rand(3, 3), name='w')
    i, y = v1.while_loop(lambda i, y: tf.logical_and(i < 6, tf.reduce_sum(y * y) < 50.0),
                         lambda i, y: [i + 1, tf.matmul(y, w) + x], [0, x])
    name_it(y=y, i=i)
    return [step('y', 'i', x=rand(2, 3)) for _ in range(3)]


@case
def loop_without_some_exits():
    x = x_input(())
    r = v1.while_loop(lambda i, a, b: i < 4, lambda i, a, b: [i + 1, b, a + b], [0, x, x + 1.0])
    name_it(y=r[2])
    return [step('y', x=np.float32(0.25))]


@case
def loops_nest():
    x = x_input(())
    n = x_input((), 'n', tf.int32)

    def outer(i, y):
        _, z = v1.while_loop(lambda j, z: j < i,
                             lambda j, z: [j + 1, z + x * tf.cast(i, tf.float32)], [0, y])
        return [i + 1, z * 1.5]

    name_it(y=v1.while_loop(lambda i, y: i < n, outer, [0, x])[1])
    return [step('y', x=np.float32(0.5), n=np.int32(k)) for k in (0, 1, 4)]


@case
def loops_nest_three_deep():
    x = x_input(())

    def loop(depth, start):
        def body(i, y):
            return [i + 1, y + x if depth == 0 else loop(depth - 1, y) * 0.5 + x]
        return v1.while_loop(lambda i, y: i < depth + 2, body, [0, start])[1]

    name_it(y=loop(2, x))
    return [step('y', x=np.float32(0.5))]


@case
def loops_follow_each_other():
    x = x_input(())
    _, a = v1.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y + x], [0, x])
    _, b = v1.while_loop(lambda i, y: y < 20.0, lambda i, y: [i + 1, y * a], [0, x + 1.1])
    name_it(y=b)
    return [step('y', x=np.float32(0.5))]


@case
def loop_waits():
    x = x_input(())
    w = variable('w', 1.0)
    with tf.control_dependencies([v1.assign_add(w, x)]):
        _, y = v1.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y + read(w)], [0, tf.identity(x)])
    with tf.control_dependencies([y]):
        after = v1.assign_add(w, 10.0)
    name_it(y=y, after=after)
    return [step(run=['w/Assign']), step('y', 'after', x=np.float32(2)),
            step('after', 'y', x=np.float32(3))]


@case
def loop_writes_a_variable():
    x = x_input(())
    w = variable('w', 1.0)

    def body(i, y):
        with tf.control_dependencies([v1.assign_add(w, x)]):
            return [i + 1, y + read(w)]

    _, y = v1.while_loop(lambda i, y: i < 3, body, [0, x], parallel_iterations=1)
    with tf.control_dependencies([y]):
        read(w, 'w_after')
    name_it(y=y)
    return [step(run=['w/Assign']), step('y', 'w_after', x=np.float32(2)),
            step('y', 'w_after', x=np.float32(1))]


@case
def loop_reads_a_resource():
    x = x_input(())
    w = v1.get_variable('w', initializer=1.5, use_resource=True)

    def body(i, y):
        with tf.control_dependencies([w.assign_add(x)]):
            return [i + 1, y * w.read_value()]

    name_it(y=v1.while_loop(lambda i, y: i < 3, body, [0, x], parallel_iterations=1)[1])
    return [step(run=['w/Assign']), step('y', x=np.float32(2)), step('y', x=np.float32(1))]


# ---- conditions ---------------------------------------------------------------------------------
def on_both(*fetches, **feeds):
    return [step(*fetches, p=np.bool_(p), **feeds) for p in (True, False)]


@case
def cond_chooses():
    p, x = x_input((), 'p', tf.bool), x_input()
    name_it(y=v1.cond(p, lambda: x * 2.0, lambda: x - tf.constant([1.0, 2.0, 3.0])))
    return on_both('y', 'cond/Merge', x=rand(3))


@case
def cond_gives_several():
    p, x = x_input((), 'p', tf.bool), x_input()
    a, b, c = v1.cond(p, lambda: (x, x * 2.0, tf.constant(1)), lambda: (x + 1.0, x, tf.constant(2)))
    name_it(a=a, b=b, c=c)
    return on_both('a', 'b', 'c', x=rand(3))


@case
def conds_nest():
    p, q, x = x_input((), 'p', tf.bool), x_input((), 'q', tf.bool), x_input()

    def inner():
        return v1.cond(q, lambda: x * 3.0, lambda: v1.cond(x[0] > 0.0, lambda: x * x, lambda: -x))

    name_it(y=v1.cond(p, inner, lambda: x + 10.0))
    return [step('y', p=np.bool_(a), q=np.bool_(b), x=rand(3))
            for a in (0, 1) for b in (0, 1) for _ in range(2)]


@case
def conds_on_one_predicate_follow_each_other():
    p, x = x_input((), 'p', tf.bool), x_input()
    y = v1.cond(p, lambda: x * 2.0, lambda: x)
    z = v1.cond(p, lambda: y + 1.0, lambda: y - 1.0)
    u = v1.cond(p, lambda: x + 5.0, lambda: x)
    name_it(y=z + u)
    return on_both('y', x=rand(3))


@case
def case_of_three():
    k, x = x_input((), 'k', tf.int32), x_input()
    name_it(y=v1.case([(tf.equal(k, 0), lambda: x), (tf.equal(k, 1), lambda: x * 2.0),
                       (k > 5, lambda: x * 3.0)], default=lambda: -x, exclusive=False))
    return [step('y', k=np.int32(i), x=rand(3)) for i in (0, 1, 3, 9)]


@case
def merge_tells_its_index():
    p, x = x_input((), 'p', tf.bool), x_input()
    f, t = tf.raw_ops.Switch(data=x, pred=p)
    y, index = tf.raw_ops.Merge(inputs=[f * 2.0, t])
    z, other = tf.raw_ops.Merge(inputs=[t + 1.0, f])
    name_it(y=y + z, index=index * 10 + other)
    return on_both('y', 'index', x=rand(3))


@case
def cond_assigns():
    p, x = x_input((), 'p', tf.bool), x_input(())
    w, u = variable('w', 1.0), variable('u', 5.0)
    y = v1.cond(p, lambda: v1.assign_add(w, x), lambda: v1.assign_sub(w, x * 2.0))
    z = v1.cond(p, lambda: tf.identity(v1.assign(u, x)), lambda: x * 3.0)
    with tf.control_dependencies([y, z]):
        read(w, 'w_after')
        read(u, 'u_after')
    name_it(z=z)
    return ([step(run=['w/Assign', 'u/Assign'])] +
            on_both('cond/Merge', 'z', 'w_after', 'u_after', x=np.float32(3)) * 2)


@case
def cond_of_ops():
    p = x_input((), 'p', tf.bool)
    w = variable('w', 1.0)
    op = v1.cond(p, lambda: v1.assign_add(w, 1.0).op, lambda: tf.no_op())
    with tf.control_dependencies([op]):
        read(w, 'w_after')
    return [step(run=['w/Assign'])] + on_both('w_after') * 2


@case
def effect_under_a_pivot():
    """Nodes that run by name, and only under their condition; no Merge waits for them."""
    p = x_input((), 'p', tf.bool)
    w, u = variable('w', 1.0), variable('u', 1.0)
    _, t = tf.raw_ops.Switch(data=p, pred=p)
    with tf.control_dependencies([tf.identity(t)]):
        first = v1.assign_add(w, 1.0, name='first')
        v1.assign_add(u, 1.0, name='second')
        with tf.control_dependencies([first]):
            tf.no_op(name='train')
    return ([step(run=['w/Assign', 'u/Assign'])] +
            [step(p=np.bool_(a), run=[target]) for a in (0, 1) for target in ('train', 'second')] +
            [step('w/read', 'u/read')])


@case
def one_side_only():
    p, x = x_input((), 'p', tf.bool), x_input()
    name_it(y=v1.cond(p, lambda: tf.exp(x), lambda: tf.constant([7.0, 8.0, 9.0])))
    return on_both('y', x=rand(3))


# ---- both ---------------------------------------------------------------------------------------
@case
def cond_in_loop():
    x = x_input()
    w = tf.constant([0.5, 1.0, 2.0])

    def body(i, y):
        return [i + 1, v1.cond(tf.equal(i % 2, 0), lambda: y + x, lambda: v1.cond(
            tf.reduce_sum(y) > 1.0, lambda: y * w, lambda: y))]

    name_it(y=v1.while_loop(lambda i, y: i < 5, body, [0, x])[1])
    return [step('y', x=rand(3)) for _ in range(3)]


@case
def cond_in_a_loop_condition():
    p, x = x_input((), 'p', tf.bool), x_input(())
    name_it(y=v1.while_loop(lambda i, y: v1.cond(p, lambda: i < 3, lambda: y < 4.0),
                            lambda i, y: [i + 1, y + x], [0, x])[1])
    return on_both('y', x=np.float32(0.75))


@case
def loop_in_cond():
    p, x = x_input((), 'p', tf.bool), x_input(())
    name_it(y=v1.cond(p, lambda: v1.while_loop(lambda i, y: i < 4, lambda i, y: [i + 1, y * 1.5 + x],
                                               [0, x])[1], lambda: x - 1.0))
    return on_both('y', x=np.float32(0.75))


@case
def loop_in_cond_in_loop():
    x = x_input(())

    def body(i, y):
        return [i + 1, v1.cond(y < 5.0, lambda: v1.while_loop(
            lambda j, z: j < i, lambda j, z: [j + 1, z + x], [0, y])[1], lambda: y * 0.5)]

    name_it(y=v1.while_loop(lambda i, y: i < 6, body, [0, x])[1])
    return [step('y', x=np.float32(k)) for k in (0.75, 2.0)]


# ---- variables ----------------------------------------------------------------------------------
@case
def variables_change_in_order():
    x = x_input(())
    w = variable('w', 2.0)
    b = v1.assign_sub(v1.assign_add(w, x), 1.0)
    with tf.control_dependencies([b]):
        c = tf.multiply(w._ref(), 10.0, name='c')
    with tf.control_dependencies([c]):
        d = v1.assign(w, c + 1.0)
    tf.add(d, 0.5, name='d')
    name_it(ready=v1.is_variable_initialized(w))
    return [step('ready'), step(run=['w/Assign']), step('ready', 'w'),
            step('d', 'c', x=np.float32(3)), step('w/read')]


@case
def variables_scatter():
    i, x = x_input((2,), 'i', tf.int32), x_input((2, 2))
    w = variable('w', np.zeros((4, 2), np.float32))
    y = v1.scatter_update(w, i, x)
    y = v1.scatter_add(y, i, x)
    y = v1.scatter_sub(y, i + 1, x * 0.5)
    name_it(y=v1.scatter_nd_add(y, tf.expand_dims(i, 1), x))
    return [step(run=['w/Assign'])] + [step('y', x=rand(2, 2), i=np.int32([0, 2]))] * 2


def optimizer(make_optimizer):
    x = x_input((4, 3))
    w, e = variable('w', rand(3, 2)), variable('e', rand(5, 2))
    y = tf.matmul(x, w) + tf.gather(e, [0, 2, 2, 4])
    loss = tf.reduce_mean(tf.square(y), name='loss')
    make_optimizer().minimize(loss, name='train')
    v1.global_variables_initializer()
    return ([step(run=['init'])] + [step('loss', x=rand(4, 3), run=['train']) for _ in range(3)] +
            [step('w/read', 'e/read')])


OPTIMIZERS = {
    'sgd': lambda: v1.train.GradientDescentOptimizer(0.1),
    'momentum': lambda: v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    'adam': lambda: v1.train.AdamOptimizer(0.1),
    'adagrad': lambda: v1.train.AdagradOptimizer(0.1),
    'rmsprop': lambda: v1.train.RMSPropOptimizer(0.1, momentum=0.5),
    'centered_rmsprop': lambda: v1.train.RMSPropOptimizer(0.1, centered=True),
    'ftrl': lambda: v1.train.FtrlOptimizer(0.1),
    'adadelta': lambda: v1.train.AdadeltaOptimizer(0.1)}
for kind in OPTIMIZERS:
    CASES['trains_by_' + kind] = lambda kind=kind: optimizer(OPTIMIZERS[kind])


@case
def saves_and_restores():
    w = variable('w', rand(3))
    v1.train.Saver()
    v1.assign_add(w, [1.0, 1.0, 1.0], name='add')
    path = {'save/Const': np.array(os.path.join(tempfile.mkdtemp(), 'model').encode())}
    return [step(run=['w/Assign']), step('add'), step(run=['save/control_dependency'], **path),
            step('add'), step('w/read'), step(run=['save/restore_all'], **path), step('w/read')]


# ---- TensorArrays -------------------------------------------------------------------------------
@case
def array_collects():
    x = x_input((4, 3))
    array = tf.TensorArray(tf.float32, 4).unstack(x)
    out = tf.TensorArray(tf.float32, 4, element_shape=(3,))

    def body(i, out, s):
        row = array.read(i)
        return [i + 1, out.write(i, row + s), s + row]

    _, out, _ = v1.while_loop(lambda i, out, s: i < 4, body, [0, out, tf.zeros((3,))])
    name_it(y=out.stack(), n=out.size())
    return [step('y', 'n', x=rand(4, 3))]


@case
def array_grows():
    n = x_input((), 'n', tf.int32)
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)
    _, array = v1.while_loop(
        lambda i, a: i < n, lambda i, a: [i + 1, a.write(i, tf.fill([2], tf.cast(i, tf.float32)))],
        [0, array])
    name_it(y=array.stack(), z=array.gather([1, 0]), size=array.size())
    return [step('y', 'z', 'size', n=np.int32(5))]


@case
def array_joins_and_splits():
    x = x_input((6, 2))
    array = tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, [1, 2, 3])
    out = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, array.read(2)).write(1, x[:1])
    name_it(part=array.read(1), y=out.concat())
    return [step('part', 'y', x=rand(6, 2))]


@case
def array_in_cond_in_loop():
    x = x_input((5,))

    def body(i, a):
        return [i + 1, v1.cond(x[i] > 0.0, lambda: a.write(i, x[i] * 2.0), lambda: a.write(i, 0.0))]

    _, array = v1.while_loop(lambda i, a: i < 5, body, [0, tf.TensorArray(tf.float32, 5, element_shape=())])
    name_it(y=array.stack())
    return [step('y', x=rand(5)) for _ in range(3)]


@case
def map_and_scan():
    x = x_input((4, 3))
    name_it(y=tf.map_fn(lambda row: row * row + 1.0, x), z=tf.scan(lambda a, row: a * 0.5 + row, x))
    return [step('y', 'z', x=rand(4, 3))]


@case
def dynamic_rnn():
    x, n, units = x_input((None, None, 3)), x_input((None,), 'n', tf.int32), 4
    kernel = tf.constant(rand(3 + units, units))
    time_major = tf.transpose(x, [1, 0, 2])
    steps = tf.shape(time_major)[0]
    inputs = tf.TensorArray(tf.float32, steps).unstack(time_major)
    longest = tf.reduce_max(n)

    def body(t, h, out):
        new = tf.tanh(tf.matmul(tf.concat([inputs.read(t), h], 1), kernel))
        new.set_shape((None, units))
        done = tf.expand_dims(t >= n, 1)
        return [t + 1, tf.where(done, h, new), out.write(t, tf.where(done, tf.zeros_like(new), new))]

    zero = tf.zeros([tf.shape(x)[0], units])
    _, h, outputs = v1.while_loop(lambda t, h, out: t < longest, body,
                                  [0, zero, tf.TensorArray(tf.float32, steps)])
    name_it(h=h, y=outputs.gather(tf.range(longest)))
    return [step('h', 'y', x=rand(2, 5, 3), n=np.int32([5, 3])),
            step('h', 'y', x=rand(3, 2, 3), n=np.int32([1, 2, 2]))]


@case
def array_closes():
    x = x_input((4,))
    array = tf.TensorArray(tf.float32, 4).unstack(x)
    y = array.read(2)
    with tf.control_dependencies([y]):
        close = array.close()
    with tf.control_dependencies([close]):
        tf.identity(y, name='y')
    return [step('y', x=rand(4))]


# ---- tables and queues --------------------------------------------------------------------------
@case
def old_tables():
    text = x_input((3,), 't', tf.string)
    table = tf.raw_ops.HashTable(key_dtype=tf.string, value_dtype=tf.int64, shared_name='old')
    tf.raw_ops.InitializeTable(table_handle=table, keys=tf.constant(['a', 'b']),
                               values=tf.constant([1, 2], tf.int64), name='init')
    name_it(y=tf.raw_ops.LookupTableFind(table_handle=table, keys=text,
                                         default_value=tf.constant(-1, tf.int64)),
            size=tf.raw_ops.LookupTableSize(table_handle=table))
    return [step(run=['init']), step('y', 'size', t=np.array([b'a', b'c', b'b']))]


@case
def old_queues():
    x = x_input(())
    queue = tf.raw_ops.FIFOQueue(component_types=[tf.float32], shapes=[()], capacity=5)
    tf.raw_ops.QueueEnqueue(handle=queue, components=[x], name='put')
    name_it(get=tf.raw_ops.QueueDequeue(handle=queue, component_types=[tf.float32])[0],
            size=tf.raw_ops.QueueSize(handle=queue))
    return [step(x=np.float32(1), run=['put']), step(x=np.float32(2), run=['put']), step('size'),
            step('get'), step('size')]


# ---- gradients of loops -------------------------------------------------------------------------
def slopes(y, **inputs):
    """The gradients of y, named d and the input's name."""
    for name, slope in zip(inputs, tf.gradients(y, list(inputs.values()))):
        tf.identity(slope, name='d' + name)
    name_it(y=y)


@case
def loop_has_a_gradient():
    x = x_input(())
    n = x_input((), 'n', tf.int32)
    slopes(v1.while_loop(lambda i, y: i < n, lambda i, y: [i + 1, y * y + x], [0, x])[1], x=x)
    return [step('y', 'dx', x=np.float32(0.5), n=np.int32(k)) for k in (0, 1, 4)]


@case
def loop_of_matrices_has_a_gradient():
    x, w = x_input((2, 3)), x_input((3, 3), 'w')
    y = v1.while_loop(lambda i, y: i < 4, lambda i, y: [i + 1, tf.tanh(tf.matmul(y, w) + x)], [0, x])[1]
    slopes(tf.reduce_sum(y * y), x=x, w=w)
    return [step('y', 'dx', 'dw', x=rand(2, 3), w=rand(3, 3)) for _ in range(2)]


@case
def cond_in_loop_has_a_gradient():
    x, w = x_input(), x_input((3,), 'w')

    def body(i, y):
        return [i + 1, v1.cond(tf.equal(i % 2, 0), lambda: y * y + x, lambda: v1.cond(
            tf.reduce_sum(y) > 1.0, lambda: tf.sin(y * w), lambda: y * w * x))]

    slopes(tf.reduce_sum(v1.while_loop(lambda i, y: i < 5, body, [0, x])[1]), x=x, w=w)
    return [step('y', 'dx', 'dw', x=rand(3), w=rand(3)) for _ in range(3)]


@case
def loop_in_cond_has_a_gradient():
    p, x = x_input((), 'p', tf.bool), x_input(())
    y = v1.cond(p, lambda: v1.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * y + x], [0, x])[1],
                lambda: x * x)
    slopes(y, x=x)
    return on_both('y', 'dx', x=np.float32(0.75))


@case
def nested_loops_have_a_gradient():
    x = x_input(())

    def outer(i, y):
        _, z = v1.while_loop(lambda j, z: j <= i, lambda j, z: [j + 1, z * z + x], [0, y])
        return [i + 1, z * y]

    slopes(v1.while_loop(lambda i, y: i < 3, outer, [0, x])[1], x=x)
    return [step('y', 'dx', x=np.float32(k)) for k in (0.5, -0.75)]


@case
def loops_nested_three_deep_have_a_gradient():
    x = x_input(())

    def loop(depth, start):
        def body(i, y):
            return [i + 1, y * y + x if depth == 0 else loop(depth - 1, y) * x + y]
        return v1.while_loop(lambda i, y: i < 2, body, [0, start])[1]

    slopes(loop(2, x), x=x)
    return [step('y', 'dx', x=np.float32(0.5))]


@case
def loop_has_a_second_gradient():
    x = x_input(())
    y = v1.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * y * x], [0, x])[1]
    slopes(y, x=x)
    return [step('y', 'dx', x=np.float32(0.9))]


@case
def array_has_a_gradient():
    x, w = x_input((4, 3)), x_input((3, 3), 'w')
    array = tf.TensorArray(tf.float32, 4).unstack(x)

    def body(i, out, s):
        s = tf.tanh(tf.matmul(s + tf.expand_dims(array.read(i), 0), w))
        return [i + 1, out.write(i, s[0]), s]

    out = v1.while_loop(lambda i, *_: i < 4, body, [0, tf.TensorArray(tf.float32, 4), tf.zeros((1, 3))])[1]
    y = out.stack()
    slopes(tf.reduce_sum(y * y), x=x, w=w)
    return [step('y', 'dx', 'dw', x=rand(4, 3), w=rand(3, 3)) for _ in range(2)]


@case
def array_read_twice_has_a_gradient():
    x = x_input((4,))
    array = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
    y = v1.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * array.read(i) + array.read(1)],
                      [0, tf.constant(1.0)])[1]
    slopes(y, x=x)
    return [step('y', 'dx', x=rand(4))]


@case
def array_that_grows_has_a_gradient():
    x = x_input((2,))
    n = x_input((), 'n', tf.int32)
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=(2,))
    array = v1.while_loop(lambda i, a: i < n, lambda i, a: [i + 1, a.write(i, x * tf.cast(i, tf.float32) * x)],
                          [0, array])[1]
    slopes(tf.reduce_sum(array.stack() * x), x=x)
    return [step('y', 'dx', x=rand(2), n=np.int32(3))]


@case
def array_joined_and_split_has_a_gradient():
    x = x_input((6, 2))
    array = tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, [1, 2, 3])
    out = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, array.read(2) ** 2.0).write(1, array.read(0) * array.read(1)[:1])
    y = out.concat()
    slopes(tf.reduce_sum(y * y), x=x)
    return [step('y', 'dx', x=rand(6, 2))]


@case
def array_in_cond_in_loop_has_a_gradient():
    x = x_input((5,))

    def body(i, a):
        return [i + 1, v1.cond(x[i] > 0.0, lambda: a.write(i, x[i] * x[i]), lambda: a.write(i, x[i] * 3.0))]

    array = v1.while_loop(lambda i, a: i < 5, body, [0, tf.TensorArray(tf.float32, 5, element_shape=())])[1]
    slopes(tf.reduce_sum(array.stack() * x), x=x)
    return [step('y', 'dx', x=rand(5)) for _ in range(2)]


@case
def map_and_scan_have_a_gradient():
    x = x_input((4, 3))
    y = tf.map_fn(lambda row: row * row + 1.0, x) * tf.scan(lambda a, row: a * row + tf.sin(row), x)
    slopes(tf.reduce_sum(y), x=x)
    return [step('y', 'dx', x=rand(4, 3))]


@case
def map_in_a_loop_has_a_gradient():
    x = x_input((3,))
    y = v1.while_loop(lambda i, y: i < 2, lambda i, y: [i + 1, tf.map_fn(lambda e: e * e + y[0], y) * x],
                      [0, x])[1]
    slopes(tf.reduce_sum(y), x=x)
    return [step('y', 'dx', x=rand(3))]


@case
def dynamic_rnn_trains():
    x, n = x_input((2, 5, 3)), x_input((2,), 'n', tf.int32)
    w = variable('w', rand(7, 4))
    time_major = tf.transpose(x, [1, 0, 2])
    inputs = tf.TensorArray(tf.float32, 5).unstack(time_major)

    def body(t, h, out):
        new = tf.tanh(tf.matmul(tf.concat([inputs.read(t), h], 1), w))
        done = tf.expand_dims(t >= n, 1)
        return [t + 1, tf.where(done, h, new), out.write(t, tf.where(done, tf.zeros_like(new), new))]

    _, h, out = v1.while_loop(lambda t, h, out: t < tf.reduce_max(n), body,
                              [0, tf.zeros([2, 4]), tf.TensorArray(tf.float32, 5)])
    loss = tf.reduce_sum(h * h) + tf.reduce_sum(out.gather(tf.range(tf.reduce_max(n))) ** 2.0)
    v1.train.GradientDescentOptimizer(0.1).minimize(loss, name='train')
    name_it(loss=loss)
    feed = dict(x=rand(2, 5, 3), n=np.int32([4, 2]))
    return [step(run=['w/Assign'])] + [step('loss', run=['train'], **feed) for _ in range(3)] + [step('w/read')]
