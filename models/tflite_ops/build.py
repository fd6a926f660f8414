# SPDX-License-Identifier: Apache-2.0
"""A TFLite file of one operator, from plain Python values."""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

FLOAT, INT32, INT8 = schema.TensorType.FLOAT32, schema.TensorType.INT32, schema.TensorType.INT8
UINT8, INT16 = schema.TensorType.UINT8, schema.TensorType.INT16
BOOL, INT64 = schema.TensorType.BOOL, schema.TensorType.INT64
DTYPES = {FLOAT: "<f4", INT32: "<i4", INT8: "i1", UINT8: "u1", INT16: "<i2", INT64: "<i8", BOOL: "?"}
ACTIVATIONS = {"none": 0, "relu": 1, "relu_n1_to_1": 2, "relu6": 3}
VERSIONS = {"BROADCAST_TO": 2}  # else 1
PADDINGS = {"same": 0, "valid": 1}


class Tensor:
    """|data|: a constant. |scale|: one number, or one an index of |axis|. |variable|: it keeps its value. |draw|: gives an
    input's values of a number generator, their count and the number of the run."""

    def __init__(self, shape, dtype=INT8, scale=None, zero=0, axis=0, data=None, variable=False, draw=None):
        self.variable, self.draw = variable, draw
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


class File:
    """A model: subgraphs that share buffers and operator codes. `subgraph` begins one, `tensor` and `operator` add to the
    last one that was begun."""

    def __init__(self, description):
        self.model = schema.ModelT(version=3, description=description, buffers=[schema.BufferT()], operatorCodes=[], subgraphs=[])

    def subgraph(self, name):
        self.graph = schema.SubGraphT(name=name, tensors=[], inputs=[], outputs=[], operators=[])
        self.model.subgraphs.append(self.graph)
        return self.graph

    def tensor(self, tensor, name):
        """Its number; one that the user gives becomes an input of the model by `graph.inputs`."""
        made = schema.TensorT(shape=tensor.shape, type=tensor.dtype, name=name, isVariable=tensor.variable)
        if tensor.scale is not None:
            made.quantization = schema.QuantizationParametersT(
                scale=[float(s) for s in tensor.scale], zeroPoint=[tensor.zero] * len(tensor.scale),
                quantizedDimension=tensor.axis)
        if tensor.data is None:
            made.buffer = 0
        else:
            self.model.buffers.append(schema.BufferT(data=list(tensor.data.tobytes())))
            made.buffer = len(self.model.buffers) - 1
        self.graph.tensors.append(made)
        return len(self.graph.tensors) - 1

    def operator(self, name, inputs, outputs, builtin_options=(0, None), intermediates=None):
        """|name| as in the schema, or that of a custom operator, whose options are bytes; numbers of tensors, -1 for an
        optional one that is left out."""
        custom = name if isinstance(builtin_options, bytes) else None
        code, version = schema.BuiltinOperator.CUSTOM if custom else getattr(schema.BuiltinOperator, name), VERSIONS.get(name, 1)
        codes = self.model.operatorCodes
        index = next((k for k, c in enumerate(codes) if (c.builtinCode, c.version, c.customCode) == (code, version, custom)), len(codes))
        if index == len(codes):
            codes.append(schema.OperatorCodeT(deprecatedBuiltinCode=min(code, 127), builtinCode=code, version=version, customCode=custom))
        kind, made = (0, None) if custom else builtin_options
        self.graph.operators.append(schema.OperatorT(opcodeIndex=index, inputs=inputs, outputs=outputs, builtinOptionsType=kind,
                                                     builtinOptions=made, intermediates=intermediates,
                                                     customOptions=list(builtin_options) if custom else None))

    def bytes(self):
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def one_operator(name, inputs, outputs, builtin_options=(0, None), intermediates=()):
    """The file's bytes. |inputs|: tensors of the operator in order, None for an optional one that is
    left out; those without data that are no variables are inputs of the model. |name| and options as File.operator has them."""
    file = File("one operator")
    graph = file.subgraph("main")
    ids = []
    for k, tensor in enumerate(inputs):
        ids.append(-1 if tensor is None else file.tensor(tensor, f"in{k}"))
        if is_given(tensor):
            graph.inputs.append(ids[-1])
    graph.outputs = [file.tensor(tensor, f"out{k}") for k, tensor in enumerate(outputs)]
    between = [file.tensor(tensor, f"between{k}") for k, tensor in enumerate(intermediates)] or None
    file.operator(name, ids, list(graph.outputs), builtin_options, between)
    return file.bytes()
