#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles of seven networks on the accelerator's RTL, as a Markdown table beside published FPGA results.

  python3 bench/networks.py            prints the table
  python3 bench/networks.py --update   writes it and what ./run.sh prints to README.md, the cycles to tests/models/cycles.json
  python3 bench/networks.py --check    runs nothing: README.md's figures against those of tests/models/cycles.json

Runs `tessera compare --devices rtl --json` (configuration default, memory model tsim) on the example network, on the
four of MLPerf Tiny, which are looked for in $TESSERA_MODELS, otherwise in ../shared/models (see
models/mlperf_tiny/README.md), and on those that models/imagenet/make.py writes in a build. Networks that are not there are
named and left out. Inputs are random bytes from a seed; each network runs on two of them, which must take the same
cycles. Takes some four minutes. Needs Python alone.

Times are at 100 MHz, VTA's clock. Exit status: 0 done, 1 cycles depend on the input, or README.md has other figures, 2 something is missing or failed.
"""

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CYCLES = ROOT / "tests/models/cycles.json"
TABLE = "<!-- printed by bench/networks.py -->\n", "<!-- end of bench/networks.py -->\n"
RUN = "<!-- printed by ./run.sh -->\n```\n", "```\n"
SEEDS = (1, 2)
CLOCK_MHZ = 100     # VTA's; tessera compare takes it for configuration default too
MACS_PER_CYCLE = 256  # of configuration default


class Network(NamedTuple):
    key: str
    title: str
    file: str           # below ROOT or the build, or the name of a file of MLPerf Tiny
    shape: tuple        # of one input, in the file's order
    floats: bool        # float32 in [0, 1] instead of int8
    published: str      # system, board, round and division: milliseconds, measured


ZEDBOARD = "fpgaConvNet, ZedBoard (XC7Z020), {} MHz, v1.1 closed: **{} ms**"
NETWORKS = (
    Network("fashion", "Fashion-MNIST ResNet-8 (ours)", "models/fashion/fashion_int8.onnx", (1, 1, 28, 28), True, "-"),
    Network("image_classification", "image classification, ResNet-8", "pretrainedResnet_quant.tflite", (1, 32, 32, 3), False,
            ZEDBOARD.format(143, "0.411")),
    Network("keyword_spotting", "keyword spotting, DS-CNN", "kws_ref_model.tflite", (1, 49, 10, 1), False,
            ZEDBOARD.format(143, "0.324")),
    Network("visual_wake_words", "visual wake words, MobileNet 0.25", "vww_96_int8.tflite", (1, 96, 96, 3), False,
            ZEDBOARD.format(111, "9.487")),
    Network("anomaly_detection", "anomaly detection, autoencoder", "ad01_int8.tflite", (1, 640), False,
            "no FPGA in the closed division"),
    Network("resnet18", "ResNet-18, 224x224", "models/imagenet/resnet18_int8.onnx", (1, 3, 224, 224), True, "-"),
    Network("mobilenetv2", "MobileNetV2, 224x224", "models/imagenet/mobilenetv2_int8.onnx", (1, 3, 224, 224), True, "-"),
)


class Problem(Exception):
    """Something the user has to put right."""


def end_with(main):
    """Ends the script with the status that |main| gives; a problem is a line of stderr and status 2."""
    try:
        sys.exit(main())
    except (Problem, OSError) as problem:
        print(f"{Path(sys.argv[0]).name}: {problem}", file=sys.stderr)
        sys.exit(2)


def write_npy(path, network, seed, items=1):
    """Writes |items| inputs of random bytes in the .npy format, version 1."""
    count = items
    for extent in network.shape:
        count *= extent
    data = random.Random(seed).randbytes(count)
    if network.floats:
        data = struct.pack(f"<{count}f", *(byte / 255 for byte in data))
    kind = "<f4" if network.floats else "|i1"
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {(items, *network.shape[1:])}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def find(network, build):
    """The file of |network|; None: it is not there."""
    models = Path(os.environ.get("TESSERA_MODELS") or ROOT / "../shared/models")
    places = (ROOT / network.file, build / network.file) if "/" in network.file else (models / network.file,)
    return next((path for path in places if path.is_file()), None)


def present(build, keys=None):
    """Those of |keys|, None: all, that are there, with their files; the others are named on stderr."""
    for network in NETWORKS:
        if keys and network.key not in keys:
            continue
        model = find(network, build)
        if model is not None:
            yield network, model
        else:
            print(f"{network.title} is left out: {network.file} is not there (see models/mlperf_tiny/README.md, "
                  "models/imagenet/README.md)", file=sys.stderr)


def run(command, model, network, folder):
    """The totals of `tessera compare`; cycles are checked to be the same for each seed."""
    totals = []
    for seed in SEEDS:
        data, report = folder / "input.npy", folder / "report.json"
        write_npy(data, network, seed)
        done = subprocess.run([command, "compare", model, "--devices", "rtl", "--input", data, "--json", report],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise Problem(f"{model}: tessera compare ended with {done.returncode}: {done.stderr.strip()}")
        totals.append(json.loads(report.read_text(encoding="utf-8"))["totals"])
    cycles = [t["cycles"] for t in totals]
    if len(set(cycles)) != 1:
        print(f"{model}: {cycles} cycles for seeds {SEEDS}: they depend on the input", file=sys.stderr)
        sys.exit(1)
    return totals[0]


def table(results):
    lines = ["| " + " | ".join(["network", "MACs", "cycles", "of the array", f"ms at {CLOCK_MHZ} MHz",
                                "published, measured on a board"]) + " |", "|---|---:|---:|---:|---:|---|"]
    for network, totals in results:
        cells = [network.title, f"{totals['macs']:,}", f"{totals['cycles']:,}", f"{100 * totals['utilisation']:.1f} %",
                 f"{totals['cycles'] / (1000 * CLOCK_MHZ):.3f}", network.published]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main_job():
    """What ./run.sh prints, its table of predictions left out; tests/tools compares it with README.md."""
    done = subprocess.run([ROOT / "run.sh"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    before, image, rest = done.stdout.partition("\nPredicted class of each image:\n")
    _, cpu, after = rest.partition("\ncpu: ")
    if done.returncode != 0 or not image or not cpu:
        raise Problem(f"./run.sh ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return before + "\n..." + cpu + after


def put(text, marks, content):
    """|text| with |content| between the two |marks|."""
    before, begin, rest = text.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not begin or not end:
        raise Problem(f"README.md: no {marks[0].strip()} with an end to write between")
    return before + begin + content + end + after


def update(results):
    if len(results) != len(NETWORKS):
        raise Problem("--update needs all networks")
    readme = ROOT / "README.md"
    text = put(readme.read_text(encoding="utf-8"), TABLE, table(results))
    readme.write_text(put(text, RUN, main_job()), encoding="utf-8")
    golden = {network.key: totals["cycles"] for network, totals in results}
    CYCLES.write_text(json.dumps(golden, indent=2) + "\n", encoding="utf-8")


def check():
    """Whether README.md's table is that of the golden cycles; its multiply-accumulates are believed."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    there = text.partition(TABLE[0])[2].partition(TABLE[1])[0]
    golden = json.loads(CYCLES.read_text(encoding="utf-8"))
    results = []
    for network, row in zip(NETWORKS, there.splitlines()[2:]):
        macs, cycles = int(row.split("|")[2].replace(",", "")), golden[network.key]
        results.append((network, {"macs": macs, "cycles": cycles, "utilisation": macs / (cycles * MACS_PER_CYCLE)}))
    if table(results) == there:
        return
    print(f"README.md has another table than tests/models/cycles.json:\n{there}---\n{table(results)}", file=sys.stderr)
    sys.exit(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", type=Path, default=ROOT / "build/bin/tessera", help="the command (default: %(default)s)")
    parser.add_argument("--update", action="store_true", help="write README.md and tests/models/cycles.json")
    parser.add_argument("--check", action="store_true", help="compare README.md with tests/models/cycles.json")
    arguments = parser.parse_args()
    if arguments.check:
        check()
        return
    if not arguments.tessera.is_file():
        raise Problem(f"{arguments.tessera}: not found; build the project, or name the command with --tessera")
    with tempfile.TemporaryDirectory() as folder:
        results = [(network, run(arguments.tessera, model, network, Path(folder)))
                   for network, model in present(arguments.tessera.resolve().parents[1])]
    if arguments.update:
        update(results)
    print(table(results), end="")


if __name__ == "__main__":
    end_with(main)
