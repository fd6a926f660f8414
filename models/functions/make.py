#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/functions: what TFLite's reference kernels and ONNX Runtime make of all 256 values of an int8 tensor, for
every function of one value that the importers read and many scales and zero points.

  python3 make.py            writes the files
  python3 make.py --check    fails if they would be other ones
  python3 make.py --others   prints where other kernels of the same packages differ
"""

import argparse
import gzip
import json
import sys
import zlib
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tflite_ops"))
import onnx_cases  # noqa: E402
import oracle  # noqa: E402
import tflite_cases  # noqa: E402
from folder import settle  # noqa: E402
from scales import draw  # noqa: E402

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "data" / "functions"
BRANCHES = 33


def branches_of(name, function, fixed=None, least=0):
    rng = oracle.Rng(zlib.crc32(name.encode()))
    with np.errstate(all="ignore"):
        return [draw(rng, k, function, fixed, least) for k in range(BRANCHES)]


def text(results):
    return [r.tobytes().hex() for r in results]


def onnx_models():
    for name, steps in onnx_cases.CASES.items():
        yield name, onnx_cases.model(steps, branches_of(f"onnx {name}", onnx_cases.in_float(steps)))


def tflite_models():
    for name, case in tflite_cases.CASES.items():
        yield name, tflite_cases.model(case, branches_of(f"tflite {name}", tflite_cases.function(case), case.fixed, case.least))


def onnx_file():
    if onnx_cases.VERSION != onnx_cases.WANTED:
        sys.exit(f"onnxruntime {onnx_cases.VERSION} is installed, the files are made with {onnx_cases.WANTED}: see requirements.txt")
    cases = [{"name": name, "model": content.hex(), "results": text(onnx_cases.run(content, BRANCHES))} for name, content in onnx_models()]
    return {"package": onnx_cases.PACKAGE, "version": onnx_cases.VERSION, "kernels": "ORT_DISABLE_ALL"}, cases


def tflite_file():
    about, cases = oracle.check(), []
    for name, content in tflite_models():
        one, other = (tflite_cases.run(o, BRANCHES) for o in oracle.open_both(tflite_cases.CASES[name].operators[0][0], content))
        if text(other) != text(one):
            sys.exit(f"{name}: LiteRT gives other integers; they have to be kept too")
        cases.append({"name": name, "model": content.hex(), "results": text(one)})
    return about, cases


def packed(about, cases):
    about = {"written by": "models/functions/make.py", **about}
    body = ",\n".join(json.dumps(case) for case in cases)
    return gzip.compress(('{"oracle": %s,\n"cases": [\n%s\n]}\n' % (json.dumps(about), body)).encode(), 9, mtime=0)


def others():
    """Other kernels of the same packages, one line a model."""
    def line(what, name, usual, other):
        usual, other = (np.array(r, np.int64) for r in (usual, other))
        if not np.array_equal(usual, other):
            print(f"{what} {name}: {np.count_nonzero(usual != other)} of {usual.size} values, by at most {abs(usual - other).max()}")

    best = onnx_cases.ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    for name, content in onnx_models():
        line("optimised ONNX Runtime,", name, onnx_cases.run(content, BRANCHES), onnx_cases.run(content, BRANCHES, best))
    fast = oracle.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    for name, content in tflite_models():
        usual, litert = (tflite_cases.run(o, BRANCHES) for o in oracle.open_both(tflite_cases.CASES[name].operators[0][0], content))
        line("LiteRT,", name, usual, litert)
        line("optimised TFLite,", name, usual, tflite_cases.run(lambda c=content: oracle.open_model(c, fast), BRANCHES))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the files that are there instead of writing")
    parser.add_argument("--others", action="store_true", help="compare with other kernels, write nothing")
    arguments = parser.parse_args()
    if arguments.others:
        return others()
    made = {name: file() for name, file in (("onnx.json.gz", onnx_file), ("tflite.json.gz", tflite_file))}
    files = {name: packed(*file) for name, file in made.items()}
    settle(FOLDER, files, arguments.check)
    functions = sum(len(cases) for _, cases in made.values())
    print(f"{functions} functions of {BRANCHES} scales and 256 values, {sum(map(len, files.values()))} bytes "
          f"{'are as they were' if arguments.check else 'written'}")


if __name__ == "__main__":
    main()
