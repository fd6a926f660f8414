#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the one-operator TFLite files of tests/data/tflite_ops and what the interpreter's reference kernels make of
seeded inputs. The same versions of the packages (requirements.txt) write the same bytes.

  python3 make.py            writes the files
  python3 make.py --check    fails if they would be other ones
"""

import argparse
import gzip
import json
import zlib
from pathlib import Path

import numpy as np

import cases
import hard
import moves
import plain
import recurrent
import wide
from build import DTYPES, FLOAT, INT16, INT32, UINT8, is_given, one_operator
from folder import settle
from oracle import Rng, check, open_both, run

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "data" / "tflite_ops"


def float_values(rng, count, scale, zero):
    """Values around every integer of the quantised range and beyond, many exactly between two."""
    halves = rng.range(-560, 560, count) / 2 - zero
    values = halves * float(scale) + np.where(rng.range(0, 1, count) == 1, 0, (rng.unit(count) - 0.5) * float(scale))
    return values.astype("<f4")


def int16_values(rng, count, k):
    """Those of run |k|: random, both extremes, near 0, a ramp over all."""
    if k == 0:
        return rng.range(-32768, 32767, count)
    if k == 1:
        return np.where(rng.int8(count) < 0, -32768, 32767)
    if k == 2:
        return rng.range(-300, 300, count)
    return (np.arange(count) * max(1, 65536 // count) + rng.range(0, 65535)) % 65536 - 32768


def input_sets(rng, tensors, result):
    """Four inferences: random, both extremes, near the zero points, a ramp."""
    sets = []
    for k in range(4):
        values = []
        for tensor in tensors:
            count = int(np.prod(tensor.shape))
            if tensor.draw:
                flat = tensor.draw(rng, count, k)
            elif tensor.dtype == FLOAT:
                flat = float_values(rng, count, result.scale[0], result.zero)
                if k == 1:
                    far = 1e6 if result.dtype != INT16 else 1e4  # the kernel is undefined beyond int32
                    flat[:8] = [0.0, -0.0, 1e3, -1e3, far, -far, 1e-40, -1e-40]
            elif tensor.dtype == INT32:  # indices
                flat = rng.range(0, tensor.zero, count)
            elif tensor.dtype == INT16:
                flat = int16_values(rng, count, k)
            elif k == 0:
                flat = rng.int8(count)
            elif k == 1:
                flat = np.where(rng.int8(count) < 0, -128, 127)
            elif k == 2:
                zero = tensor.zero - (128 if tensor.dtype == UINT8 else 0)
                flat = np.clip(zero + rng.range(-3, 3, count), -128, 127)
            else:
                flat = (np.arange(count) + rng.range(0, 255)) % 256 - 128
            if tensor.dtype == UINT8:
                flat = np.asarray(flat, np.int16) + 128
            values.append(np.ascontiguousarray(flat, DTYPES[tensor.dtype]).reshape(tensor.shape))
        sets.append(values)
    return sets


def make_case(operator, maker, k, seed):
    """The file's bytes, its runs, and how many different values the first run's results have."""
    rng = Rng(seed)
    inputs, outputs, made, *extra = maker(rng, k)
    between = extra.pop() if operator in recurrent.OPERATORS else ()
    content = one_operator(operator, inputs, outputs, made, between)
    interpreter = open_both(operator, content)[0]()
    given = [tensor for tensor in inputs if is_given(tensor)]
    runs, different = [], 0
    for values in input_sets(rng, given, outputs[0]) + sum(extra, []):
        results = run(interpreter, values)
        for tensor, result in zip(outputs, results, strict=True):
            if list(result.shape) != tensor.shape:
                raise SystemExit(f"{operator} {k}: the interpreter gives {result.shape}, the file says {tensor.shape}")
        if not runs:
            different = len(np.unique(results[0]))
        runs.append({"inputs": [v.tobytes().hex() for v in values], "outputs": [r.tobytes().hex() for r in results]})
    return content, runs, different


def same(one, other, near):
    """Whether two results are one; |near|: floats but for their last places."""
    if near and one.dtype == np.float32:
        return np.allclose(one, other, rtol=1e-5, atol=1e-6)
    return one.tobytes() == other.tobytes()


def other_results(operator, content, inputs, runs, near):
    """LiteRT's results where they are others: a run gets them as "litert-2.3". Not of files that it misreads: beside int16 it
    takes every bias for one of int64."""
    if any(t is not None and t.dtype == INT16 for t in inputs) and any(t is not None and t.dtype == INT32 and t.scale is not None for t in inputs):
        return
    interpreter = open_both(operator, content)[1]()
    given = [tensor for tensor in inputs if is_given(tensor)]
    for one in runs:
        values = [np.frombuffer(bytes.fromhex(text), DTYPES[tensor.dtype]).reshape(tensor.shape)
                  for tensor, text in zip(given, one["inputs"], strict=True)]
        results = run(interpreter, values)
        wanted = [np.frombuffer(bytes.fromhex(text), r.dtype).reshape(r.shape) for text, r in zip(one["outputs"], results, strict=True)]
        if not all(same(r, w, near) for r, w in zip(results, wanted, strict=True)):
            one["litert-2.3"] = [r.tobytes().hex() for r in results]


def make_all():
    """Path from FOLDER -> bytes. Of several draws of scales and zero points the one with the most different results
    is kept, as many draws clamp everything to one value; every sixth file is the first draw as it comes."""
    files, listed = {}, []
    families = cases.FAMILIES + hard.FAMILIES + moves.FAMILIES + recurrent.FAMILIES + plain.FAMILIES + wide.FAMILIES
    for operator, count, maker, extra in families:
        for k in range(count):
            name = "_".join(filter(None, [operator.lower(), extra, f"{k:02}"]))
            seeds = [zlib.crc32(f"{name} {draw}".encode()) for draw in range(1 if k % 6 == 5 or extra == "hard" else 24)]
            draws = [(seed, *make_case(operator, maker, k, seed)) for seed in seeds]
            seed, content, runs, _ = max(draws, key=lambda draw: draw[3])
            other_results(operator, content, maker(Rng(seed), k)[0], runs, "float" in name)
            files[f"{name}.tflite"] = content
            listed.append({"name": name, "operator": operator, "seed": seed, "runs": runs})
    lines = ",\n".join(json.dumps(case) for case in listed)
    text = '{"oracle": %s,\n"cases": [\n%s\n]}\n' % (json.dumps(check()), lines)
    files["cases.json.gz"] = gzip.compress(text.encode(), 9, mtime=0)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the files that are there instead of writing")
    arguments = parser.parse_args()
    files = make_all()
    settle(FOLDER, files, arguments.check)
    print(f"{len(files) - 1} operators, {sum(map(len, files.values()))} bytes {'are as they were' if arguments.check else 'written'}")


if __name__ == "__main__":
    main()
