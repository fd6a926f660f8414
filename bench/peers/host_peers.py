#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long inferences on the host take beside ONNX Runtime and OpenVINO, as a Markdown table.

  python3 bench/peers/host_peers.py                                   ONNX networks of bench/networks.py, int8 and float32
  python3 bench/peers/host_peers.py --network resnet18 --threads 2    one of them, on two threads
  python3 bench/peers/host_peers.py --model net.onnx                  another QDQ model with one float input and output
  python3 bench/peers/host_peers.py --kind float32 --floats exact --floats fast    Tessera compiles floats both ways

The float32 network is the int8 one without QuantizeLinear and DequantizeLinear, its weights dequantised. The engines take
turns: each is a process that loads the network once and stays, and in each round each times one pass over --items inputs
of random bytes, while the others are stopped (threads of a pool look for work for a while after an inference, on cores
that are then another engine's); the order changes from round to round. The processes may use as many cores as they have
threads. The table has the median of all rounds, and the median, with its quartiles, of the ratio of the faster peer to
Tessera: above 1 Tessera is faster. Behind it stand the greatest difference of an output from ONNX Runtime's, as a share
of the greatest output, and how often the greatest output is the same one. The last two columns are the shares of the
processor's peak that Tessera and the faster peer use: build/bin/host_peaks, which multiplies in registers, takes its turns
with them. An engine that multiplies directly cannot have more than all of it.

The peers come from PyPI in pinned versions (scripts/pypi_tool.sh). Needs Debian's python3-onnx and python3-numpy.

Exit status: 0 done, 1 --least: a ratio is below it, 2 something is missing or failed.
"""

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from networks import NETWORKS, ROOT, Problem, end_with, present  # noqa: E402
from turns import commands_of, print_row, ratios, take_turns  # noqa: E402

try:
    import numpy as np
    import onnx
except ImportError:
    print("host_peers.py: this Python lacks onnx or numpy; Debian's has them (/usr/bin/python3, packages python3-onnx, "
          "python3-numpy)", file=sys.stderr)
    sys.exit(2)

PEERS = ("onnxruntime", "openvino")


def loaded(path):
    """The ONNX model of the file |path|."""
    try:
        return onnx.load(path)
    except Exception as error:  # protobuf's and onnx's exceptions share no public base class
        raise Problem(f"{path}: no ONNX model: {error}") from None


def float_twin(path, to):
    """Writes the network of |path| without quantisation to |to|."""
    from onnx import helper, numpy_helper

    model = loaded(path)
    graph = model.graph
    constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    same, kept = {}, []

    def of(name):
        while name in same:
            name = same[name]
        return name

    for node in graph.node:
        if node.op_type == "QuantizeLinear":
            same[node.output[0]] = node.input[0]
        elif node.op_type == "DequantizeLinear" and node.input[0] in constants:
            values, scale = constants[node.input[0]].astype(np.float32), constants[node.input[1]]
            zero = constants[node.input[2]].astype(np.float32) if len(node.input) > 2 else np.float32(0)
            axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
            along = [-1 if scale.ndim == 1 and d == axis % values.ndim else 1 for d in range(values.ndim)]
            constants[node.output[0]] = ((values - np.reshape(zero, along if np.ndim(zero) else ())) *
                                         np.reshape(scale, along if scale.ndim else ())).astype(np.float32)
        elif node.op_type == "DequantizeLinear":
            same[node.output[0]] = node.input[0]
        else:
            kept.append(node)
    outputs = {o.name for o in graph.output}
    for node in kept:
        for k, name in enumerate(node.input):
            node.input[k] = of(name)
    for name in outputs:  # a DequantizeLinear made it
        if of(name) != name:
            kept.append(helper.make_node("Identity", [of(name)], [name]))
    used = {name for node in kept for name in node.input}
    del graph.node[:]
    graph.node.extend(kept)
    del graph.initializer[:]
    graph.initializer.extend(numpy_helper.from_array(v, n) for n, v in constants.items() if n in used)
    onnx.save(model, to)


def input_shape(model):
    """The shape of the network's one input."""
    graph = loaded(model).graph
    made = {t.name for t in graph.initializer}
    inputs = [i for i in graph.input if i.name not in made]
    if len(inputs) != 1 or len(graph.output) != 1 or inputs[0].type.tensor_type.elem_type != onnx.TensorProto.FLOAT:
        raise Problem(f"{model}: only networks with one float input and one output are compared here")
    shape = [d.dim_value for d in inputs[0].type.tensor_type.shape.dim]
    if not shape or shape[0] > 1 or 0 in shape[1:]:  # 0: open
        raise Problem(f"{model}: its input is {shape}; an extent of each dimension behind one item is needed")
    return shape


class Engine:
    """A process that loads a network and times passes over the items when it is asked to."""

    def __init__(self, name, command, cores):
        self.name = name
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))

    def seconds(self):
        try:
            self.process.send_signal(signal.SIGCONT)
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            seconds = float(self.process.stdout.readline())
            self.process.send_signal(signal.SIGSTOP)
            return seconds
        except (BrokenPipeError, ValueError):
            self.process.wait()
            self.log.seek(0)
            last = self.log.read().strip().splitlines()[-1:] or ["no message"]
            raise Problem(f"{self.name} ended with {self.process.returncode}: {last[0]}") from None

    def close(self):
        self.process.send_signal(signal.SIGCONT)
        with contextlib.suppress(BrokenPipeError):  # it ended before it read the last line
            self.process.stdin.close()
        self.process.wait()


class Tessera:
    """`tessera run`: a process a pass, whose time is what it says of the inferences."""

    name = "Tessera"

    def __init__(self, command, model, folder, floats, threads, cores):
        self.folder, self.cores = folder, cores
        artifact = folder / f"{floats}.tsr"
        self.call([command, "compile", model, "--target", "cpu", "--floats", floats, "-o", artifact])
        self.run = [command, "run", artifact, "--device", "cpu", "--threads", threads, "--input", folder / "items.npy",
                    "--output", folder / f"{floats}.npy", "--json", folder / "said.json"]

    def call(self, command):
        done = subprocess.run([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, self.cores))
        if done.returncode != 0:
            raise Problem(f"tessera {command[1]} ended with {done.returncode}: {done.stderr.strip()}")

    def seconds(self):
        self.call(self.run)
        said = json.loads((self.folder / "said.json").read_text(encoding="utf-8"))
        # The first inference finds nothing in the caches; the peers' first one is not counted either.
        return (said["seconds"] - said["first_seconds"]) / (said["images"] - 1)

    def close(self):
        pass


def peer_programs(build):
    programs = {}
    for peer in PEERS:
        done = subprocess.run([ROOT / "scripts/pypi_tool.sh", build, peer], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode != 0:
            raise Problem(done.stderr.strip())
        programs[peer] = done.stdout.strip()
    return programs


def products_of(command, model, folder):
    """The multiply-accumulates of one inference."""
    done = subprocess.run([command, "place", model, "--json", folder / "placed.json"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"tessera place ended with {done.returncode}: {done.stderr.strip()}")
    placed = json.loads((folder / "placed.json").read_text(encoding="utf-8"))["results"][0]
    return sum(m["value"] for layer in placed["breakdowns"] for m in layer["metrics"] if m["name"] == "macs")


def agreement(folder, name):
    """How |name|'s outputs agree with ONNX Runtime's: greatest difference by greatest output, share of equal greatest ones."""
    ours, theirs = (np.load(folder / f"{n}.npy").reshape(-1) for n in (name, "onnxruntime"))
    items = np.load(folder / "items.npy").shape[0]
    ours, theirs = ours.astype(np.float64).reshape(items, -1), theirs.astype(np.float64).reshape(items, -1)
    apart = np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-30)
    return apart, np.mean(ours.argmax(1) == theirs.argmax(1))


def measure(command, programs, model, folder, ways, kind, threads, options):
    """Seconds by engine, a list of rounds each: Tessera's |ways| to compile floats, then the peers; last, if the build has it,
    those of 10^9 products at the processor's peak."""
    cores = set(sorted(os.sched_getaffinity(0))[:threads])
    rng = np.random.default_rng(options.seed)
    shape = input_shape(model)
    np.save(folder / "items.npy", rng.integers(0, 256, [options.items, *shape[1:]]).astype(np.float32) / 255)
    engines = [Tessera(command, model, folder, floats, threads, cores) for floats in ways]
    for peer, program in programs.items():
        engines.append(Engine(peer, [program, model, folder / "items.npy", folder / f"{peer}.npy", threads, options.rounds + 1],
                              cores))
    peaks = options.build / "bin/host_peaks"
    if peaks.is_file():
        engines.append(Engine("host_peaks", [peaks, kind, threads], cores))
    try:
        return take_turns(engines, options.rounds, lambda engine: engine.seconds())
    finally:
        for engine in engines:
            engine.close()


def measured_rows(title, kind, command, programs, model, threads, options):
    """Measures and prints a row for each way to compile floats; the ratios, with the type of each."""
    ways = ["exact"] if kind != "float32" else options.floats or ["exact"]
    types = {floats: f"{kind} fast" if floats == "fast" else kind for floats in ways}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        macs = products_of(command, model, folder)
        if kind == "float32":
            float_twin(model, folder / "float.onnx")
            model = folder / "float.onnx"
        print(f"{title}, {kind}, threads: {threads}, rounds: {options.rounds}", file=sys.stderr, flush=True)
        times = measure(command, programs, model, folder, ways, kind, threads, options)
        agreed = {floats: agreement(folder, floats) for floats in ways}
    peers, peak = times[len(ways):len(ways) + len(programs)], times[len(ways) + len(programs):]
    shortest = 1e-9 * macs * statistics.median(peak[0]) if peak else None  # the seconds of an inference at the peak
    medians = [statistics.median(t) for t in peers]
    best = peers[medians.index(min(medians))]
    found = []
    for floats, own in zip(ways, times):
        ratio, text = ratios(best, own)
        apart, equal = agreed[floats]
        print_row([title, types[floats], str(threads)] + [f"{1000 * m:,.3f}" for m in [statistics.median(own), *medians]] +
                  [text, f"{apart:.5f}", f"{100 * equal:.0f} %"] +
                  [f"{100 * shortest / m:.0f} %" if shortest else "-" for m in (statistics.median(own), min(medians))])
        found.append((types[floats], ratio))
    return found


def main():
    parser = argparse.ArgumentParser(description="Times of inferences on the host beside ONNX Runtime and OpenVINO.",
                                     epilog="example: python3 bench/peers/host_peers.py --network resnet18 --rounds 21")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build of this tree (default: build)")
    files = [n for n in NETWORKS if n.file.endswith(".onnx")]
    parser.add_argument("--network", action="append", choices=[n.key for n in files], help="this one alone; may be repeated")
    parser.add_argument("--model", action="append", type=Path, help="a QDQ model of yours; may be repeated")
    parser.add_argument("--kind", action="append", choices=("int8", "float32"), help="this one alone (default: both)")
    parser.add_argument("--floats", action="append", choices=("exact", "fast"),
                        help="how Tessera compiles float32; may be repeated, in turns then (default: exact)")
    parser.add_argument("--threads", action="append", type=int, help="of each engine; may be repeated (default: 1, 2)")
    parser.add_argument("--items", type=int, default=8, help="inputs of a pass (default: 8)")
    parser.add_argument("--rounds", type=int, default=11, help="passes of each engine (default: 11; least 2)")
    parser.add_argument("--seed", type=int, default=1, help="of the inputs (default: 1)")
    parser.add_argument("--least", type=float, default=0.0, help="what a ratio has to be (default: 0)")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    for threads in options.threads or []:
        if not 1 <= threads <= cores:
            raise Problem(f"--threads {threads}: this process may use {cores} cores")
    if options.items < 2 or options.rounds < 2:
        raise Problem("--items: at least 2; --rounds: at least 2")
    command, programs = commands_of(options.build, None)[0], peer_programs(options.build)
    versions = [subprocess.run([p, "--version"], capture_output=True, text=True, check=True).stdout.strip() for p in programs.values()]
    load = os.getloadavg()[0]
    models = [(m.name, m) for m in options.model or []]
    if options.network or not models:
        models += [(n.title, m) for n, m in present(options.build, options.network or [n.key for n in files])]
    print(f"{', '.join(versions)}; load before: {load:.1f}", file=sys.stderr)
    head = ["network", "type", "threads", "Tessera, ms", "ONNX Runtime, ms", "OpenVINO, ms", "best peer / Tessera (quartiles)",
            "apart", "same top", "of the peak", "the peer"]
    print_row(head)
    print("|---|---|" + "---:|" * (len(head) - 2), flush=True)
    below = []
    for title, model in models:
        for kind in options.kind or ("int8", "float32"):
            for threads in options.threads or [t for t in (1, 2) if t <= cores]:
                for name, ratio in measured_rows(title, kind, command, programs, model, threads, options):
                    if ratio < options.least:
                        below.append(f"{title}, {name}, {threads} threads: {ratio:.3f}, below {options.least:g}")
    print(f"load after: {os.getloadavg()[0]:.1f}", file=sys.stderr)
    for line in below:
        print(line, file=sys.stderr)
    return 1 if below else 0


if __name__ == "__main__":
    end_with(main)
