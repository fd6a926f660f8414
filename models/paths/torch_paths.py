#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From PyTorch to files that run here: torch.onnx.export in its three forms, then tessera quantize.

  python3 torch_paths.py TESSERA FOLDER

Exit status: 0 every path goes as docs/models.md says. Needs torch, onnxscript, onnx, numpy; compares with onnxruntime where
that is there.
"""

import sys
from pathlib import Path

import onnx
import torch

from steps import Steps


class Block(torch.nn.Module):
    """Two convolutions and what came in."""

    def __init__(self, channels):
        super().__init__()
        self.first = torch.nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = torch.nn.BatchNorm2d(channels)
        self.second = torch.nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return torch.relu(x + self.second(torch.relu(self.norm(self.first(x)))))


def network():
    torch.manual_seed(1)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, padding=1, bias=False), torch.nn.BatchNorm2d(16), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        Block(16), torch.nn.Conv2d(16, 32, 3, stride=2, padding=1), torch.nn.ReLU6(), torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(), torch.nn.Dropout(0.1), torch.nn.Linear(32, 10))
    # Gives means and variances other than 0 and 1, as training does.
    with torch.no_grad():
        for _ in range(10):
            net(torch.randn(16, 3, 16, 16) * 2 + 0.5)
    return net.eval()


def main():
    steps = Steps(sys.argv[1], sys.argv[2])
    net = network()
    items = torch.randn(16, 3, 16, 16)
    with torch.no_grad():
        want = net(items).numpy()
    items = items.numpy()
    one = torch.randn(1, 3, 16, 16)
    print(f"torch {torch.__version__}")

    path = steps.folder / "script.onnx"
    torch.onnx.export(net, one, str(path), dynamo=False, opset_version=17, input_names=["image"], output_names=["logits"])
    steps.onnx("torch.onnx.export(dynamo=False)", path, items, want)

    path = steps.folder / "dynamo.onnx"
    torch.onnx.export(net, (one,), str(path), dynamo=True, external_data=False, verbose=False)
    steps.onnx("torch.onnx.export(dynamo=True, external_data=False)", path, items, want)

    path, whole = steps.folder / "external.onnx", steps.folder / "whole.onnx"
    torch.onnx.export(net, (one,), str(path), dynamo=True, external_data=True, verbose=False)
    print(f"torch.onnx.export(dynamo=True, external_data=True): {sorted(p.name for p in steps.folder.glob('external.onnx*'))}")
    onnx.save(onnx.load(path), whole)
    steps.onnx("the same in one file, by onnx.save(onnx.load(...))", whole, items, want)
    return steps.end()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    sys.exit(main())
