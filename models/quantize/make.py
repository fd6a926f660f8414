#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small float networks with seeded weights, and items for each, into FOLDER: NAME.onnx and NAME.npz.

  python3 make.py FOLDER

What each has is said at its function. Needs onnx and numpy; Debian's will do.
"""

import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, shape_inference

ITEMS = 24


class Builder:
    """A graph that grows; values are named after what makes them."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.constants, self.inputs, self.shapes = [], [], [], {}

    def input(self, name, *shape):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *shape]))
        self.shapes[name] = shape
        return name

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def node(self, op, name, *inputs, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=f"{name}/{op}", **attributes))
        return name

    def weights(self, name, *shape, scale=None):
        values = self.rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))
        if scale is not None:
            values *= np.asarray(scale).reshape(-1, *[1] * (len(shape) - 1))
        return self.constant(name, values.astype(np.float32))

    def bias(self, name, count, scale=0.2):
        return self.constant(name, (self.rng.standard_normal(count) * scale).astype(np.float32))

    def conv(self, name, x, ins, outs, kernel=3, bias=True, scale=None, group=1, **attributes):
        operands = [x, self.weights(f"{name}.w", outs, ins // group, kernel, kernel, scale=scale)]
        if bias:
            operands.append(self.bias(f"{name}.b", outs))
        pads = [kernel // 2] * 4
        return self.node("Conv", name, *operands, group=group, pads=pads, **attributes)

    def norm(self, name, x, channels):
        rng = self.rng
        values = [rng.uniform(0.5, 1.5, channels), rng.standard_normal(channels) * 0.3,
                  rng.standard_normal(channels) * 0.5, rng.uniform(0.3, 2, channels)]
        names = [self.constant(f"{name}.{part}", v.astype(np.float32)) for part, v in zip("smuv", values)]
        return self.node("BatchNormalization", name, x, *names)

    def save(self, folder, name, *outputs):
        results = [helper.make_tensor_value_info(y, TensorProto.FLOAT, None) for y in outputs]
        graph = helper.make_graph(self.nodes, name, self.inputs, results, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        model = shape_inference.infer_shapes(model)
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
        items = {x: self.rng.standard_normal((ITEMS, *shape)).astype(np.float32) for x, shape in self.shapes.items()}
        np.savez(folder / f"{name}.npz", **items)


def norms(b):
    """BatchNormalization behind convolutions with a bias and without, depthwise too; Clip; Identity, Dropout."""
    x = b.input("image", 3, 12, 12)
    x = b.norm("n1", b.conv("c1", x, 3, 8, bias=False), 8)
    x = b.node("Clip", "r1", b.node("Identity", "i1", x), b.constant("zero", np.float32(0)), b.constant("six", np.float32(6)))
    x = b.norm("n2", b.conv("c2", x, 8, 8, group=8), 8)
    x = b.node("Relu", "r2", b.node("Dropout", "d2", x))
    x = b.node("MaxPool", "p2", x, kernel_shape=[2, 2], strides=[2, 2])
    x = b.norm("n3", b.conv("c3", x, 8, 8, kernel=1), 8)
    x = b.node("GlobalAveragePool", "pool", b.node("Relu", "r3", x))
    return [b.node("Gemm", "logits", b.node("Flatten", "flat", x), b.weights("fc.w", 10, 8), b.bias("fc.b", 10), transB=1)]


def ranges(b):
    """Channels between two convolutions with ranges from 1 to 64: what equalisation is for."""
    x = b.input("image", 3, 10, 10)
    x = b.node("Relu", "r1", b.conv("c1", x, 3, 8, scale=2.0 ** np.array([0, 6, 1, 5, 2, 4, 3, 0])))
    x = b.node("Relu", "r2", b.conv("c2", x, 8, 8, group=8))
    x = b.conv("c3", x, 8, 6, kernel=1)
    # Wide channels must count no more than narrow ones.
    w = next(t for t in b.constants if t.name == "c2.w")
    values = numpy_helper.to_array(w) / (2.0 ** np.array([0, 6, 1, 5, 2, 4, 3, 0])).reshape(8, 1, 1, 1)
    w.CopyFrom(numpy_helper.from_array(values.astype(np.float32), "c2.w"))
    return [x]


def mixed(b):
    """Operators on integers beside ones on floats: Concat, Resize, Sigmoid, Mul, transposed convolution, Softmax."""
    x = b.input("image", 4, 8, 8)
    left = b.node("Sigmoid", "gate", b.conv("c1", x, 4, 4))
    right = b.node("Relu", "r2", b.conv("c2", x, 4, 4, kernel=1))
    x = b.node("Mul", "gated", left, right)
    up = b.node("ConvTranspose", "up", x, b.weights("up.w", 4, 4, 2, 2), b.bias("up.b", 4), strides=[2, 2])
    scales = b.constant("twice", np.array([1, 1, 2, 2], np.float32))
    near = b.node("Resize", "near", x, "", scales, mode="nearest", nearest_mode="floor",
                  coordinate_transformation_mode="asymmetric")
    x = b.node("Add", "sum", b.node("Concat", "both", up, near, axis=1), b.node("Concat", "again", near, up, axis=1))
    x = b.node("Flatten", "flat", b.node("GlobalAveragePool", "pool", x))
    x = b.node("Gemm", "fc", x, b.weights("fc.w", 8, 5), b.bias("fc.b", 5))
    return [b.node("Softmax", "odds", x, axis=1), "gated"]


def outlier(b):
    """One channel of one layer is 3,000 times as wide as the others, which a layer behind it needs alone."""
    x = b.input("image", 3, 8, 8)
    x = b.conv("c1", x, 3, 4, scale=[3000, 1, 1, 1])
    x = b.node("Tanh", "t1", x)
    return [b.conv("c2", x, 4, 4, kernel=1)]


def two(b):
    """Two inputs; MatMul with a vector behind it."""
    x, y = b.input("left", 6), b.input("right", 6)
    rows = []
    for side in (x, y):
        product = b.node("MatMul", f"{side}.m", side, b.weights(f"{side}.w", 6, 9))
        rows.append(b.node("Relu", f"{side}.r", b.node("Add", f"{side}.a", product, b.bias(f"{side}.b", 9))))
    return [b.node("Sub", "difference", *rows)]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for seed, make in enumerate([norms, ranges, mixed, outlier, two], 2026):
        b = Builder(seed)
        outputs = make(b)
        b.save(folder, make.__name__, *outputs)


if __name__ == "__main__":
    main()
