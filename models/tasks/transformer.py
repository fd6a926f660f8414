# SPDX-License-Identifier: Apache-2.0
"""Two transformers on images. cct: Hassani et al., Escaping the Big Data Paradigm with Compact Transformers. tinyvit: the stem, an
MBConv block and a block of windows of Wu et al., TinyViT."""

import numpy as np

from seeded import Network, spread

OPSET = 17  # the first version with LayerNormalization
CLASSES = 10


def gelu(x):
    """x times the share of normal values below x."""
    t = 1 / (1 + 0.3275911 * abs(x) / 2**0.5)
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - tail * np.exp(-x * x / 2))  # Abramowitz and Stegun, 7.1.26
    return x * (1 + erf) / 2


class Transformer(Network):
    """Layers on tokens [images, tokens, width]; PyTorch's exporter writes the same operators."""

    def __init__(self, size, tokens, width, heads, hidden, images=1):
        super().__init__(size)
        self.tokens, self.width, self.heads, self.hidden, self.images = tokens, width, heads, hidden, images

    def moved(self, op, x, channels=None, **attributes):
        """An operator that moves elements."""
        return self.same(self.node(op, [x], self.name(op.lower()), **attributes), x, channels)

    def reshape(self, x, shape, channels=None):
        name = self.name("reshape")
        return self.same(self.node("Reshape", [x, self.const(f"{name}_shape", np.array(shape, np.int64))], name), x, channels)

    def constant(self, name, value):
        """The name of the dequantised constant, one scale for the tensor."""
        scale = np.float32(abs(value).max() / 127)
        inputs = [self.const(f"{name}_q", np.rint(value / scale).astype(np.int8)), self.const(f"{name}_scale", scale),
                  self.const(f"{name}_zero_point", np.int8(0))]
        return self.node("DequantizeLinear", inputs, f"{name}_dq")

    def centred(self, name, power, channels):
        return self.activation(name, power, channels, -4 * power**0.5, 4 * power**0.5)

    def add_constant(self, x, shape, deviation):
        name = self.name("shift")
        value = self.rng.normal(0, deviation, shape).astype(np.float32)
        out = self.node("Add", [x, self.constant(f"{name}_value", value)], name)
        return self.centred(out, self.power[x] + deviation**2, self.channels[x])

    def linear(self, x, outs):
        """MatMul with weights [I, O], one scale a column, and Add of a bias."""
        name, ins = self.name("linear"), self.channels[x]
        weight = self.rng.normal(0, ins**-0.5, (ins, outs)).astype(np.float32)
        out = self.node("MatMul", [x] + self.parameters(name, x, weight, axis=1), name)
        return self.add_constant(self.centred(out, self.power[x], outs), [outs], 0.05)

    def norm(self, x):
        name = self.name("norm")
        gain = self.const(f"{name}_gain", self.rng.uniform(0.8, 1.2, self.width).astype(np.float32))
        shift = self.const(f"{name}_shift", self.rng.normal(0, 0.05, self.width).astype(np.float32))
        return self.centred(self.node("LayerNormalization", [x, gain, shift], name, axis=-1), 1.0, self.width)

    def softmax(self, x):
        out = self.node("Softmax", [x], self.name("softmax"), axis=-1)
        return self.activation(out, 0.01, self.channels[x], 0.0, 255 / 256)

    def gelu(self, x):
        """By Erf: the form that PyTorch exports before opset 20."""
        name = self.name("gelu")
        half, one, root = (self.const(f"{name}_{k}", np.float32(v)) for k, v in (("half", 0.5), ("one", 1), ("root", 2**0.5)))
        y = self.node("Erf", [self.node("Div", [x, root], f"{name}_scaled")], f"{name}_erf")
        y = self.node("Mul", [x, self.node("Add", [y, one], f"{name}_sum")], f"{name}_product")
        low, high, power = spread(gelu, self.power[x])
        return self.activation(self.node("Mul", [y, half], name), power, self.channels[x], low, high)

    def attention(self, x, biased=False):
        """Softmax of the scaled products of queries and keys, times the values, and a linear layer.

        biased: with a constant for each pair of positions.
        """
        width, tokens, heads, name = self.width, self.tokens, self.heads, self.name("attention")
        deep = width // heads
        joint = self.linear(x, 3 * width)
        sizes = self.const(f"{name}_sizes", np.array([width] * 3, np.int64))
        shape = [self.images, tokens, heads, deep]
        parts = self.node("Split", [joint, sizes], [f"{name}_{part}" for part in "qkv"], axis=2)
        query, key, value = (self.reshape(self.same(part, joint, width), shape, deep) for part in parts)
        query, value = (self.moved("Transpose", t, perm=[0, 2, 1, 3]) for t in (query, value))
        key = self.moved("Transpose", key, perm=[0, 2, 3, 1], channels=tokens)
        power = self.power[query] * self.power[key]
        scores = self.centred(self.node("MatMul", [query, key], f"{name}_scores"), power * deep, tokens)
        factor = self.constant(f"{name}_factor", np.float32(deep**-0.5))
        scores = self.centred(self.node("Mul", [scores, factor], f"{name}_scaled"), power, tokens)
        if biased:
            scores = self.add_constant(scores, [heads, tokens, tokens], 0.2)
        mixed = self.node("MatMul", [self.softmax(scores), value], f"{name}_mixed")
        mixed = self.moved("Transpose", self.centred(mixed, 0.5 * self.power[value], deep), perm=[0, 2, 1, 3])
        return self.linear(self.reshape(mixed, [self.images, tokens, width], width), width)

    def sum(self, a, b):
        return self.centred(self.node("Add", [a, b], self.name("residual")), self.power[a] + self.power[b], self.channels[a])

    def feed(self, x):
        """The layers behind the attention."""
        return self.sum(x, self.linear(self.gelu(self.linear(self.norm(x), self.hidden)), self.width))

    def encode(self, x):
        return self.feed(self.sum(x, self.attention(self.norm(x))))

    def pool(self, x):
        """Sequence pooling: the mean of the tokens, each by a weight that a linear layer and a softmax give it: [1, width]."""
        weights = self.softmax(self.moved("Transpose", self.linear(x, 1), perm=[0, 2, 1], channels=self.tokens))
        name = self.node("MatMul", [weights, x], self.name("pooled"))
        return self.reshape(self.centred(name, 0.5 * self.power[x], self.width), [1, self.width])


def cct(producer):
    """Two 3x3 layers with max pools make 64 tokens of a 32x32 image; two encoders with two heads; sequence pooling."""
    n = Transformer((32, 32), tokens=64, width=128, heads=2, hidden=256)
    x = n.max_pool(n.conv(n.max_pool(n.conv(n.x, 64, 3)), n.width, 3))
    x = n.moved("Transpose", n.reshape(x, [1, n.width, n.tokens]), perm=[0, 2, 1])
    x = n.add_constant(x, [1, n.tokens, n.width], 0.2)
    for _ in range(2):
        x = n.encode(x)
    n.gemm(n.pool(n.norm(x)), CLASSES, result="logits")
    return n.finish("cct_int8", producer, {"logits": [CLASSES]}, batch=1, opset=OPSET)


def windowed(n, x, side, extent):
    """A block of TinyViT on an image [1, width, extent, extent]: attention in windows of side x side positions, a 3x3 layer of
    each channel, two linear layers."""
    count, width = extent // side, n.width
    image = n.moved("Transpose", n.reshape(x, [1, width, extent * extent]), perm=[0, 2, 1])
    parts = n.moved("Transpose", n.reshape(image, [1, count, side, count, side, width]), perm=[0, 1, 3, 2, 4, 5])
    mixed = n.attention(n.norm(n.reshape(parts, [n.images, n.tokens, width])), biased=True)
    mixed = n.moved("Transpose", n.reshape(mixed, [1, count, count, side, side, width]), perm=[0, 1, 3, 2, 4, 5])
    image = n.sum(image, n.reshape(mixed, [1, extent * extent, width]))
    image = n.reshape(n.moved("Transpose", image, perm=[0, 2, 1]), [1, width, extent, extent], width)
    image = n.conv(image, width, 3, groups=width, act=None)
    return n.feed(n.moved("Transpose", n.reshape(image, [1, width, extent * extent]), perm=[0, 2, 1]))


def tinyvit(producer):
    """Two 3x3 layers of stride 2, an MBConv block, a merge to 14x14 positions of 128 channels, a block with windows of 7x7 and four
    heads; 112x112. The widths, heads and windows are those of TinyViT-5M's first two stages."""
    n = Transformer((112, 112), tokens=49, width=128, heads=4, hidden=512, images=4)
    x = n.conv(n.gelu(n.conv(n.x, 32, 3, 2, act=None)), 64, 3, 2, act=None)
    y = n.gelu(n.conv(x, 256, 1, act=None))
    y = n.conv(n.gelu(n.conv(y, 256, 3, groups=256, act=None)), 64, 1, act=None)
    x = n.gelu(n.sum(x, y))
    x = n.gelu(n.conv(n.gelu(n.conv(x, 128, 1, act=None)), 128, 3, 2, groups=128, act=None))
    x = windowed(n, n.conv(x, 128, 1, act=None), side=7, extent=14)
    n.gemm(n.reshape(n.mean(n.reshape(n.moved("Transpose", x, perm=[0, 2, 1]), [1, 128, 14, 14], 128)), [1, 128], 128), CLASSES,
           result="logits")
    return n.finish("tinyvit_int8", producer, {"logits": [CLASSES]}, batch=1, opset=OPSET)
