# SPDX-License-Identifier: Apache-2.0
"""Small TFLite models, one a form. A maker takes a random generator and gives the file's bytes."""

import numpy as np

from build import FLOAT, INT8, INT16, INT32, INT64, PADDINGS, UINT8, File, Tensor, options

SAME, VALID = PADDINGS["same"], PADDINGS["valid"]


class Net(File):
    """Activations by name; what a method makes is an activation, its name is the result."""

    def __init__(self):
        super().__init__("field")
        self.ids, self.of = {}, {}

    def add(self, name, tensor):
        self.ids[name], self.of[name] = self.tensor(tensor, name), tensor
        return name

    def const(self, name, values, dtype=INT32, **quant):
        return self.add(name, Tensor.constant(values, dtype, **quant))

    def op(self, kind, inputs, name, tensor, made=(0, None), intermediates=None):
        self.add(name, tensor)
        self.operator(kind, [-1 if i is None else self.ids[i] for i in inputs], [self.ids[name]], made, intermediates)
        return name

    def begin(self, name, tensor):
        self.subgraph("main")
        self.add(name, tensor)
        self.graph.inputs = [self.ids[name]]

    def end(self, *names):
        self.graph.outputs = [self.ids[n] for n in names]
        return self.bytes()


def weights(rng, *shape):
    return rng.integers(-127, 128, shape).astype(np.int8)


def bias(rng, reach, count, dtype):
    """Values and their type; beside int16 activations, whose steps are smaller, 256 times as large and int64."""
    values = rng.integers(-reach, reach, count)
    return (values * 256, INT64) if dtype == INT16 else (values, INT32)


def conv(net, rng, x, name, out, kernel, stride, scale, zero, padding=SAME, dtype=INT8):
    """CONV_2D with ReLU: |out| is [1, H, W, C]."""
    depth = net.of[x].shape[3]
    scales = (0.002 + 0.004 * rng.random(out[3])).astype(np.float32)
    x_scale = net.of[x].scale[0]
    if dtype == UINT8:
        w = net.const(f"{name}.w", rng.integers(0, 256, (out[3], kernel, kernel, depth)), UINT8, scale=scales[0], zero=121)
        b = net.const(f"{name}.b", rng.integers(-900, 900, out[3]), scale=x_scale * scales[0])
    else:
        w = net.const(f"{name}.w", weights(rng, out[3], kernel, kernel, depth), INT8, scale=scales)
        b = net.const(f"{name}.b", *bias(rng, 900, out[3], dtype), scale=x_scale * scales)
    return net.op("CONV_2D", [x, w, b], name, Tensor(out, dtype, scale=np.float32(scale), zero=zero),
                  options("Conv2DOptions", padding=padding, strideW=stride, strideH=stride, fusedActivationFunction=1))


def dense(net, rng, x, name, units, scale, zero, dtype=INT8):
    depth = int(np.prod(net.of[x].shape[1:]))
    if dtype == UINT8:
        w = net.const(f"{name}.w", rng.integers(0, 256, (units, depth)), UINT8, scale=np.float32(0.01), zero=130)
    else:
        w = net.const(f"{name}.w", weights(rng, units, depth), INT8, scale=np.float32(0.01))
    b = net.const(f"{name}.b", *bias(rng, 300, units, dtype), scale=net.of[x].scale[0] * np.float32(0.01))
    return net.op("FULLY_CONNECTED", [x, w, b], name, Tensor([1, units], dtype, scale=np.float32(scale), zero=zero), options("FullyConnectedOptions"))


def uint8_net(rng):
    net = Net()
    net.begin("x", Tensor([1, 9, 9, 3], UINT8, scale=np.float32(1 / 128), zero=128))
    y = conv(net, rng, "x", "conv", [1, 5, 5, 8], 3, 2, 0.02, 0, dtype=UINT8)
    w = net.const("dw", rng.integers(0, 256, (1, 3, 3, 8)), UINT8, scale=np.float32(0.01), zero=140)
    b = net.const("db", rng.integers(-200, 200, 8), scale=np.float32(0.0002))
    y = net.op("DEPTHWISE_CONV_2D", [y, w, b], "depthwise", Tensor([1, 5, 5, 8], UINT8, scale=np.float32(0.03), zero=20),
               options("DepthwiseConv2DOptions", padding=SAME, strideW=1, strideH=1, depthMultiplier=1, fusedActivationFunction=3))
    y = net.op("AVERAGE_POOL_2D", [y], "pool", Tensor([1, 1, 1, 8], UINT8, scale=np.float32(0.03), zero=20),
               options("Pool2DOptions", padding=VALID, strideW=5, strideH=5, filterWidth=5, filterHeight=5))
    y = net.op("RESHAPE", [y, net.const("rows", [1, 8])], "flat", Tensor([1, 8], UINT8, scale=np.float32(0.03), zero=20),
               options("ReshapeOptions", newShape=[1, 8]))
    y = dense(net, rng, y, "logits", 6, 0.05, 110, UINT8)
    net.op("SOFTMAX", [y], "y", Tensor([1, 6], UINT8, scale=np.float32(1 / 256), zero=0), options("SoftmaxOptions", beta=1.0))
    return net.end("y")


def int16_net(rng):
    """Int16 activations beside int8 weights, from floats to floats."""
    net = Net()
    net.begin("x", Tensor([1, 8, 6, 3], FLOAT))
    y = net.op("QUANTIZE", ["x"], "x16", Tensor([1, 8, 6, 3], INT16, scale=np.float32(1.6e-4)), options("QuantizeOptions"))
    y = conv(net, rng, y, "conv", [1, 4, 3, 8], 3, 2, 1e-4, 0, dtype=INT16)
    w = net.const("dw", weights(rng, 1, 3, 3, 8), INT8, scale=(0.004 + 0.004 * rng.random(8)).astype(np.float32), axis=3)
    b = net.const("db", *bias(rng, 200, 8, INT16), scale=net.of[w].scale * np.float32(1e-4))
    z = net.op("DEPTHWISE_CONV_2D", [y, w, b], "depthwise", Tensor([1, 4, 3, 8], INT16, scale=np.float32(2.2e-4)),
               options("DepthwiseConv2DOptions", padding=SAME, strideW=1, strideH=1, depthMultiplier=1))
    z = net.op("LEAKY_RELU", [z], "leaky", Tensor([1, 4, 3, 8], INT16, scale=np.float32(2e-4)), options("LeakyReluOptions", alpha=0.2))
    y = net.op("ADD", [y, z], "sum", Tensor([1, 4, 3, 8], INT16, scale=np.float32(2.5e-4)), options("AddOptions", potScaleInt16=False))
    y = net.op("MEAN", [y, net.const("axes", [1, 2])], "mean", Tensor([1, 8], INT16, scale=np.float32(1.2e-4)), options("ReducerOptions", keepDims=False))
    y = dense(net, rng, y, "logits", 6, 2e-4, 0, INT16)
    y = net.op("SOFTMAX", [y], "shares", Tensor([1, 6], INT16, scale=np.float32(2.0**-15)), options("SoftmaxOptions", beta=1.0))
    net.op("DEQUANTIZE", [y], "y", Tensor([1, 6], FLOAT), options("DequantizeOptions"))
    return net.end("y")


def streaming(rng):
    """A window of the last five rows, two of them kept in a variable; a second variable sums what came before."""
    net = Net()
    row = dict(scale=np.float32(0.05), zero=-3)
    net.begin("x", Tensor([1, 3, 1, 6], **row))
    made = options("CallOnceOptions", initSubgraphIndex=1)
    net.operator("CALL_ONCE", [], [], made)

    def handle(name, of):
        return net.op("VAR_HANDLE", [], name, Tensor([], 13), options("VarHandleOptions", container="", sharedName=of))

    handle("kept.handle", "kept")
    handle("sum.handle", "sum")
    net.op("READ_VARIABLE", ["kept.handle"], "kept", Tensor([1, 2, 1, 6], **row), options("ReadVariableOptions"))
    window = net.op("CONCATENATION", ["kept", "x"], "window", Tensor([1, 5, 1, 6], **row), options("ConcatenationOptions", axis=1))
    lists = [net.const("from", [0, -2, 0, 0]), net.const("to", [0, 0, 0, 0]), net.const("steps", [1] * 4)]
    net.op("STRIDED_SLICE", [window, *lists], "last", Tensor([1, 2, 1, 6], **row), options("StridedSliceOptions", beginMask=13, endMask=15))
    net.operator("ASSIGN_VARIABLE", [net.ids["kept.handle"], net.ids["last"]], [], options("AssignVariableOptions"))
    w = net.const("w", weights(rng, 8, 5, 1, 6), INT8, scale=(0.002 + 0.004 * rng.random(8)).astype(np.float32))
    y = net.op("CONV_2D", [window, w, net.const("b", rng.integers(-500, 500, 8), scale=np.float32(0.0002))], "conv",
               Tensor([1, 1, 1, 8], scale=np.float32(0.02), zero=-128),
               options("Conv2DOptions", padding=VALID, strideW=1, strideH=1, fusedActivationFunction=1))
    flat = dict(scale=np.float32(0.02), zero=-128)
    y = net.op("RESHAPE", [y, net.const("rows", [1, 8])], "flat", Tensor([1, 8], **flat), options("ReshapeOptions", newShape=[1, 8]))
    net.op("READ_VARIABLE", ["sum.handle"], "sum", Tensor([1, 8], scale=np.float32(0.04), zero=0), options("ReadVariableOptions"))
    y = net.op("ADD", [y, "sum"], "more", Tensor([1, 8], scale=np.float32(0.04), zero=0), options("AddOptions"))
    net.operator("ASSIGN_VARIABLE", [net.ids["sum.handle"], net.ids["more"]], [], options("AssignVariableOptions"))
    net.op("LOGISTIC", [dense(net, rng, y, "logits", 3, 0.06, 10)], "y", Tensor([1, 3], scale=np.float32(1 / 256), zero=-128))
    main, made = net.graph, net.end("y")
    net.subgraph("first")
    for name, values, quant in (("kept", weights(rng, 1, 2, 1, 6), row), ("sum", weights(rng, 1, 8), dict(scale=np.float32(0.04), zero=0))):
        handle(f"{name}.first", name)
        net.const(f"{name}.value", values, INT8, **quant)
        net.operator("ASSIGN_VARIABLE", [net.ids[f"{name}.first"], net.ids[f"{name}.value"]], [], options("AssignVariableOptions"))
    return net.bytes()


def sequence(rng):
    net = Net()
    net.begin("x", Tensor([1, 4, 6], scale=np.float32(0.02), zero=-20))
    gates = [f"w{k}" for k in range(8)]
    for k, name in enumerate(gates):
        net.const(name, weights(rng, 5, 6 if k < 4 else 5), INT8, scale=np.float32(0.004 + 0.008 * rng.random()))
    biases = [net.const(f"b{k}", rng.integers(-2000, 2000, 5), scale=np.float32(1e-4)) for k in range(4)]
    hidden = dict(scale=np.float32(0.0078), zero=-2)
    net.add("hidden", Tensor([1, 5], variable=True, **hidden))
    net.add("cell", Tensor([1, 5], INT16, scale=np.float32(2.0**-12), variable=True))
    between = [net.tensor(Tensor((0,), INT16, scale=np.float32(2.0**-12)), f"between{k}") for k in range(4)]
    between.append(net.tensor(Tensor((0,), INT8, **hidden), "between4"))
    y = net.op("UNIDIRECTIONAL_SEQUENCE_LSTM", ["x", *gates, None, None, None, *biases, None, None, "hidden", "cell", None, None, None, None], "lstm",
               Tensor([1, 4, 5], **hidden), options("UnidirectionalSequenceLSTMOptions", fusedActivationFunction=4), between)
    y = net.op("RESHAPE", [y, net.const("rows", [1, 20])], "flat", Tensor([1, 20], **hidden), options("ReshapeOptions", newShape=[1, 20]))
    y = dense(net, rng, y, "logits", 7, 0.02, 4)
    net.op("SOFTMAX", [y], "y", Tensor([1, 7], scale=np.float32(1 / 256), zero=-128), options("SoftmaxOptions", beta=1.0))
    return net.end("y")


def dilated(rng):
    """A convolution between SPACE_TO_BATCH and BATCH_TO_SPACE, which is a dilated one."""
    net = Net()
    at = dict(scale=np.float32(0.04), zero=6)
    net.begin("x", Tensor([1, 8, 6, 4], **at))
    block = net.const("block", [2, 2])
    y = net.op("SPACE_TO_BATCH_ND", ["x", block, net.const("pads", [[2, 2], [2, 2]])], "batches", Tensor([4, 6, 5, 4], **at), options("SpaceToBatchNDOptions"))
    scales = (0.002 + 0.004 * rng.random(8)).astype(np.float32)
    w, b = net.const("w", weights(rng, 8, 3, 3, 4), INT8, scale=scales), net.const("b", rng.integers(-900, 900, 8), scale=scales * np.float32(0.04))
    out = dict(scale=np.float32(0.05), zero=-128)
    y = net.op("CONV_2D", [y, w, b], "conv", Tensor([4, 4, 3, 8], **out),
               options("Conv2DOptions", padding=VALID, strideW=1, strideH=1, fusedActivationFunction=1))
    net.op("BATCH_TO_SPACE_ND", [y, block, net.const("cuts", [[0, 0], [0, 0]])], "y", Tensor([1, 8, 6, 8], **out), options("BatchToSpaceNDOptions"))
    return net.end("y")


def parts(rng):
    """Slices, parts and packs of uint8 with two outputs."""
    net = Net()
    at = dict(dtype=UINT8, scale=np.float32(0.1), zero=90)
    net.begin("x", Tensor([1, 6, 4, 6], **at))
    net.add("left", Tensor([1, 6, 4, 3], **at))
    net.add("right", Tensor([1, 6, 4, 3], **at))
    net.operator("SPLIT", [net.ids[net.const("axis", np.int32(3))], net.ids["x"]], [net.ids["left"], net.ids["right"]], options("SplitOptions", numSplits=2))
    lists = [net.const("from", [0, 5, 0, 0]), net.const("to", [1, 0, 4, 3]), net.const("steps", [1, -2, 1, 1])]
    a = net.op("STRIDED_SLICE", ["left", *lists], "rows", Tensor([1, 3, 4, 3], **at), options("StridedSliceOptions"))
    b = net.op("SLICE", ["right", net.const("begin", [0, 1, 0, 0]), net.const("size", [1, 3, -1, -1])], "middle", Tensor([1, 3, 4, 3], **at), options("SliceOptions"))
    net.op("MAXIMUM", [a, b], "most", Tensor([1, 3, 4, 3], **at), options("MaximumMinimumOptions"))
    net.op("PACK", [a, b], "pack", Tensor([2, 1, 3, 4, 3], **at), options("PackOptions", valuesCount=2, axis=0))
    return net.end("pack", "most")


def half_weights(rng):
    """Float activations, float16 weights that DEQUANTIZE makes float32."""
    net = Net()
    net.begin("x", Tensor([1, 7, 7, 3], FLOAT))
    from build import DTYPES, schema

    half = schema.TensorType.FLOAT16
    DTYPES[half] = "<f2"
    halves = net.const("w.half", (rng.integers(-64, 65, (5, 3, 3, 3)) / 64).astype(np.float16), half)
    w = net.op("DEQUANTIZE", [halves], "w", Tensor([5, 3, 3, 3], FLOAT), options("DequantizeOptions"))
    y = net.op("CONV_2D", ["x", w, net.const("b", (rng.integers(-64, 65, 5) / 32).astype(np.float32), FLOAT)], "conv", Tensor([1, 4, 4, 5], FLOAT),
               options("Conv2DOptions", padding=SAME, strideW=2, strideH=2, fusedActivationFunction=3))
    y = net.op("MEAN", [y, net.const("axes", [1, 2])], "mean", Tensor([1, 5], FLOAT), options("ReducerOptions", keepDims=False))
    net.op("TANH", [y], "y", Tensor([1, 5], FLOAT))
    return net.end("y")


MAKERS = [uint8_net, int16_net, streaming, sequence, dilated, parts, half_weights]
