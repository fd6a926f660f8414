# SPDX-License-Identifier: Apache-2.0
"""Networks with seeded weights as int8 ONNX models (QDQ form), and the command line of the scripts that write them.

Weights are per output channel, activations per tensor. The same seed gives the same bytes.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from qdq import OPSET, QdqWriter, affine

SEED = 20
# Activations are clipped at this many standard deviations.
SPAN = 4.0


def spread(function, power):
    """Least and greatest value, and mean square, of `function` of a normal variable of mean square `power`."""
    z = np.linspace(-SPAN, SPAN, 2001)
    density = np.exp(-z * z / 2)
    values = function(z * power**0.5)
    return float(values.min()), float(values.max()), float((density * values**2).sum() / density.sum())


def silu(x):
    return x / (1 + np.exp(-x))


def hard_swish(x):
    return x * np.clip(x / 6 + 0.5, 0, 1)


SMOOTH = {"silu": silu, "hardswish": hard_swish}


class Network(QdqWriter):
    """Layers on NCHW images with weights of He's variance 2 / fan-in.

    Layers take and return names of dequantised tensors. `power` is what is expected
    of the mean square of a tensor's elements: a layer gives twice its input's,
    rectifying halves it. In front of SMOOTH activations it is 1, as behind a
    batch norm. Ranges follow from it, so nothing has to be run to calibrate.
    """

    def __init__(self, size=(224, 224)):
        super().__init__()
        self.rng = np.random.default_rng(SEED)
        self.power, self.channels, self.range, self.made = {}, {}, {}, 0
        self.size = size
        self.x = self.activation("input", 1.0, 3, -2.0, 2.0)

    def name(self, kind):
        self.made += 1
        return f"{kind}{self.made}"

    def activation(self, name, power, channels, low, high, result=None):
        """Behind `name`: its quantisation to [low, high]."""
        out = self.quantise(name, *affine(low, high), result=result)
        self.power[out], self.channels[out], self.range[out] = power, channels, (low, high)
        return out

    def same(self, name, like, channels=None, result=None):
        """Behind `name`: the quantisation of `like`, for an operator that moves or picks elements."""
        out = self.quantise_like(name, like, result)
        self.power[out], self.channels[out] = self.power[like], channels or self.channels[like]
        self.range[out] = self.range[like]
        return out

    def activate(self, name, power, channels, act, result=None):
        """The activation `act` behind the float tensor `name`, whose mean square is `power`.

        act: None, "relu", "relu6", "silu" (Sigmoid and Mul) or "hardswish".
        """
        if act == "relu":
            out, high = self.node("Relu", [name], f"{name}_relu"), SPAN * power**0.5
            return self.activation(out, power / 2, channels, 0.0, high, result)
        if act == "relu6":
            bounds = [self.const(f"{name}_{side}", np.float32(v)) for side, v in (("least", 0), ("most", 6.0))]
            out, high = self.node("Clip", [name, *bounds], f"{name}_clip"), 6.0
            return self.activation(out, power / 2, channels, 0.0, high, result)
        x = self.activation(name, power, channels, -SPAN * power**0.5, SPAN * power**0.5, None if act else result)
        if act is None:
            return x
        low, high, power = spread(SMOOTH[act], power)
        if act == "silu":
            gate = self.quantise(self.node("Sigmoid", [x], f"{name}_gate"), 1 / 256, -128)
            out = self.node("Mul", [x, gate], f"{name}_silu")
        else:
            out = self.node("HardSwish", [x], f"{name}_hardswish")
        return self.activation(out, power, channels, low, high, result)

    def gain(self, x, act):
        """The variance of the weights times how many a sum has: He's, or what gives SMOOTH activations a mean square of 1."""
        return 1 / self.power[x] if act in SMOOTH else 2.0

    def conv(self, x, outs, kernel, stride=1, groups=1, act="relu", gain=1.0, pad=None, result=None):
        """Conv and its activation; pad: of each side, None: half of the kernel."""
        ins = self.channels[x] // groups
        name = self.name("conv")
        variance = self.gain(x, act)
        weight = self.rng.normal(0, gain * (variance / (ins * kernel * kernel)) ** 0.5, (outs, ins, kernel, kernel))
        bias = self.rng.normal(0, 0.05, outs)
        out = self.node(
            "Conv", [x] + self.parameters(name, x, weight.astype(np.float32), bias.astype(np.float32)), name,
            kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2 if pad is None else pad] * 4, group=groups,
        )
        return self.activate(out, variance * gain**2 * self.power[x], outs, act, result)

    def add(self, a, b, act=None):
        name, power, channels = self.node("Add", [a, b], self.name("add")), self.power[a] + self.power[b], self.channels[a]
        return self.activate(name, power, channels, act)

    def concat(self, *parts):
        """Along the channels; the result's range holds those of the parts, which keep their own scales."""
        name = self.node("Concat", list(parts), self.name("concat"), axis=1)
        channels = sum(self.channels[p] for p in parts)
        power = sum(self.power[p] * self.channels[p] for p in parts) / channels
        return self.activation(name, power, channels, min(self.range[p][0] for p in parts), max(self.range[p][1] for p in parts))

    def halves(self, x):
        """The first and the second half of the channels."""
        name = self.name("split")
        sizes = self.const(f"{name}_sizes", np.array([self.channels[x] // 2] * 2, np.int64))
        return [self.same(half, x, self.channels[x] // 2)
                for half in self.node("Split", [x, sizes], [f"{name}_a", f"{name}_b"], axis=1)]

    def max_pool(self, x, kernel=3, stride=2, pad=1):
        name = self.name("pool")
        self.node("MaxPool", [x], name, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4)
        return self.same(name, x)

    def mean(self, x, name=None):
        """Global average pooling to 1x1."""
        low, high = self.range[x]
        pooled = self.node("GlobalAveragePool", [x], name or self.name("mean"))
        return self.activation(pooled, self.power[x] / 2, self.channels[x], low / 2, high / 2)

    def double(self, x):
        """Twice the height and width, each element that of the nearest one."""
        name = self.name("double")
        scales = self.const(f"{name}_factors", np.array([1, 1, 2, 2], np.float32))
        self.node("Resize", [x, "", scales], name, mode="nearest", nearest_mode="floor",
                  coordinate_transformation_mode="asymmetric")
        return self.same(name, x)

    def flatten(self, x, name=None):
        return self.same(self.node("Flatten", [x], name or self.name("flat"), axis=1), x)

    def gemm(self, x, outs, act=None, name=None, result=None):
        """A fully connected layer on [N, channels]."""
        name, ins, variance = name or self.name("fc"), self.channels[x], self.gain(x, act)
        weight = self.rng.normal(0, (variance / ins) ** 0.5, (outs, ins)).astype(np.float32)
        bias = self.rng.normal(0, 0.05, outs).astype(np.float32)
        self.node("Gemm", [x] + self.parameters(name, x, weight, bias), name, transB=1)
        return self.activate(name, variance * self.power[x], outs, act, result)

    def finish(self, name, producer, outputs, batch="N", opset=OPSET):
        """The model; outputs: {name: shape without the batch}."""
        return self.model(name, producer, {"input": [batch, 3, *self.size]},
                          {n: [batch, *shape] for n, shape in outputs.items()}, opset)


def write_networks(doc, networks, defaults):
    """The command line `make.py FOLDER [NETWORK ...]`; networks: {name: function that gives the model}; the exit status."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="an existing folder, where the models are written")
    parser.add_argument("networks", nargs="*", metavar="NETWORK",
                        help=", ".join(networks) + f" (default: {', '.join(defaults)})")
    options = parser.parse_args()
    folder = options.folder
    if not folder.is_dir():
        print(f"make.py: {folder}: no such folder", file=sys.stderr)
        return 2
    for name in options.networks:
        if name not in networks:
            print(f"make.py: {name}: no such network; there are {', '.join(networks)}", file=sys.stderr)
            return 2
    for name in options.networks or defaults:
        model = networks[name]()
        path = folder / f"{model.graph.name}.onnx"
        partial = path.with_suffix(".partial")
        partial.write_bytes(model.SerializeToString(deterministic=True))
        partial.replace(path)
        print(f"{path}: {path.stat().st_size:,} bytes")
    return 0
