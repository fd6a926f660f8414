# SPDX-License-Identifier: Apache-2.0
"""Accuracy of both ONNX files, and checks of the int8 file's form."""

import hashlib
import sys

import numpy as np

from common import (FLOAT_FILE, INPUT_SCALE, INPUT_ZERO_POINT, INT8_FILE, load_split, ort_session, to_input)


def top1(path, images, labels, optimise=True, batch=500):
    """Returns the number of images that a model puts in the right class."""
    session = ort_session(path, optimise)
    hits = 0
    for i in range(0, len(images), batch):
        logits = session.run(None, {"input": to_input(images[i : i + batch])})[0]
        hits += int((logits.argmax(1) == labels[i : i + batch]).sum())
    return hits


def check_int8_form(path):
    """Checks what the int8 file promises; prints its layers and quantisations."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    const = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    shapes = {
        v.name: [d.dim_value or d.dim_param for d in v.type.tensor_type.shape.dim]
        for v in list(graph.value_info) + list(graph.input) + list(graph.output)
    }
    source = {n.output[0]: n for n in graph.node}
    known = {"Conv", "Relu", "Add", "GlobalAveragePool", "Flatten", "Gemm",
             "QuantizeLinear", "DequantizeLinear"}

    def need(condition, what):
        if not condition:
            sys.exit(f"{path}: {what}")

    def dequantised(name):
        node = source.get(name)
        need(node and node.op_type == "DequantizeLinear", f"{name} is not dequantised")
        return [const.get(i) for i in node.input]

    print(f"\n{'operator':<18} {'output':<18} {'shape':<16} {'MACs':>9}  scale        zero point")
    total = 0
    for node in graph.node:
        need(node.op_type in known, f"operator {node.op_type} is not expected")
        if node.op_type == "DequantizeLinear":
            continue
        out, macs, quant = node.output[0], 0, ""
        if node.op_type == "QuantizeLinear":
            scale, zero = const[node.input[1]], const[node.input[2]]
            need(scale.shape == () and zero.dtype == np.int8, f"{out} is not int8 per tensor")
            quant = f"{scale:.8f} {zero:>5}"
            if node.input[0] == "input":
                need(scale == INPUT_SCALE and zero == INPUT_ZERO_POINT, "input is not p - 128")
        elif node.op_type == "Relu":
            need(source[node.input[0]].op_type in ("Conv", "Add"), f"{out} is not after Conv or Add")
        else:
            for name in node.input[: 2 if node.op_type == "Add" else 1]:
                dequantised(name)
        if node.op_type in ("Conv", "Gemm"):
            (_, in_scale, _), (weight, w_scale, w_zero), (bias, b_scale, b_zero) = map(
                dequantised, node.input)
            need(weight.dtype == np.int8 and bias.dtype == np.int32, f"{out}: parameter types")
            need(w_scale.shape == (len(weight),), f"{out}: weights are not per channel")
            need(not w_zero.any() and not b_zero.any(), f"{out}: a parameter's zero point is not 0")
            need((b_scale == in_scale * w_scale).all(), f"{out}: bias scale is not s_in * s_w")
            macs = weight.size * int(np.prod(shapes[out][2:], dtype=np.int64))
            total += macs
        shape = "x".join(map(str, shapes[out]))
        print(f"{node.op_type:<18} {out:<18} {shape:<16} {macs or '':>9}  {quant}".rstrip())
    need(source[graph.output[0].name].op_type == "DequantizeLinear", "the output is not dequantised")
    print(f"{'total':<18} {'':<18} {'':<16} {total:>9}\n")


def evaluate(args):
    """Runs and checks both files; exits with an error if a requirement is not met."""
    images, labels = load_split(args.data, "t10k")
    count = len(images)
    float_path, int8_path = args.out / FLOAT_FILE, args.out / INT8_FILE
    check_int8_form(int8_path)

    # Checks the promise about the input for every byte.
    pixels = np.arange(256, dtype=np.uint8)
    q = np.rint(to_input(pixels) / INPUT_SCALE).astype(np.int64) + INPUT_ZERO_POINT
    if not (q == pixels.astype(np.int64) - 128).all():
        sys.exit("the input quantisation does not map the pixel p to p - 128")

    total = 0
    for path in (float_path, int8_path):
        total += path.stat().st_size
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{path.name:<18} {path.stat().st_size:>7} bytes  sha256 {digest}")
    if total > 1_000_000:
        sys.exit(f"the files are {total} bytes together, over 1 MB")

    hits = {
        "float": top1(float_path, images, labels),
        "int8": top1(int8_path, images, labels),
        "int8, graph optimisations off": top1(int8_path, images, labels, optimise=False),
    }
    print()
    for name, n in hits.items():
        print(f"{name + ':':<32} top-1 {n}/{count} = {100 * n / count:.2f} %")

    floating, worst = hits.pop("float"), min(hits.values())
    loss = 100 * (floating - worst) / count
    failed = []
    if 100 * worst / count < args.floor:
        failed.append(f"int8 top-1 is below {args.floor} %")
    if loss > args.margin:
        failed.append(f"int8 loses {loss:.2f} points, more than {args.margin}")
    if failed:
        sys.exit("FAILED: " + "; ".join(failed))
    print(f"ok: int8 top-1 is at least {args.floor} %, within {args.margin} points of float")
