#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example network quantised by each method: how many of 10,000 images are right, beside the float network and ONNX Runtime.

  python3 fashion.py TESSERA FOLDER

TESSERA is the command; files go into FOLDER. The data are Debian's package dataset-fashion-mnist: 256 training images calibrate,
all test images are run. An int8 network may lose 0.3 points. ONNX Runtime, which requantises in float32, may be two steps away
in a value, and in no class that leads by more. Needs numpy, onnx, onnxruntime. Exit status: 0 it is so, 1 it is not, 77 the data
are not there.
"""

import argparse
import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort

from compare import answers, differ, sessions

ROOT = Path(__file__).resolve().parents[2]
DATA = Path("/usr/share/datasets/fashion-mnist")
TRAIN, TEST = DATA / "train-images-idx3-ubyte.gz", DATA / "t10k-images-idx3-ubyte.gz"
LABELS = DATA / "t10k-labels-idx1-ubyte.gz"
MOST_LOST = 0.003
MOST_STEPS = 2


def tessera(command, *words):
    done = subprocess.run([command, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command} {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def right(command, model, folder):
    """How many of the test images |model| has right on the host, and its outputs."""
    told, outputs = folder / "run.json", folder / "outputs.npy"
    tessera(command, "run", model, "--device", "cpu", "--input", TEST, "--labels", LABELS, "--output", outputs, "--json", told)
    report = json.loads(told.read_text())
    return round(report["top1"] * report["images"]), np.load(outputs)


def main():
    parser = argparse.ArgumentParser(description="the example network by each method of tessera quantize")
    parser.add_argument("tessera")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    if not TEST.exists():
        print(f"skipped: {TEST} is not there: install dataset-fashion-mnist")
        return 77
    options.folder.mkdir(parents=True, exist_ok=True)
    labels = np.frombuffer(gzip.decompress(LABELS.read_bytes()), np.uint8, offset=8)
    pixels = np.frombuffer(gzip.decompress(TEST.read_bytes()), np.uint8, offset=16).reshape(-1, 1, 28, 28)
    items = {"input": pixels.astype(np.float32) / np.float32(255)}
    network = ROOT / "models/fashion/fashion.onnx"
    best, _ = right(options.tessera, network, options.folder)
    print(f"ONNX Runtime {ort.__version__}, {len(pixels):,} images\n{'float32':18} {best:6,} right")
    ok = True
    for method in ["minmax", "percentile", "entropy"]:
        made = options.folder / f"{method}.onnx"
        tessera(options.tessera, "quantize", network, "--data", TRAIN, "--first", 256, "--method", method, "-o", made)
        hits, have = right(options.tessera, made, options.folder)
        good = hits >= best - MOST_LOST * len(pixels)
        print(f"{method:18} {hits:6,} right{'' if good else '   TOO FEW'}")
        ok &= good
        for level, session in sessions(made):
            output, want = answers(session, items)
            line, _, same = differ(onnx.load(made), output, want, have, MOST_STEPS)
            theirs = int((want.argmax(1) == labels).sum())
            other = int((want.argmax(1) != have.argmax(1)).sum())
            far = "" if same else "   TOO FAR"
            print(f"  {level:16} {theirs:6,} right, {other} images of another class, values: {line.strip()}{far}")
            ok &= same
    print("ok" if ok else "not as it should be")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
