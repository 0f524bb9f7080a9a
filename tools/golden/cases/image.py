"""Resizing, cropping, blocks, patches, volumes, pooling variants, local response, colours, box suppression."""

import itertools

import numpy as np
import tensorflow as tf

from golden import Case, i32, ints, normal, positive

F = np.float32


def f32(*values):
    return np.array(values, np.float32)


def unit(*shape):
    """In [0, 1)."""
    return np.mod(np.abs(normal(*shape)) * 7.3, 1).astype(np.float32)


def resizes():
    ways = [{}, {"align_corners": True}, {"half_pixel_centers": True}]
    sizes = [((2, 3, 4, 2), (5, 7)), ((1, 6, 5, 3), (2, 3)), ((1, 4, 4, 1), (4, 4)), ((1, 1, 3, 4), (3, 1)),
             ((1, 7, 2, 5), (1, 6))]
    for op in ["ResizeNearestNeighbor", "ResizeBilinear", "ResizeBicubic"]:
        for way, (shape, size) in itertools.product(ways, sizes):
            yield Case(op, {"images": normal(*shape), "size": i32(*size)}, ["images"], tolerance=2e-5, **way)
        for dtype in [np.uint8, np.int32, np.float64]:
            yield Case(op, {"images": ints(0, 200, 1, 3, 4, 2, dtype=dtype), "size": i32(4, 2)}, tolerance=1e-4)
        yield Case(op, {"images": np.zeros((0, 3, 4, 2), F), "size": i32(5, 6)})
    for way, (shape, size) in itertools.product(ways, sizes[:3]):
        yield Case("ResizeNearestNeighborGrad", {"grads": normal(*shape), "size": i32(*size)}, **way)
        original = (shape[0], *size, shape[3])
        for op in ["ResizeBilinearGrad", "ResizeBicubicGrad"]:
            yield Case(op, {"grads": normal(*shape), "original_image": normal(*original)}, tolerance=2e-5, **way)
    for way, (shape, size) in itertools.product(ways[:2], sizes):
        yield Case("ResizeArea", {"images": normal(*shape), "size": i32(*size)}, tolerance=2e-5, **way)
    yield Case("ResizeArea", {"images": ints(0, 255, 1, 5, 5, 1, dtype=np.uint8), "size": i32(2, 3)}, tolerance=1e-4)
    for kernel in ["lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"]:
        for antialias in [True, False]:
            yield Case("ScaleAndTranslate", {"images": normal(1, 6, 5, 2), "size": i32(4, 8), "scale": f32(0.6, 1.7),
                                             "translation": f32(0.3, -0.8)}, ["images"], tolerance=5e-5,
                       kernel_type=kernel, antialias=antialias)
    yield Case("ScaleAndTranslate", {"images": ints(0, 255, 1, 3, 3, 1, dtype=np.uint8), "size": i32(6, 6),
                                     "scale": f32(1, 1), "translation": f32(2, -1)}, tolerance=1e-4, kernel_type="triangle")
    yield Case("ScaleAndTranslateGrad", {"grads": normal(1, 4, 8, 2), "original_image": normal(1, 6, 5, 2),
                                         "scale": f32(0.6, 1.7), "translation": f32(0.3, -0.8)}, tolerance=5e-5,
               kernel_type="triangle", antialias=True)


def crops():
    boxes = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [0.8, 0.9, 0.2, 0.1], [-0.5, 0.3, 1.5, 0.6]], F)
    index = i32(0, 1, 1, 0)
    for method, size in itertools.product(["bilinear", "nearest"], [(3, 2), (1, 1), (6, 7)]):
        yield Case("CropAndResize", {"image": normal(2, 5, 4, 2), "boxes": boxes, "box_ind": index,
                                     "crop_size": i32(*size)}, ["image", "boxes"] if method == "bilinear" else ["image"],
                   tolerance=5e-5, method=method, extrapolation_value=1.5)
    yield Case("CropAndResize", {"image": ints(0, 255, 1, 4, 4, 1, dtype=np.uint8), "boxes": boxes[:2], "box_ind": i32(0, 0),
                                 "crop_size": i32(2, 2)}, tolerance=1e-4)
    yield Case("CropAndResize", {"image": normal(1, 4, 4, 1), "boxes": np.zeros((0, 4), F), "box_ind": i32(),
                                 "crop_size": i32(2, 2)})
    yield Case("CropAndResizeGradImage", {"grads": normal(4, 3, 2, 2), "boxes": boxes, "box_ind": index,
                                          "image_size": i32(2, 5, 4, 2)}, tolerance=5e-5, T=tf.float32, method="bilinear")
    yield Case("CropAndResizeGradBoxes", {"grads": normal(4, 3, 2, 2), "image": normal(2, 5, 4, 2), "boxes": boxes,
                                          "box_ind": index}, tolerance=5e-5)
    drawn = np.array([[[0.1, 0.2, 0.8, 0.9], [-0.3, 0.5, 0.5, 1.4], [0.6, 0.6, 0.4, 0.7]]], F)
    yield Case("DrawBoundingBoxes", {"images": unit(1, 6, 7, 3), "boxes": drawn})
    yield Case("DrawBoundingBoxes", {"images": unit(1, 6, 7, 1), "boxes": drawn})
    yield Case("DrawBoundingBoxesV2", {"images": unit(1, 6, 7, 3), "boxes": drawn, "colors": unit(2, 3)})


def spaces():
    pads = np.array([[1, 1], [0, 2]], np.int32)
    yield Case("SpaceToBatchND", {"input": normal(2, 4, 4, 3), "block_shape": i32(2, 2), "paddings": pads}, ["input"])
    yield Case("SpaceToBatchND", {"input": normal(1, 5, 2), "block_shape": i32(3), "paddings": np.array([[2, 5]], np.int32)},
               ["input"])
    yield Case("SpaceToBatchND", {"input": normal(1, 2, 4, 3, 2), "block_shape": i32(2, 1, 3),
                                  "paddings": np.array([[0, 0], [1, 0], [2, 1]], np.int32)}, ["input"])
    yield Case("SpaceToBatchND", {"input": ints(0, 99, 2, 4, 4), "block_shape": np.array([2, 2], np.int64),
                                  "paddings": np.zeros((2, 2), np.int64)})
    yield Case("SpaceToBatchND", {"input": np.zeros((0, 4, 4, 1), F), "block_shape": i32(2, 2), "paddings": pads})
    crop = np.array([[1, 0], [0, 2]], np.int32)
    yield Case("BatchToSpaceND", {"input": normal(8, 2, 3, 3), "block_shape": i32(2, 2), "crops": crop}, ["input"])
    yield Case("BatchToSpaceND", {"input": normal(3, 4, 2), "block_shape": i32(3), "crops": np.array([[2, 5]], np.int32)},
               ["input"])
    yield Case("BatchToSpaceND", {"input": normal(4, 1, 1, 1), "block_shape": i32(2, 2), "crops": np.zeros((2, 2), np.int32)})
    yield Case("SpaceToBatch", {"input": normal(1, 4, 4, 2), "paddings": pads}, ["input"], block_size=2)
    yield Case("BatchToSpace", {"input": normal(4, 2, 3, 2), "crops": crop}, ["input"], block_size=2)
    for shape, block in [((2, 4, 6, 3), 2), ((1, 3, 3, 1), 3)]:
        yield Case("SpaceToDepth", {"input": normal(*shape)}, ["input"], block_size=block)
    for shape, block in [((2, 2, 3, 8), 2), ((1, 1, 2, 9), 3)]:
        yield Case("DepthToSpace", {"input": normal(*shape)}, ["input"], block_size=block)
    yield Case("DepthToSpace", {"input": ints(0, 99, 1, 2, 2, 4)}, block_size=2)
    for padding, rates, strides in itertools.product(["SAME", "VALID"], [(1, 1), (2, 2)], [(1, 1), (2, 3)]):
        yield Case("ExtractImagePatches", {"images": normal(2, 6, 7, 2)}, ["images"], ksizes=[1, 2, 3, 1],
                   strides=[1, *strides, 1], rates=[1, *rates, 1], padding=padding)
    yield Case("ExtractImagePatches", {"images": ints(0, 99, 1, 3, 3, 1)}, ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1],
               rates=[1, 1, 1, 1], padding="SAME")
    for padding in ["SAME", "VALID"]:
        yield Case("ExtractVolumePatches", {"input": normal(1, 3, 4, 3, 2)}, ["input"], ksizes=[1, 2, 2, 2, 1],
                   strides=[1, 1, 2, 1, 1], padding=padding)


def volumes():
    for padding, (strides, dilations) in itertools.product(
            ["SAME", "VALID"], [((1, 1, 1), (1, 1, 1)), ((2, 1, 2), (1, 1, 1)), ((1, 1, 1), (2, 1, 2))]):
        attrs = dict(padding=padding, strides=[1, *strides, 1], dilations=[1, *dilations, 1])
        slopes = ["input", "filter"] if dilations == (1, 1, 1) else []
        yield Case("Conv3D", {"input": normal(2, 4, 3, 5, 2), "filter": normal(2, 2, 3, 2, 3)}, slopes, tolerance=1e-4, **attrs)
        if dilations != (1, 1, 1):
            continue
        size = [-(-n // s) if padding == "SAME" else -(-(n - k + 1) // s)
                for n, k, s in zip((4, 3, 5), (2, 2, 3), strides)]
        yield Case("Conv3DBackpropInputV2", {"input_sizes": i32(2, 4, 3, 5, 2), "filter": normal(2, 2, 3, 2, 3),
                                             "out_backprop": normal(2, *size, 3)}, ["filter", "out_backprop"],
                   tolerance=1e-4, **attrs)
        yield Case("Conv3DBackpropFilterV2", {"input": normal(2, 4, 3, 5, 2), "filter_sizes": i32(2, 2, 3, 2, 3),
                                              "out_backprop": normal(2, *size, 3)}, ["input", "out_backprop"],
                   tolerance=1e-4, **attrs)
    for padding in ["SAME", "VALID"]:
        attrs = dict(ksize=[1, 2, 3, 2, 1], strides=[1, 2, 1, 2, 1], padding=padding)
        x = normal(2, 3, 4, 5, 2)
        out = tf.raw_ops.MaxPool3D(input=x, **attrs).numpy()
        yield Case("MaxPool3D", {"input": x}, ["input"], **attrs)
        yield Case("MaxPool3DGrad", {"orig_input": x, "orig_output": out, "grad": normal(*out.shape)}, ["grad"], **attrs)
        yield Case("MaxPool3DGradGrad", {"orig_input": x, "orig_output": out, "grad": normal(*x.shape)}, ["grad"], **attrs)
        yield Case("AvgPool3D", {"input": x}, ["input"], **attrs)
        yield Case("AvgPool3DGrad", {"orig_input_shape": i32(*x.shape), "grad": normal(*out.shape)}, ["grad"], **attrs)


def variants():
    for padding in ["SAME", "VALID"]:
        size = {"ksize": i32(1, 3, 2, 1), "strides": i32(1, 2, 2, 1)}
        x = normal(2, 5, 6, 3)
        out = tf.raw_ops.MaxPoolV2(input=x, **size, padding=padding).numpy()
        yield Case("MaxPoolV2", {"input": x, **size}, ["input"], padding=padding)
        yield Case("MaxPoolGradV2", {"orig_input": x, "orig_output": out, "grad": normal(*out.shape), **size}, ["grad"],
                   padding=padding)
        yield Case("MaxPoolGradGradV2", {"orig_input": x, "orig_output": out, "grad": normal(*x.shape), **size},
                   padding=padding)
        for batch in [False, True]:
            attrs = dict(ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1], padding=padding, include_batch_in_index=batch)
            yield Case("MaxPoolWithArgmax", {"input": x}, ["input"], **attrs)
            places = tf.raw_ops.MaxPoolWithArgmax(input=x, **attrs)[1].numpy()
            yield Case("MaxPoolGradWithArgmax", {"input": x, "grad": normal(*out.shape), "argmax": places}, **attrs)
    for strides, rates, padding in [((1, 1), (1, 1), "SAME"), ((2, 1), (1, 2), "VALID"), ((1, 2), (2, 1), "SAME")]:
        attrs = dict(strides=[1, *strides, 1], rates=[1, *rates, 1], padding=padding)
        x, kernel = normal(2, 5, 6, 2), normal(2, 3, 2)
        out = tf.raw_ops.Dilation2D(input=x, filter=kernel, **attrs).numpy()
        yield Case("Dilation2D", {"input": x, "filter": kernel}, ["input", "filter"], **attrs)
        for op in ["Dilation2DBackpropInput", "Dilation2DBackpropFilter"]:
            yield Case(op, {"input": x, "filter": kernel, "out_backprop": normal(*out.shape)}, **attrs)
    yield Case("Dilation2D", {"input": ints(-9, 9, 1, 3, 3, 1), "filter": ints(-4, 4, 2, 2, 1)}, strides=[1, 1, 1, 1],
               rates=[1, 1, 1, 1], padding="SAME")


def responses():
    for attrs in [{}, {"depth_radius": 2, "bias": 2.0, "alpha": 0.3, "beta": 0.75},
                  {"depth_radius": 0, "bias": 1.0, "alpha": 1.0, "beta": 1.0}]:
        x = normal(1, 2, 3, 8)
        yield Case("LRN", {"input": x}, ["input"], tolerance=5e-5, **attrs)
        out = tf.raw_ops.LRN(input=x, **attrs).numpy()
        yield Case("LRNGrad", {"input_grads": normal(*x.shape), "input_image": x, "output_image": out}, tolerance=5e-5, **attrs)
    empty = np.zeros([0], F)
    scale, offset = positive(3), normal(3)
    for op in ["FusedBatchNorm", "FusedBatchNormV2"]:
        yield Case(op, {"x": normal(4, 3, 2, 3), "scale": scale, "offset": offset, "mean": empty, "variance": empty},
                   outputs=["y", "batch_mean", "batch_variance"], tolerance=1e-4, epsilon=0.001, is_training=True)
        yield Case(op, {"x": normal(4, 3, 2, 3), "scale": scale, "offset": offset, "mean": normal(3), "variance": positive(3)},
                   ["x", "scale", "offset"] if op.endswith("V2") else ["x"], outputs=["y"], tolerance=1e-4, epsilon=0.001,
                   is_training=False)
    for op in ["FusedBatchNormGrad", "FusedBatchNormGradV2"]:
        for training in [True, False]:
            yield Case(op, {"y_backprop": normal(4, 3, 2, 3), "x": normal(4, 3, 2, 3), "scale": scale,
                            "reserve_space_1": normal(3), "reserve_space_2": positive(3)},
                       outputs=["x_backprop", "scale_backprop", "offset_backprop"], tolerance=2e-4, epsilon=0.001,
                       is_training=training)


def colours():
    grey = np.array([[[0.5, 0.5, 0.5], [0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]]], F)
    yield Case("RGBToHSV", {"images": unit(2, 3, 3)}, ["images"], tolerance=5e-5)
    yield Case("RGBToHSV", {"images": grey})
    yield Case("RGBToHSV", {"images": unit(5, 3).astype(np.float64)})
    yield Case("HSVToRGB", {"images": unit(2, 3, 3)})
    yield Case("HSVToRGB", {"images": np.array([[0, 1, 1], [1, 1, 1], [0.5, 0, 0.7], [0.4, 0.3, 0]], F)})
    yield Case("AdjustContrastv2", {"images": normal(2, 3, 4, 3), "contrast_factor": F(1.7)})
    yield Case("AdjustContrastv2", {"images": normal(3, 4, 1), "contrast_factor": F(0)})
    for delta in [0.1, -0.4, 1.3]:
        yield Case("AdjustHue", {"images": unit(2, 3, 4, 3), "delta": F(delta)})
    yield Case("AdjustHue", {"images": grey, "delta": F(0.25)})
    for scale in [0.0, 0.5, 3.0]:
        yield Case("AdjustSaturation", {"images": unit(2, 3, 3), "scale": F(scale)})
    yield Case("AdjustSaturation", {"images": grey, "scale": F(2)})


def suppression():
    corners = unit(12, 2) * 0.6
    boxes = np.concatenate([corners, corners + 0.1 + 0.3 * unit(12, 2)], axis=1).astype(F)
    boxes[3] = boxes[3][[2, 3, 0, 1]]
    boxes[5, 2] = boxes[5, 0]
    boxes[7] = boxes[6] + F(0.01)
    scores = unit(12)
    scores[9] = scores[2]
    base = {"boxes": boxes, "scores": scores}
    for most, overlap in itertools.product([3, 20, 0], [0.0, 0.3, 1.0]):
        yield Case("NonMaxSuppression", {**base, "max_output_size": np.int32(most)}, iou_threshold=overlap)
        more = {**base, "max_output_size": np.int32(most), "iou_threshold": F(overlap)}
        yield Case("NonMaxSuppressionV2", more)
        more["score_threshold"] = F(0.3)
        yield Case("NonMaxSuppressionV3", more)
        for pad in [False, True]:
            yield Case("NonMaxSuppressionV4", more, pad_to_max_output_size=pad)
            for sigma in [0.0, 0.5]:
                yield Case("NonMaxSuppressionV5", {**more, "soft_nms_sigma": F(sigma)}, pad_to_max_output_size=pad)
    yield Case("NonMaxSuppressionV3", {"boxes": np.zeros((0, 4), F), "scores": np.zeros(0, F), "max_output_size": np.int32(3),
                                       "iou_threshold": F(0.5), "score_threshold": F(0)})
    overlaps = unit(6, 6)
    yield Case("NonMaxSuppressionWithOverlaps", {"overlaps": overlaps, "scores": unit(6), "max_output_size": np.int32(4),
                                                 "overlap_threshold": F(0.5), "score_threshold": F(0.1)})
    for classes, pad, clip in [(1, False, True), (3, False, False), (3, True, True)]:
        many = np.stack([np.tile(boxes[:, None, :], (1, classes, 1)) * F(1.3) - F(0.1), np.roll(
            np.tile(boxes[:, None, :], (1, classes, 1)), 2, 0)])
        for per_class, total in [(2, 4), (5, 9)]:
            yield Case("CombinedNonMaxSuppression",
                       {"boxes": many, "scores": unit(2, 12, 3), "max_output_size_per_class": np.int32(per_class),
                        "max_total_size": np.int32(total), "iou_threshold": F(0.4), "score_threshold": F(0.2)},
                       pad_per_class=pad, clip_boxes=clip)


def cases():
    yield from resizes()
    yield from crops()
    yield from spaces()
    yield from volumes()
    yield from variants()
    yield from responses()
    yield from colours()
    yield from suppression()
