#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed of the simulators on one network, side by side in one run, as a Markdown table.

  python3 bench/simulators.py [NETWORK]   resnet18 (default) or another of bench/networks.py

Compiles the network for configuration default (memory model tsim), then runs it on func, cycle and rtl by turns, each in
a process of its own on one core: ROUNDS times, func and cycle three times a round. The table has the least time of each,
of the inference alone, and how often the RTL's time holds the others'. Cycles of cycle and rtl must be equal. Takes some
two minutes for ResNet-18. Needs Python alone.

Exit status: 0 done, 1 cycles differ, 2 something is missing or failed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from networks import NETWORKS, ROOT, SEEDS, Problem, end_with, find, write_npy

ROUNDS = 2
TURNS = ("func", "cycle", "func", "cycle", "rtl", "func", "cycle")


def call(*command):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr.strip()}")


def measure(command, model, network, folder):
    """Least seconds and the cycles of each device."""
    artifact, data, report = folder / "net.tsr", folder / "input.npy", folder / "report.json"
    call(command, "compile", model, "-o", artifact)
    write_npy(data, network, SEEDS[0])
    seconds, cycles = {}, {}
    for device in ROUNDS * TURNS:
        call("taskset", "-c", "0", command, "run", artifact, "--device", device, "--input", data, "--json", report)
        run = json.loads(report.read_text(encoding="utf-8"))
        seconds[device] = min(run["seconds"], seconds.get(device, run["seconds"]))
        cycles[device] = run.get("cycles", 0)
    return seconds, cycles


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="?", default="resnet18", choices=[n.key for n in NETWORKS])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    options = parser.parse_args()
    network = next(n for n in NETWORKS if n.key == options.network)
    model = find(network, options.build)
    if model is None:
        raise Problem(f"{network.file} is not there; networks.py says where it is looked for")
    with tempfile.TemporaryDirectory() as folder:
        seconds, cycles = measure(options.build / "bin/tessera", model, network, Path(folder))
    print(f"{network.title}, one inference, one core\n")
    print("| device | seconds | cycles | thousand cycles a second | the RTL's time |\n|---|---:|---:|---:|---:|")
    for device in ("func", "cycle", "rtl"):
        s, c = seconds[device], cycles[device]
        print(f"| `{device}` | {s:.2f} | {c:,} | {c / s / 1000:,.0f} | {seconds['rtl'] / s:.1f} x |" if c else
              f"| `{device}` | {s:.2f} | - | - | {seconds['rtl'] / s:.1f} x |")
    if cycles["cycle"] != cycles["rtl"]:
        print(f"simulators.py: {cycles['cycle']} cycles on cycle, {cycles['rtl']} on rtl", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    end_with(main)
