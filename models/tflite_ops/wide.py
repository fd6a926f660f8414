# SPDX-License-Identifier: Apache-2.0
"""Files of int16 activations beside int8 weights ("16x8"): those of cases.py and moves.py in another type. Steps are 256
times smaller, zero points 0, biases int64."""

import numpy as np

import cases
import moves
from build import FLOAT, INT8, INT16, INT32, INT64, Tensor, options
from cases import KINDS, scale

UNIT = np.float32(2.0**-15)  # the scale of the results of LOGISTIC, TANH and SOFTMAX


def widen(tensor, rng):
    tensor.dtype, tensor.zero, tensor.scale = INT16, 0, (tensor.scale / 256).astype(np.float32)
    if tensor.data is not None:
        tensor.data = rng.range(-32768, 32767, tensor.data.size).astype("<i2").reshape(tensor.data.shape)


def widened(maker, keeps_bias=False):
    """|maker|'s file with int16 activations. |keeps_bias|: every third file's bias stays int32."""

    def make(rng, k):
        inputs, outputs, made = maker(rng, k)
        weighs = type(made[1]).__name__.startswith(("Conv", "Depthwise", "Fully", "TransposeConv"))
        for tensor in filter(None, inputs + outputs):
            if tensor.dtype == INT8 and not (weighs and tensor.data is not None):
                widen(tensor, rng)
            elif tensor.dtype == INT32 and tensor.scale is not None:  # a bias
                tensor.scale = (tensor.scale / 256).astype(np.float32)
                if not keeps_bias or k % 3 != 2:
                    tensor.dtype, tensor.data = INT64, tensor.data.astype("<i8") * 256
        if hasattr(made[1], "potScaleInt16"):
            made[1].potScaleInt16 = False
        return inputs, outputs, made

    return make


def shifted(name):
    """Sums whose scales are powers of two and whose file says so: one operand is shifted, the other stays."""

    def make(rng, k):
        powers = [(-9, -12), (-13, -8), (-10, -10)][k]
        shape, out = (1, 4, 5, 3), np.float32(2.0 ** max(powers))
        made = options(name, fusedActivationFunction=[0, 1, 0][k], potScaleInt16=True)
        return [Tensor(shape, INT16, scale=np.float32(2.0**p)) for p in powers], [Tensor(shape, INT16, scale=out)], made

    return make


def every(rng, kind, lo, hi):
    return Tensor((1, 2048), INT16, scale=scale(rng, kind, lo, hi))


def curve(rng, k):
    """LOGISTIC, TANH: the scales 2^-12 and 2^-11, which the kernels know, and others."""
    x = every(rng, "plain", 1e-5, 3e-3)
    if k < 2:
        x.scale = np.atleast_1d(np.float32(2.0 ** (-12 + k)))
    return [x], [Tensor(x.shape, INT16, scale=UNIT)], (0, None)


def leaky_relu(rng, k):
    x = every(rng, KINDS[k], 1e-5, 3e-3)
    out = np.float32(x.scale[0] * [0.8, 0.5, 0.1, 1.0][k])
    return [x], [Tensor(x.shape, INT16, scale=out)], options("LeakyReluOptions", alpha=[0.1, 0.25, 0.01, 1.5][k])


def softmax(rng, k):
    rows, size = [(1, 10), (1, 1000), (4, 3), (1, 1), (16, 64)][k]
    x = Tensor((rows, size), INT16, scale=scale(rng, "plain", 1e-5, 2e-3))
    beta = [1.0, 1.0, 0.5, 1.0, 2.0][k]
    return [x], [Tensor((rows, size), INT16, scale=UNIT)], options("SoftmaxOptions", beta=beta)


def quantize(rng, k):
    """From float32 and int16, to int8 too."""
    shape, wide = (1, 4, 5, 12), np.float32(1e-4 * (1 + rng.unit()))
    narrow = dict(scale=np.float32(0.02), zero=rng.range(-30, 30))
    one, other = [(Tensor(shape, FLOAT), Tensor(shape, INT16, scale=wide)),
                  (Tensor(shape, INT16, scale=wide), Tensor(shape, INT16, scale=np.float32(wide * 1.7))),
                  (Tensor(shape, INT16, scale=wide), Tensor(shape, INT8, **narrow))][k]
    return [one], [other], options("QuantizeOptions")


def dequantize(rng, k):
    return [Tensor((1, 300), INT16, scale=scale(rng, "plain", 1e-5, 1e-2))], [Tensor((1, 300), FLOAT)], options("DequantizeOptions")


FAMILIES = [
    ("CONV_2D", 12, widened(cases.conv, True), "int16"), ("DEPTHWISE_CONV_2D", 10, widened(cases.depthwise), "int16"),
    ("FULLY_CONNECTED", 12, widened(cases.fully_connected, True), "int16"), ("TRANSPOSE_CONV", 8, widened(cases.transpose_conv), "int16"),
    ("ADD", 12, widened(cases.add), "int16"), ("SUB", 12, widened(cases.sub), "int16"), ("MUL", 12, widened(cases.mul), "int16"),
    ("ADD", 3, shifted("AddOptions"), "int16_shifted"), ("SUB", 3, shifted("SubOptions"), "int16_shifted"),
    ("AVERAGE_POOL_2D", 8, widened(cases.pool), "int16"), ("MAX_POOL_2D", 5, widened(cases.pool), "int16"),
    ("MEAN", 8, widened(cases.mean), "int16"), ("REDUCE_MAX", 2, widened(cases.reduce_max), "int16"),
    ("LOGISTIC", 4, curve, "int16"), ("TANH", 4, curve, "int16"), ("LEAKY_RELU", 4, leaky_relu, "int16"), ("SOFTMAX", 5, softmax, "int16"),
    ("RELU", 3, widened(cases.relu), "int16"), ("RELU6", 3, widened(cases.relu), "int16"),
    ("QUANTIZE", 3, quantize, "int16"), ("DEQUANTIZE", 2, dequantize, "int16"),
    ("CONCATENATION", 3, widened(cases.concatenation), "int16"), ("PAD", 3, widened(cases.pad), "int16"),
    ("RESHAPE", 3, widened(cases.reshape), "int16"), ("TRANSPOSE", 2, widened(cases.transpose), "int16"),
    ("MAXIMUM", 2, widened(moves.extreme), "int16"), ("MINIMUM", 2, widened(moves.extreme), "int16"),
    ("SLICE", 2, widened(moves.slice_of), "int16"), ("STRIDED_SLICE", 3, widened(moves.strided), "int16"), ("SPLIT", 2, widened(moves.split), "int16"),
    ("RESIZE_NEAREST_NEIGHBOR", 2, widened(cases.resize_nearest), "int16"), ("RESIZE_BILINEAR", 5, widened(moves.bilinear), "int16"),
]
