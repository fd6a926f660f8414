# SPDX-License-Identifier: Apache-2.0
"""A checkpoint as ONNX files: batch norm folded, float and QDQ form."""

import sys

import numpy as np

from common import (FLOAT_FILE, INPUT_SCALE, INPUT_ZERO_POINT, INT8_FILE, OPSET, STAGES, load_split, ort_session,
                    to_input)
from network import make_network


def fold_batch_norm(state):
    """Returns {layer: (weight, bias)} in float32 from a PyTorch state dict."""
    get = lambda key: state[key].detach().double().numpy()
    folded = {}
    for key in state:
        if not key.endswith(".0.weight"):
            continue
        layer = key[: -len(".0.weight")]
        scale = get(f"{layer}.1.weight") / np.sqrt(get(f"{layer}.1.running_var") + 1e-5)
        weight = get(key) * scale[:, None, None, None]
        bias = get(f"{layer}.1.bias") - get(f"{layer}.1.running_mean") * scale
        folded[layer.replace(".", "_")] = (weight.astype(np.float32), bias.astype(np.float32))
    folded["fc"] = (get("fc.weight").astype(np.float32), get("fc.bias").astype(np.float32))
    return folded


class Graph:
    """Writes the network's ONNX nodes, in float or, given activation ranges, in QDQ form.

    Every method takes and returns the name of a float tensor. In QDQ form the
    tensor returned is what DequantizeLinear gives back from the int8 values.
    """

    def __init__(self, params, ranges=None):
        self.params, self.ranges = params, ranges
        self.nodes, self.initializers = [], []
        self.quant = {}  # dequantised tensor -> (name of its scale, of its zero point, scale)

    def const(self, name, value):
        from onnx import numpy_helper

        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, output, **attributes):
        from onnx import helper

        self.nodes.append(helper.make_node(op, inputs, [output], name=f"{output}/{op}", **attributes))
        return output

    def activation(self, name, like=None, result=None):
        """Puts QuantizeLinear and DequantizeLinear behind the float tensor `name`.

        like: a tensor whose scale and zero point to use again; result: the name
        that the dequantised tensor gets.
        """
        if self.ranges is None:
            return name
        if like:
            scale_name, zero_name, scale = self.quant[like]
        else:
            if name == "input":
                scale, zero = INPUT_SCALE, INPUT_ZERO_POINT
            else:
                low, high = self.ranges[name]
                scale = np.float32((high - low) / 255.0)
                zero = int(np.clip(np.rint(-128 - low / float(scale)), -128, 127))
            scale_name = self.const(f"{name}_scale", np.float32(scale))
            zero_name = self.const(f"{name}_zero_point", np.int8(zero))
        quantised = self.node("QuantizeLinear", [name, scale_name, zero_name], f"{name}_q")
        out = self.node("DequantizeLinear", [quantised, scale_name, zero_name], result or f"{name}_dq")
        self.quant[out] = (scale_name, zero_name, scale)
        return out

    def parameters(self, layer, x):
        """Adds a layer's weight and bias; returns the names of the two float tensors."""
        weight, bias = self.params[layer]
        if self.ranges is None:
            return [self.const(f"{layer}_weight", weight), self.const(f"{layer}_bias", bias)]
        # Weights: int8, symmetric, one scale per output channel. A channel of
        # zeros still needs a scale, and one so small that the int32 bias would
        # overflow is raised.
        s_in = self.quant[x][2]
        largest = np.abs(weight.reshape(len(weight), -1)).max(1)
        scale = np.maximum(largest / 127.0, np.abs(bias) / (float(s_in) * 2**30))
        scale = np.where(scale > 0, scale, 1.0).astype(np.float32)
        shape = (-1,) + (1,) * (weight.ndim - 1)
        q_weight = np.clip(np.rint(weight / scale.reshape(shape)), -127, 127).astype(np.int8)
        bias_scale = (np.float32(s_in) * scale).astype(np.float32)
        q_bias = np.rint(bias.astype(np.float64) / bias_scale).astype(np.int32)
        names = []
        for part, q, s in (("weight", q_weight, scale), ("bias", q_bias, bias_scale)):
            name = f"{layer}_{part}"
            inputs = [
                self.const(f"{name}_q", q),
                self.const(f"{name}_scale", s),
                self.const(f"{name}_zero_point", np.zeros(len(s), q.dtype)),
            ]
            names.append(self.node("DequantizeLinear", inputs, f"{name}_dq", axis=0))
        return names

    def conv(self, layer, x, stride, relu):
        inputs = [x] + self.parameters(layer, x)
        kernel = self.params[layer][0].shape[2]
        out = self.node(
            "Conv", inputs, f"{layer}_conv" if relu else layer,
            kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4,
        )
        if relu:
            out = self.node("Relu", [out], layer)
        return self.activation(out)

    def build(self):
        """Writes the whole network; returns the model."""
        from onnx import TensorProto, checker, helper

        x = self.activation("input")
        x = self.conv("stem", x, 1, relu=True)
        for stage, _, _, stride in STAGES:
            y = self.conv(f"{stage}_conv1", x, stride, relu=True)
            y = self.conv(f"{stage}_conv2", y, 1, relu=False)
            if stride != 1:
                x = self.conv(f"{stage}_shortcut", x, stride, relu=False)
            total = self.node("Add", [y, x], f"{stage}_add")
            x = self.activation(self.node("Relu", [total], stage))
        pooled = self.activation(self.node("GlobalAveragePool", [x], "pool"))
        flat = self.activation(self.node("Flatten", [pooled], "flat", axis=1), like=pooled)
        inputs = [flat] + self.parameters("fc", flat)
        if self.ranges is None:
            self.node("Gemm", inputs, "logits", transB=1)
        else:
            self.activation(self.node("Gemm", inputs, "fc", transB=1), result="logits")

        graph = helper.make_graph(
            self.nodes, "fashion_resnet8",
            [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", 1, 28, 28])],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 10])],
            self.initializers,
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)],
            producer_name="tessera/models/fashion/train.py", ir_version=8,
        )
        checker.check_model(model, full_check=True)
        return model


def activation_ranges(model, images, percentile):
    """Returns {tensor: (low, high)} of a float model's activations over images.

    Cuts off the outermost (100 - percentile) % on either side, except for the
    logits, whose extremes decide the class. Every range holds zero, so that zero
    (and with it the padding) is exact.
    """
    import onnx

    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    names = [n.output[0] for n in probe.graph.node]
    del probe.graph.output[:]
    probe.graph.output.extend(onnx.helper.make_empty_tensor_value_info(n) for n in names)
    values = ort_session(probe.SerializeToString()).run(None, {"input": to_input(images)})
    ranges = {}
    for name, value in zip(names, values):
        cut = 100.0 if name == "logits" else percentile
        low, high = np.percentile(value, [100.0 - cut, cut])
        ranges[name] = (min(float(low), 0.0), max(float(high), 0.0))
    ranges["fc"] = ranges["logits"]  # what the Gemm writes in QDQ form
    return ranges


def export(args, checkpoint):
    """Writes both ONNX files from a checkpoint."""
    import onnx
    import torch

    torch.set_num_threads(args.threads)
    state = torch.load(checkpoint)
    params = fold_batch_norm(state["net"])
    model = Graph(params).build()

    images, _ = load_split(args.data, "train")
    pick = np.random.default_rng(args.seed).choice(len(images), args.calibration, replace=False)
    sample = images[np.sort(pick)]

    # Folding must not have changed the function.
    net = make_network().eval()
    net.load_state_dict(state["net"])
    with torch.no_grad():
        expected = net(torch.from_numpy(to_input(sample[:64]))).numpy()
    actual = ort_session(model.SerializeToString()).run(None, {"input": to_input(sample[:64])})[0]
    if not np.allclose(actual, expected, atol=1e-3):
        sys.exit(f"folded graph differs from the network by {np.abs(actual - expected).max()}")

    ranges = activation_ranges(model, sample, args.percentile)
    int8 = Graph(params, ranges).build()
    args.out.mkdir(parents=True, exist_ok=True)
    onnx.save(model, args.out / FLOAT_FILE)
    onnx.save(int8, args.out / INT8_FILE)
    print(f"exported epoch {state['epoch']}/{state['epochs']} to {FLOAT_FILE} and {INT8_FILE}")
