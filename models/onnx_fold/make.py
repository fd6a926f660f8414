#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/onnx_fold: float networks with constants a channel behind contractions, and ONNX Runtime's results.

  python3 make.py            writes the files
  python3 make.py --check    fails if they would be other ones
"""

import argparse
import gzip
import json
import sys
import zlib
from pathlib import Path

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "data" / "onnx_fold"
VERSION = "1.31.1"


class Net:
    """Nodes one behind the other over input x; constants are drawn from the case's seed."""

    def __init__(self, name, shape):
        self.rng = np.random.RandomState(zlib.crc32(name.encode()) & 0xFFFFFFFF)
        self.name, self.shape, self.nodes, self.constants, self.at = name, shape, [], [], "x"

    def constant(self, *shape, low=-1.0, high=1.0):
        name = f"c{len(self.constants)}"
        values = (low + (high - low) * self.rng.random_sample(shape)).astype(np.float32)
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def add(self, op, *operands, first=True, **attributes):
        to = f"t{len(self.nodes)}"
        names = [self.at, *operands] if first else [*operands, self.at]
        self.nodes.append(helper.make_node(op, names, [to], name=f"{op}_{len(self.nodes)}", **attributes))
        self.at = to

    def norm(self, channels):
        self.add("BatchNormalization", self.constant(channels), self.constant(channels), self.constant(channels),
                 self.constant(channels, low=0.2, high=2), epsilon=1e-3)

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
                                  [helper.make_tensor_value_info(self.at, TensorProto.FLOAT, None)], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8).SerializeToString()

    def values(self):
        return (self.rng.random_sample(self.shape) * 4 - 2).astype(np.float32)


def cases():
    n = Net("conv_norm", [1, 3, 6, 7])
    n.add("Conv", n.constant(4, 3, 3, 3), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    n.norm(4)
    n.add("Relu")
    yield n
    n = Net("grouped_norm_norm", [1, 6, 5, 5])
    n.add("Conv", n.constant(6, 1, 3, 3), n.constant(6), kernel_shape=[3, 3], group=6)
    n.norm(6)
    n.norm(6)
    yield n
    n = Net("conv_scale_shift", [1, 2, 5, 4])
    n.add("Conv", n.constant(3, 2, 2, 2), n.constant(3), kernel_shape=[2, 2], strides=[2, 1])
    n.add("Mul", n.constant(1, 3, 1, 1), first=False)
    n.add("Sub", n.constant(3, 1, 1))
    n.add("Div", n.constant(low=1, high=2))
    n.add("Add", n.constant(1, 3, 1, 1))
    yield n
    n = Net("line_norm", [1, 3, 9])
    n.add("Conv", n.constant(5, 3, 3), kernel_shape=[3], dilations=[2])
    n.norm(5)
    yield n
    n = Net("transposed_norm", [1, 4, 3, 4])
    n.add("ConvTranspose", n.constant(4, 3, 3, 3), kernel_shape=[3, 3], strides=[2, 2], group=2)
    n.norm(6)
    yield n
    n = Net("gemm_norm", [3, 8])
    n.add("Gemm", n.constant(5, 8), n.constant(5), transB=1)
    n.norm(5)
    yield n


def result(model, x):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def make_all():
    if ort.__version__ != VERSION:
        sys.exit(f"onnxruntime {ort.__version__}; {VERSION} is the one whose results are kept")
    files, listed = {}, []
    for net in cases():
        files[f"{net.name}.onnx"] = net.model()
        x = net.values()
        listed.append({"name": net.name, "input": x.tobytes().hex(), "output": result(files[f"{net.name}.onnx"], x).tobytes().hex()})
    text = '{"cases": [\n%s\n]}\n' % ",\n".join(map(json.dumps, listed))
    files["cases.json.gz"] = gzip.compress(text.encode(), 9, mtime=0)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the files that are there instead of writing")
    files = make_all()
    if parser.parse_args().check:
        other = [name for name, content in files.items() if (FOLDER / name).read_bytes() != content]
        if other:
            sys.exit(f"{FOLDER}: other than they would be: {', '.join(other)}")
        print(f"{len(files)} files are as they were")
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
    print(f"{len(files)} files written")


if __name__ == "__main__":
    main()
