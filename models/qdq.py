# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX graphs whose activations and weights are quantised to int8 in QDQ form."""

import numpy as np

OPSET = 13  # the first version with per-axis DequantizeLinear


class QdqWriter:
    """Nodes and constants of a graph.

    Methods take and return names of float tensors. What `quantise` returns is
    what DequantizeLinear gives back from int8 values, so that the next operator
    has it as an operand.
    """

    def __init__(self):
        self.nodes, self.initializers = [], []
        self.quant = {}  # dequantised tensor -> (name of its scale, of its zero point, scale)

    def const(self, name, value):
        from onnx import numpy_helper

        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, output, **attributes):
        """Adds a node; output: the name of its result, or a list of names."""
        from onnx import helper

        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(op, inputs, outputs, name=f"{outputs[0]}/{op}", **attributes))
        return output

    def quantise(self, name, scale, zero, result=None):
        """QuantizeLinear and DequantizeLinear behind `name`; result: what the dequantised tensor is called."""
        scale_name = self.const(f"{name}_scale", np.float32(scale))
        zero_name = self.const(f"{name}_zero_point", np.int8(zero))
        return self._pair(name, (scale_name, zero_name, np.float32(scale)), result)

    def quantise_like(self, name, like, result=None):
        """The same with the scale and zero point of the dequantised tensor `like`."""
        return self._pair(name, self.quant[like], result)

    def _pair(self, name, quant, result):
        scale_name, zero_name, _ = quant
        quantised = self.node("QuantizeLinear", [name, scale_name, zero_name], f"{name}_q")
        out = self.node("DequantizeLinear", [quantised, scale_name, zero_name], result or f"{name}_dq")
        self.quant[out] = quant
        return out

    def parameters(self, layer, x, weight, bias=None, axis=0):
        """Weights and biases [O] in float for operand x; returns the names of the dequantised two, or one without biases.

        axis: the weights' axis of output channels, of extent O. Weights: int8, symmetric,
        one scale per output channel. A channel of zeros still needs a scale, and one so
        small that the int32 bias would overflow is raised.
        """
        s_in = self.quant[x][2]
        biases = np.zeros(weight.shape[axis], np.float32) if bias is None else bias
        largest = np.abs(np.moveaxis(weight, axis, 0).reshape(len(biases), -1)).max(1)
        scale = np.maximum(largest / 127.0, np.abs(biases) / (float(s_in) * 2**30))
        scale = np.where(scale > 0, scale, 1.0).astype(np.float32)
        shape = [1] * weight.ndim
        shape[axis] = -1
        q_weight = np.clip(np.rint(weight / scale.reshape(shape)), -127, 127).astype(np.int8)
        bias_scale = (np.float32(s_in) * scale).astype(np.float32)
        q_bias = np.rint(biases.astype(np.float64) / bias_scale).astype(np.int32)
        parts = [("weight", q_weight, scale, axis), ("bias", q_bias, bias_scale, 0)]
        names = []
        for part, q, s, along in parts[: 1 if bias is None else 2]:
            name = f"{layer}_{part}"
            inputs = [
                self.const(f"{name}_q", q),
                self.const(f"{name}_scale", s),
                self.const(f"{name}_zero_point", np.zeros(len(s), q.dtype)),
            ]
            names.append(self.node("DequantizeLinear", inputs, f"{name}_dq", axis=along))
        return names

    def model(self, name, producer, inputs, outputs, opset=OPSET):
        """The checked model; inputs, outputs: {name: shape} of float32 tensors."""
        from onnx import TensorProto, checker, helper

        infos = [
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n, shape in side.items()]
            for side in (inputs, outputs)
        ]
        graph = helper.make_graph(self.nodes, name, *infos, self.initializers)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", opset)], producer_name=producer, ir_version=8
        )
        checker.check_model(model, full_check=True)
        return model


def affine(low, high):
    """Scale and zero point of int8 that cover [low, high], which holds 0."""
    scale = np.float32((high - low) / 255.0)
    return scale, int(np.clip(np.rint(-128 - low / float(scale)), -128, 127))
