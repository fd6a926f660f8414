#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small models of tests/data/field and what their runtimes make of seeded inputs. The same versions of the
packages (requirements.txt) write the same bytes.

  python3 make.py            writes the files
  python3 make.py --check    fails if they would be other ones
"""

import argparse
import gzip
import json
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tflite_ops"))

import onnx_files
import tflite_files
from folder import settle
from oracle import check, open_model

FOLDER = HERE.parents[1] / "tests" / "data" / "field"
RUNS = 3
WANTED = "1.31.1"
TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(bool)": bool, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8}


def values(rng, dtype, shape, most=9):
    """|most|: indices are below it."""
    if dtype == np.float32:
        return (rng.standard_normal(shape) * 1.2).astype(np.float32)
    if dtype == bool:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype == np.int64:
        return rng.integers(0, most, shape).astype(np.int64)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


def packed(arrays):
    return [np.ascontiguousarray(a).tobytes().hex() for a in arrays]


def onnx_case(maker):
    """Files by name, and the case."""
    rng = np.random.default_rng(zlib.crc32(maker.__name__.encode()))
    described = maker(rng)
    name, model, files = maker.__name__, described.model(), {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.onnx"
        if described.external:
            data, at = b"", {}
            for tensor in model.graph.initializer:
                if tensor.name in described.external:
                    at[tensor.name] = (len(data), len(tensor.raw_data))
                    data += tensor.raw_data
            for tensor in model.graph.initializer:
                if tensor.name in at:
                    onnx.external_data_helper.set_external_data(tensor, f"{name}.bin", *at[tensor.name])
                    tensor.ClearField("raw_data")
            files[f"{name}.bin"] = data
        files[path.name] = model.SerializeToString(deterministic=True)
        for file, content in files.items():
            (path.parent / file).write_bytes(content)
        plain = onnxruntime.SessionOptions()
        plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        plain.log_severity_level = 3
        session = onnxruntime.InferenceSession(str(path), plain, providers=["CPUExecutionProvider"])
        runs = []
        for _ in range(RUNS):
            given = {i.name: values(rng, TYPES[i.type], described.shapes.get(i.name, i.shape)) for i in session.get_inputs()}
            runs.append({"inputs": packed(given.values()), "outputs": packed(session.run(None, given))})
    return files, {"name": name, "file": path.name, "shapes": described.shapes, "runs": runs}


def tflite_case(maker):
    """The same. The interpreter's variables live from run to run."""
    rng = np.random.default_rng(zlib.crc32(maker.__name__.encode()))
    content = maker(rng)
    interpreter = open_model(content)
    runs = []
    for _ in range(RUNS):
        given = [values(rng, d["dtype"], d["shape"]) for d in interpreter.get_input_details()]
        for detail, array in zip(interpreter.get_input_details(), given, strict=True):
            interpreter.set_tensor(detail["index"], array)
        interpreter.invoke()
        results = [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]
        runs.append({"inputs": packed(given), "outputs": packed(results)})
    name = maker.__name__
    return {f"{name}.tflite": content}, {"name": name, "file": f"{name}.tflite", "shapes": {}, "runs": runs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the files that are there instead of writing")
    arguments = parser.parse_args()
    if onnxruntime.__version__ != WANTED:
        raise SystemExit(f"onnxruntime {onnxruntime.__version__} is installed, the files are made with {WANTED}: see requirements.txt")
    files, cases = {}, []
    for made, case in [onnx_case(m) for m in onnx_files.MAKERS] + [tflite_case(m) for m in tflite_files.MAKERS]:
        files.update(made)
        cases.append(case)
    oracle = {"onnxruntime": WANTED, "tflite": check()}
    text = '{"oracle": %s,\n"cases": [\n%s\n]}\n' % (json.dumps(oracle), ",\n".join(json.dumps(c) for c in cases))
    files["cases.json.gz"] = gzip.compress(text.encode(), 9, mtime=0)
    settle(FOLDER, files, arguments.check)
    print(f"{len(cases)} models, {sum(map(len, files.values()))} bytes {'are as they were' if arguments.check else 'written'}")


if __name__ == "__main__":
    main()
