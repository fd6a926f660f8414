#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts of placements beside their runs on this computer, as a Markdown table.

  python3 bench/forecasts.py build/models/tasks/*.onnx
  python3 bench/forecasts.py --driver "" MODEL...     without a GPU

Describes this computer and its GPU (`tessera devices --measure`), and measures each model's layers (`tessera place --times`).
Then places each model three times: on the host alone, on host and accelerator by the usual rule, and with every other
layer of the host on the GPU. Each placement runs on device cycle, the host and the GPU of this computer. The error is that
of the forecast, from the times of earlier runs and the estimate of the accelerator, without starts. Give the machine no
other work meanwhile. Needs Python alone, and a driver of OpenCL (PoCL).

Exit status: 0 done, 2 something is missing or failed.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

from networks import ROOT, Problem, end_with

TESSERA = ROOT / "build" / "bin" / "tessera"


def run(command, what):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem(f"{what}: {command[0]} {command[1]} ended with {done.returncode}: {done.stderr.strip()}")


def place(model, config, folder, *more):
    """The placement of |model| with its forecast, as `tessera place` writes it."""
    report = folder / "place.json"
    run([TESSERA, "place", model, "--config", config, "--json", report, *more], model)
    return json.loads(report.read_text())["results"][0]


def seconds(metrics, *names):
    return sum(m["value"] for m in metrics if m["name"] in names)


def error_of(placed):
    """How far the forecast is above the run, and the run's seconds."""
    forecast = seconds(placed["metrics"], "accelerator", "host", "gpu", "transfers", "gpu_transfers")
    measured = seconds(placed["measured"]["metrics"], "total")
    return forecast / measured - 1, measured


def pins(placed, device_of, folder):
    """A placement file: |device_of| the number of a layer."""
    layers = [e for e in placed["entities"] if e["kind"] == "layer"]
    lines = [f"{device_of(n)} {e['name']}" for n, e in enumerate(layers)]
    file = folder / "placement.txt"
    file.write_text("\n".join(lines) + "\n")
    return file


def errors_of(model, config, driver, folder):
    times = folder / "layers.times"
    measure = ["--measure", "cycle", "--times", times]
    usual = place(model, config, folder, *measure)
    yield "host and accelerator", error_of(usual)
    host = pins(usual, lambda n: "host", folder)
    yield "host", error_of(place(model, config, folder, "--place", host, *measure))
    if driver:
        on_gpu = pins(usual, lambda n: driver if n % 2 else "host", folder)
        yield f"host and {driver}", error_of(place(model, config, folder, "--place", on_gpu, *measure))


def main():
    parser = argparse.ArgumentParser(description="Forecasts of placements beside their runs.",
                                     epilog="example: python3 bench/forecasts.py models/fashion/fashion_int8.onnx")
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--driver", default="opencl", help="of the GPU; \"\": none (opencl)")
    flags = parser.parse_args()
    by_kind = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "here.json"
        run([TESSERA, "devices", *([flags.driver] if flags.driver else []), "--measure", "-o", config], config)
        print("| network | placement | measured | error of the forecast |\n|---|---|---:|---:|", flush=True)
        for model in flags.models:
            for kind, (error, took) in errors_of(model, config, flags.driver, folder):
                by_kind.setdefault(kind, []).append(abs(error))
                print(f"| {model.stem} | {kind} | {1e3 * took:.3f} ms | {100 * error:+.1f} % |", flush=True)
    for kind, errors in by_kind.items():
        print(f"{kind}: median error {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} %")
    return 0


if __name__ == "__main__":
    end_with(main)
