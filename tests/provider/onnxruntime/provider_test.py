#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the execution provider in a stock ONNX Runtime from Python, beside `tessera run`.

  provider_test.py TESSERA PROVIDER BUILD    BUILD: the build folder, where scripts/pypi_tool.sh keeps the wheel; the simulated
                                             board and XRT's emulation are in it too

What is tested: networks of the build, with all nodes on Tessera and with those that the accelerator runs, give the bytes that
`tessera run` gives; so do the devices func, cycle, hls, rtl, zynq and xrt, whose profile has each run of a network with the
cycles that `tessera run` counts for the network that the session keeps in a file (rtl's for a board and a card); a program that forbids the fall-back gets our message; the
example of docs/onnxruntime.md runs.
Where ONNX Runtime computes with floats in between, its result depends on the processor, so such networks are compared with all
nodes on Tessera only.
Exit status 77: skipped.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
FASHION = ROOT / "models/fashion/fashion_int8.onnx"
NAME = "TesseraExecutionProvider"
EXACT = {"QuantizeLinear", "DequantizeLinear", "Reshape", "Transpose", "Concat", "Split", "Flatten"}


def with_wheel():
    """Starts this test again with the wheel's Python."""
    tool = subprocess.run([ROOT / "scripts/pypi_tool.sh", sys.argv[3], "onnxruntime"], capture_output=True, text=True)
    python = pathlib.Path(tool.stdout.strip()).parent / "bin/python3"
    if tool.returncode != 0 or not os.access(python, os.X_OK):
        print("skipped:", tool.stderr.strip() or f"there is no {python}")
        sys.exit(77)
    os.execv(python, [python, __file__, *sys.argv[1:4], "inside"])


class Test:
    def __init__(self, tessera, provider, folder):
        self.tessera, self.folder, self.failed = tessera, pathlib.Path(folder), 0
        ort.register_execution_provider_library("tessera", os.path.abspath(provider))
        self.devices = [device for device in ort.get_ep_devices() if device.ep_name == NAME]
        self.expect("the provider offers the CPU device", [str(d.device.type) for d in self.devices], ["OrtHardwareDeviceType.CPU"])

    def expect(self, what, have, want):
        good = have == want
        self.failed += not good
        print(f"{what}: " + ("ok" if good else f"expected {want}, found {have}"), flush=True)

    def session(self, model, options, profile=None, entries=()):
        with_options = ort.SessionOptions()
        with_options.log_severity_level = 3
        with_options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        for key, value in entries:
            with_options.add_session_config_entry(key, value)
        if profile:
            with_options.enable_profiling, with_options.profile_file_prefix = True, str(profile)
        with_options.add_provider_for_devices(self.devices, options)
        return ort.InferenceSession(model, with_options, enable_fallback=0)

    def item(self, session, items):
        """A value for the only input of |session|."""
        given = session.get_inputs()[0]
        shape = [extent if isinstance(extent, int) else items for extent in given.shape]
        return {given.name: np.random.default_rng(5).standard_normal(shape).astype(np.float32)}

    def run_command(self, model, feeds, device="func"):
        """The outputs of `tessera run`, and its JSON."""
        (value,) = feeds.values()
        np.save(self.folder / "in.npy", value)
        out, answer = f"{self.folder}/out/", self.folder / "answer.json"
        subprocess.run([self.tessera, "run", model, "--device", device, "--input", self.folder / "in.npy", "--output", out,
                        "--json", answer], check=True, stdout=subprocess.DEVNULL)
        told = json.loads(answer.read_text())
        return [np.load(output["file"]) for output in told["outputs"]], told

    def same(self, what, have, want):
        self.expect(what, [value.tobytes() for value in have] == [value.tobytes() for value in want], True)

    def network(self, model):
        for claim in ("all", "accelerator"):
            session = self.session(model, {"claim": claim})
            left = {node.op_type for part in session.get_provider_graph_assignment_info() if part.ep_name != NAME
                    for node in part.get_nodes()}
            feeds = self.item(session, 2)
            results, (expected, _) = session.run(None, feeds), self.run_command(model, feeds)
            if claim == "all":
                self.expect(f"{model.name}: every node is on Tessera", left, set())
            if left <= EXACT:
                self.same(f"{model.name}, claim {claim}: the bytes of tessera run", results, expected)

    def device(self, device, oracle):
        """|oracle|: the device of `tessera run` that has the same values and cycles."""
        name = device.split(":")[0]
        kept = self.folder / name
        kept.mkdir()
        session = self.session(FASHION, {"claim": "all", "device": device}, kept / "profile",
                               [("ep.context_enable", "1"), ("ep.context_file_path", str(kept / "kept.onnx"))])
        feeds, (network,) = self.item(session, 1), kept.glob("*.tsr")
        results, (expected, told) = session.run(None, feeds), self.run_command(network, feeds, oracle)
        self.same(f"device {name}: the bytes of tessera run", results, expected)
        events = [event for event in json.loads(pathlib.Path(session.end_profiling()).read_text())
                  if event["cat"] == "Kernel" and event["args"].get("device") == name]
        self.expect(f"device {name}: the cycles in the profile",
                    [int(event["args"]["cycles"]) for event in events], [told.get("cycles", 0)])

    def refusals(self):
        for options, message in (({"device": "abacus"}, "device abacus: no such driver; there are func"),
                                 ({"claim": "most"}, "provider option claim: 'most' is not accelerator or all")):
            try:
                self.session(FASHION, options)
                said = "nothing"
            except RuntimeError as error:
                said = str(error)
            self.expect(f"{options} is refused", message if message in said else said, message)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    if len(sys.argv) == 4:
        with_wheel()
    global np, ort
    import numpy as np
    import onnxruntime as ort

    tessera, provider, build = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        test = Test(tessera, provider, folder)
        if len(sys.argv) > 5:  # in the process that a simulated machine starts
            test.device(*sys.argv[5:])
            sys.exit(test.failed != 0)
        test.network(FASHION)
        for network in ("unet", "cct"):
            test.network(pathlib.Path(build) / f"models/tasks/{network}_int8.onnx")
        for device in ("func", "cycle", "hls", "rtl"):
            test.device(device, device)
        test.refusals()
        shown = subprocess.run([sys.executable, ROOT / "provider/onnxruntime/example.py", provider, FASHION], capture_output=True,
                               text=True)
        test.expect("the example of the page", (shown.returncode, shown.stdout), (0, "logits (1, 10) float32\n"))
    again = [sys.executable, __file__, tessera, provider, build, "inside"]
    board = [pathlib.Path(build) / "bin/simulated_board", "--config", "default", "--"]
    test.expect("on a simulated board", subprocess.run([*board, *again, "zynq:shared={}", "rtl"]).returncode, 0)
    if (pathlib.Path(build) / "xrt_emulation").exists():
        test.expect("on a card of XRT's emulation",
                    subprocess.run([ROOT / "sim/xrt/emulated.sh", *again, "xrt", "rtl"]).returncode, 0)
    else:
        print("xrt: left out, this build has no emulation of a card")
    sys.exit(test.failed != 0)


if __name__ == "__main__":
    main()
