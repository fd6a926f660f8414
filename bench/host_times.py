#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long inferences of the networks of bench/networks.py take on the host, on one thread, as a Markdown table.

  python3 bench/host_times.py                                         this tree's host code
  python3 bench/host_times.py --beside OTHER/bin/tessera              and how many times as long an older one's takes
  python3 bench/host_times.py --beside OTHER/bin/tessera --network resnet18 --least 6    and whether that is 6 times

Each build compiles a network with its own compiler and runs it with its own `run --device cpu`: artifacts of any version
can be compared. A run is a process of its own on one core, over --items inputs of random bytes; the builds take turns, so
that a slow moment of the machine is both's, and the time is what `run --json` says of the inferences. The table has the
median of all rounds, of two builds the median of the ratios of the rounds with its quartiles. host_kernels times the
kernels of artifacts of this version one by one. Networks that are not there are named and left out. Needs Python alone.

Exit status: 0 done, 1 --least: a ratio is below it, 2 something is missing or failed.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from networks import NETWORKS, ROOT, Problem, end_with, present, write_npy
from turns import commands_of, print_head, print_row, ratios, run, take_turns


def measure(commands, network, model, items, rounds):
    """Seconds of an inference by each of |commands|, a list of |rounds| each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_npy(folder / "items.npy", network, 1, items)
        artifacts = {}
        for i, command in enumerate(commands):
            artifacts[command] = folder / f"{i}.tsr"
            run([command, "compile", model, "--target", "cpu", "-o", artifacts[command]], model)

        def seconds(command):
            run([command, "run", artifacts[command], "--device", "cpu", "--input", folder / "items.npy", "--json",
                 folder / "said.json"], model)
            return json.loads((folder / "said.json").read_text())["seconds"] / items

        return take_turns(commands, rounds, seconds)


def main():
    parser = argparse.ArgumentParser(description="Times of inferences on the host.", epilog="example: python3 "
                                     "bench/host_times.py --beside ../old/build/bin/tessera --network resnet18")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build of this tree (default: build)")
    parser.add_argument("--beside", metavar="TESSERA", type=Path, help="another build's command")
    parser.add_argument("--network", action="append", choices=[n.key for n in NETWORKS], help="this one alone; may be repeated")
    parser.add_argument("--items", type=int, default=64, help="inferences of a run (default: 64)")
    parser.add_argument("--rounds", type=int, default=11, help="runs of each (default: 11; least 2)")
    parser.add_argument("--least", type=float, default=0.0, help="what a ratio has to be (default: 0)")
    options = parser.parse_args()
    if options.items < 1 or options.rounds < 2:
        raise Problem("--items: at least 1; --rounds: at least 2")
    commands = commands_of(options.build, options.beside)
    print_head(len(commands), "times as long")
    below = []
    for network, model in present(options.build, options.network):
        times = measure(commands, network, model, options.items, options.rounds)
        cells = [network.title] + [f"{1000 * statistics.median(t):,.3f}" for t in times]
        if len(commands) == 2:
            ratio, text = ratios(times[1], times[0])
            cells.append(text)
            if ratio < options.least:
                below.append(f"{network.title}: {ratio:.3f}, below {options.least:g}")
        print_row(cells)
    for line in below:
        print(line, file=sys.stderr)
    return 1 if below else 0


if __name__ == "__main__":
    end_with(main)
