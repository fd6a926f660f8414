#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes networks for 224x224 images as int8 ONNX models (QDQ form) with seeded weights.

  python3 models/imagenet/make.py FOLDER                         writes resnet18_int8.onnx and mobilenetv2_int8.onnx
  python3 models/imagenet/make.py FOLDER resnet50 mobilenetv1    writes these: resnet50_int8.onnx, mobilenetv1_int8.onnx

The networks have the published shapes and seeded weights: they measure cycles and compare devices, they classify
nothing. The same seed gives the same bytes. Needs Debian's python3-onnx and python3-numpy, or the packages of
models/fashion/requirements.txt without torch.

Exit status: 0 written, 2 the folder or a package is missing, or a network is none of these.
"""

import argparse
import sys
from pathlib import Path

try:
    import numpy as np
    import onnx  # noqa: F401  qdq.py imports it where needed
except ImportError as error:
    print(f"make.py: {error}; install Debian's packages python3-onnx and python3-numpy", file=sys.stderr)
    sys.exit(2)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from qdq import QdqWriter, affine  # noqa: E402

SEED = 20
# Activations are clipped at this many standard deviations.
SPAN = 4.0


class Network(QdqWriter):
    """Layers with weights of He's variance 2 / fan-in.

    `power` is what is expected of the mean square of a tensor's elements: a layer
    gives twice its input's, rectifying halves it. Ranges follow from it, so nothing
    has to be run to calibrate.
    """

    def __init__(self):
        super().__init__()
        self.rng = np.random.default_rng(SEED)
        self.power, self.channels, self.made = {}, {}, 0
        self.x = self.quantise("input", *affine(-2.0, 2.0))
        self.power[self.x], self.channels[self.x] = 1.0, 3

    def name(self, kind):
        self.made += 1
        return f"{kind}{self.made}"

    def activation(self, name, power, channels, low, high):
        out = self.quantise(name, *affine(low, high))
        self.power[out], self.channels[out] = power, channels
        return out

    def rectified(self, name, power, channels, limit):
        """Relu, or a clip to [0, limit], behind `name`, whose mean square is `power`."""
        if limit is None:
            out, high = self.node("Relu", [name], f"{name}_relu"), SPAN * power**0.5
        else:
            bounds = [self.const(f"{name}_{side}", np.float32(v)) for side, v in (("least", 0), ("most", limit))]
            out, high = self.node("Clip", [name, *bounds], f"{name}_clip"), limit
        return self.activation(out, power / 2, channels, 0.0, high)

    def conv(self, x, outs, kernel, stride=1, groups=1, relu=True, limit=None, gain=1.0):
        ins = self.channels[x] // groups
        name = self.name("conv")
        weight = self.rng.normal(0, gain * (2 / (ins * kernel * kernel)) ** 0.5, (outs, ins, kernel, kernel))
        bias = self.rng.normal(0, 0.05, outs)
        out = self.node(
            "Conv", [x] + self.parameters(name, x, weight.astype(np.float32), bias.astype(np.float32)), name,
            kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4, group=groups,
        )
        power = 2 * gain**2 * self.power[x]
        if relu:
            return self.rectified(out, power, outs, limit)
        return self.activation(out, power, outs, -SPAN * power**0.5, SPAN * power**0.5)

    def add(self, a, b, relu):
        name, power, channels = self.node("Add", [a, b], self.name("add")), self.power[a] + self.power[b], self.channels[a]
        if relu:
            return self.rectified(name, power, channels, None)
        return self.activation(name, power, channels, -SPAN * power**0.5, SPAN * power**0.5)

    def max_pool(self, x):
        name = self.name("pool")
        self.node("MaxPool", [x], name, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        out = self.quantise_like(name, x)
        self.power[out], self.channels[out] = self.power[x], self.channels[x]
        return out

    def classify(self, x, classes=1000):
        channels = self.channels[x]
        pooled = self.activation(self.node("GlobalAveragePool", [x], "mean"), self.power[x], channels, 0.0, SPAN)
        flat = self.quantise_like(self.node("Flatten", [pooled], "flat", axis=1), pooled)
        weight = self.rng.normal(0, (2 / channels) ** 0.5, (classes, channels)).astype(np.float32)
        bias = self.rng.normal(0, 0.05, classes).astype(np.float32)
        self.node("Gemm", [flat] + self.parameters("fc", flat, weight, bias), "fc", transB=1)
        self.quantise("fc", *affine(-6.0, 6.0), result="logits")

    def finish(self, name):
        return self.model(name, "tessera/models/imagenet/make.py", {"input": ["N", 3, 224, 224]}, {"logits": ["N", 1000]})


def resnet18():
    """He et al., Deep Residual Learning for Image Recognition, table 1, 18 layers; batch norm folded."""
    n = Network()
    x = n.max_pool(n.conv(n.x, 64, 7, stride=2))
    for stage, channels in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if stage > 0 and block == 0 else 1
            y = n.conv(n.conv(x, channels, 3, stride), channels, 3, relu=False, gain=0.5)
            x = n.add(y, n.conv(x, channels, 1, stride, relu=False, gain=0.7) if stride == 2 else x, relu=True)
    n.classify(x)
    return n.finish("resnet18_int8")


def resnet50():
    """He et al., table 1, 50 layers; the stride is that of the 3x3 layers, as in torchvision's; batch norm folded."""
    n = Network()
    x = n.max_pool(n.conv(n.x, 64, 7, stride=2))
    for stage, (channels, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            y = n.conv(n.conv(x, channels, 1), channels, 3, stride)
            y = n.conv(y, 4 * channels, 1, relu=False, gain=0.5)
            x = n.add(y, n.conv(x, 4 * channels, 1, stride, relu=False, gain=0.7) if block == 0 else x, relu=True)
    n.classify(x)
    return n.finish("resnet50_int8")


def mobilenet_v1():
    """Howard et al., MobileNets, table 1, width 1; batch norm folded."""
    n = Network()
    x = n.conv(n.x, 32, 3, stride=2)
    stages = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1))
    for channels, stride in stages:
        x = n.conv(n.conv(x, n.channels[x], 3, stride, groups=n.channels[x]), channels, 1)
    n.classify(x)
    return n.finish("mobilenetv1_int8")


def mobilenet_v2():
    """Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks, table 2, width 1; batch norm folded."""
    n = Network()
    x = n.conv(n.x, 32, 3, stride=2, limit=6.0)
    for expand, channels, blocks, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                            (6, 160, 3, 2), (6, 320, 1, 1)):
        for block in range(blocks):
            stride = first if block == 0 else 1
            wide = expand * n.channels[x]
            y = n.conv(x, wide, 1, limit=6.0) if expand > 1 else x
            y = n.conv(y, wide, 3, stride, groups=wide, limit=6.0)
            y = n.conv(y, channels, 1, relu=False, gain=0.7)
            x = n.add(y, x, relu=False) if block > 0 else y
    n.classify(n.conv(x, 1280, 1, limit=6.0))
    return n.finish("mobilenetv2_int8")


NETWORKS = {"resnet18": resnet18, "mobilenetv2": mobilenet_v2, "resnet50": resnet50, "mobilenetv1": mobilenet_v1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="an existing folder, where the models are written")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=", ".join(NETWORKS) + " (default: the first two)")
    options = parser.parse_args()
    folder = options.folder
    if not folder.is_dir():
        print(f"make.py: {folder}: no such folder", file=sys.stderr)
        return 2
    for name in options.networks:
        if name not in NETWORKS:
            print(f"make.py: {name}: no such network; there are {', '.join(NETWORKS)}", file=sys.stderr)
            return 2
    for name in options.networks or list(NETWORKS)[:2]:
        model = NETWORKS[name]()
        path = folder / f"{model.graph.name}.onnx"
        partial = path.with_suffix(".partial")
        partial.write_bytes(model.SerializeToString(deterministic=True))
        partial.replace(path)
        print(f"{path}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
