# SPDX-License-Identifier: Apache-2.0
"""The TFLite interpreter as the oracle of integer results: how it is run, and the checks that the
one which is installed uses reference kernels and rounds twice. Used by make.py and by
../mlperf_tiny/goldens.py."""

import json

import ai_edge_litert
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from build import INT8, PADDINGS, Tensor, one_operator, options

VERSION = ai_edge_litert.__version__
WANTED = "2.3.0"  # what requirements.txt names; the committed files were made with it


class Rng:
    """splitmix64, as base/rng.h has it."""

    def __init__(self, seed):
        self.state = np.uint64(seed & (2**64 - 1))

    def words(self, count):
        with np.errstate(over="ignore"):
            x = self.state + np.uint64(0x9E3779B97F4A7C15) * np.arange(1, count + 1, dtype=np.uint64)
            if count:
                self.state = x[-1]
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            return x ^ (x >> np.uint64(31))

    def int8(self, shape):
        """Every value equally likely; row-major from the low byte of each word first."""
        count = int(np.prod(shape))
        return self.words((count + 7) // 8).astype("<u8").view(np.int8)[:count].reshape(shape)

    def range(self, lo, hi, count=None):
        """Whole numbers of [lo, hi], one or |count| of them."""
        values = (self.words(count or 1) % np.uint64(hi - lo + 1)).astype(np.int64) + lo
        return int(values[0]) if count is None else values

    def unit(self, count=None):
        """Numbers of [0, 1)."""
        values = (self.words(count or 1) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return float(values[0]) if count is None else values

    def pick(self, values):
        return values[self.range(0, len(values) - 1)]


def open_model(content, kernels=OpResolverType.BUILTIN_REF):
    """An interpreter over the file's bytes that keeps every tensor. Fails when a delegate took an operator."""
    made = Interpreter(model_content=content, experimental_op_resolver_type=kernels,
                       experimental_preserve_all_tensors=True, num_threads=1)
    made.allocate_tensors()
    taken = [op["op_name"] for op in made._get_ops_details() if op["op_name"] == "DELEGATE"]
    if taken:
        raise SystemExit("the interpreter gave operators to a delegate: results would not be the reference kernels'")
    return made


def run(interpreter, inputs):
    """The outputs for |inputs|, both in the model's order."""
    for detail, values in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.set_tensor(detail["index"], values)
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]).copy() for detail in interpreter.get_output_details()]


def _multiplier(real):
    """|real| = m * 2^(shift - 31), m of 31 bits."""
    fraction, shift = np.frexp(np.float64(real))
    m = int(np.floor(float(fraction) * 2**31 + 0.5))
    return (m >> 1, int(shift) + 1) if m == 2**31 else (m, int(shift))


def _twice(acc, m, shift):
    """Rounded at bit 31, then again at the right shift: half away from zero the second time."""
    high = (acc * m + (1 << 30)) >> 31
    right = -shift
    mask = (1 << right) - 1
    return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0))


def _once(acc, m, shift):
    return (acc * m + (1 << (30 - shift))) >> (31 - shift)


def check_rounding():
    """A 1x1 convolution over sums for which rounding twice and rounding once differ must round twice. The optimised
    kernels round once there: that they differ shows that the choice of kernels had an effect. Gives how many sums."""
    scale = np.float32(2.0**-6 * 0.7310585)
    m, shift = _multiplier(float(scale))  # scales 1 and 1 into 1 / scale
    sums = [a for a in range(-127 * 127, 127 * 127) if _twice(a, m, shift) != _once(a, m, shift)]
    # A sum is x * 127 + y * 1 of two input channels.
    pairs = [(a, *divmod(a + 63, 127)) for a in sums]
    pairs = [(a, x, y - 63) for a, x, y in pairs if -128 <= x <= 127 and abs(_twice(a, m, shift)) < 128]
    if len(pairs) < 8:
        raise SystemExit("rounding check: too few sums that tell the two roundings apart")
    x = np.array([[p[1], p[2]] for p in pairs], np.int8).reshape(1, 1, len(pairs), 2)
    weights = Tensor.constant(np.array([127, 1]).reshape(1, 1, 1, 2), INT8, scale=[scale])
    bias = Tensor.constant([0], scale=[scale])
    content = one_operator(
        "CONV_2D", [Tensor(x.shape, scale=1.0), weights, bias], [Tensor((1, 1, len(pairs), 1), scale=1.0)],
        options("Conv2DOptions", padding=PADDINGS["valid"], strideW=1, strideH=1))
    got = run(open_model(content), [x])[0].reshape(-1).astype(int).tolist()
    optimised = run(open_model(content, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES), [x])[0]
    if got == optimised.reshape(-1).tolist():
        raise SystemExit("reference and optimised kernels agree on every tie: choosing the kernels had no effect")
    if got == [_once(p[0], m, shift) for p in pairs]:
        raise SystemExit("this interpreter rounds once (built with TFLITE_SINGLE_ROUNDING): its results are another arithmetic")
    if got != [_twice(p[0], m, shift) for p in pairs]:
        raise SystemExit("this interpreter rounds neither once nor twice: its results cannot be used")
    return len(pairs)


def check():
    """All checks; a line that says what was found, to be written beside the results."""
    if VERSION != WANTED:
        raise SystemExit(f"ai-edge-litert {VERSION} is installed, the files are made with {WANTED}: see requirements.txt")
    return {"package": "ai-edge-litert", "version": VERSION, "kernels": "BUILTIN_REF",
            "rounding": "double", "sums_that_tell": check_rounding()}


if __name__ == "__main__":
    print(json.dumps(check()))
