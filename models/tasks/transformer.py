# SPDX-License-Identifier: Apache-2.0
"""A compact convolutional transformer: Hassani et al., Escaping the Big Data Paradigm with Compact Transformers."""

import numpy as np

from seeded import Network, spread

OPSET = 17  # the first version with LayerNormalization
TOKENS, WIDTH, HEADS, LAYERS, HIDDEN, CLASSES = 64, 128, 2, 2, 256, 10


def gelu(x):
    """x times the share of normal values below x."""
    t = 1 / (1 + 0.3275911 * abs(x) / 2**0.5)
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - tail * np.exp(-x * x / 2))  # Abramowitz and Stegun, 7.1.26
    return x * (1 + erf) / 2


class Transformer(Network):
    """Layers on tokens [N, T, WIDTH]; PyTorch's exporter writes the same operators."""

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
        gain = self.const(f"{name}_gain", self.rng.uniform(0.8, 1.2, WIDTH).astype(np.float32))
        shift = self.const(f"{name}_shift", self.rng.normal(0, 0.05, WIDTH).astype(np.float32))
        return self.centred(self.node("LayerNormalization", [x, gain, shift], name, axis=-1), 1.0, WIDTH)

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

    def attention(self, x):
        """Softmax of the scaled products of queries and keys, times the values, and a linear layer."""
        deep, name = WIDTH // HEADS, self.name("attention")
        joint = self.linear(x, 3 * WIDTH)
        sizes = self.const(f"{name}_sizes", np.array([WIDTH] * 3, np.int64))
        parts = self.node("Split", [joint, sizes], [f"{name}_{part}" for part in "qkv"], axis=2)
        query, key, value = (self.reshape(self.same(part, joint, WIDTH), [1, TOKENS, HEADS, deep], deep) for part in parts)
        query, value = (self.moved("Transpose", t, perm=[0, 2, 1, 3]) for t in (query, value))
        key = self.moved("Transpose", key, perm=[0, 2, 3, 1], channels=TOKENS)
        power = self.power[query] * self.power[key]
        scores = self.centred(self.node("MatMul", [query, key], f"{name}_scores"), power * deep, TOKENS)
        factor = self.constant(f"{name}_factor", np.float32(deep**-0.5))
        scores = self.centred(self.node("Mul", [scores, factor], f"{name}_scaled"), power, TOKENS)
        mixed = self.node("MatMul", [self.softmax(scores), value], f"{name}_mixed")
        mixed = self.moved("Transpose", self.centred(mixed, 0.5 * self.power[value], deep), perm=[0, 2, 1, 3])
        return self.linear(self.reshape(mixed, [1, TOKENS, WIDTH], WIDTH), WIDTH)

    def sum(self, a, b):
        return self.centred(self.node("Add", [a, b], self.name("residual")), self.power[a] + self.power[b], WIDTH)

    def encode(self, x):
        x = self.sum(x, self.attention(self.norm(x)))
        return self.sum(x, self.linear(self.gelu(self.linear(self.norm(x), HIDDEN)), WIDTH))

    def pool(self, x):
        """Sequence pooling: the mean of the tokens, each by a weight that a linear layer and a softmax give it: [N, WIDTH]."""
        weights = self.softmax(self.moved("Transpose", self.linear(x, 1), perm=[0, 2, 1], channels=TOKENS))
        name = self.node("MatMul", [weights, x], self.name("pooled"))
        return self.reshape(self.centred(name, 0.5 * self.power[x], WIDTH), [1, WIDTH])


def cct(producer):
    """Two 3x3 layers with max pools make 64 tokens of a 32x32 image; two encoders with two heads; sequence pooling."""
    n = Transformer(size=(32, 32))
    x = n.max_pool(n.conv(n.max_pool(n.conv(n.x, 64, 3)), WIDTH, 3))
    x = n.moved("Transpose", n.reshape(x, [1, WIDTH, TOKENS]), perm=[0, 2, 1])
    x = n.add_constant(x, [1, TOKENS, WIDTH], 0.2)
    for _ in range(LAYERS):
        x = n.encode(x)
    n.gemm(n.pool(n.norm(x)), CLASSES, result="logits")
    return n.finish("cct_int8", producer, {"logits": [CLASSES]}, batch=1, opset=OPSET)
