# SPDX-License-Identifier: Apache-2.0
"""TFLite files of a function of one int8 value, and the interpreters' reference kernels as their oracle."""

import numpy as np

from build import INT8, File, Tensor, options
from onnx_cases import Step, in_float, one

SHAPE = [1, 4, 4, 16]  # 256 elements
UNIT, BOTH = (1 / 256, -128), (1 / 128, 0)  # the results of LOGISTIC and TANH


class Case:
    """|operators|: name, inputs ("x", the number of an operator, or a constant tensor), options, scale and zero point of the
    result (None: the branch's). |steps|: the same function in ONNX, which sizes the result's scale. |fixed|, |least|: as
    scales.draw has them."""

    def __init__(self, operators, steps, fixed=None, least=0):
        self.operators, self.steps, self.fixed, self.least = operators, steps, fixed, least


def single(name, steps, made=(0, None), constants=(), fixed=None, least=0):
    return Case([(name, ("x", *constants), made, None)], steps, fixed, least)


def number(value, scale):
    return Tensor.constant(np.full((1, 1, 1, 1), value), INT8, scale=scale)


CASES = {
    "LOGISTIC": single("LOGISTIC", one("Sigmoid"), fixed=UNIT),
    "TANH": single("TANH", one("Tanh"), fixed=BOTH),
    "HARD_SWISH": single("HARD_SWISH", one("HardSwish"), options("HardSwishOptions"), least=1 / 127),
    "ELU": single("ELU", one("Elu")),
    "GELU": single("GELU", one("Gelu"), options("GeluOptions", approximate=False)),
    "GELU tanh": single("GELU", one("Gelu", approximate="tanh"), options("GeluOptions", approximate=True)),
    "LEAKY_RELU 0.1": single("LEAKY_RELU", one("LeakyRelu", alpha=0.1), options("LeakyReluOptions", alpha=0.1)),
    "LEAKY_RELU 0.25": single("LEAKY_RELU", one("LeakyRelu", alpha=0.25), options("LeakyReluOptions", alpha=0.25)),
    "LEAKY_RELU 1.5": single("LEAKY_RELU", one("LeakyRelu", alpha=1.5), options("LeakyReluOptions", alpha=1.5)),
    "PRELU": single("PRELU", one("LeakyRelu", alpha=0.37), constants=(number(37, 0.01),)),
    "RELU": single("RELU", one("Relu")),
    "RELU6": single("RELU6", one("Clip", clip=(0, 6))),
    "RELU_N1_TO_1": single("RELU_N1_TO_1", one("Clip", clip=(-1, 1))),
    "RELU_0_TO_1": single("RELU_0_TO_1", one("Clip", clip=(0, 1))),
    "QUANTIZE": single("QUANTIZE", one("Identity"), options("QuantizeOptions")),
    "ADD": single("ADD", one("Identity"), options("AddOptions"), (number(100, 0.03),)),
    "MUL": single("MUL", one("Identity"), options("MulOptions"), (number(93, 0.021),)),
    # Several operators, which become one table.
    "SiLU": Case([("LOGISTIC", ("x",), (0, None), UNIT), ("MUL", ("x", 0), options("MulOptions"), None)],
                 [Step("Sigmoid"), Step("Mul", ("x", 0))]),
    "square of TANH": Case([("TANH", ("x",), (0, None), BOTH), ("MUL", (0, 0), options("MulOptions"), None)],
                           [Step("Tanh"), Step("Mul", (0, 0))]),
}


def model(case, branches):
    """The file: for each branch its own operand and result."""
    file = File("a function")
    graph = file.subgraph("main")
    for b, branch in enumerate(branches):
        x = file.tensor(Tensor(SHAPE, scale=branch.scale, zero=branch.zero), f"x{b}")
        graph.inputs.append(x)
        made = []
        for k, (name, inputs, builtin_options, quant) in enumerate(case.operators):
            scale, zero = quant or (branch.out_scale, branch.out_zero)
            ids = [x if i == "x" else made[i] if isinstance(i, int) else file.tensor(i, f"c{b}_{k}") for i in inputs]
            made.append(file.tensor(Tensor(SHAPE, scale=scale, zero=zero), f"y{b}_{k}"))
            file.operator(name, ids, [made[-1]], builtin_options)
        graph.outputs.append(made[-1])
    return file.bytes()


def function(case):
    return in_float(case.steps)


def run(open_one, count):
    """The results of all 256 values for each of |count| branches."""
    interpreter = open_one()
    every = np.arange(-128, 128).astype(np.int8).reshape(SHAPE)
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], every)
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]).reshape(-1) for detail in interpreter.get_output_details()]
