#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes networks for detection and segmentation, and two transformers, as int8 ONNX models (QDQ form) with seeded weights.

  python3 models/tasks/make.py FOLDER             writes detector_int8.onnx, unet_int8.onnx, yolo_int8.onnx, cct_int8.onnx and
                                                  tinyvit_int8.onnx
  python3 models/tasks/make.py FOLDER detector    writes this one

They have the layers of networks for these tasks: upsampling, joined branches, attention. With seeded weights they measure
cycles and compare devices, and recognise nothing. The same seed gives the same bytes. Needs Debian's python3-onnx and
python3-numpy.

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
from seeded import Network, write_networks  # noqa: E402
from transformer import cct, tinyvit  # noqa: E402

PRODUCER = "tessera/models/tasks/make.py"


def detector():
    """Four 3x3 layers with SiLU, the last one's result doubled and joined with the second's, a 1x1 head; 96x96."""
    n = Network(size=(96, 96))
    fine = n.conv(n.conv(n.x, 16, 3, 2, act="silu"), 32, 3, 2, act="silu")
    coarse = n.conv(n.conv(fine, 32, 3, act="silu"), 32, 3, 2, act="silu")
    n.conv(n.concat(n.double(coarse), fine), 18, 1, act=None, result="boxes")
    return n.finish("detector_int8", PRODUCER, {"boxes": [18, 24, 24]}, batch=1)


def transposed(n, x, outs):
    """ConvTranspose with a 2x2 kernel and stride 2: twice the height and width."""
    name, ins = n.name("transposed"), n.channels[x]
    weight = n.rng.normal(0, (1 / ins) ** 0.5, (ins, outs, 2, 2)).astype(np.float32)
    bias = n.rng.normal(0, 0.05, outs).astype(np.float32)
    n.node("ConvTranspose", [x] + n.parameters(name, x, weight, bias, axis=1), name, kernel_shape=[2, 2], strides=[2, 2])
    return n.activate(name, n.power[x], outs, None)


def unet():
    """Ronneberger et al., U-Net, figure 1, with one pooling, and padded 3x3 layers of 16 and 32 channels; 64x64."""
    n = Network(size=(64, 64))
    fine = n.conv(n.x, 16, 3)
    coarse = n.conv(n.max_pool(fine, kernel=2, pad=0), 32, 3)
    n.conv(n.concat(transposed(n, coarse, 16), fine), 2, 3, act=None, result="classes")
    return n.finish("unet_int8", PRODUCER, {"classes": [2, 64, 64]}, batch=1)


def c2f(n, x, channels, blocks, residual):
    """A 1x1 layer, its second half through 3x3 layers, all joined; a 1x1 layer."""
    parts = n.halves(n.conv(x, channels, 1, act="silu"))
    for _ in range(blocks):
        y = n.conv(n.conv(parts[-1], channels // 2, 3, act="silu"), channels // 2, 3, act="silu")
        parts.append(n.add(parts[-1], y) if residual else y)
    return n.conv(n.concat(*parts), channels, 1, act="silu")


def sppf(n, x):
    """Three 5x5 max pools, one after the other, between two 1x1 layers; all joined."""
    channels = n.channels[x]
    parts = [n.conv(x, channels // 2, 1, act="silu")]
    for _ in range(3):
        parts.append(n.max_pool(parts[-1], kernel=5, stride=1, pad=2))
    return n.conv(n.concat(*parts), channels, 1, act="silu")


def yolo():
    """The graph of a YOLO of C2f blocks: backbone, SPPF, a neck down and up, a 1x1 head a scale (4 x 16 + 80); 160x160."""
    n = Network(size=(160, 160))
    x = n.conv(n.x, 16, 3, 2, act="silu")
    scales = []
    for channels, blocks in ((32, 1), (64, 2), (128, 2), (256, 1)):
        x = c2f(n, n.conv(x, channels, 3, 2, act="silu"), channels, blocks, residual=True)
        scales.append(x)
    _, fine, middle, _ = scales
    coarse = sppf(n, x)
    middle = c2f(n, n.concat(n.double(coarse), middle), 128, 1, residual=False)
    fine = c2f(n, n.concat(n.double(middle), fine), 64, 1, residual=False)
    middle = c2f(n, n.concat(n.conv(fine, 64, 3, 2, act="silu"), middle), 128, 1, residual=False)
    coarse = c2f(n, n.concat(n.conv(middle, 128, 3, 2, act="silu"), coarse), 256, 1, residual=False)
    for x, result in ((fine, "fine"), (middle, "middle"), (coarse, "coarse")):
        n.conv(x, 144, 1, act=None, result=result)
    return n.finish("yolo_int8", PRODUCER, {"fine": [144, 20, 20], "middle": [144, 10, 10], "coarse": [144, 5, 5]}, batch=1)


NETWORKS = {"detector": detector, "unet": unet, "yolo": yolo, "cct": lambda: cct(PRODUCER), "tinyvit": lambda: tinyvit(PRODUCER)}


if __name__ == "__main__":
    sys.exit(write_networks(__doc__, NETWORKS, tuple(NETWORKS)))
