# SPDX-License-Identifier: Apache-2.0
"""Operators on plain values (floats, bools, whole numbers), and further ones of int8 that move or choose elements.

Files of floats have "float" in their names: the kernels' functions may differ from ours in the last places."""

import numpy as np
from flatbuffers import flexbuffers

from build import BOOL, FLOAT, INT32, UINT8, Tensor, options
from cases import same_quant, scale, zero

def reals(lo, hi, step=0.0):
    """A draw of floats of [lo, hi), multiples of |step| where it is above 0: then many are equal."""

    def draw(rng, count, _):
        values = lo + rng.unit(count) * (hi - lo)
        return np.round(values / step) * step if step else values

    return draw


def wholes(lo, hi):
    return lambda rng, count, _: rng.range(lo, hi, count)


def real(shape, lo=-4, hi=4, step=0.0):
    return Tensor(shape, FLOAT, draw=reals(lo, hi, step))


def whole(shape, lo=-5, hi=5, dtype=INT32):
    return Tensor(shape, dtype, draw=wholes(lo, hi))


def of_kind(rng, kind, shape, out):
    """Operand and result of one type and scale."""
    if kind == "int8":
        return same_quant(rng, shape, out)
    if kind == "int32":
        return whole(shape), Tensor(out, INT32)
    if kind == "bool":
        return whole(shape, 0, 1, BOOL), Tensor(out, BOOL)
    return real(shape, step=0.25), Tensor(out, FLOAT)


def topk(kind):
    def made(rng, k):
        shape, count = [((2, 9), 4), ((1, 3, 4, 12), 5)][k]
        x, y = of_kind(rng, kind, shape, (*shape[:-1], count))
        return [x, Tensor.constant(np.int32(count))], [y, Tensor(y.shape, INT32)], options("TopKV2Options")

    return made


def mirror_pad(kind):
    def made(rng, k):
        shape, pads, mode = [((1, 4, 5, 3), [[0, 0], [2, 1], [0, 3], [1, 0]], 0), ((1, 4, 5, 3), [[0, 0], [2, 4], [0, 3], [1, 0]], 1),
                             ((2, 6), [[1, 0], [5, 2]], 0), ((2, 6), [[2, 1], [0, 6]], 1)][k]
        x, y = of_kind(rng, kind, shape, [n + sum(p) for n, p in zip(shape, pads)])
        return [x, Tensor.constant(pads)], [y], options("MirrorPadOptions", mode=mode)

    return made


def reverse(kind):
    def made(rng, k):
        shape, axis = [((1, 4, 3, 2), 3), ((1, 4, 3, 2), 1), ((3, 5), -1)][k]
        x, y = of_kind(rng, kind, shape, shape)
        return [x, Tensor.constant([axis])], [y], options("ReverseV2Options")

    return made


PAIRS = [((1, 3, 4, 5), (1, 3, 4, 5)), ((1, 3, 4, 5), (5,)), ((2, 6), (1, 6))]


def pair(kind, result, name):
    def made(rng, k):
        one, two = PAIRS[k]
        x, _ = of_kind(rng, kind, one, one)
        y, _ = of_kind(rng, kind, two, two)
        return [x, y], [Tensor(one, result)], options(name)

    return made


def power(rng, k):
    one, two = PAIRS[k]
    return [real(one, 0.1, 4), real(two, -2, 3)], [Tensor(one, FLOAT)], options("PowOptions")


def add_n(kind):
    def made(rng, k):
        shape = [(1, 3, 4, 5), (2, 6)][k]
        drawn = [of_kind(rng, kind, shape, shape) for _ in range(3 - k)]
        return [x for x, _ in drawn], [drawn[0][1]], options("AddNOptions")

    return made


def zeros_like(rng, k):
    x, y = of_kind(rng, "float", (1, 3, 2, 4), (1, 3, 2, 4))
    return [x], [y], options("ZerosLikeOptions")


def cumsum(kind):
    def made(rng, k):
        shape, axis, exclusive, reverse_ = [((1, 4, 3, 2), 3, False, False), ((1, 4, 3, 2), 1, True, False), ((3, 5), -1, False, True), ((7,), 0, True, True)][k]
        x, y = of_kind(rng, kind, shape, shape)
        return [x, Tensor.constant(np.int32(axis))], [y], options("CumsumOptions", exclusive=exclusive, reverse=reverse_)

    return made


def one_hot(kind):
    def made(rng, k):
        shape, axis, out = [((2, 3), -1, (2, 3, 4)), ((1, 2, 3), 1, (1, 4, 2, 3)), ((5,), 0, (4, 5))][k]
        _, y = of_kind(rng, kind, (1,), out)
        on, off = (Tensor.constant(np.array(v), y.dtype) for v in ((3, 1) if kind != "float" else (2.5, -0.5)))
        return [whole(shape, -2, 5), Tensor.constant(np.int32(4)), on, off], [y], options("OneHotOptions", axis=axis)

    return made


def truths(rng, k):
    shape, axes, keep, out = [((1, 3, 2, 4), [3], False, (1, 3, 2)), ((1, 3, 2, 4), [1, 2], True, (1, 1, 1, 4)), ((4, 3), [-1], False, (4,))][k]
    x = Tensor(shape, BOOL, draw=wholes(0, 1))
    return [x, Tensor.constant(axes)], [Tensor(out, BOOL)], options("ReducerOptions", keepDims=keep)


def l2(rng, k):
    shape = [(1, 3, 4, 5), (2, 6)][k]
    return [real(shape)], [Tensor(shape, FLOAT)], options("L2NormOptions")


def local_response(rng, k):
    radius, bias, alpha, beta = [(2, 1.0, 0.5, 0.75), (1, 2.0, 0.1, 0.5)][k]
    shape = [(1, 3, 4, 7), (1, 2, 2, 1)][k]
    return [real(shape)], [Tensor(shape, FLOAT)], options("LocalResponseNormalizationOptions", radius=radius, bias=bias, alpha=alpha, beta=beta)


def relu_to_1(kind):
    def made(rng, k):
        shape = [(1, 256), (1, 4, 5, 3)][k]
        if kind == "float":
            return [real(shape)], [Tensor(shape, FLOAT)], (0, None)
        x = Tensor(shape, scale=scale(rng, "plain"), zero=zero(rng))
        return [x], [Tensor(shape, scale=np.float32(x.scale[0] * 0.7), zero=rng.range(-100, 20))], (0, None)

    return made


def products(kind):
    def made(rng, k):
        one, two, turned, out = [((2, 3, 4), (2, 4, 5), (False, False), (2, 3, 5)), ((1, 2, 3, 8), (1, 2, 5, 8), (False, True), (1, 2, 3, 5)),
                                 ((2, 2, 6, 3), (2, 6, 4), (True, False), (2, 2, 3, 4)), ((7, 16), (16, 3), (False, False), (7, 3))][k]
        chosen = options("BatchMatMulOptions", adjX=turned[0], adjY=turned[1])
        if kind == "float":
            return [real(one), real(two)], [Tensor(out, FLOAT)], chosen
        a, b = (Tensor(s, scale=scale(rng, "plain", 0.01, 0.2), zero=zero(rng)) for s in (one, two))
        return [a, b], [Tensor(out, scale=np.float32(a.scale[0] * b.scale[0] * 80), zero=zero(rng))], chosen

    return made


def embedding(rng, k):
    table = Tensor.constant(np.round(rng.unit(24) * 8 - 4, 2).reshape(6, 4), FLOAT)
    return [whole((5,), 0, 5), table], [Tensor((5, 4), FLOAT)], (0, None)


def detection(kind, regular):
    """The end of a detector. In the fast mode every row is filled: the kernel leaves others as they are."""

    def made(rng, k):
        n, classes, most, each, low, background = [(24, 3, 5, 1, 0.0, 1), (30, 4, 6, 2, 0.0, 1), (16, 2, 10, 1, 0.55, 0)][k if kind == "float" or k else 0]
        if not regular and k == 2:
            n, classes, most, low = 40, 5, 4, 0.1
        if regular:
            each = 1
        anchors = np.stack([0.1 + 0.8 * rng.unit(n), 0.1 + 0.8 * rng.unit(n), 0.1 + 0.3 * rng.unit(n), 0.1 + 0.3 * rng.unit(n)], 1)
        chosen = flexbuffers.Dumps({
            "max_detections": most, "max_classes_per_detection": each, "detections_per_class": 3 + 2 * k, "use_regular_nms": regular,
            "nms_score_threshold": low, "nms_iou_threshold": [0.5, 0.3, 0.6][k], "num_classes": classes,
            "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0})
        outs = [Tensor(s, FLOAT) for s in ((1, most * each, 4), (1, most * each), (1, most * each), (1,))]
        scored = (1, n, classes + background)
        if kind == "float":
            return [real((1, n, 4)), real(scored, 0, 1), Tensor.constant(anchors, FLOAT)], outs, bytes(chosen)

        def different(source, count, _):  # equal scores have no defined order, so all differ
            return np.argsort(source.words(256), kind="stable")[:count] - 128

        return [Tensor((1, n, 4), UINT8, scale=np.float32(0.05), zero=120), Tensor(scored, UINT8, scale=np.float32(1 / 256), draw=different),
                Tensor.constant(np.round(anchors * 250), UINT8, scale=np.float32(0.004))], outs, bytes(chosen)

    return made


def suppression(soft):
    def made(rng, k):
        n, most, share, low = [(20, 6, 0.3, 0.0), (12, 16, 0.5, 0.4)][k]
        numbers = [Tensor.constant(np.float32(v), FLOAT) for v in (share, low, 0.0)[:3 if soft else 2]]
        outs = [Tensor((most,), INT32)] + ([Tensor((most,), FLOAT)] if soft else []) + [Tensor((), INT32)]
        return [real((n, 4), 0, 2), real((n,), 0, 1), Tensor.constant(np.int32(most)), *numbers], outs, options(f"NonMaxSuppressionV{5 if soft else 4}Options")

    return made


DETECTION = "TFLite_Detection_PostProcess"

FAMILIES = [
    ("TOPK_V2", 2, topk("int8"), ""), ("TOPK_V2", 2, topk("float"), "float"), ("MIRROR_PAD", 4, mirror_pad("int8"), ""),
    ("MIRROR_PAD", 2, mirror_pad("float"), "float"), ("REVERSE_V2", 3, reverse("int32"), "int32"), ("REVERSE_V2", 2, reverse("float"), "float"),
    ("NOT_EQUAL", 3, pair("float", BOOL, "NotEqualOptions"), "float"), ("NOT_EQUAL", 2, pair("int32", BOOL, "NotEqualOptions"), "int32"),
    ("NOT_EQUAL", 1, pair("bool", BOOL, "NotEqualOptions"), "bool"), ("SQUARED_DIFFERENCE", 3, pair("float", FLOAT, "SquaredDifferenceOptions"), "float"),
    ("SQUARED_DIFFERENCE", 2, pair("int32", INT32, "SquaredDifferenceOptions"), "int32"), ("POW", 3, power, "float"), ("ADD_N", 2, add_n("float"), "float"),
    ("ADD_N", 2, add_n("int32"), "int32"), ("ZEROS_LIKE", 1, zeros_like, "float"),
    ("CUMSUM", 4, cumsum("float"), "float"), ("CUMSUM", 2, cumsum("int32"), "int32"), ("ONE_HOT", 3, one_hot("float"), "float"),
    ("ONE_HOT", 2, one_hot("int32"), "int32"), ("REDUCE_ANY", 3, truths, "bool"), ("REDUCE_ALL", 3, truths, "bool"), ("L2_NORMALIZATION", 2, l2, "float"),
    ("LOCAL_RESPONSE_NORMALIZATION", 2, local_response, "float"), ("RELU_0_TO_1", 2, relu_to_1("int8"), ""), ("RELU_0_TO_1", 1, relu_to_1("float"), "float"),
    (DETECTION, 3, detection("float", False), "float"), (DETECTION, 3, detection("float", True), "float_regular"),
    (DETECTION, 2, detection("uint8", False), "uint8_float"), (DETECTION, 1, detection("uint8", True), "uint8_float_regular"),
    ("NON_MAX_SUPPRESSION_V4", 2, suppression(False), "float"), ("NON_MAX_SUPPRESSION_V5", 2, suppression(True), "float"),
    ("BATCH_MATMUL", 4, products("int8"), ""), ("BATCH_MATMUL", 3, products("float"), "float"), ("EMBEDDING_LOOKUP", 1, embedding, "float"),
]
