# SPDX-License-Identifier: Apache-2.0
"""ONNX models of a function of one int8 value in QDQ form, and ONNX Runtime as their oracle."""

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

PACKAGE, VERSION, WANTED = "onnxruntime", ort.__version__, "1.31.1"
SHAPE = [1, 16, 4, 4]  # 256 elements
SIGMOID = (1 / 256, -128)  # scale and zero point of a result between 0 and 1


class Step:
    """An operator. |inputs|: "x" is the function's operand, a number the result of that step, an array a constant of one int8
    number, scale and zero point. |quant|: scale and zero point of its result; None: those of the branch."""

    def __init__(self, operator, inputs=("x",), quant=None, domain="", clip=(), **attributes):
        self.operator, self.inputs, self.quant, self.domain, self.clip, self.attributes = operator, inputs, quant, domain, clip, attributes


def one(operator, **attributes):
    return [Step(operator, **attributes)]


def with_constant(operator, number, scale, zero=0):
    return [Step(operator, ("x", np.array([number, scale, zero])))]


def plain_functions():
    names = ["Abs", "Neg", "Sign", "Exp", "Log", "Sqrt", "Floor", "Ceil", "Round", "Reciprocal", "Erf", "Sin", "Cos", "Tan", "Asin", "Acos",
             "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Sigmoid", "Tanh", "HardSwish", "Gelu", "Softplus", "Softsign", "Mish", "Relu"]
    return {name: one(name) for name in names}


CASES = plain_functions() | {
    "Gelu tanh": one("Gelu", approximate="tanh"),
    "com.microsoft.Gelu": one("Gelu", domain="com.microsoft"),
    "LeakyRelu": one("LeakyRelu"), "LeakyRelu 0.1": one("LeakyRelu", alpha=0.1), "LeakyRelu -0.5": one("LeakyRelu", alpha=-0.5),
    "Elu": one("Elu"), "Elu 0.7": one("Elu", alpha=0.7), "Selu": one("Selu"), "Celu": one("Celu"), "Celu 1.5": one("Celu", alpha=1.5),
    "HardSigmoid": one("HardSigmoid"), "HardSigmoid sixth": one("HardSigmoid", alpha=1 / 6),
    "ThresholdedRelu": one("ThresholdedRelu"), "ThresholdedRelu 0.1": one("ThresholdedRelu", alpha=0.1),
    "Shrink": one("Shrink"), "Shrink 0.2 0.1": one("Shrink", lambd=0.2, bias=0.1),
    "Clip": one("Clip", clip=(-0.7, 1.3)), "Clip 0 6": one("Clip", clip=(0, 6)),
    "PRelu": with_constant("PRelu", 37, 0.01),
    "Add": with_constant("Add", 100, 0.03), "Sub": with_constant("Sub", -77, 0.011, 5),
    "Mul": with_constant("Mul", 93, 0.021), "Max": with_constant("Max", 20, 0.01), "Min": with_constant("Min", 20, 0.01),
    # Several operators, which become one table.
    "SiLU": [Step("Sigmoid", quant=SIGMOID), Step("Mul", ("x", 0))],
    "HardSwish of two": [Step("HardSigmoid", quant=SIGMOID, alpha=1 / 6), Step("Mul", ("x", 0))],
    "Square of Tanh": [Step("Tanh", quant=(1 / 128, 0)), Step("Mul", (0, 0))],
}


def model(steps, branches):
    """The file: for each branch k the operand xk, in QDQ form through the steps to yk."""
    nodes, constants, inputs, outputs = [], [], [], []

    def constant(name, value):
        constants.append(numpy_helper.from_array(value, name))
        return name

    def scales(name, scale, zero):
        return [constant(f"s{name}", np.array(scale, np.float32)), constant(f"z{name}", np.array(zero, np.int8))]

    for b, branch in enumerate(branches):
        inputs.append(helper.make_tensor_value_info(f"x{b}", TensorProto.INT8, SHAPE))
        outputs.append(helper.make_tensor_value_info(f"y{b}", TensorProto.INT8, SHAPE))
        nodes.append(helper.make_node("DequantizeLinear", [f"x{b}", *scales(f"x{b}", branch.scale, branch.zero)], [f"d{b}"]))
        made = []
        for k, step in enumerate(steps):
            own, last = f"{b}_{k}", k + 1 == len(steps)
            operands = []
            for i, source in enumerate(step.inputs):
                if isinstance(source, np.ndarray):
                    number, scale, zero = source
                    filled = constant(f"c{own}_{i}", np.full([1] * len(SHAPE), number, np.int8))
                    nodes.append(helper.make_node("DequantizeLinear", [filled, *scales(f"c{own}_{i}", scale, zero)], [f"e{own}_{i}"]))
                    operands.append(f"e{own}_{i}")
                else:
                    operands.append(f"d{b}" if source == "x" else made[source])
            operands += [constant(f"l{own}_{i}", np.array(bound, np.float32)) for i, bound in enumerate(step.clip)]
            nodes.append(helper.make_node(step.operator, operands, [f"f{own}"], domain=step.domain, **step.attributes))
            quant = scales(own, *(step.quant or (branch.out_scale, branch.out_zero)))
            nodes.append(helper.make_node("QuantizeLinear", [f"f{own}", *quant], [f"y{b}" if last else f"q{own}"]))
            if not last:
                nodes.append(helper.make_node("DequantizeLinear", [f"q{own}", *quant], [f"d{own}"]))
                made.append(f"d{own}")
    graph = helper.make_graph(nodes, "function", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def session(content, level=ort.GraphOptimizationLevel.ORT_DISABLE_ALL):
    """Without optimisation: each operator's own kernel, in float32."""
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def run(content, count, level=ort.GraphOptimizationLevel.ORT_DISABLE_ALL):
    """The results of all 256 values for each of |count| branches."""
    every = np.arange(-128, 128).astype(np.int8).reshape(SHAPE)
    return [r.reshape(-1) for r in session(content, level).run(None, {f"x{b}": every for b in range(count)})]


def in_float(steps):
    """The function of a float32 array that |steps| compute without quantisation."""
    nodes, constants, names = [], [], []
    for k, step in enumerate(steps):
        operands = []
        for i, source in enumerate(step.inputs):
            if isinstance(source, np.ndarray):
                number, scale, zero = source
                constants.append(numpy_helper.from_array(np.array([(number - zero) * scale], np.float32), f"c{k}_{i}"))
                operands.append(f"c{k}_{i}")
            else:
                operands.append("x" if source == "x" else names[source])
        for i, bound in enumerate(step.clip):
            constants.append(numpy_helper.from_array(np.array(bound, np.float32), f"l{k}_{i}"))
            operands.append(f"l{k}_{i}")
        names.append(f"f{k}")
        nodes.append(helper.make_node(step.operator, operands, [f"f{k}"], domain=step.domain, **step.attributes))
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [256]) for n in ("x", names[-1]))
    graph = helper.make_graph(nodes, "function", [x], [y], constants)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    made = session(helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString())
    return lambda values: made.run(None, {"x": values})[0]
