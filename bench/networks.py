#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles of networks as Markdown tables: of seven on the accelerator's RTL, some beside published FPGA results, and of these
and others on the cycle model, with what the compiler leaves to the host.

  python3 bench/networks.py            runs the seven on the RTL and prints both tables
  python3 bench/networks.py --update   writes the first table to README.md and the second to docs/results.md, what ./run.sh
                                       prints to both (README.md: eight lines), the cycles to tests/models/cycles.json
  python3 bench/networks.py --check    runs nothing: compares the pages' figures with those of tests/models/cycles.json
  python3 bench/networks.py --coverage [NETWORK ...]            runs all or these on the cycle model and prints the third table
  python3 bench/networks.py --coverage --update                 writes it to docs/networks.md, the cycles of the networks that are
                                                                not among the seven to tests/models/cycles.json
  python3 bench/networks.py --coverage [NETWORK ...] --check    runs all or these and compares them with docs/networks.md and
                                                                tests/models/cycles.json

On the RTL: `tessera compare --devices rtl --json` (configuration default, memory model tsim) on the example network, on the
four of MLPerf Tiny, which are looked for in $TESSERA_MODELS, otherwise in ../shared/models (see
models/mlperf_tiny/README.md), and on those that models/imagenet/make.py writes in a build. Networks that are not there are
named and left out. Inputs are random bytes from a seed; each network runs on two of them, which must take the same
cycles. Takes some four minutes. Needs Python alone.

With --coverage: `tessera compare --devices cpu,func,cycle --json` on one such input, also on the networks that
models/tasks/make.py writes in a build; every value must be the same on the three. Takes some three minutes.

Times are at 100 MHz, VTA's clock. Exit status: 0 done, 1 cycles depend on the input, or a page has other figures, 2 something is missing or failed.
"""

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CYCLES = ROOT / "tests/models/cycles.json"
README, RESULTS, COVERED = ROOT / "README.md", ROOT / "docs/results.md", ROOT / "docs/networks.md"
TABLE = "<!-- printed by bench/networks.py -->\n", "<!-- end of bench/networks.py -->\n"
COMPARED = "<!-- compared by bench/networks.py -->\n", "<!-- end of comparison -->\n"
RUN = "<!-- printed by ./run.sh -->\n```\n", "```\n"
IMAGES = "/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz"
LINES = (f"<!-- lines of tessera compare models/fashion/fashion_int8.onnx --devices cpu,func,rtl --input {IMAGES} --first 16 -->\n"
         "```\n", "```\n")
SHOWN = "layer ", "stem_conv/", "stage1_conv1_", "stage1_conv2/", "fc/Gemm ", "total "  # the rows in README.md
SEEDS = (1, 2)
CLOCK_MHZ = 100     # VTA's; tessera compare takes it for configuration default too
MACS_PER_CYCLE = 256  # of configuration default


class Network(NamedTuple):
    key: str
    title: str
    file: str           # below ROOT or the build, or the name of a file of MLPerf Tiny
    shape: tuple        # of one input, in the file's order
    floats: bool        # float32 in [0, 1] instead of int8
    published: str = "-"  # system, board, round and division: milliseconds, measured


ZEDBOARD = "fpgaConvNet, ZedBoard (XC7Z020), {} MHz, v1.1 closed: **{} ms**"
NETWORKS = (
    Network("fashion", "Fashion-MNIST ResNet-8 (ours)", "models/fashion/fashion_int8.onnx", (1, 1, 28, 28), True),
    Network("image_classification", "image classification, ResNet-8", "pretrainedResnet_quant.tflite", (1, 32, 32, 3), False,
            ZEDBOARD.format(143, "0.411")),
    Network("keyword_spotting", "keyword spotting, DS-CNN", "kws_ref_model.tflite", (1, 49, 10, 1), False,
            ZEDBOARD.format(143, "0.324")),
    Network("visual_wake_words", "visual wake words, MobileNet 0.25", "vww_96_int8.tflite", (1, 96, 96, 3), False,
            ZEDBOARD.format(111, "9.487")),
    Network("anomaly_detection", "anomaly detection, autoencoder", "ad01_int8.tflite", (1, 640), False,
            "no FPGA in the closed division"),
    Network("resnet18", "ResNet-18, 224x224", "models/imagenet/resnet18_int8.onnx", (1, 3, 224, 224), True),
    Network("mobilenetv2", "MobileNetV2, 224x224", "models/imagenet/mobilenetv2_int8.onnx", (1, 3, 224, 224), True),
)
OTHERS = (  # with --coverage alone
    Network("efficientnetlite0", "EfficientNet-Lite0, 224x224", "models/imagenet/efficientnetlite0_int8.onnx", (1, 3, 224, 224), True),
    Network("squeezenet", "SqueezeNet 1.1, 224x224", "models/imagenet/squeezenet_int8.onnx", (1, 3, 224, 224), True),
    Network("shufflenetv2", "ShuffleNetV2 0.5, 224x224", "models/imagenet/shufflenetv2_int8.onnx", (1, 3, 224, 224), True),
    Network("mobilenetv3small", "MobileNetV3-Small, 224x224", "models/imagenet/mobilenetv3small_int8.onnx", (1, 3, 224, 224), True),
    Network("detector", "detector, SiLU, 96x96", "models/tasks/detector_int8.onnx", (1, 3, 96, 96), True),
    Network("yolo", "YOLO of C2f blocks, 160x160", "models/tasks/yolo_int8.onnx", (1, 3, 160, 160), True),
    Network("unet", "U-Net, 64x64", "models/tasks/unet_int8.onnx", (1, 3, 64, 64), True),
    Network("cct", "compact transformer, 32x32", "models/tasks/cct_int8.onnx", (1, 3, 32, 32), True),
    Network("tinyvit", "block of TinyViT, 112x112", "models/tasks/tinyvit_int8.onnx", (1, 3, 112, 112), True),
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


def present(build, keys=None, networks=NETWORKS):
    """Those of |keys|, None: all of |networks|, that are there, with their files; the others are named on stderr."""
    for network in networks:
        if keys and network.key not in keys:
            continue
        model = find(network, build)
        if model is not None:
            yield network, model
        else:
            print(f"{network.title} is left out: {network.file} is not there (see models/mlperf_tiny/README.md, "
                  "models/imagenet/README.md, models/tasks/README.md)", file=sys.stderr)


def compare(command, model, network, folder, devices, seed):
    """What `tessera compare` reports."""
    data, report = folder / "input.npy", folder / "report.json"
    write_npy(data, network, seed)
    done = subprocess.run([command, "compare", model, "--devices", devices, "--input", data, "--json", report],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{model}: tessera compare ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(report.read_text(encoding="utf-8"))


def run(command, model, network, folder):
    """The totals of `tessera compare`; cycles are checked to be the same for each seed."""
    totals = [compare(command, model, network, folder, "rtl", seed)["totals"] for seed in SEEDS]
    cycles = [t["cycles"] for t in totals]
    if len(set(cycles)) != 1:
        print(f"{model}: {cycles} cycles for seeds {SEEDS}: they depend on the input", file=sys.stderr)
        sys.exit(1)
    return totals[0]


def table(results):
    lines = [f"| network | MACs | cycles | of the array | ms at {CLOCK_MHZ} MHz |", "|---|---:|---:|---:|---:|"]
    for network, totals in results:
        cells = [network.title, f"{totals['macs']:,}", f"{totals['cycles']:,}", f"{100 * totals['utilisation']:.1f} %",
                 f"{totals['cycles'] / (1000 * CLOCK_MHZ):.3f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def comparison(results):
    lines = [f"| network | cycles | ms at {CLOCK_MHZ} MHz | published, measured on a board |", "|---|---:|---:|---|"]
    for network, totals in results:
        if network.published != "-":
            cells = [network.title, f"{totals['cycles']:,}", f"{totals['cycles'] / (1000 * CLOCK_MHZ):.3f}", network.published]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def host_steps(report):
    """The number of steps that the host computes, and their operators. Leaves out one quantisation an input and one
    dequantisation an output. Steps that pack, unpack or copy name no operators in brackets."""
    left = Counter(step["step"].rpartition(" (")[2][:-1] for step in report["host"] if step["step"].endswith(")"))
    left -= Counter({"quantize": 1, "dequantize": len(report["outputs"])})
    steps = sorted(left.items(), key=lambda step: (-step[1], step[0]))
    return f"{left.total()}: " + ", ".join(f"{count} x {op}" for op, count in steps) if steps else "0"


def used(macs, cycles):
    """The share of the array's multiply-accumulates in |cycles| that |macs| are."""
    return f"{100 * macs / (cycles * MACS_PER_CYCLE):.1f} %"


def coverage_row(network, report):
    macs, on = report["coverage"]["macs"], report["coverage"]["accelerated_macs"]
    share = f"{100 * on / macs:.1f} %"
    cells = [network.title, f"{on:,}", "> 99.9 %" if share == "100.0 %" and on != macs else share, str(report["programs"]),
             f"{report['totals']['cycles']:,}", used(on, report["totals"]["cycles"]), host_steps(report)]
    return "| " + " | ".join(cells) + " |\n"


COVERAGE_HEAD = ("| network | MACs on the accelerator | of all | programs | cycles | of the array | steps left to the host |\n"
                 "|---|---:|---:|---:|---:|---:|---|\n")


def coverage(options, folder):
    """The third table; with --update and --check the pages' part in it."""
    golden = json.loads(CYCLES.read_text(encoding="utf-8"))
    rows, wrong = [], []
    for network, model in present(options.tessera.resolve().parents[1], options.coverage, NETWORKS + OTHERS):
        report = compare(options.tessera, model, network, folder, "cpu,func,cycle", SEEDS[0])
        rows.append(coverage_row(network, report))
        cycles = report["totals"]["cycles"]
        if golden.get(network.key) != cycles and not (options.update and network in OTHERS):
            wrong.append(f"{network.key}: {cycles} cycles; tests/models/cycles.json has {golden.get(network.key)}")
        golden[network.key] = cycles
        if options.check and rows[-1] not in between(COVERED, TABLE).splitlines(keepends=True):
            wrong.append(f"docs/networks.md has another row than\n{rows[-1].strip()}")
    print(COVERAGE_HEAD + "".join(rows), end="")
    if len(rows) != len(options.coverage or NETWORKS + OTHERS) and (options.update or options.coverage):
        raise Problem("some of the networks are not there")
    if wrong and (options.update or options.check):
        print("\n".join(wrong) + "\nAfter a review, python3 bench/networks.py --update writes the cycles of the seven, and with "
              "--coverage the others' and docs/networks.md", file=sys.stderr)
        sys.exit(1)
    if options.update:
        if options.coverage:
            raise Problem("--update needs all networks")
        put(COVERED, TABLE, COVERAGE_HEAD + "".join(rows))
        CYCLES.write_text(json.dumps(golden, indent=2) + "\n", encoding="utf-8")


def eight_lines(printed):
    """Of what ./run.sh prints: rows without the columns of words, the time, the last line. docs_test compares them."""
    lines = printed.splitlines()
    macs = next(line for line in lines if line.startswith("layer ")).index("     MACs")
    rows = [next(line for line in lines if line.startswith(begin)) for begin in SHOWN]
    rows = [f"{row[:32].rstrip():34}...  {row[macs:]}" for row in rows]
    return "\n".join([*rows, next(line for line in lines if " cycles an image are " in line), lines[-1]]) + "\n"


def main_job():
    """What ./run.sh prints, its table of predictions left out; tests/tools compares it with docs/results.md."""
    done = subprocess.run([ROOT / "run.sh"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    before, image, rest = done.stdout.partition("\nPredicted class of each image:\n")
    _, cpu, after = rest.partition("\ncpu: ")
    if done.returncode != 0 or not image or not cpu:
        raise Problem(f"./run.sh ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return before + "\n..." + cpu + after


def put(page, marks, content):
    """Writes |content| between the two |marks| of |page|."""
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not begin or not end:
        raise Problem(f"{page}: no {marks[0].strip()} with an end to write between")
    page.write_text(before + begin + content + end + after, encoding="utf-8")


def update(results):
    if len(results) != len(NETWORKS):
        raise Problem("--update needs all networks")
    put(README, TABLE, table(results))
    put(RESULTS, COMPARED, comparison(results))
    printed = main_job()
    put(RESULTS, RUN, printed)
    put(README, LINES, eight_lines(printed))
    golden = json.loads(CYCLES.read_text(encoding="utf-8"))
    golden.update({network.key: totals["cycles"] for network, totals in results})
    CYCLES.write_text(json.dumps(golden, indent=2) + "\n", encoding="utf-8")


def between(page, marks):
    return page.read_text(encoding="utf-8").partition(marks[0])[2].partition(marks[1])[0]


def golden_coverage(golden):
    """docs/networks.md's table with the golden cycles; the other figures are believed."""
    rows = []
    for network, row in zip(NETWORKS + OTHERS, between(COVERED, TABLE).splitlines()[2:]):
        cells = row.split(" | ")
        macs, cycles = int(cells[1].replace(",", "")), golden[network.key]
        rows.append(" | ".join(["| " + network.title, *cells[1:4], f"{cycles:,}", used(macs, cycles), *cells[6:]]) + "\n")
    return COVERAGE_HEAD + "".join(rows)


def check():
    """Whether the pages have the golden cycles, and the same lines of ./run.sh; the multiply-accumulates are believed."""
    golden = json.loads(CYCLES.read_text(encoding="utf-8"))
    results = []
    for network, row in zip(NETWORKS, between(README, TABLE).splitlines()[2:]):
        macs, cycles = int(row.split("|")[2].replace(",", "")), golden[network.key]
        results.append((network, {"macs": macs, "cycles": cycles, "utilisation": macs / (cycles * MACS_PER_CYCLE)}))
    wanted = ((README, TABLE, table(results)), (RESULTS, COMPARED, comparison(results)),
              (README, LINES, eight_lines(between(RESULTS, RUN))), (COVERED, TABLE, golden_coverage(golden)))
    for page, marks, right in wanted:
        there = between(page, marks)
        if there != right:
            print(f"{page}: {marks[0].strip()} has other figures than tests/models/cycles.json or docs/results.md:\n"
                  f"{there}---\n{right}", file=sys.stderr)
            sys.exit(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", type=Path, default=ROOT / "build/bin/tessera", help="the command (default: %(default)s)")
    parser.add_argument("--update", action="store_true", help="write the pages and tests/models/cycles.json")
    parser.add_argument("--check", action="store_true", help="compare the pages with tests/models/cycles.json")
    parser.add_argument("--coverage", nargs="*", metavar="NETWORK", choices=[n.key for n in NETWORKS + OTHERS],
                        help="the table of docs/networks.md, or the rows of these")
    options = parser.parse_args()
    if options.check and options.coverage is None:
        check()
        return
    if not options.tessera.is_file():
        raise Problem(f"{options.tessera}: not found; build the project, or name the command with --tessera")
    with tempfile.TemporaryDirectory() as folder:
        if options.coverage is not None:
            coverage(options, Path(folder))
            return
        results = [(network, run(options.tessera, model, network, Path(folder)))
                   for network, model in present(options.tessera.resolve().parents[1])]
    if options.update:
        update(results)
    print(table(results), comparison(results), sep="\n", end="")


if __name__ == "__main__":
    end_with(main)
