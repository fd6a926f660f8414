#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/onnx_resize/nearest.txt: which elements ONNX Runtime takes for Resize (nearest) and Upsample, for all
pairs of extents 1 to 64 and every mode.

  python3 make.py            writes the file
  python3 make.py --check    fails if it would be another one
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

FILE = Path(__file__).resolve().parents[2] / "tests" / "data" / "onnx_resize" / "nearest.txt"
VERSION = "1.31.1"
MOST = 64
PLACES = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric", "tf_half_pixel_for_nn"]
NEAREST = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]
FULL = [(6, 4), (6, 5), (7, 2), (14, 1), (20, 6), (3, 1), (26, 64)]


def scale_of(form, n, m):
    """The scale for a result of about m of n. "between" ones are no quotients of two extents."""
    add = np.float32(0.375 if form in ("between", "opset10") else 0)
    return (np.float32(m) + add) / np.float32(n)


def open_model(form, place, nearest):
    """A model whose scales or sizes are an input: one session serves all pairs."""
    old = form == "opset10"
    attributes = {} if old else {"coordinate_transformation_mode": place, "nearest_mode": nearest}
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, "h", "w"])]
    if form == "sizes":
        names = ["x", "", "", "sizes"]
        inputs.append(helper.make_tensor_value_info("sizes", TensorProto.INT64, [4]))
    else:
        names = ["x", "scales"] if old else ["x", "", "scales"]
        inputs.append(helper.make_tensor_value_info("scales", TensorProto.FLOAT, [4]))
    node = helper.make_node("Resize", names, ["y"], mode="nearest", **attributes)
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, "a", "b"])
    graph = helper.make_graph([node], "resize", inputs, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 10 if old else 19)], ir_version=8)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def tables(session, form, n):
    """For m from 1 to MOST the elements taken. Rows have m, columns the other end of the range; both axes must agree."""
    x = (np.arange(n)[:, None] * 1000 + np.arange(n)).astype(np.float32).reshape(1, 1, n, n)

    def run(m, other):
        if form == "sizes":
            feed = {"sizes": np.array([1, 1, m, other], np.int64)}
        else:
            feed = {"scales": np.array([1, 1, scale_of(form, n, m), scale_of(form, n, other)], np.float32)}
        return session.run(None, {"x": x, **feed})[0].astype(np.int64)[0, 0]

    rows, columns = {}, {}
    for m in range(1, MOST + 1):
        other = MOST + 1 - m
        y = run(m, other)
        if y.size == 0:  # one result has no element: run each alone
            own, others = run(m, m), run(other, other)
            rows[m] = (own[:, 0] // 1000).tolist() if own.size else []
            columns[other] = (others[0] % 1000).tolist() if others.size else []
            continue
        rows[m], columns[other] = (y[:, 0] // 1000).tolist(), (y[0] % 1000).tolist()
        assert np.array_equal(y, np.array(rows[m])[:, None] * 1000 + np.array(columns[other]))
    assert rows == columns, (form, n)
    return rows


def crc64(data):
    """CRC-64/XZ, as base/hash.h has it."""
    crc = 0xFFFFFFFFFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFFFFFFFFFF


def table_entry(k):
    for _ in range(8):
        k = (k >> 1) ^ (0xC96C5795D7870F42 if k & 1 else 0)
    return k


TABLE = [table_entry(k) for k in range(256)]
assert crc64(b"123456789") == 0x995DC9BBDF1939FA


def text():
    if ort.__version__ != VERSION:
        sys.exit(f"onnxruntime {ort.__version__}; {VERSION} is the one whose results are kept")
    lines = [f"# Written by models/onnx_resize/make.py with onnxruntime {VERSION}; its README says what the lines are."]
    modes = [(form, p, r) for form in ("sizes", "scales", "between") for p in PLACES for r in NEAREST]
    for form, place, nearest in modes + [("opset10", "-", "-")]:
        session = open_model(form, place, nearest)
        sums, full = [], []
        for n in range(1, MOST + 1):
            made = tables(session, form, n)
            data = bytes(v for m in made for v in [len(made[m])] + made[m])
            sums.append(f"{crc64(data) & 0xFFFFFFFF:08x}")
            full += [(n, m, made[m]) for m in made if (n, m) in FULL]
        lines.append(f"mode {form} {place} {nearest} " + " ".join(sums))
        for n, m, taken in full:
            lines.append(f"table {n} {m} " + " ".join(map(str, taken)))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    made = text()
    if parser.parse_args().check:
        if FILE.read_text() != made:
            sys.exit(f"{FILE} is another one")
        print(f"{FILE.name}: the same")
    else:
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(made)


if __name__ == "__main__":
    main()
