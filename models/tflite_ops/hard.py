# SPDX-License-Identifier: Apache-2.0
"""Files that tell the rules apart: scales and inputs are searched so that rounding once or twice, and computing a
multiplier in float32 or in double, give other integers. Which rule a kernel follows is what its results say; nothing
here is taken for granted."""

import numpy as np

from build import INT8, PADDINGS, Tensor, options
from oracle import multiplier, rounded_once, rounded_twice

F = np.float32
MOST = 40  # values of one kind in a file


def telling(rng, values, draw, once_too=True):
    """Scales drawn until the two multipliers that |draw| makes of them give other integers for some of |values| when
    rounded twice (with |once_too|, when rounded once as well, and the two roundings differ). The scales, and the values
    that tell."""
    values = np.array(values, np.int64)
    while True:
        scales, in_float, in_double = draw(rng)
        if multiplier(in_float) == multiplier(in_double):
            continue
        once, twice = rounded_once(values, *multiplier(in_double)), rounded_twice(values, *multiplier(in_double))
        other_once, other_twice = rounded_once(values, *multiplier(in_float)), rounded_twice(values, *multiplier(in_float))
        inside = abs(twice) <= 120
        by = [values[inside & (one != two)] for one, two in ((twice, other_twice), (once, other_once), (once, twice))]
        if all(map(len, by if once_too else by[:1])):
            return scales, sorted(set(int(v) for found in by for v in found[:: max(1, len(found) // MOST)][:MOST]))


def small(rng, lo, hi):
    return F(lo + rng.unit() * (hi - lo))


def sums(rng):
    """Scales of input, weights and output, and rows (x, y) for weights 127 and 1."""
    rows = {}
    for x in range(-128, 128):
        for y in range(-63, 64):
            rows.setdefault(127 * x + y, (x, y))

    def draw(source):
        x, w, out = small(source, 0.01, 0.1), small(source, 0.001, 0.01), small(source, 0.02, 0.3)
        return (x, w, out), float(x * w) / float(out), float(x) * float(w) / float(out)

    scales, found = telling(rng, sorted(rows), draw)
    return scales, np.array([rows[v] for v in found], np.int8)


def conv(rng, _):
    (x, w, out), rows = sums(rng)
    rows = rows.reshape(1, 1, -1, 2)
    weights, bias = Tensor.constant([[[[127, 1]]]], INT8, scale=[w]), Tensor.constant([0], scale=[x * w])
    made = options("Conv2DOptions", padding=PADDINGS["valid"], strideW=1, strideH=1, dilationWFactor=1, dilationHFactor=1)
    return [Tensor(rows.shape, scale=x), weights, bias], [Tensor((1, 1, rows.shape[2], 1), scale=out)], made, [[rows]]


def depthwise(rng, _):
    (x, w, out), rows = sums(rng)
    rows = rows.reshape(1, 1, -1, 1)
    weights = Tensor.constant([[[[127], [1]]]], INT8, scale=[w], axis=3)
    made = options("DepthwiseConv2DOptions", padding=PADDINGS["valid"], strideW=2, strideH=2, depthMultiplier=1, dilationWFactor=1,
                   dilationHFactor=1)
    return ([Tensor(rows.shape, scale=x), weights, Tensor.constant([0], scale=[x * w])],
            [Tensor((1, 1, rows.shape[2] // 2, 1), scale=out)], made, [[rows]])


def fully_connected(rng, _):
    (x, w, out), rows = sums(rng)
    weights, bias = Tensor.constant([[127, 1]], INT8, scale=[w]), Tensor.constant([0], scale=[x * w])
    return ([Tensor(rows.shape, scale=x), weights, bias], [Tensor((len(rows), 1), scale=out)], options("FullyConnectedOptions"), [[rows]])


def mul(rng, _):
    pairs = {}
    for a in range(-128, 128):
        for b in range(a, 128):
            pairs.setdefault(a * b, (a, b))

    def draw(source):
        a, b, out = small(source, 0.01, 0.1), small(source, 0.01, 0.1), small(source, 0.1, 0.5)
        return (a, b, out), float(a * b / out), float(a) * float(b) / float(out)

    (a, b, out), found = telling(rng, sorted(pairs), draw)
    one, two = (np.array([[pairs[v][k] for v in found]], np.int8) for k in (0, 1))
    shape = one.shape
    return [Tensor(shape, scale=a), Tensor(shape, scale=b)], [Tensor(shape, scale=out)], options("MulOptions"), [[one, two]]


def rescale(rng, zero, made):
    def draw(source):  # quotients near k / 16: ties for one rule and not for the other
        x, k = small(source, 0.005, 0.02), source.range(3, 40)
        out = F(float(x) * 16 / k) * F(1 + source.range(-2, 2) * 2.0**-23)
        return (x, out), float(x / out), float(x) / float(out)

    (x, out), _ = telling(rng, range(-128, 128), draw, False)
    every = np.arange(-128, 128).astype(np.int8).reshape(1, -1)
    return [Tensor(every.shape, scale=x)], [Tensor(every.shape, scale=out, zero=zero)], made, [[every]]


def relu(rng, _):
    return rescale(rng, -128, (0, None))


def quantize(rng, _):
    return rescale(rng, 0, options("QuantizeOptions"))


FAMILIES = [("CONV_2D", 2, conv, "hard"), ("DEPTHWISE_CONV_2D", 2, depthwise, "hard"), ("FULLY_CONNECTED", 3, fully_connected, "hard"),
            ("MUL", 3, mul, "hard"), ("RELU", 2, relu, "hard"), ("RELU6", 2, relu, "hard"), ("QUANTIZE", 3, quantize, "hard")]
