# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this folder do with a file that another tool wrote: run it here in float, quantise it, compare."""

import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "quantize"))


class Steps:
    def __init__(self, tessera, folder):
        self.tessera, self.folder, self.ok = tessera, Path(folder), True
        self.folder.mkdir(parents=True, exist_ok=True)

    def command(self, *words, refused=None):
        """Runs the command; |refused|: it has to say this and fail. Gives whether it went so."""
        words = [str(w) for w in words]
        done = subprocess.run([self.tessera, *words], capture_output=True, text=True)
        text = done.stdout + done.stderr
        good = done.returncode == 0 if refused is None else done.returncode == 2 and refused in text
        print(f"  tessera {' '.join(words)}: {'ok' if good else 'NO: ' + text.strip()}")
        self.ok &= good
        return good

    def run(self, model, items):
        """The first output of |model| for |items|, which become a file; None where it does not run."""
        given, result = self.folder / "items.npy", self.folder / "result.npy"
        np.save(given, items)
        if not self.command("run", model, "--device", "cpu", "--input", given, "--output", result):
            return None
        return np.load(result)

    def near(self, what, have, want, most):
        """Whether two results are as near as |most| of the greatest value."""
        if have is None:
            return
        off = float(np.abs(have.reshape(want.shape) - want).max() / np.abs(want).max())
        good = off <= most
        print(f"  {what}: at most {off:.2e} of the greatest value apart{'' if good else ': TOO FAR'}")
        self.ok &= good

    def onnx(self, name, model, items, want):
        """A float ONNX file: what it computes, then its int8 form, here and in ONNX Runtime where that is installed."""
        print(name)
        self.near("in float", self.run(model, items), want, 1e-4)
        made = self.folder / (Path(model).stem + ".int8.onnx")
        if not self.command("quantize", model, "--data", self.folder / "items.npy", "-o", made):
            return
        have = self.run(made, items)
        self.near("int8", have, want, 0.1)
        try:
            import onnx  # noqa: F401
            import onnxruntime as ort
            from compare import compare
        except ImportError:
            print("  ONNX Runtime is not there to compare with")
            return
        name = ort.InferenceSession(str(made), providers=["CPUExecutionProvider"]).get_inputs()[0].name
        lines, good = compare(made, {name: items}, have, 1)
        for line in lines:
            print(f"  ONNX Runtime: {line}")
        self.ok &= good

    def end(self):
        print("ok" if self.ok else "something went otherwise")
        return 0 if self.ok else 1
