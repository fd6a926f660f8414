#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the networks of bench/networks.py take to compile for host and accelerator, as a Markdown table.

  python3 bench/compile_times.py                              this tree's compiler
  python3 bench/compile_times.py --limit 5                    and whether none takes more than 5 s
  python3 bench/compile_times.py --beside OTHER/bin/tessera   and how often an older one's time that is

Each compilation is a process of its own on one core; the compilers take turns, so that a slow moment of the machine is
both's. The time is the processor's, of the whole command; the table has the median of all rounds, of two compilers the
median of the ratios of the rounds with its quartiles, and the sums over the networks. Networks that are not there are
named and left out. Needs Python alone.

Exit status: 0 done, 1 --beside: a ratio is above 1 + ALLOW, --limit: a network takes longer, 2 something is missing or
failed.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from networks import ROOT, Problem, end_with, present
from turns import commands_of, print_head, print_row, ratios, run, take_turns


def measure(commands, model, rounds):
    """Processor times of compilations of |model| by each of |commands|."""
    with tempfile.TemporaryDirectory() as folder:
        def seconds(command):
            used = run([command, "compile", model, "-o", Path(folder) / "net.tsr"], model)
            return used.ru_utime + used.ru_stime

        return take_turns(commands, rounds, seconds)


def main():
    parser = argparse.ArgumentParser(description="Times of compilation.", epilog="example: python3 bench/compile_times.py "
                                     "--beside ../old/build/bin/tessera --rounds 21")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build of this tree (default: build)")
    parser.add_argument("--beside", metavar="TESSERA", type=Path, help="another compiler's command")
    parser.add_argument("--rounds", type=int, default=11, help="compilations of each network (default: 11; least 2)")
    parser.add_argument("--allow", type=float, default=0.0, help="what a ratio may be above 1 (default: 0)")
    parser.add_argument("--limit", type=float, help="the most seconds that this tree's compiler may take for a network")
    options = parser.parse_args()
    if options.limit is not None and options.limit <= 0:
        raise Problem("--limit: above 0 seconds")
    if options.rounds < 2:
        raise Problem("--rounds: at least 2")
    commands = commands_of(options.build, options.beside)
    print_head(len(commands), "ratio")
    slower, sums = [], [0.0] * len(commands)
    for network, model in present(options.build):
        times = measure(commands, model, options.rounds)
        middles = [statistics.median(t) for t in times]
        sums = [a + b for a, b in zip(sums, middles)]
        cells = [network.title] + [f"{1000 * m:,.1f}" for m in middles]
        if len(commands) == 2:
            ratio, text = ratios(*times)
            cells.append(text)
            if ratio > 1 + options.allow:
                slower.append(f"{network.title}: {ratio:.3f}")
        print_row(cells)
        if options.limit is not None and middles[0] > options.limit:
            slower.append(f"{network.title}: {middles[0]:.2f} s, above {options.limit:g} s")
    total = ["total"] + [f"{1000 * s:,.1f}" for s in sums]
    if len(sums) == 2 and sums[1] > 0:
        total.append(f"{sums[0] / sums[1]:.3f}")
    print_row(total)
    for line in slower:
        print(f"slower: {line}", file=sys.stderr)
    return 1 if slower else 0


if __name__ == "__main__":
    end_with(main)
