# SPDX-License-Identifier: Apache-2.0
"""A checkpoint as ONNX files: batch norm folded, float and QDQ form."""

import sys
from pathlib import Path

import numpy as np

from common import FLOAT_FILE, INPUT_SCALE, INPUT_ZERO_POINT, INT8_FILE, STAGES, load_split, ort_session, to_input
from network import make_network

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from qdq import QdqWriter, affine  # noqa: E402


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


class Graph(QdqWriter):
    """Writes the network's ONNX nodes, in float or, given activation ranges, in QDQ form.

    Every method takes and returns the name of a float tensor.
    """

    def __init__(self, params, ranges=None):
        super().__init__()
        self.params, self.ranges = params, ranges

    def activation(self, name, like=None, result=None):
        """`name` as int8 holds it, with a range of its own or as `like`; in float: as it is."""
        if self.ranges is None:
            return name
        if like:
            return self.quantise_like(name, like, result)
        scale, zero = (INPUT_SCALE, INPUT_ZERO_POINT) if name == "input" else affine(*self.ranges[name])
        return self.quantise(name, scale, zero, result)

    def layer_parameters(self, layer, x):
        """Adds a layer's weight and bias; returns the names of the two float tensors."""
        weight, bias = self.params[layer]
        if self.ranges is None:
            return [self.const(f"{layer}_weight", weight), self.const(f"{layer}_bias", bias)]
        return self.parameters(layer, x, weight, bias)

    def conv(self, layer, x, stride, relu):
        inputs = [x] + self.layer_parameters(layer, x)
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
        inputs = [flat] + self.layer_parameters("fc", flat)
        if self.ranges is None:
            self.node("Gemm", inputs, "logits", transB=1)
        else:
            self.activation(self.node("Gemm", inputs, "fc", transB=1), result="logits")

        return self.model("fashion_resnet8", "tessera/models/fashion/train.py",
                          {"input": ["N", 1, 28, 28]}, {"logits": ["N", 10]})


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
    ranges["fc"] = ranges["logits"]  # the Gemm's output in QDQ form
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

    # Folding must not change the function.
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
