#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes networks for 224x224 images as int8 ONNX models (QDQ form) with seeded weights.

  python3 models/imagenet/make.py FOLDER                         writes resnet18_int8.onnx and mobilenetv2_int8.onnx
  python3 models/imagenet/make.py FOLDER resnet50 mobilenetv1    writes these: resnet50_int8.onnx, mobilenetv1_int8.onnx

The networks have the published shapes and seeded weights: they measure cycles and compare devices, they classify
nothing. The same seed gives the same bytes. Needs Debian's python3-onnx and python3-numpy, or the packages of
models/fashion/requirements.txt without torch.

Exit status: 0 all are written; 2 the folder or a package is missing, or no network has a name that is given.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
try:
    import numpy as np
    import onnx  # noqa: F401  qdq.py imports it where needed
except ImportError as error:
    print(f"make.py: {error}; install Debian's packages python3-onnx and python3-numpy", file=sys.stderr)
    sys.exit(2)
from qdq import OPSET, affine  # noqa: E402
from seeded import SPAN, Network, write_networks  # noqa: E402

CLASSES = 1000


def finish(n, name, opset=OPSET):
    return n.finish(name, "tessera/models/imagenet/make.py", {"logits": [CLASSES]}, opset=opset)


def classify(n, x):
    """Mean over the image, fully connected layer."""
    channels = n.channels[x]
    pooled = n.activation(n.node("GlobalAveragePool", [x], "mean"), n.power[x], channels, 0.0, SPAN)
    flat = n.flatten(pooled, "flat")
    weight = n.rng.normal(0, (2 / channels) ** 0.5, (CLASSES, channels)).astype(np.float32)
    bias = n.rng.normal(0, 0.05, CLASSES).astype(np.float32)
    n.node("Gemm", [flat] + n.parameters("fc", flat, weight, bias), "fc", transB=1)
    n.quantise("fc", *affine(-6.0, 6.0), result="logits")


def resnet18():
    """He et al., Deep Residual Learning for Image Recognition, table 1, 18 layers; batch norm folded."""
    n = Network()
    x = n.max_pool(n.conv(n.x, 64, 7, stride=2))
    for stage, channels in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if stage > 0 and block == 0 else 1
            y = n.conv(n.conv(x, channels, 3, stride), channels, 3, act=None, gain=0.5)
            x = n.add(y, n.conv(x, channels, 1, stride, act=None, gain=0.7) if stride == 2 else x, act="relu")
    classify(n, x)
    return finish(n, "resnet18_int8")


def resnet50():
    """He et al., table 1, 50 layers; the stride is that of the 3x3 layers, as in torchvision's; batch norm folded."""
    n = Network()
    x = n.max_pool(n.conv(n.x, 64, 7, stride=2))
    for stage, (channels, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            y = n.conv(n.conv(x, channels, 1), channels, 3, stride)
            y = n.conv(y, 4 * channels, 1, act=None, gain=0.5)
            x = n.add(y, n.conv(x, 4 * channels, 1, stride, act=None, gain=0.7) if block == 0 else x, act="relu")
    classify(n, x)
    return finish(n, "resnet50_int8")


def mobilenet_v1():
    """Howard et al., MobileNets, table 1, width 1; batch norm folded."""
    n = Network()
    x = n.conv(n.x, 32, 3, stride=2)
    stages = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1))
    for channels, stride in stages:
        x = n.conv(n.conv(x, n.channels[x], 3, stride, groups=n.channels[x]), channels, 1)
    classify(n, x)
    return finish(n, "mobilenetv1_int8")


def inverted_residuals(n, x, stages):
    """Blocks of a 1x1, a depthwise and a linear 1x1 layer; stages: expansion, channels, blocks, first stride, kernel."""
    for expand, channels, blocks, first, kernel in stages:
        for block in range(blocks):
            stride = first if block == 0 else 1
            wide = expand * n.channels[x]
            y = n.conv(x, wide, 1, act="relu6") if expand > 1 else x
            y = n.conv(y, wide, kernel, stride, groups=wide, act="relu6")
            y = n.conv(y, channels, 1, act=None, gain=0.7)
            x = n.add(y, x) if block > 0 else y
    return x


def mobilenet_v2():
    """Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks, table 2, width 1; batch norm folded."""
    n = Network()
    x = inverted_residuals(n, n.conv(n.x, 32, 3, stride=2, act="relu6"), (
        (1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 32, 3, 2, 3), (6, 64, 4, 2, 3), (6, 96, 3, 1, 3), (6, 160, 3, 2, 3),
        (6, 320, 1, 1, 3)))
    classify(n, n.conv(x, 1280, 1, act="relu6"))
    return finish(n, "mobilenetv2_int8")


def efficientnet_lite0():
    """EfficientNet-Lite0: Tan and Le, EfficientNet, table 1, with ReLU6 and without squeeze and excite; batch norm folded."""
    n = Network()
    x = inverted_residuals(n, n.conv(n.x, 32, 3, stride=2, act="relu6"), (
        (1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
        (6, 320, 1, 1, 3)))
    classify(n, n.conv(x, 1280, 1, act="relu6"))
    return finish(n, "efficientnetlite0_int8")


def excite(n, x):
    """Squeeze and excite: each channel times a share that the means of all channels give."""
    channels = n.channels[x]
    squeezed = n.conv(n.mean(x), max(8, (channels // 4 + 4) // 8 * 8), 1)
    gate = n.conv(squeezed, channels, 1, act=None)
    share = n.node("HardSigmoid", [gate], n.name("share"), alpha=1 / 6, beta=0.5)
    share = n.activation(share, 0.3, channels, 0.0, 1.0)
    low, high = n.range[x]
    return n.activation(n.node("Mul", [x, share], n.name("excited")), 0.3 * n.power[x], channels, 0.75 * low, 0.75 * high)


def mobilenet_v3_small():
    """Howard et al., Searching for MobileNetV3, table 2; batch norm folded."""
    n = Network()
    x = n.conv(n.x, 16, 3, stride=2, act="hardswish")
    for kernel, wide, channels, squeezed, act, stride in (
        (3, 16, 16, True, "relu", 2), (3, 72, 24, False, "relu", 2), (3, 88, 24, False, "relu", 1),
        (5, 96, 40, True, "hardswish", 2), (5, 240, 40, True, "hardswish", 1), (5, 240, 40, True, "hardswish", 1),
        (5, 120, 48, True, "hardswish", 1), (5, 144, 48, True, "hardswish", 1), (5, 288, 96, True, "hardswish", 2),
        (5, 576, 96, True, "hardswish", 1), (5, 576, 96, True, "hardswish", 1),
    ):
        y = n.conv(x, wide, 1, act=act) if wide != n.channels[x] else x
        y = n.conv(y, wide, kernel, stride, groups=wide, act=act)
        y = n.conv(excite(n, y) if squeezed else y, channels, 1, act=None, gain=0.7)
        x = n.add(y, x) if stride == 1 and n.channels[x] == channels else y
    x = n.flatten(n.mean(n.conv(x, 576, 1, act="hardswish")))
    n.gemm(n.gemm(x, 1024, act="hardswish"), CLASSES, result="logits")
    return finish(n, "mobilenetv3small_int8", opset=14)  # the first with HardSwish


def squeezenet():
    """Iandola et al., SqueezeNet, table 1, in version 1.1 of the authors' files."""
    n = Network()
    x = n.max_pool(n.conv(n.x, 64, 3, stride=2, pad=0), pad=0)
    for squeezed, expanded, pool in ((16, 64, False), (16, 64, True), (32, 128, False), (32, 128, True), (48, 192, False),
                                     (48, 192, False), (64, 256, False), (64, 256, False)):
        x = n.conv(x, squeezed, 1)
        x = n.concat(n.conv(x, expanded, 1), n.conv(x, expanded, 3))
        x = n.max_pool(x, pad=0) if pool else x
    x = n.mean(n.conv(x, CLASSES, 1))
    n.same(n.node("Flatten", [x], "flat", axis=1), x, result="logits")
    return finish(n, "squeezenet_int8")




def shuffled(n, x, size):
    """Channels of two halves, one of each in turn: Reshape, Transpose, Reshape, as PyTorch's exporter writes them."""
    name, channels = n.name("shuffle"), n.channels[x]
    for step, shape in (("apart", [-1, 2, channels // 2, size, size]), ("turned", None), ("together", [-1, channels, size, size])):
        out = f"{name}_{step}"
        if shape:
            n.node("Reshape", [x, n.const(f"{out}_shape", np.array(shape, np.int64))], out)
        else:
            n.node("Transpose", [x], out, perm=[0, 2, 1, 3, 4])
        x = n.same(out, x)
    return x


def shufflenet_v2():
    """Ma et al., ShuffleNet V2, table 5, width 0.5; batch norm folded."""
    n = Network()
    x, size = n.max_pool(n.conv(n.x, 24, 3, stride=2)), 56
    for channels, blocks in ((48, 4), (96, 8), (192, 4)):
        for block in range(blocks):
            stride, half = (2, channels // 2) if block == 0 else (1, channels // 2)
            size //= stride
            kept, y = (x, x) if stride == 2 else n.halves(x)
            if stride == 2:
                kept = n.conv(n.conv(kept, n.channels[kept], 3, 2, groups=n.channels[kept], act=None, gain=0.7), half, 1)
            y = n.conv(n.conv(y, half, 1), half, 3, stride, groups=half, act=None, gain=0.7)
            x = shuffled(n, n.concat(kept, n.conv(y, half, 1)), size)
    classify(n, n.conv(x, 1024, 1))
    return finish(n, "shufflenetv2_int8")


def thousand():
    """333 residual blocks of 1x1 and 3x3 layers: no published network, but one of 1,000 operators to place."""
    n = Network()
    x = n.max_pool(n.conv(n.x, 32, 7, stride=4))
    for block in range(333):
        if block % 100 == 99:
            x = n.conv(x, 64 if block < 150 else 128, 3, 2)
        channels = n.channels[x]
        y = n.conv(n.conv(x, channels, 3 if block % 2 else 1), channels, 1, act=None, gain=0.5)
        x = n.add(y, x, act="relu")
        n.power[x] = 1.0  # the sums of so many blocks would otherwise leave float32
    classify(n, x)
    return finish(n, "thousand_int8")


NETWORKS = {"resnet18": resnet18, "mobilenetv2": mobilenet_v2, "resnet50": resnet50, "mobilenetv1": mobilenet_v1,
            "squeezenet": squeezenet, "mobilenetv3small": mobilenet_v3_small, "efficientnetlite0": efficientnet_lite0,
            "shufflenetv2": shufflenet_v2, "thousand": thousand}


if __name__ == "__main__":
    sys.exit(write_networks(__doc__, NETWORKS, ("resnet18", "mobilenetv2")))
