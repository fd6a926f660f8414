# SPDX-License-Identifier: Apache-2.0
"""Operators that take tensors apart and put them together, and files of uint8."""

import numpy as np

import cases
from build import INT8, INT32, UINT8, Tensor, options
from cases import KINDS, same_quant, scale, zero


def unsigned(maker):
    """The same files with every int8 tensor as uint8; weights get one scale and a zero point."""

    def made(rng, k):
        inputs, outputs, chosen = maker(rng, k)
        summed = len(inputs) > 1 and chosen[1] is not None and type(chosen[1]).__name__.startswith(("Conv", "Depthwise", "Fully"))
        for tensor in filter(None, inputs + outputs):
            if tensor.dtype != INT8:
                continue
            tensor.dtype, tensor.zero = UINT8, tensor.zero + 128
            if tensor.data is not None:
                tensor.data = (tensor.data.astype(np.int16) + 128).astype(np.uint8)
        if summed:
            weights = inputs[1]
            weights.scale, weights.zero, weights.axis = weights.scale[:1], [128, rng.range(0, 255), 255, 0][k % 4], 0
            if k % 4 == 1:
                weights.zero = rng.range(100, 150)
            if len(inputs) > 2 and inputs[2] is not None:
                inputs[2].scale, inputs[2].axis = np.float32(inputs[0].scale) * weights.scale, 0
        return inputs, outputs, chosen

    return made


def mean_axes(rng, k):
    shape, axes, keep = [((1, 4, 3, 5), [3], False), ((1, 4, 3, 5), [1], True), ((1, 6, 7), [2], False), ((2, 5), [-1], True), ((1, 3, 4, 2), [1, 2, 3], False)][k]
    kept = [d for d in range(len(shape)) if d not in [a % len(shape) for a in axes]]
    out = [n if d in kept else 1 for d, n in enumerate(shape)] if keep else [shape[d] for d in kept]
    x, y = same_quant(rng, shape, out)
    if k % 2:
        y.scale, y.zero = (x.scale * np.float32(0.7)).astype(np.float32), zero(rng)
    return [x, Tensor.constant(axes)], [y], options("ReducerOptions", keepDims=keep)


def extreme(rng, k):
    one, two = [((1, 3, 4, 5), (1, 3, 4, 5)), ((1, 3, 4, 5), (5,)), ((2, 6), (1, 6))][k]
    x, y = same_quant(rng, one, one)
    second = Tensor(two, scale=x.scale, zero=x.zero, data=rng.int8(two) if k == 1 else None)
    return [x, second], [y], options("MaximumMinimumOptions")


def broadcast(rng, k):
    one, two, out = [((4, 3, 1), (1, 5), (4, 3, 5)), ((1, 3, 4, 5), (1, 1, 1, 5), (1, 3, 4, 5)), ((1, 3, 4, 5), (4, 1), (1, 3, 4, 5))][k]
    a, b = (Tensor(s, scale=scale(rng, "plain"), zero=zero(rng)) for s in (one, two))
    return [a, b], [Tensor(out, scale=np.float32(1.3 * max(a.scale[0], b.scale[0])), zero=zero(rng))], options("SubOptions")


def split(rng, k):
    shape, axis, count = [((1, 2, 3, 6), 3, 3), ((1, 4, 3, 2), 1, 2), ((4, 6), -1, 2)][k]
    out = list(shape)
    out[axis] //= count
    x, y = same_quant(rng, shape, out)
    outs = [Tensor(out, scale=y.scale, zero=y.zero) for _ in range(count)]
    return [Tensor.constant(np.int32(axis)), x], outs, options("SplitOptions", numSplits=count)


def split_v(rng, k):
    shape, axis, sizes = [((1, 2, 3, 7), 3, [3, 4]), ((1, 6), 1, [1, 2, 3])][k]
    outs = []
    x = Tensor(shape, scale=scale(rng, "plain"), zero=zero(rng))
    for n in sizes:
        out = list(shape)
        out[axis] = n
        outs.append(Tensor(out, scale=x.scale, zero=x.zero))
    given = sizes[:-1] + [-1] if k else sizes
    return [x, Tensor.constant(given), Tensor.constant(np.int32(axis))], outs, options("SplitVOptions", numSplits=len(sizes))


def slice_of(rng, k):
    shape, begin, size = [((1, 4, 5, 3), [0, 1, 2, 0], [1, 2, -1, 2]), ((6,), [2], [3]), ((2, 3, 4), [1, 0, 1], [1, 3, 3])][k]
    x, y = same_quant(rng, shape, [n - b if s == -1 else s for n, b, s in zip(shape, begin, size)])
    return [x, Tensor.constant(begin), Tensor.constant(size)], [y], options("SliceOptions")


STRIDED = [  # shape, begin, end, steps, masks, result
    ((1, 5, 6, 4), [0, 1, 0, 1], [1, 5, 6, 3], [1, 2, 1, 1], {}, (1, 2, 6, 2)),
    ((1, 5, 6, 4), [0, 0, 0, 2], [0, 0, 0, 0], [1, 1, 1, 1], {"beginMask": 7, "endMask": 15}, (1, 5, 6, 2)),
    ((2, 7), [1, 6], [2, 0], [1, -2], {"shrinkAxisMask": 1}, (3,)),
    ((2, 3, 4), [0, 1], [0, 3], [1, 1], {"ellipsisMask": 1}, (2, 3, 2)),
    ((2, 6), [0, 0, 1], [0, 0, 5], [1, 1, 2], {"newAxisMask": 2, "beginMask": 1, "endMask": 1}, (2, 1, 2)),
    ((1, 5, 4, 3), [0, -2, 0, 0], [1, -1, 4, 3], [1, 1, 1, 1], {"shrinkAxisMask": 2}, (1, 4, 3)),
]


def strided(rng, k):
    shape, begin, end, steps, masks, out = STRIDED[k]
    x, y = same_quant(rng, shape, out)
    return [x, *map(Tensor.constant, (begin, end, steps))], [y], options("StridedSliceOptions", **masks)


def pack(rng, k):
    shape, axis, count = [((3, 4), 0, 2), ((2, 3, 4), 3, 2), ((1, 5), -1, 3)][k]
    out = list(shape)
    out.insert(axis if axis >= 0 else len(shape) + 1 + axis, count)
    x, y = same_quant(rng, shape, out)
    return [Tensor(shape, scale=x.scale, zero=x.zero) for _ in range(count)], [y], options("PackOptions", valuesCount=count, axis=axis)


def unpack(rng, k):
    shape, axis = [((1, 3, 2, 4), 3), ((3, 5), 0)][k]
    out = [n for d, n in enumerate(shape) if d != axis]
    x = Tensor(shape, scale=scale(rng, "plain"), zero=zero(rng))
    return [x], [Tensor(out, scale=x.scale, zero=x.zero) for _ in range(shape[axis])], options("UnpackOptions", num=shape[axis], axis=axis)


def gather(rng, k):
    shape, axis, indices = [((5, 3), 0, [4, 0, 2]), ((1, 3, 4, 5), 3, [[1, 4], [0, 0]]), ((1, 4, 3, 2), 1, [3, 1])][k]
    at = Tensor.constant(indices)
    x, y = same_quant(rng, shape, [*shape[:axis], *at.shape, *shape[axis + 1:]])
    return [x, at], [y], options("GatherOptions", axis=axis)


def gather_nd(rng, k):
    shape, rows, out = [((4, 5, 3), [[0, 1], [3, 4]], (2, 3)), ((1, 3, 4, 2), [[[0, 2, 1, 1]], [[0, 0, 3, 0]]], (2, 1))][k]
    x, y = same_quant(rng, shape, out)
    return [x, Tensor.constant(rows)], [y], options("GatherNdOptions")


def tile(rng, k):
    shape, times = [((1, 2, 3, 4), [1, 2, 1, 3]), ((3,), [4])][k]
    x, y = same_quant(rng, shape, [n * t for n, t in zip(shape, times)])
    return [x, Tensor.constant(times)], [y], options("TileOptions")


def broadcast_to(rng, k):
    shape, out = [((4, 1), (2, 4, 3)), ((3,), (1, 2, 2, 3))][k]
    x, y = same_quant(rng, shape, out)
    return [x, Tensor.constant(out)], [y], options("BroadcastToOptions")


def prelu(rng, k):
    kind = KINDS[k % len(KINDS)]
    shape, factors = [((1, 5, 4, 3), (1, 1, 3)), ((1, 5, 4, 3), (5, 4, 3)), ((1, 4, 6, 2), (1, 1, 2)), ((1, 3, 3, 8), (1, 1, 8))][k]
    x = Tensor(shape, scale=scale(rng, kind), zero=zero(rng))
    out = float(x.scale[0]) * {"plain": 0.8, "ties": 0.5, "saturating": 0.1, "spread": 30.0, "growing": 0.03}[kind]
    factor = Tensor(factors, scale=scale(rng, "plain"), zero=zero(rng) if k == 1 else 0, data=rng.int8(factors))
    return [x, factor], [Tensor(shape, scale=np.float32(out), zero=zero(rng))], (0, None)


BILINEAR = [((4, 5), (8, 10), False, True), ((4, 5), (7, 9), True, False), ((6, 6), (3, 4), False, False), ((3, 3), (9, 5), False, True), ((1, 4), (3, 4), False, False)]


def bilinear(rng, k):
    (h, w), size, align, half = BILINEAR[k]
    x, y = same_quant(rng, (1, h, w, 3), (1, *size, 3))
    return [x, Tensor.constant(size)], [y], options("ResizeBilinearOptions", alignCorners=align, halfPixelCenters=half)


def joined(rng, k):
    """Concatenation of uint8 tensors with scales of their own."""
    shapes, axis = [([(1, 256), (1, 256)], 1), ([(1, 3, 4, 16), (1, 3, 4, 5), (1, 3, 4, 1)], 3)][k]
    out = list(shapes[0])
    out[axis] = sum(shape[axis] for shape in shapes)
    parts = [Tensor(shape, UINT8, scale=scale(rng, KINDS[k]), zero=zero(rng) + 128) for shape in shapes]
    y = Tensor(out, UINT8, scale=np.float32(parts[0].scale[0] * [1.0, 0.5][k]), zero=[parts[0].zero, 131][k])
    return parts, [y], options("ConcatenationOptions", axis=axis)


def depth_to_space(rng, k):
    h, w, channels, b = [(2, 3, 8, 2), (2, 2, 18, 3)][k]
    x, y = same_quant(rng, (1, h, w, channels), (1, h * b, w * b, channels // b // b))
    return [x], [y], options("DepthToSpaceOptions", blockSize=b)


def space_to_depth(rng, k):
    h, w, channels, b = [(4, 6, 3, 2), (6, 3, 2, 3)][k]
    x, y = same_quant(rng, (1, h, w, channels), (1, h // b, w // b, channels * b * b))
    return [x], [y], options("SpaceToDepthOptions", blockSize=b)


def space_to_batch(rng, k):
    shape, block, pads, out = [((1, 4, 6, 3), [2, 3], [[0, 0], [0, 0]], (6, 2, 2, 3)), ((1, 5, 4, 2), [2, 2], [[1, 0], [2, 2]], (4, 3, 4, 2))][k]
    x, y = same_quant(rng, shape, out)
    return [x, Tensor.constant(block), Tensor.constant(pads)], [y], options("SpaceToBatchNDOptions")


def batch_to_space(rng, k):
    shape, block, cuts, out = [((6, 2, 2, 3), [2, 3], [[0, 0], [0, 0]], (1, 4, 6, 3)), ((4, 3, 4, 2), [2, 2], [[1, 0], [2, 2]], (1, 5, 4, 2))][k]
    x, y = same_quant(rng, shape, out)
    return [x, Tensor.constant(block), Tensor.constant(cuts)], [y], options("BatchToSpaceNDOptions")


def arg(kind):
    def made(rng, k):
        shape, axis, out = [((1, 3, 4, 5), 3, (1, 3, 4)), ((2, 9), -1, (2,)), ((1, 4, 3, 2), 1, (1, 3, 2))][k]
        x = Tensor(shape, scale=scale(rng, "plain"), zero=zero(rng))
        return [x, Tensor.constant(np.int32(axis))], [Tensor(out, INT32)], options(kind, outputType=INT32)

    return made


FAMILIES = [
    ("CONV_2D", 8, unsigned(cases.conv), "uint8"), ("DEPTHWISE_CONV_2D", 5, unsigned(cases.depthwise), "uint8"),
    ("FULLY_CONNECTED", 5, unsigned(cases.fully_connected), "uint8"), ("AVERAGE_POOL_2D", 10, unsigned(cases.pool), "uint8"),
    ("MAX_POOL_2D", 3, unsigned(cases.pool), "uint8"), ("ADD", 8, unsigned(cases.add), "uint8"), ("SUB", 4, unsigned(cases.sub), "uint8"),
    ("MUL", 8, unsigned(cases.mul), "uint8"), ("SOFTMAX", 4, unsigned(cases.softmax), "uint8"), ("LOGISTIC", 4, unsigned(cases.logistic), "uint8"),
    ("TANH", 4, unsigned(cases.tanh), "uint8"), ("MEAN", 3, unsigned(cases.mean), "uint8"), ("QUANTIZE", 8, unsigned(cases.quantize), "uint8"),
    ("DEQUANTIZE", 2, unsigned(cases.dequantize), "uint8"), ("PAD", 2, unsigned(cases.pad), "uint8"), ("RESHAPE", 3, unsigned(cases.reshape), "uint8"),
    ("CONCATENATION", 2, unsigned(cases.concatenation), "uint8"),
    ("MEAN", 5, mean_axes, "axes"), ("MAXIMUM", 3, extreme, ""), ("MINIMUM", 3, extreme, ""), ("SUB", 3, broadcast, "repeated"), ("SPLIT", 3, split, ""),
    ("SPLIT_V", 2, split_v, ""), ("SLICE", 3, slice_of, ""), ("STRIDED_SLICE", 6, strided, ""), ("PACK", 3, pack, ""), ("UNPACK", 2, unpack, ""),
    ("GATHER", 3, gather, ""), ("GATHER_ND", 2, gather_nd, ""), ("TILE", 2, tile, ""), ("BROADCAST_TO", 2, broadcast_to, ""), ("PRELU", 4, prelu, ""),
    ("RESIZE_BILINEAR", 5, bilinear, ""), ("RESIZE_BILINEAR", 5, unsigned(bilinear), "uint8"), ("CONCATENATION", 2, joined, "uint8_scales"),
    ("DEPTH_TO_SPACE", 2, depth_to_space, ""), ("SPACE_TO_DEPTH", 2, space_to_depth, ""),
    ("SPACE_TO_BATCH_ND", 2, space_to_batch, ""), ("BATCH_TO_SPACE_ND", 2, batch_to_space, ""), ("ARG_MAX", 3, arg("ArgMaxOptions"), ""),
    ("ARG_MIN", 2, arg("ArgMinOptions"), ""),
]
