# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models, one a form. A maker takes a random generator and gives an Onnx."""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

FLOAT, INT8, UINT8 = TensorProto.FLOAT, TensorProto.INT8, TensorProto.UINT8
INT32, INT64, BOOL = TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL


class Onnx:
    """|shapes|: what open extents take. |external|: constants that lie in a file of their own."""

    def __init__(self, opset=17, shapes=None, microsoft=False):
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []
        self.opset, self.shapes, self.microsoft, self.external = opset, shapes or {}, microsoft, set()

    def input(self, name, dtype, shape):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, name, dtype, shape=None):
        self.outputs.append(helper.make_tensor_value_info(name, dtype, shape))

    def const(self, name, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, outputs, domain="", **attributes):
        """The first result's name."""
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(op, inputs, outputs, name=f"{outputs[0]}/{op}", domain=domain, **attributes))
        return outputs[0]

    def pair(self, x, scale, zero, axis=None):
        """|x| through QuantizeLinear and DequantizeLinear."""
        quant = [self.const(f"{x}.scale", np.float32(scale)), self.const(f"{x}.zero", zero)]
        self.node("QuantizeLinear", [x, *quant], f"{x}.q")
        return self.node("DequantizeLinear", [f"{x}.q", *quant], f"{x}.dq")

    def weights(self, name, values, scale):
        """Int8 |values| under |scale|, one or one an index of axis 0, as floats."""
        quant = [self.const(f"{name}.scale", np.asarray(scale, np.float32)),
                 self.const(f"{name}.zero", np.zeros(np.shape(scale), np.int8))]
        attributes = {"axis": 0} if np.ndim(scale) else {}
        return self.node("DequantizeLinear", [self.const(f"{name}.int8", values), *quant], name, **attributes)

    def bias(self, name, values, scale):
        quant = [self.const(f"{name}.scale", np.asarray(scale, np.float32)),
                 self.const(f"{name}.zero", np.zeros(np.shape(scale), np.int32))]
        attributes = {"axis": 0} if np.ndim(scale) else {}
        return self.node("DequantizeLinear", [self.const(f"{name}.int32", values), *quant], name, **attributes)

    def model(self):
        opsets = [helper.make_opsetid("", self.opset)]
        if self.microsoft:
            opsets.append(helper.make_opsetid("com.microsoft", 1))
        graph = helper.make_graph(self.nodes, "field", self.inputs, self.outputs, self.constants)
        made = helper.make_model(graph, opset_imports=opsets, ir_version=min(10, 4 if self.opset < 9 else 10))
        if not self.microsoft:
            checker.check_model(made)
        return made


def small(rng, *shape):
    return (rng.integers(-100, 101, shape) * 0.01).astype(np.float32)


def int8(rng, *shape):
    return rng.integers(-127, 128, shape).astype(np.int8)


def uint8_edges(rng):
    m = Onnx()
    quant = [m.const("x.scale", np.float32(0.02)), m.const("x.zero", np.uint8(100))]
    x = m.node("DequantizeLinear", [m.input("x", UINT8, [1, 3, 8, 8]), *quant], "x.dq")
    scales = (0.001 + 0.002 * rng.random(16)).astype(np.float32)
    w = m.weights("w", int8(rng, 16, 3, 3, 3), scales)
    b = m.bias("b", rng.integers(-900, 900, 16).astype(np.int32), scales * np.float32(0.02))
    y = m.pair(m.node("Relu", [m.node("Conv", [x, w, b], "conv", pads=[1] * 4, strides=[2, 2])], "relu"), 0.01, np.uint8(0))
    y = m.node("MaxPool", [y], "pool", kernel_shape=[2, 2], strides=[2, 2])
    m.node("QuantizeLinear", [y, "relu.scale", "relu.zero"], "y")
    m.output("y", UINT8, [1, 16, 2, 2])
    return m


def two_inputs(rng):
    m = Onnx(opset=13)
    m.input("words", INT64, [1, 4])
    m.input("weight", FLOAT, [1, 6])
    rows = m.node("Gather", [m.const("table", small(rng, 9, 5)), "words"], "rows", axis=0)
    flat = m.node("Flatten", [rows], "flat")
    both = m.node("Concat", [flat, "weight"], "both", axis=1)
    y = m.node("Gemm", [both, m.const("w", small(rng, 26, 7)), m.const("b", small(rng, 7))], "logits")
    m.node("Softmax", [y], "share", axis=1)
    m.node("Greater", ["share", m.const("limit", np.float32(0.14))], "likely")
    m.node("ArgMax", [y], "best", axis=1, keepdims=0)
    m.output("logits", FLOAT, [1, 7])
    m.output("likely", BOOL, [1, 7])
    m.output("best", INT64, [1])
    return m


def open_shape(rng):
    m = Onnx(shapes={"x": [1, 3, 10, 14]})
    m.input("x", FLOAT, ["n", 3, "height", "width"])
    y = m.node("Conv", ["x", m.const("w", small(rng, 4, 3, 3, 3)), m.const("b", small(rng, 4))], "conv", strides=[2, 2])
    shape = m.node("Shape", [y], "shape")
    ends = [m.node("Slice", [shape, m.const(f"{k}.from", np.int64([k])), m.const(f"{k}.to", np.int64([k + 1]))], f"extent{k}")
            for k in range(4)]
    area = m.node("Mul", ends[2:], "area")
    rows = m.node("Reshape", [y, m.node("Concat", [*ends[:2], area], "rows.shape", axis=0)], "rows")
    mean = m.node("Div", [m.node("ReduceSum", [rows, m.const("axes", np.int64([2]))], "sum", keepdims=0),
                          m.node("Cast", [area], "area.float", to=FLOAT)], "mean")
    m.node("Sigmoid", [mean], "y")
    m.output("y", FLOAT, ["n", 4])
    return m


def external_data(rng):
    m = Onnx()
    m.input("x", FLOAT, [1, 40])
    y = m.node("Relu", [m.node("Gemm", ["x", m.const("w0", small(rng, 40, 30)), m.const("b0", small(rng, 30))], "hidden")], "relu")
    m.node("MatMul", [y, m.const("w1", small(rng, 30, 10))], "y")
    m.output("y", FLOAT, [1, 10])
    m.external = {"w0", "w1"}
    return m


def constant_forms(rng):
    m = Onnx(opset=13)
    m.input("x", FLOAT, [1, 6, 4])
    one = m.node("Constant", [], "one", value_float=1.0)
    steps = m.node("Constant", [], "steps", value_floats=[0.5, -0.25, 2.0, 1.0])
    count = m.node("Constant", [], "count", value_int=6)
    shape = m.node("Constant", [], "shape", value_ints=[6, 4])
    table = m.node("Constant", [], "table", value=numpy_helper.from_array(small(rng, 6, 4)))
    zeros = m.node("ConstantOfShape", [shape], "fill", value=numpy_helper.from_array(np.float32([0.125])))
    places = m.node("Range", [m.const("start", np.int64(0)), count, m.const("delta", np.int64(1))], "range")
    places = m.node("Cast", [m.node("Unsqueeze", [places, m.const("axis", np.int64([1]))], "column")], "places", to=FLOAT)
    angle = m.node("Div", [places, m.node("Exp", [steps], "pace")], "angle")
    wave = m.node("Add", [m.node("Sin", [angle], "sine"), zeros], "wave")
    even = m.node("Equal", [m.node("Mod", [m.const("index", np.int64([[0, 1, 2, 3]])), m.const("two", np.int64(2))], "odd"),
                            m.const("zero", np.int64(0))], "even")
    code = m.node("Where", [even, wave, m.node("Expand", [m.node("Sub", [table, one], "less"), shape], "spread")], "code")
    y = m.node("Add", ["x", code], "sum")
    m.node("Reshape", [y, m.node("Concat", [m.const("minus", np.int64([-1])), m.node("Slice", [shape, m.const("a", np.int64([1])),
           m.const("z", np.int64([2]))], "last")], "to", axis=0)], "y")
    m.output("y", FLOAT, [6, 4])
    return m


def qoperator(rng):
    m = Onnx(opset=13, microsoft=True)
    m.input("x", FLOAT, [1, 4, 9, 7])

    def quant(name, scale, zero):
        return [m.const(f"{name}.scale", np.float32(scale)), m.const(f"{name}.zero", np.int8(zero))]

    at = quant("x", 0.03, 5)
    q = m.node("QuantizeLinear", ["x", *at], "x.q")
    w, w_at = m.const("w", int8(rng, 8, 4, 3, 3)), [m.const("w.scale", (0.004 + 0.004 * rng.random(8)).astype(np.float32)),
                                                   m.const("w.zero", np.zeros(8, np.int8))]
    a_at, b_at, s_at = quant("a", 0.05, -10), quant("b", 0.06, 3), quant("s", 0.08, -7)
    a = m.node("QLinearConv", [q, *at, w, *w_at, *a_at, m.const("bias", rng.integers(-500, 500, 8).astype(np.int32))], "a", pads=[1] * 4)
    b = m.node("QLinearConv", [a, *a_at, m.const("v", int8(rng, 8, 1, 3, 3)), m.const("v.scale", np.float32(0.01)),
                               m.const("v.zero", np.int8(0)), *b_at], "b", pads=[1] * 4, group=8)
    s = m.node("QLinearAdd", [a, *a_at, b, *b_at, *s_at], "s", domain="com.microsoft")
    p_at = quant("p", 0.04, 0)
    p = m.node("QLinearGlobalAveragePool", [s, *s_at, *p_at], "p", domain="com.microsoft", channels_last=0)
    flat = m.node("Reshape", [p, m.const("rows", np.int64([1, 8]))], "flat")
    y_at = quant("y", 0.05, 1)
    y = m.node("QLinearMatMul", [flat, *p_at, m.const("m", int8(rng, 8, 6)), m.const("m.scale", np.float32(0.02)),
                                 m.const("m.zero", np.int8(0)), *y_at], "product")
    m.node("DequantizeLinear", [y, *y_at], "y")
    m.output("y", FLOAT, [1, 6])
    return m


def normalised_conv(rng):
    m = Onnx(opset=15)
    m.input("x", FLOAT, [1, 3, 9, 9])
    x = m.node("Pad", ["x", m.const("pads", np.int64([0, 0, 1, 2, 0, 0, 2, 1]))], "padded", mode="reflect")
    y = m.node("Conv", [x, m.const("w", small(rng, 6, 3, 3, 3))], "conv")
    statistics = [m.const(k, v) for k, v in (("gamma", 1 + small(rng, 6)), ("beta", small(rng, 6)), ("mean", small(rng, 6)),
                                            ("variance", 0.5 + rng.random(6).astype(np.float32)))]
    y = m.node("BatchNormalization", [y, *statistics], "normal", epsilon=1e-3)
    y = m.node("Mul", [y, m.const("factor", small(rng, 6, 1, 1))], "scaled")
    y = m.node("Add", [y, m.const("offset", small(rng, 6, 1, 1))], "moved")
    y = m.node("HardSwish", [y], "swish")
    m.node("AveragePool", [y], "y", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, ceil_mode=1)
    m.output("y", FLOAT, ["n", "c", "h", "w"])
    return m


def reached_weights(rng):
    m = Onnx(opset=13)
    x = m.pair(m.input("x", FLOAT, [1, 4, 6, 6]), 0.02, np.int8(4))
    scales = (0.01 + 0.01 * rng.random(8)).astype(np.float32)
    quant = [m.const("w.scale", scales), m.const("w.zero", np.zeros(8, np.int8))]
    w = m.node("DequantizeLinear", [m.const("w", int8(rng, 3, 3, 4, 8)), *quant], "w.float", axis=3)
    w = m.node("Transpose", [w], "w.turned", perm=[3, 2, 0, 1])
    y = m.pair(m.node("Conv", [x, w], "conv", pads=[1] * 4), 0.3, np.int8(-6))
    half = m.const("h", small(rng, 12, 8, 1).astype(np.float16))
    v = m.node("Reshape", [m.node("Cast", [half], "h.float", to=FLOAT), m.const("v.shape", np.int64([12, 8, 1, 1]))], "v")
    m.node("Conv", [y, v], "y", strides=[2, 2])
    m.output("y", FLOAT, [1, 12, 3, 3])
    return m


def recurrent(rng):
    m = Onnx(opset=14)
    m.input("x", FLOAT, [5, 2, 4])
    m.node("GRU", ["x", m.const("gw", small(rng, 2, 9, 4)), m.const("gr", small(rng, 2, 9, 3)), m.const("gb", small(rng, 2, 18))],
           ["g", "g.last"], hidden_size=3, direction="bidirectional", linear_before_reset=1)
    both = m.node("Reshape", [m.node("Transpose", ["g"], "turned", perm=[0, 2, 1, 3]), m.const("to", np.int64([5, 2, 6]))], "both")
    m.node("LSTM", [both, m.const("lw", small(rng, 1, 16, 6)), m.const("lr", small(rng, 1, 16, 4)), m.const("lb", small(rng, 1, 32)), "", "", "",
                    m.const("lp", small(rng, 1, 12))], ["y", "h", "c"], hidden_size=4)
    for name, shape in (("y", [5, 1, 2, 4]), ("h", [1, 2, 4]), ("c", [1, 2, 4])):
        m.output(name, FLOAT, shape)
    return m


def attention(rng):
    m = Onnx(opset=17)
    m.input("x", FLOAT, [1, 6, 8])
    m.input("mask", BOOL, [1, 1, 6, 6])
    x = m.node("LayerNormalization", ["x", m.const("gain", 1 + small(rng, 8)), m.const("shift", small(rng, 8))], "normal")
    heads = m.const("heads", np.int64([1, 6, 2, 4]))

    def part(name):
        y = m.node("Add", [m.node("MatMul", [x, m.const(f"{name}.w", small(rng, 8, 8))], f"{name}.product"), m.const(f"{name}.b", small(rng, 8))], f"{name}.sum")
        return m.node("Transpose", [m.node("Reshape", [y, heads], f"{name}.heads")], name, perm=[0, 2, 1, 3])

    q, k, v = part("q"), part("k"), part("v")
    scores = m.node("MatMul", [q, m.node("Transpose", [k], "k.turned", perm=[0, 1, 3, 2])], "scores")
    scores = m.node("Div", [scores, m.const("root", np.float32(2))], "scaled")
    scores = m.node("Where", ["mask", scores, m.const("low", np.float32(-1e4))], "masked")
    y = m.node("MatMul", [m.node("Softmax", [scores], "share", axis=-1), v], "mixed")
    y = m.node("Reshape", [m.node("Transpose", [y], "joined", perm=[0, 2, 1, 3]), m.const("flat", np.int64([1, 6, 8]))], "rows")
    y = m.node("Add", ["x", y], "residual")
    inner = m.node("Div", [y, m.const("root2", np.float32(np.sqrt(2)))], "inner")
    y = m.node("Mul", [m.node("Mul", [y, m.node("Add", [m.node("Erf", [inner], "erf"), m.const("one", np.float32(1))], "erf1")], "twice"),
                       m.const("half", np.float32(0.5))], "y")
    m.output(y, FLOAT, [1, 6, 8])
    return m


def int8_products(rng):
    m = Onnx(opset=13)
    a = m.pair(m.input("a", FLOAT, [2, 5, 16]), 0.02, np.int8(7))
    b = m.pair(m.input("b", FLOAT, [2, 16, 6]), 0.03, np.int8(-9))
    y = m.pair(m.node("MatMul", [a, b], "product"), 0.05, np.int8(3))
    y = m.node("Reshape", [y, m.const("rows", np.int64([10, 6]))], "flat")
    y = m.node("Gemm", [y, m.weights("w", int8(rng, 4, 6), 0.01), m.bias("c", rng.integers(-99, 99, 4).astype(np.int32), 0.0005)], "gemm", transB=1)
    quant = [m.const("y.scale", np.float32(0.04)), m.const("y.zero", np.int8(-1))]
    m.node("QuantizeLinear", [y, *quant], "y")
    m.output("y", INT8, [10, 4])
    return m


def pictures(rng):
    m = Onnx(opset=13)
    m.input("x", FLOAT, [1, 4, 6, 5])
    cubic = m.node("Resize", ["x", "", m.const("scales", np.float32([1, 1, 1.5, 2]))], "cubic", mode="cubic",
                   coordinate_transformation_mode="half_pixel")
    deep = m.node("DepthToSpace", [cubic], "deep", blocksize=2, mode="CRD")
    linear = m.node("Resize", [deep, "", "", m.const("sizes", np.int64([1, 1, 7, 9]))], "linear", mode="linear",
                    coordinate_transformation_mode="align_corners")
    m.node("ArgMax", [linear], "best", axis=3, keepdims=1)
    m.node("ReduceL2", [linear], "length", axes=[2], keepdims=0)
    m.output("best", INT64, [1, 1, 7, 1])
    m.output("length", FLOAT, [1, 1, 9])
    return m


def opset7(rng):
    m = Onnx(opset=7)
    m.input("x", FLOAT, [1, 2, 6, 6])
    y = m.node("Conv", ["x", m.const("w", small(rng, 4, 2, 3, 3)), m.const("b", small(rng, 4))], "conv", pads=[1] * 4)
    y = m.node("BatchNormalization", [y, m.const("g", 1 + small(rng, 4)), m.const("s", small(rng, 4)), m.const("at", small(rng, 4)),
                                      m.const("var", 1 + rng.random(4).astype(np.float32))], "normal")
    y = m.node("LeakyRelu", [y], "leaky", alpha=0.1)
    y = m.node("Upsample", [y], "up", mode="nearest", scales=[1.0, 1.0, 2.0, 2.0])
    y = m.node("Pad", [y], "padded", pads=[0, 0, 1, 1, 0, 0, 1, 1], value=0.5)
    y = m.node("MaxPool", [y], "pool", kernel_shape=[2, 2], strides=[2, 2])
    y = m.node("Squeeze", [m.node("ReduceMean", [y], "mean", axes=[2, 3], keepdims=1)], "row", axes=[2, 3])
    m.node("Dropout", [y], "y", ratio=0.3)
    m.output("y", FLOAT, [1, 4])
    return m


def opset21(rng):
    m = Onnx(opset=21)
    m.input("x", FLOAT, [1, 8, 5, 5])
    m.input("chosen", BOOL, [1, 8, 1, 1])
    y = m.node("GroupNormalization", ["x", m.const("scale", 1 + small(rng, 8)), m.const("bias", small(rng, 8))], "normal", num_groups=2)
    y = m.node("Gelu", [y], "gelu", approximate="tanh")
    other = m.node("Xor", ["chosen", m.const("flip", rng.integers(0, 2, (8, 1, 1)).astype(bool))], "other")
    y = m.node("Where", [other, y, m.node("Neg", [y], "minus")], "either")
    parts = [f"part{k}" for k in range(3)]
    m.node("Split", [y], parts, axis=1, num_outputs=3)
    m.node("Concat", [m.node("Mish", [parts[0]], "mish"), m.node("HardSigmoid", [parts[2]], "hard")], "y", axis=1)
    m.output("y", FLOAT, [1, 5, 5, 5])
    return m


def signals(rng):
    m = Onnx(opset=13)
    m.input("x", FLOAT, [1, 3, 40])
    y = m.node("Conv", ["x", m.const("w", small(rng, 6, 3, 5)), m.const("b", small(rng, 6))], "conv", strides=[2], pads=[2, 2], dilations=[1])
    y = m.node("MaxPool", [m.node("Elu", [y], "elu")], "pool", kernel_shape=[3], strides=[2], ceil_mode=1)
    y = m.node("AveragePool", [y], "mean", kernel_shape=[2], strides=[1])
    y = m.node("CumSum", [y, m.const("axis", np.int64(2))], "sums")
    m.node("LogSoftmax", [y], "y", axis=1)
    m.output("y", FLOAT, ["n", "c", "t"])
    return m


MAKERS = [uint8_edges, two_inputs, open_shape, external_data, constant_forms, qoperator, normalised_conv, reached_weights, recurrent,
          attention, int8_products, pictures, opset7, opset21, signals]
