# SPDX-License-Identifier: Apache-2.0
"""Commands of several builds that are timed side by side: they take turns, on one core."""

import os
import statistics
import subprocess

from networks import Problem


def run(command, what):
    """Runs |command| on the first core that this process may use; its usage. |what|: of what, for the message."""
    core = min(os.sched_getaffinity(0))
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Problem(f"{what}: {command[0]} {command[1]} ended with {child.returncode}: {said.strip()}")
    return used


def take_turns(commands, rounds, seconds):
    """A list of |seconds|(command) for each of |commands|, of |rounds| rounds after one that does not count."""
    times = [[] for _ in commands]
    for turn in range(rounds + 1):
        # The first of one round is the last of the next.
        for i in sorted(range(len(commands)), reverse=turn % 2 == 1):
            time = seconds(commands[i])
            if turn > 0:
                times[i].append(time)
    return times


def ratios(over, under):
    """The median of the ratios of the rounds, and it with the quartiles as the table has them."""
    low, middle, high = statistics.quantiles([a / b for a, b in zip(over, under)], n=4)
    return middle, f"{middle:.3f} ({low:.3f} to {high:.3f})"


def print_head(count, ratio):
    """The table's head for the times of |count| commands and, of two, their |ratio|."""
    head = ["network", "ms", "ms beside", f"{ratio} (quartiles)"][:2 if count == 1 else 4]
    print_row(head)
    print("|---|" + "---:|" * (len(head) - 1), flush=True)


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def commands_of(build, beside):
    """The commands `tessera` of this tree's build and, if given, of another, which are files."""
    commands = [build / "bin/tessera"] + ([beside] if beside else [])
    for command in commands:
        if not command.is_file():
            raise Problem(f"{command} is not there: build it (cmake --build build)")
    return commands
