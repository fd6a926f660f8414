#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `tessera quantize` makes with ONNX Runtime: the networks of make.py, by each method and type of activations.

  python3 compare.py TESSERA FOLDER

TESSERA is the command; files go into FOLDER. Each quantised file is checked by onnx.checker, then run by both on all items.
An output is compared in steps of its last scale (a result that is left in float, by its greatest value's 1/255): none may
be further than --steps away, and the greatest of each item must be the same where it leads by more than that. Needs numpy,
onnx, onnxruntime. Exit status: 0 they agree, 1 they do not.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort

HERE = Path(__file__).resolve().parent
OUTPUTS = {"norms": "logits", "ranges": "c3", "mixed": "odds", "outlier": "c2", "two": "difference"}  # each one's first


def run_tessera(command, *words):
    done = subprocess.run([command, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command} {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")


def sessions(path):
    """ONNX Runtime with graph optimisations off and by default."""
    for level in [ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL]:
        options = ort.SessionOptions()
        options.graph_optimization_level = level
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        yield level.name, ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def step_of(model, output, values):
    """The scale of the DequantizeLinear that makes an output; of a float one, 1/255 of its greatest magnitude."""
    for node in model.graph.node:
        if output in node.output and node.op_type == "DequantizeLinear":
            scale = next(t for t in model.graph.initializer if t.name == node.input[1])
            return float(onnx.numpy_helper.to_array(scale))
    return float(np.abs(values).max()) / 255


def answers(session, items):
    """The first output of all items, and its name."""
    output = session.get_outputs()[0].name
    count = len(next(iter(items.values())))
    return output, np.concatenate([session.run([output], {k: v[i:i + 1] for k, v in items.items()})[0] for i in range(count)])


def differ(model, output, want, have, steps):
    """How many values differ, of how many, and by how many steps at most; classes that lead and differ; whether that is well."""
    step = step_of(model, output, want)
    off = np.abs(want - have) / step
    flat, mine = want.reshape(len(want), -1), have.reshape(len(want), -1)
    top = np.sort(flat, axis=1)
    leads = top[:, -1] - top[:, -2] > 2.5 * steps * step
    classes = int((flat.argmax(1) != mine.argmax(1))[leads].sum())
    good = bool(off.max() <= steps + 0.01 and classes == 0)
    return f"{int((off > 0.5).sum()):6} of {off.size:6} differ, at most {off.max():5.2f} steps", classes, good


def compare(path, items, have, steps):
    """A line for each way in which ONNX Runtime runs the model; whether all are well."""
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    lines, ok = [], True
    for level, session in sessions(path):
        line, classes, good = differ(model, *answers(session, items), have, steps)
        ok &= good
        lines.append(f"{level:16} {line}, {classes} classes{'' if good else '   TOO FAR'}")
    return lines, ok


def main():
    parser = argparse.ArgumentParser(description="compare tessera quantize with ONNX Runtime")
    parser.add_argument("tessera")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=float, default=1)
    options = parser.parse_args()
    subprocess.run([sys.executable, HERE / "make.py", options.folder], check=True)
    print(f"ONNX Runtime {ort.__version__}")
    ok = True
    for name in OUTPUTS:
        items = dict(np.load(options.folder / f"{name}.npz"))
        for method in ["minmax", "percentile", "entropy"]:
            for activations in ["int8", "uint8"]:
                made, result = options.folder / f"{name}.int8.onnx", options.folder / f"{name}.npy"
                run_tessera(options.tessera, "quantize", options.folder / f"{name}.onnx", "--data", options.folder / f"{name}.npz",
                            "-o", made, "--method", method, "--activations", activations)
                run_tessera(options.tessera, "run", made, "--device", "cpu", "--input", options.folder / f"{name}.npz",
                            "--output", f"{OUTPUTS[name]}={result}")
                lines, good = compare(made, items, np.load(result), options.steps)
                ok &= good
                for line in lines:
                    print(f"{name:8} {method:10} {activations:5} {line}")
    print("ok" if ok else "they differ")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
