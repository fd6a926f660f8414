# SPDX-License-Identifier: Apache-2.0
"""The TFLite interpreter as the oracle of integer results: how it is run, and the checks that the
one which is installed uses reference kernels and rounds twice (docs/rationale/tflite.md says why this
one). Used by make.py, ../functions/make.py and ../mlperf_tiny/goldens.py."""

import json
from importlib.metadata import version

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter as LitertInterpreter, OpResolverType as LitertResolver
from tflite_runtime.interpreter import Interpreter, OpResolverType

from build import INT8, PADDINGS, Tensor, one_operator, options

PACKAGE = "tflite-runtime"
VERSION = version(PACKAGE)
WANTED = "2.14.0"  # the version of requirements.txt, which made the committed files
LITERT, LITERT_WANTED = version("ai-edge-litert"), "2.3.0"


# Operators whose results come from the usual kernels. The list of reference kernels lacks CUMSUM and
# ELU, and the reference LOCAL_RESPONSE_NORMALIZATION leaves out the last channel of each window, which
# TensorFlow and the usual kernel count.
NOT_IN_REFERENCE = {"CUMSUM", "ELU", "LOCAL_RESPONSE_NORMALIZATION"}


def open_both(operator, content):
    """A function for each interpreter, which opens |content| with the kernels that hold for |operator|."""
    if operator in NOT_IN_REFERENCE:
        return (lambda: open_model(content, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES),
                lambda: open_litert(content, LitertResolver.BUILTIN_WITHOUT_DEFAULT_DELEGATES))
    return lambda: open_model(content), lambda: open_litert(content)


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


def with_all_results(content):
    """The same model with every operator's result as an output: the interpreter adds in place otherwise, over an
    operand that somebody wants to see, whatever it was told about preserving tensors."""
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(bytearray(content), 0))
    (graph,) = model.subgraphs
    graph.outputs = [int(t) for op in graph.operators for t in op.outputs]
    model.signatureDefs = None
    builder = flatbuffers.Builder(len(content))
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def open_model(content, kernels=OpResolverType.BUILTIN_REF):
    """An interpreter over the file's bytes. Fails when a delegate took an operator."""
    made = Interpreter(model_content=content, experimental_op_resolver_type=kernels, num_threads=1)
    made.allocate_tensors()
    taken = [op["op_name"] for op in made._get_ops_details() if op["op_name"] == "DELEGATE"]
    if taken:
        raise SystemExit("the interpreter gave operators to a delegate: results would not be the reference kernels'")
    return made


def open_litert(content, kernels=LitertResolver.BUILTIN_REF):
    """The same in LiteRT, with its reference kernels."""
    made = LitertInterpreter(model_content=content, experimental_op_resolver_type=kernels, num_threads=1)
    made.allocate_tensors()
    return made


def run(interpreter, inputs):
    """The outputs for |inputs|, both in the model's order."""
    for detail, values in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.set_tensor(detail["index"], values)
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]).copy() for detail in interpreter.get_output_details()]


def multiplier(real):
    """|real| = m * 2^(shift - 31), m of 31 bits."""
    fraction, shift = np.frexp(np.float64(real))
    m = int(np.floor(float(fraction) * 2**31 + 0.5))
    return (m >> 1, int(shift) + 1) if m == 2**31 else (m, int(shift))


def rounded_twice(acc, m, shift):
    """|acc| * m * 2^(shift - 31), rounded at bit 31, then again at the right shift: half away from zero the second time."""
    high = ((acc << max(shift, 0)) * m + (1 << 30)) >> 31
    right = max(-shift, 0)
    mask = (1 << right) - 1
    return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0))


def rounded_once(acc, m, shift):
    """The same, rounded half up at the end alone."""
    return (acc * m + (1 << (30 - shift))) >> (31 - shift)


def check_rounding():
    """Convolutions and fully connected layers must round twice: by results for sums where rounding once differs. The
    optimised convolution differs from the reference one there, which shows that
    the choice of kernels had an effect. Gives the number of sums."""
    scale = np.float32(2.0**-6 * 0.7310585)
    m, shift = multiplier(float(scale))  # scales 1 and |scale| into 1
    # A sum is x * 127 + y of two input channels.
    rows = [(x, y) for x in range(-128, 128) for y in range(-63, 64)
            if rounded_twice(127 * x + y, m, shift) != rounded_once(127 * x + y, m, shift)]
    twice = [rounded_twice(127 * x + y, m, shift) for x, y in rows]
    once = [rounded_once(127 * x + y, m, shift) for x, y in rows]
    count = len(rows)
    if count < 8:
        raise SystemExit("rounding check: too few sums that tell the two roundings apart")
    clamp = lambda values: np.clip(values, -128, 127).tolist()
    weights, bias = np.array([127, 1]), Tensor.constant([0], scale=[scale])
    conv = one_operator(
        "CONV_2D", [Tensor((1, 1, count, 2), scale=1.0), Tensor.constant(weights.reshape(1, 1, 1, 2), INT8, scale=[scale]), bias],
        [Tensor((1, 1, count, 1), scale=1.0)], options("Conv2DOptions", padding=PADDINGS["valid"], strideW=1, strideH=1))
    dense = one_operator(
        "FULLY_CONNECTED", [Tensor((count, 2), scale=1.0), Tensor.constant(weights.reshape(1, 2), INT8, scale=[scale]), bias],
        [Tensor((count, 1), scale=1.0)], options("FullyConnectedOptions"))
    x = np.array(rows, np.int8)
    image = x.reshape(1, 1, count, 2)
    got = run(open_model(conv), [image])[0].reshape(-1).tolist()
    optimised = run(open_model(conv, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES), [image])[0].reshape(-1).tolist()
    if got == optimised:
        raise SystemExit("reference and optimised kernels agree on every tie: choosing the kernels had no effect")
    if got == clamp(once):
        raise SystemExit("this interpreter's convolution rounds once (TFLITE_SINGLE_ROUNDING): its results are another arithmetic")
    if got != clamp(twice):
        raise SystemExit("this interpreter's convolution rounds neither once nor twice: its results cannot be used")
    if run(open_model(dense), [x])[0].reshape(-1).tolist() != clamp(twice):
        raise SystemExit("this interpreter's fully connected layer does not round twice: its results are another arithmetic")
    if run(open_litert(dense), [x])[0].reshape(-1).tolist() != clamp(once):
        raise SystemExit("LiteRT's fully connected layer does not round once: its results are another arithmetic")
    return count


def check():
    """All checks; a line that says what was found, to be written beside the results."""
    if VERSION != WANTED:
        raise SystemExit(f"{PACKAGE} {VERSION} is installed, the files are made with {WANTED}: see requirements.txt")
    if LITERT != LITERT_WANTED:
        raise SystemExit(f"ai-edge-litert {LITERT} is installed, the files are made with {LITERT_WANTED}: see requirements.txt")
    return {"package": PACKAGE, "version": VERSION, "kernels": "BUILTIN_REF", "rounding": "double",
            "sums_that_tell": check_rounding()}


if __name__ == "__main__":
    print(json.dumps(check()))
