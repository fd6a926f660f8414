#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes goldens/NETWORK.json.gz: what the TFLite interpreter's reference kernels give for 25 inputs of each network,
a CRC-64 of every operator's result and all bytes of the last ones. The same versions write the same bytes.

  python3 goldens.py                      with the packages of requirements.txt
  python3 goldens.py --venv FOLDER        makes a virtual environment there first and uses it
  python3 goldens.py --check              fails if the files would be other ones
  --models FOLDER                         the networks (default: $TESSERA_MODELS or ../shared/models beside the checkout)

It stops unless the interpreter has the wanted version, uses reference kernels without delegates and rounds twice
(../tflite_ops/oracle.py).
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

from networks import HERE, NETWORKS, default_folder, read

FOLDER = HERE / "goldens"
RANDOM_INPUTS = 20


def in_environment(folder):
    """Runs this command again with the packages of requirements.txt in |folder|."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    wanted = HERE / "requirements.txt"
    if subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted], check=False).returncode:
        raise SystemExit(f"the packages of {wanted} cannot be installed into {folder}: is there a network?")
    rest = [a for k, a in enumerate(sys.argv[1:]) if a != "--venv" and (k == 0 or sys.argv[k] != "--venv") and not a.startswith("--venv=")]
    os.execv(python, [str(python), __file__, *rest])


def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0xC96C5795D7870F42 if value & 1 else 0)
        table.append(value)
    return table


CRC_TABLE = crc_table()


def crc64(content):
    """CRC-64/XZ, as base/hash.h has it."""
    crc = 2**64 - 1
    for byte in content:
        crc = CRC_TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 2**64 - 1


def inputs_of(shape, zero):
    """(name, values) of the 25 inputs: tests/models/goldens.cc makes the same ones."""
    import numpy as np
    from oracle import Rng

    count = int(np.prod(shape))
    sets = [(f"random {seed}", Rng(seed).int8(count)) for seed in range(1, RANDOM_INPUTS + 1)]
    index = np.arange(count)
    coordinates = sum(np.unravel_index(index, shape))
    sets += [("least", np.full(count, -128)), ("greatest", np.full(count, 127)), ("zero point", np.full(count, zero)),
             ("ramp", index % 256 - 128), ("checkerboard", np.where(coordinates % 2 == 0, -128, 127))]
    return [(name, np.ascontiguousarray(values, np.int8).reshape(shape)) for name, values in sets]


def golden(network, content, oracle):
    """The file's text."""
    from oracle import open_model, run, with_all_results

    interpreter = open_model(with_all_results(content))
    (given,), (result,) = interpreter.get_input_details(), open_model(content).get_output_details()
    operators = interpreter._get_ops_details()
    made = [[int(t) for t in op["outputs"]] for op in operators]
    if any(len(tensors) != 1 for tensors in made) or made[-1] != [result["index"]]:
        raise SystemExit(f"{network.file}: an operator with several results, or the last one's is not the output")
    names = [f"{op['op_name'].lower()}_{k}" for k, op in enumerate(operators)]
    shapes = [[int(n) for n in interpreter._get_tensor_details(t[0], 0)["shape"]] for t in made]
    keep = len(names) - (2 if operators[-1]["op_name"] == "SOFTMAX" else 1)  # bytes from this operator on
    runs = []
    for name, values in inputs_of([int(n) for n in given["shape"]], int(given["quantization"][1])):
        run(interpreter, [values])
        results = [interpreter.get_tensor(tensors[0]).tobytes() for tensors in made]
        runs.append({"input": name, "input_crc": f"{crc64(values.tobytes()):016x}",
                     "crc": [f"{crc64(r):016x}" for r in results], "bytes": [r.hex() for r in results[keep:]]})
    head = {"network": network.name, "file": network.file, "sha256": network.sha256, "file_crc": f"{crc64(content):016x}",
            "oracle": oracle, "input_shape": [int(n) for n in given["shape"]], "input_zero": int(given["quantization"][1]),
            "first_with_bytes": keep}
    rows = ",\n".join(json.dumps({"name": n, "shape": s}) for n, s in zip(names, shapes))
    lines = ",\n".join(json.dumps(r) for r in runs)
    return f'{json.dumps(head)[:-1]},\n"operators": [\n{rows}\n],\n"runs": [\n{lines}\n]}}\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=Path, help="a folder for a virtual environment with the wanted packages")
    parser.add_argument("--models", type=Path, default=default_folder(), help="where the networks are")
    parser.add_argument("--check", action="store_true", help="compare with the files that are there instead of writing")
    arguments = parser.parse_args()
    if arguments.venv:
        in_environment(arguments.venv.resolve())
    sys.path.insert(0, str(HERE.parent / "tflite_ops"))
    try:
        import oracle
    except ImportError as error:
        raise SystemExit(f"{error}: install requirements.txt, or use --venv FOLDER") from error
    found = oracle.check()
    for network in NETWORKS:
        text = golden(network, read(network, arguments.models), found)
        content = gzip.compress(text.encode(), 9, mtime=0)
        path = FOLDER / f"{network.name}.json.gz"
        if arguments.check:
            if not path.exists() or gzip.decompress(path.read_bytes()) != text.encode():
                raise SystemExit(f"{path}: the interpreter gives other results now")
        else:
            FOLDER.mkdir(exist_ok=True)
            path.write_bytes(content)
        print(f"{path.name}: {len(path.read_bytes())} bytes, {text.count('input_crc')} inputs")


if __name__ == "__main__":
    main()
