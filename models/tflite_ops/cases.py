# SPDX-License-Identifier: Apache-2.0
"""Which one-operator files there are: options, shapes and scales, drawn from a seed.

Scales come in kinds. plain: anything. ties: powers of two, so that many results lie exactly between two integers.
saturating: an output scale so small that most results are clamped. growing: a multiplier above 1, a left shift.
spread: channels whose scales differ by many powers of two, so that shifts reach far."""

import math

import numpy as np

from build import ACTIVATIONS, FLOAT, INT8, INT32, PADDINGS, Tensor, options

KINDS = ["plain", "ties", "plain", "saturating", "spread", "growing", "plain", "ties", "spread", "plain"]
ACTIVATION_NAMES = ["none", "relu", "none", "relu6", "none", "relu_n1_to_1", "relu", "none"]


def scale(rng, kind, lo=0.004, hi=0.2):
    if kind == "ties":
        return np.float32(2.0 ** rng.range(math.ceil(math.log2(lo)), math.floor(math.log2(hi))))
    return np.float32(math.exp(math.log(lo) + rng.unit() * math.log(hi / lo)))


def zero(rng):
    return rng.pick([-128, 127, 0, rng.range(-128, 127), rng.range(-30, 30)])


def activation(rng, k):
    """An activation's name, for a tensor whose scale is of the size that the activation expects."""
    return ACTIVATION_NAMES[k % len(ACTIVATION_NAMES)]


def padding(rng):
    return rng.pick(["same", "valid"])


def window_out(size, kernel, stride, dilation, pad):
    reach = (kernel - 1) * dilation + 1
    return -(-size // stride) if pad == "same" else (size - reach) // stride + 1


def contraction(rng, kind, shape, x_scale, products, channels, axis, per_channel):
    """Weights, bias and the result's scale of a sum of |products| products a channel."""
    count = channels if per_channel else 1
    w_scales = np.array([scale(rng, kind, 0.002, 0.05) for _ in range(count)], np.float32)
    if kind == "spread":
        w_scales = (w_scales * 2.0 ** -rng.range(0, 24, count)).astype(np.float32)
        w_scales[0] = 0.01
    if kind == "ties" and per_channel:
        w_scales = (2.0 ** -rng.range(5, 9, count)).astype(np.float32)
    weights = np.maximum(rng.int8(shape), -127).astype(np.int8)
    spread = 74 * 74 * math.sqrt(products) * float(x_scale) * float(w_scales.max())  # of the real sums
    out = {"plain": spread / 50, "ties": 2.0 ** round(math.log2(spread / 64)), "saturating": spread / 400,
           "spread": spread / 50, "growing": float(x_scale) * float(w_scales.max()) / 5}[kind]
    reach = 2**30 if kind == "spread" else 74 * 74 * 2 * math.isqrt(products)
    bias = rng.range(-reach, reach, channels)
    b_scales = (np.float32(x_scale) * w_scales).astype(np.float32)
    return (Tensor.constant(weights, INT8, scale=w_scales, axis=axis), Tensor.constant(bias, INT32, scale=b_scales),
            np.float32(out))


CONVS = [  # h, w, in, out, kernel, stride, dilation
    (5, 6, 3, 5, (3, 3), (1, 1), (1, 1)), (6, 6, 4, 7, (3, 3), (2, 2), (1, 1)), (4, 5, 8, 6, (1, 1), (1, 1), (1, 1)),
    (12, 7, 1, 4, (10, 4), (2, 2), (1, 1)), (7, 7, 2, 3, (3, 3), (1, 1), (2, 2)), (5, 5, 3, 8, (1, 1), (2, 2), (1, 1)),
    (8, 4, 3, 4, (5, 1), (1, 1), (1, 1)), (6, 9, 2, 20, (2, 3), (1, 2), (1, 1)), (3, 3, 17, 5, (3, 3), (1, 1), (1, 1)),
    (9, 5, 2, 3, (3, 2), (3, 1), (1, 2)), (4, 4, 4, 6, (2, 2), (1, 1), (1, 1)), (6, 5, 5, 3, (4, 4), (2, 3), (1, 1)),
]


def conv(rng, k):
    kind, (h, w, ins, outs, kernel, stride, dilation) = KINDS[k % len(KINDS)], CONVS[k]
    pad, act = padding(rng), activation(rng, k)
    x_scale, x_zero = scale(rng, kind), zero(rng)
    weights, bias, out = contraction(rng, kind, (outs, *kernel, ins), x_scale, ins * math.prod(kernel), outs, 0, k % 4 != 2)
    oh, ow = (window_out(s, kernel[d], stride[d], dilation[d], pad) for d, s in enumerate((h, w)))
    made = options("Conv2DOptions", padding=PADDINGS[pad], strideH=stride[0], strideW=stride[1], dilationHFactor=dilation[0],
                   dilationWFactor=dilation[1], fusedActivationFunction=ACTIVATIONS[act])
    return ([Tensor((1, h, w, ins), scale=x_scale, zero=x_zero), weights, bias],
            [Tensor((1, oh, ow, outs), scale=out, zero=zero(rng))], made)


def conv_grouped(rng, k):
    groups, ins, outs = [(2, 4, 6), (3, 6, 3), (4, 8, 8)][k]
    x_scale = scale(rng, "plain")
    weights, bias, out = contraction(rng, "plain", (outs, 3, 3, ins // groups), x_scale, 9 * ins // groups, outs, 0, True)
    made = options("Conv2DOptions", padding=PADDINGS["same"], strideH=1, strideW=1, dilationHFactor=1, dilationWFactor=1)
    return ([Tensor((1, 5, 4, ins), scale=x_scale, zero=zero(rng)), weights, bias],
            [Tensor((1, 5, 4, outs), scale=out, zero=zero(rng))], made)


DEPTHWISES = [  # h, w, in, multiplier, kernel, stride, dilation
    (6, 6, 5, 1, (3, 3), (1, 1), (1, 1)), (7, 6, 3, 1, (3, 3), (2, 2), (1, 1)), (6, 5, 3, 2, (3, 3), (1, 1), (1, 1)),
    (9, 4, 1, 5, (5, 3), (2, 1), (1, 1)), (8, 8, 2, 1, (3, 3), (1, 1), (2, 2)), (4, 4, 7, 1, (1, 1), (1, 1), (1, 1)),
    (5, 5, 2, 3, (2, 4), (1, 1), (1, 1)), (6, 7, 18, 1, (3, 3), (2, 2), (1, 1)), (3, 3, 4, 1, (3, 3), (1, 1), (1, 1)),
    (10, 3, 4, 1, (7, 1), (1, 1), (1, 1)),
]


def depthwise(rng, k):
    kind, (h, w, ins, times, kernel, stride, dilation) = KINDS[k % len(KINDS)], DEPTHWISES[k]
    pad, act = ("same" if k == 9 else padding(rng)), activation(rng, k + 1)
    x_scale, x_zero, outs = scale(rng, kind), zero(rng), ins * times
    weights, bias, out = contraction(rng, kind, (1, *kernel, outs), x_scale, math.prod(kernel), outs, 3, k % 4 != 1)
    oh, ow = (window_out(s, kernel[d], stride[d], dilation[d], pad) for d, s in enumerate((h, w)))
    made = options("DepthwiseConv2DOptions", padding=PADDINGS[pad], strideH=stride[0], strideW=stride[1], depthMultiplier=times,
                   dilationHFactor=dilation[0], dilationWFactor=dilation[1], fusedActivationFunction=ACTIVATIONS[act])
    return ([Tensor((1, h, w, ins), scale=x_scale, zero=x_zero), weights, bias],
            [Tensor((1, oh, ow, outs), scale=out, zero=zero(rng))], made)


def fully_connected(rng, k):
    kind = KINDS[k % len(KINDS)]
    batch, ins, outs = [(1, 16, 10), (1, 7, 3), (1, 64, 12), (3, 20, 5), (1, 33, 17), (1, 40, 8), (1, 24, 6), (2, 8, 4),
                        (1, 130, 4), (1, 12, 9), (1, 18, 5), (1, 16, 4)][k]
    x_scale, per_channel = scale(rng, kind), k in (4, 7, 8)
    weights, bias, out = contraction(rng, kind, (outs, ins), x_scale, ins, outs, 0, per_channel)
    shape, out_shape, keep = (batch, ins), (batch, outs), False
    if k == 6:
        shape = (1, 2, 3, 4)
    if k == 10:
        shape, out_shape, keep = (1, 3, 18), (1, 3, 5), True
    if k == 11:
        shape = (1, 4, 4, 1)
    made = options("FullyConnectedOptions", fusedActivationFunction=ACTIVATIONS[activation(rng, k)], keepNumDims=keep)
    inputs = [Tensor(shape, scale=x_scale, zero=zero(rng)), weights, None if k in (1, 9) else bias]
    return inputs, [Tensor(out_shape, scale=out, zero=zero(rng))], made


PAIRS = [((1, 5, 4, 3),) * 2, ((1, 12),) * 2, ((1, 3, 3, 8),) * 2, ((1, 4, 2, 5),) * 2, ((1, 6, 5, 2),) * 2, ((1, 2, 2, 16),) * 2,
         ((1, 3, 4, 5), (5,)), ((1, 3, 4, 5), (1,)), ((1, 3, 4, 5), (1, 3, 4, 5)), ((1, 9), (1, 1)), ((1, 3, 4, 5), (1, 1, 1, 5)),
         ((1, 3, 4, 2), (1, 3, 4, 1))]


def pair(rng, k, kind_name, result_scale):
    """Two operands; the second is a constant from case 6 on."""
    kind, (one, two) = KINDS[k % len(KINDS)], PAIRS[k]
    a, b = scale(rng, kind), scale(rng, kind)
    if k in (2, 9):
        b = a
    if kind == "spread":
        b = np.float32(float(a) * 2.0 ** -rng.range(6, 20))
    first = Tensor(one, scale=a, zero=zero(rng))
    second = Tensor(two, scale=b, zero=zero(rng))
    if k >= 6:
        second.data = rng.int8(two)
    out = result_scale(float(a), float(b)) * {"plain": 1.0, "ties": 1.0, "saturating": 0.1, "spread": 1.0, "growing": 0.02}[kind]
    if kind == "ties":
        out = 2.0 ** round(math.log2(out))
    made = options(kind_name, fusedActivationFunction=ACTIVATIONS[activation(rng, k)])
    return [first, second], [Tensor(one, scale=np.float32(out), zero=zero(rng))], made


def add(rng, k):
    return pair(rng, k, "AddOptions", lambda a, b: 1.3 * max(a, b))


def sub(rng, k):
    return pair(rng, k, "SubOptions", lambda a, b: 1.3 * max(a, b))


def mul(rng, k):
    return pair(rng, k, "MulOptions", lambda a, b: 60 * a * b)


POOLS = [  # h, w, channels, kernel, stride
    (8, 8, 5, (8, 8), (1, 1)), (5, 5, 3, (3, 3), (1, 1)), (6, 7, 4, (2, 2), (2, 2)), (25, 5, 3, (25, 5), (25, 5)), (7, 6, 2, (3, 2), (2, 1)),
    (9, 9, 2, (3, 3), (3, 3)), (4, 4, 17, (2, 3), (1, 1)), (16, 16, 2, (16, 16), (1, 1)), (5, 3, 6, (5, 3), (5, 3)), (6, 6, 3, (1, 1), (2, 2)),
]


def pool(rng, k):
    h, w, channels, kernel, stride = POOLS[k]
    pad = "valid" if k in (0, 3, 7, 8) else "same" if k in (1, 4) else padding(rng)
    x = Tensor((1, h, w, channels), scale=scale(rng, "plain"), zero=zero(rng))
    oh, ow = (window_out(s, kernel[d], stride[d], 1, pad) for d, s in enumerate((h, w)))
    made = options("Pool2DOptions", padding=PADDINGS[pad], strideH=stride[0], strideW=stride[1], filterHeight=kernel[0],
                   filterWidth=kernel[1], fusedActivationFunction=ACTIVATIONS[activation(rng, k)])
    return [x], [Tensor((1, oh, ow, channels), scale=x.scale, zero=x.zero)], made


def mean(rng, k):
    kind = KINDS[k % len(KINDS)]
    h, w, channels = [(5, 4, 3), (8, 8, 4), (3, 3, 16), (25, 5, 2), (7, 1, 5), (1, 1, 6), (6, 6, 2), (4, 4, 7), (2, 3, 5), (16, 16, 2)][k]
    x = Tensor((1, h, w, channels), scale=scale(rng, kind), zero=zero(rng))
    same = k in (1, 4)
    out = float(x.scale[0]) * {"plain": 0.7, "ties": 0.25, "saturating": 0.05, "spread": 30.0, "growing": 0.02}[kind]
    keep = k % 3 != 2
    shape = (1, 1, 1, channels) if keep else (1, channels)
    result = Tensor(shape, scale=x.scale if same else np.float32(out), zero=x.zero if same else zero(rng))
    axes = [2, 1] if k == 3 else [-3, -2] if k == 6 else [1, 2]
    return [x, Tensor.constant(axes)], [result], options("ReducerOptions", keepDims=keep)


def softmax(rng, k):
    rows, size = [(1, 10), (1, 12), (1, 2), (4, 10), (8, 32), (1, 100), (16, 5), (3, 300), (1, 1), (32, 3)][k]
    shape = (1, 4, 4, 5) if k == 6 else (rows, size)
    x = Tensor(shape, scale=scale(rng, "ties" if k % 3 == 1 else "plain", 0.01, 0.5), zero=zero(rng))
    beta = [1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 2.0, 1.0, 1.0, 0.1][k]
    return [x], [Tensor(shape, scale=1 / 256, zero=-128)], options("SoftmaxOptions", beta=beta)


def same_quant(rng, shape, out_shape):
    x = Tensor(shape, scale=scale(rng, "plain"), zero=zero(rng))
    return x, Tensor(out_shape, scale=x.scale, zero=x.zero)


def reshape(rng, k):
    shape, out = [((1, 2, 3, 4), (1, 24)), ((1, 1, 1, 7), (1, 7)), ((1, 24), (1, 2, 3, 4)), ((1, 4, 3, 2), (1, 2, 3, 4)), ((1, 5, 1, 1), (1, 5)),
                  ((1, 2, 6), (1, 3, 4)), ((1, 3, 4, 1), (1, 12)), ((2, 3, 1, 2), (6, 2)), ((1, 9), (9,)), ((1, 4, 4, 3), (1, 16, 3))][k]
    x, y = same_quant(rng, shape, out)
    asked = [-1 if k == 5 and i == 1 else n for i, n in enumerate(out)]
    return [x, Tensor.constant(asked)], [y], options("ReshapeOptions", newShape=asked)


def squeeze(rng, k):
    shape, dims, out = [((1, 1, 1, 6), [1, 2], (1, 6)), ((1, 4, 1, 3), [2], (1, 4, 3)), ((1, 1, 5, 2), [1], (1, 5, 2))][k]
    x, y = same_quant(rng, shape, out)
    return [x], [y], options("SqueezeOptions", squeezeDims=dims)


def expand_dims(rng, k):
    shape, axis, out = [((1, 6), 1, (1, 1, 6)), ((1, 4, 3), 2, (1, 4, 1, 3)), ((1, 5, 2), -1, (1, 5, 2, 1))][k]
    x, y = same_quant(rng, shape, out)
    return [x, Tensor.constant([axis])], [y], options("ExpandDimsOptions")


def transpose(rng, k):
    shape, perm = [((1, 2, 3, 4), (0, 3, 1, 2)), ((1, 2, 3, 4), (0, 2, 1, 3)), ((1, 4, 2, 3), (0, 2, 3, 1)), ((5, 3), (1, 0)), ((1, 3, 4), (0, 2, 1)),
                   ((2, 3, 4, 2), (3, 1, 0, 2))][k]
    x, y = same_quant(rng, shape, [shape[p] for p in perm])
    return [x, Tensor.constant(perm)], [y], options("TransposeOptions")


PADS = [((1, 4, 3, 2), [[0, 0], [1, 1], [1, 1], [0, 0]]), ((1, 4, 3, 2), [[0, 0], [0, 1], [2, 0], [0, 0]]), ((1, 3, 3, 4), [[0, 0], [0, 0], [0, 0], [1, 2]]),
        ((1, 6), [[0, 0], [3, 1]]), ((1, 2, 2, 3), [[0, 0], [3, 3], [3, 3], [0, 0]]), ((1, 2, 3), [[0, 0], [1, 0], [0, 2]])]


def pad(rng, k):
    shape, pads = PADS[k]
    x, y = same_quant(rng, shape, [n + sum(p) for n, p in zip(shape, pads)])
    return [x, Tensor.constant(pads)], [y], options("PadOptions")


def padv2(rng, k):
    shape, pads = PADS[k]
    x, y = same_quant(rng, shape, [n + sum(p) for n, p in zip(shape, pads)])
    value = Tensor.constant([rng.range(-128, 127)], INT8, scale=x.scale, zero=x.zero)
    return [x, Tensor.constant(pads), value], [y], options("PadV2Options")


def concatenation(rng, k):
    shapes, axis = [([(1, 3, 3, 2), (1, 3, 3, 5)], 3), ([(1, 2, 3, 4), (1, 3, 3, 4)], 1), ([(1, 3, 2, 4), (1, 3, 5, 4), (1, 3, 1, 4)], 2), ([(1, 5), (1, 7)], 1),
                    ([(1, 2, 2, 16), (1, 2, 2, 16)], -1), ([(1, 4, 2), (1, 1, 2)], -2)][k]
    size, z = scale(rng, "plain"), zero(rng)
    out = list(shapes[0])
    out[axis] = sum(shape[axis] for shape in shapes)
    return ([Tensor(shape, scale=size, zero=z) for shape in shapes], [Tensor(out, scale=size, zero=z)],
            options("ConcatenationOptions", axis=axis))


def quantize(rng, k):
    kind = KINDS[k % len(KINDS)]
    shape = (1, 4, 5, 3) if k % 2 else (1, 48)
    result = Tensor(shape, scale=scale(rng, kind), zero=zero(rng))
    if k < 4:
        return [Tensor(shape, FLOAT)], [result], options("QuantizeOptions")
    x_scale = float(result.scale[0]) * {"plain": 0.8, "ties": 0.25, "saturating": 9.0, "spread": 2.0**-9, "growing": 40.0}[kind]
    return [Tensor(shape, scale=np.float32(x_scale), zero=zero(rng))], [result], options("QuantizeOptions")


def dequantize(rng, k):
    shape = (1, 4, 5, 3) if k % 2 else (1, 256)
    return [Tensor(shape, scale=scale(rng, KINDS[k]), zero=zero(rng))], [Tensor(shape, FLOAT)], options("DequantizeOptions")


def relu(rng, k):
    kind = KINDS[k % len(KINDS)]
    shape = (1, 4, 5, 3) if k % 2 else (1, 256)
    x = Tensor(shape, scale=scale(rng, kind), zero=zero(rng))
    out = float(x.scale[0]) * {"plain": 0.8, "ties": 0.5, "saturating": 0.1, "spread": 30.0, "growing": 0.03}[kind]
    result = Tensor(shape, scale=x.scale if k == 0 else np.float32(out), zero=x.zero if k == 0 else zero(rng))
    return [x], [result], (0, None)


def every(rng, kind, lo=0.004, hi=0.2):
    """An input that a run can fill with all int8 values: as many elements, or a small image."""
    return Tensor((1, 256), scale=scale(rng, kind, lo, hi), zero=zero(rng))


def logistic(rng, k):
    x = every(rng, KINDS[k % len(KINDS)], 0.002, 0.3)
    return [x], [Tensor(x.shape, scale=1 / 256, zero=-128)], (0, None)


def tanh(rng, k):
    x = every(rng, KINDS[k % len(KINDS)], 0.002, 0.3)
    return [x], [Tensor(x.shape, scale=1 / 128, zero=0)], (0, None)


def hard_swish(rng, k):
    x = every(rng, KINDS[k % len(KINDS)], 0.004, 0.2)
    out = float(x.scale[0]) * [0.7, 1.0, 0.5, 2.0, 0.25, 1.3, 0.9, 0.5, 3.0, 0.1][k % 10]
    return [x], [Tensor(x.shape, scale=np.float32(out), zero=zero(rng))], options("HardSwishOptions")


def leaky_relu(rng, k):
    kind = KINDS[k % len(KINDS)]
    x = every(rng, kind)
    out = float(x.scale[0]) * {"plain": 0.8, "ties": 0.5, "saturating": 0.1, "spread": 30.0, "growing": 0.03}[kind]
    alpha = [0.1, 0.01, 0.25, 0.5, 0.2, 0.3, 0.125, 1.5, 0.05, 1.0][k % 10]
    return [x], [Tensor(x.shape, scale=np.float32(out), zero=zero(rng))], options("LeakyReluOptions", alpha=alpha)


RESIZES = [  # from, to, align corners, half pixel centers
    ((4, 5), (8, 10), False, False), ((4, 5), (8, 10), False, True), ((4, 5), (8, 10), True, False), ((3, 3), (7, 5), False, True),
    ((7, 6), (3, 4), False, False), ((5, 5), (10, 3), True, False), ((1, 1), (4, 3), False, False), ((6, 4), (1, 1), False, True),
]


def resize_nearest(rng, k):
    (h, w), size, align, half = RESIZES[k]
    channels = [3, 16, 5, 1, 4, 2, 7, 3][k]
    x, y = same_quant(rng, (1, h, w, channels), (1, *size, channels))
    return [x, Tensor.constant(size)], [y], options("ResizeNearestNeighborOptions", alignCorners=align, halfPixelCenters=half)


TRANSPOSES = [  # h, w, in, out, kernel, stride, padding, bias
    (4, 5, 3, 4, (3, 3), (2, 2), "same", True), (3, 3, 8, 5, (2, 2), (2, 2), "valid", True), (5, 4, 2, 7, (3, 3), (1, 1), "same", False),
    (2, 6, 4, 3, (4, 4), (2, 2), "same", True), (6, 2, 1, 6, (1, 3), (1, 2), "valid", False), (3, 4, 5, 2, (5, 2), (3, 1), "valid", True),
    (4, 4, 16, 16, (3, 3), (2, 2), "same", True), (3, 5, 6, 4, (2, 3), (3, 2), "same", False),
]


def transpose_conv(rng, k):
    kind, (h, w, ins, outs, kernel, stride, pad, biased) = KINDS[k % len(KINDS)], TRANSPOSES[k]
    x_scale = scale(rng, kind)
    taps = ins * math.prod(-(-kernel[d] // stride[d]) for d in range(2))
    weights, bias, out = contraction(rng, kind, (outs, *kernel, ins), x_scale, taps, outs, 0, k % 4 != 2)
    made = options("TransposeConvOptions", padding=PADDINGS[pad], strideH=stride[0], strideW=stride[1])
    oh, ow = (n * stride[d] if pad == "same" else (n - 1) * stride[d] + kernel[d] for d, n in enumerate((h, w)))
    inputs = [Tensor.constant([1, oh, ow, outs]), weights, Tensor((1, h, w, ins), scale=x_scale, zero=zero(rng))]
    return inputs + ([bias] if biased else []), [Tensor((1, oh, ow, outs), scale=out, zero=zero(rng))], made


def reduce_max(rng, k):
    h, w, channels = [(5, 4, 3), (8, 8, 4), (1, 1, 6), (7, 3, 16)][k]
    keep = k % 2 == 0
    x, y = same_quant(rng, (1, h, w, channels), (1, 1, 1, channels) if keep else (1, channels))
    return [x, Tensor.constant([1, 2])], [y], options("ReducerOptions", keepDims=keep)


# Operator, number of files, maker, suffix of the names.
FAMILIES = [
    ("CONV_2D", 12, conv, ""), ("CONV_2D", 3, conv_grouped, "grouped"), ("DEPTHWISE_CONV_2D", 10, depthwise, ""),
    ("FULLY_CONNECTED", 12, fully_connected, ""), ("ADD", 12, add, ""), ("SUB", 12, sub, ""), ("MUL", 12, mul, ""),
    ("AVERAGE_POOL_2D", 10, pool, ""), ("MAX_POOL_2D", 10, pool, ""), ("MEAN", 10, mean, ""), ("SOFTMAX", 10, softmax, ""),
    ("RESHAPE", 10, reshape, ""), ("SQUEEZE", 3, squeeze, ""), ("EXPAND_DIMS", 3, expand_dims, ""), ("TRANSPOSE", 6, transpose, ""),
    ("PAD", 6, pad, ""), ("PADV2", 6, padv2, ""), ("CONCATENATION", 6, concatenation, ""), ("QUANTIZE", 10, quantize, ""),
    ("DEQUANTIZE", 4, dequantize, ""), ("RELU", 5, relu, ""), ("RELU6", 5, relu, ""),
    ("LOGISTIC", 10, logistic, ""), ("TANH", 10, tanh, ""), ("HARD_SWISH", 10, hard_swish, ""), ("LEAKY_RELU", 10, leaky_relu, ""),
    ("RESIZE_NEAREST_NEIGHBOR", 8, resize_nearest, ""), ("TRANSPOSE_CONV", 8, transpose_conv, ""), ("REDUCE_MAX", 4, reduce_max, ""),
]
