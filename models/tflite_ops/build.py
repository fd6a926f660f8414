# SPDX-License-Identifier: Apache-2.0
"""A TFLite file of one operator, from plain Python values."""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

FLOAT, INT32, INT8 = schema.TensorType.FLOAT32, schema.TensorType.INT32, schema.TensorType.INT8
UINT8, INT16 = schema.TensorType.UINT8, schema.TensorType.INT16
DTYPES = {FLOAT: "<f4", INT32: "<i4", INT8: "i1", UINT8: "u1", INT16: "<i2"}
ACTIVATIONS = {"none": 0, "relu": 1, "relu_n1_to_1": 2, "relu6": 3}
VERSIONS = {"BROADCAST_TO": 2}  # else 1
PADDINGS = {"same": 0, "valid": 1}


class Tensor:
    """|data|: a constant. |scale|: one number, or one an index of |axis|. |variable|: it keeps its value."""

    def __init__(self, shape, dtype=INT8, scale=None, zero=0, axis=0, data=None, variable=False):
        self.variable = variable
        self.shape, self.dtype, self.zero, self.axis, self.data = list(shape), dtype, zero, axis, data
        self.scale = None if scale is None else np.atleast_1d(np.asarray(scale, np.float32))

    @staticmethod
    def constant(values, dtype=INT32, **quant):
        values = np.asarray(values, DTYPES[dtype])
        return Tensor(values.shape, dtype, data=values, **quant)


def is_given(tensor):
    """Whether the model's user gives it."""
    return tensor is not None and tensor.data is None and not tensor.variable


def options(kind, **fields):
    """(type number, object) of builtin options |kind|, with |fields| set."""
    made = getattr(schema, kind + "T")()
    for name, value in fields.items():
        if not hasattr(made, name):
            raise AttributeError(f"{kind} has no {name}")
        setattr(made, name, value)
    return getattr(schema.BuiltinOptions, kind), made


def one_operator(name, inputs, outputs, builtin_options=(0, None), intermediates=()):
    """The file's bytes. |inputs|: tensors of the operator in order, None for an optional one that is
    left out; those without data that are no variables are inputs of the model. |name| as in the schema."""
    code = getattr(schema.BuiltinOperator, name)
    model = schema.ModelT(version=3, description="one operator", buffers=[schema.BufferT()])
    model.operatorCodes = [schema.OperatorCodeT(deprecatedBuiltinCode=min(code, 127), builtinCode=code,
                                               version=VERSIONS.get(name, 1))]
    graph = schema.SubGraphT(name="main", tensors=[], inputs=[], outputs=[])

    def add(tensor, text):
        made = schema.TensorT(shape=tensor.shape, type=tensor.dtype, name=text, isVariable=tensor.variable)
        if tensor.scale is not None:
            made.quantization = schema.QuantizationParametersT(
                scale=[float(s) for s in tensor.scale], zeroPoint=[tensor.zero] * len(tensor.scale),
                quantizedDimension=tensor.axis)
        if tensor.data is None:
            made.buffer = 0
        else:
            model.buffers.append(schema.BufferT(data=list(tensor.data.tobytes())))
            made.buffer = len(model.buffers) - 1
        graph.tensors.append(made)
        return len(graph.tensors) - 1

    ids = []
    for k, tensor in enumerate(inputs):
        ids.append(-1 if tensor is None else add(tensor, f"in{k}"))
        if is_given(tensor):
            graph.inputs.append(ids[-1])
    graph.outputs = [add(tensor, f"out{k}") for k, tensor in enumerate(outputs)]
    between = [add(tensor, f"between{k}") for k, tensor in enumerate(intermediates)] or None
    kind, made = builtin_options
    graph.operators = [schema.OperatorT(opcodeIndex=0, inputs=ids, outputs=list(graph.outputs),
                                        builtinOptionsType=kind, builtinOptions=made,
                                        intermediates=between)]
    model.subgraphs = [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
