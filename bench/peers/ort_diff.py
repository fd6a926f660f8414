#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare Tessera's raw integer outputs with ONNX Runtime's.

Reads what Tessera computed for the first N Fashion-MNIST test images, runs the
same int8 model on the same images with ONNX Runtime, and counts the output
values that differ, in quantisation steps. The file given with --tessera is a
.npy array [N,10], either int8 (the raw quantised logits) or float32 (the
dequantised ones). Both sides are compared as int8: scale and zero point are
those of the QuantizeLinear at the end of the model.

ONNX Runtime has several ways to run one QDQ model, and they do not always agree
with each other to the last step. Each is a column:

  off      graph optimisations disabled: every DequantizeLinear, float operator
           and QuantizeLinear is computed as it stands in the file
  default  the default optimisation level; on x86 this runs some convolutions in
           integers and leaves others in float
  integer  the default level with int8 activations kept as they are
           (session.qdqisint8allowed = 1): integer operators throughout

Top-1 counts the first of equal largest logits. Needs numpy, onnx, onnxruntime.
"""

import argparse
import gzip
import sys
from pathlib import Path

EXAMPLE = """\
example:
  python3 bench/peers/ort_diff.py --tessera Y.npy --count 1000
  python3 bench/peers/ort_diff.py --tessera Y.npy --max-steps 1   # fails on a difference of 2

exit status: 0 compared (and within --max-steps, where given), 1 beyond
--max-steps, 2 something is wrong with the arguments or files
"""

REPOSITORY = Path(__file__).resolve().parents[2]


class Problem(Exception):
    """Something the user has to put right."""


try:
    import numpy as np
    import onnx
    import onnxruntime as ort
    from onnx import numpy_helper
except ImportError as error:
    sys.exit(f"ort_diff.py: {error}; install models/fashion/requirements.txt (torch is not needed)")


def read_idx(path, count):
    """Returns the first `count` entries of a gzipped IDX file of unsigned bytes."""
    try:
        with gzip.open(path, "rb") as f:
            raw = f.read()
    except (OSError, EOFError) as error:
        raise Problem(f"cannot read {path}: {error} (Debian package dataset-fashion-mnist, or --data)")
    if len(raw) < 4 or raw[:3] != b"\x00\x00\x08":
        raise Problem(f"{path} is not an IDX file of unsigned bytes")
    rank = raw[3]
    shape = np.frombuffer(raw, ">u4", rank, 4).astype(np.int64)
    data = np.frombuffer(raw, np.uint8, -1, 4 + 4 * rank)
    if data.size != shape.prod():
        raise Problem(f"{path} holds {data.size} bytes of data, its header says {shape.prod()}")
    if count > shape[0]:
        raise Problem(f"{path} has {shape[0]} entries, --count asks for {count}")
    return data.reshape(shape)[:count]


def output_quantisation(path):
    """Returns scale and zero point of the QuantizeLinear that ends the model."""
    try:
        graph = onnx.load(path).graph
    except Exception as error:  # onnx raises many kinds, a missing file among them
        raise Problem(f"cannot load the model {path}: {error}")
    const = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    source = {n.output[0]: n for n in graph.node}
    node = source.get(graph.output[0].name)
    if node is not None and node.op_type == "DequantizeLinear":
        node = source.get(node.input[0])
    if node is None or node.op_type != "QuantizeLinear" or len(node.input) < 3:
        raise Problem(f"{path} does not end in QuantizeLinear, DequantizeLinear")
    if node.input[1] not in const or node.input[2] not in const:
        raise Problem(f"{path}: scale and zero point of its output are not initializers")
    scale, zero = const[node.input[1]], const[node.input[2]]
    if zero.dtype != np.int8 or scale.size != 1 or zero.size != 1:
        raise Problem(f"{path}: the output is not quantised to int8 per tensor")
    return float(scale.reshape(())), int(zero.reshape(()))


def to_steps(values, scale, zero, what):
    """Returns int8 values, or float32 values dequantised by scale and zero, as int32 steps."""
    if values.dtype == np.int8:
        return values.astype(np.int32)
    if values.dtype != np.float32:
        raise Problem(f"{what} holds {values.dtype}; int8 or float32 is needed")
    if not np.isfinite(values).all():
        raise Problem(f"{what} holds values that are not finite")
    exact = values.astype(np.float64) / scale
    steps = np.rint(exact)
    if np.abs(exact - steps).max(initial=0) > 1e-2:
        raise Problem(f"{what} holds float values that are not multiples of the output scale {scale:g}")
    steps = steps.astype(np.int64) + zero
    if steps.min(initial=0) < -128 or steps.max(initial=0) > 127:
        raise Problem(f"{what} holds values outside of the output's int8 range")
    return steps.astype(np.int32)


def read_tessera(path, count):
    """Returns Tessera's outputs, checked for shape."""
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise Problem(f"cannot read {path} as .npy: {error}")
    if values.ndim != 2 or values.shape[1] != 10:
        raise Problem(f"{path} has the shape {list(values.shape)}; [{count}, 10] is needed")
    if values.shape[0] != count:
        raise Problem(f"{path} has {values.shape[0]} rows; give --count {values.shape[0]}, or another file")
    return values


def run_ort(path, images, column):
    """Returns ONNX Runtime's float32 logits, computed in the way that `column` names."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if column == "off":
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    elif column == "integer":
        options.add_session_config_entry("session.qdqisint8allowed", "1")
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    x = images.astype(np.float32)[:, None] / np.float32(255.0)
    return np.concatenate([session.run(None, {name: x[i : i + 250]})[0] for i in range(0, len(x), 250)])


def compare(args):
    if args.count < 1:
        raise Problem("--count must be at least 1")
    scale, zero = output_quantisation(args.model)
    tessera = to_steps(read_tessera(args.tessera, args.count), scale, zero, str(args.tessera))
    images = read_idx(args.data / "t10k-images-idx3-ubyte.gz", args.count)
    labels = read_idx(args.data / "t10k-labels-idx1-ubyte.gz", args.count)

    columns = ("off", "default", "integer")
    peers = {}
    for column in columns:
        try:
            logits = run_ort(args.model, images, column)
        except Exception as error:  # ONNX Runtime's exceptions share no public base class
            raise Problem(f"ONNX Runtime cannot run {args.model}: {error}")
        peers[column] = to_steps(logits, scale, zero, "ONNX Runtime's output")

    def hits(steps):
        return int((steps.argmax(1) == labels).sum())

    def row(title, cells):
        print(f"{title:<34}" + "".join(f"{cell:>12}" for cell in cells))

    distance = {c: np.abs(tessera - peers[c]) for c in columns}
    print(f"ONNX Runtime {ort.__version__}, {args.model.name}, first {args.count} test images")
    print(f"output scale {scale:.8g}, zero point {zero}\n")
    row("optimisation", columns)
    row("values compared", [distance[c].size for c in columns])
    row("values that differ", [int((distance[c] > 0).sum()) for c in columns])
    row("largest difference, steps", [int(distance[c].max()) for c in columns])
    row("images whose class differs",
        [int((tessera.argmax(1) != peers[c].argmax(1)).sum()) for c in columns])
    row("top-1 hits, Tessera", [hits(tessera)] * len(columns))
    row("top-1 hits, ONNX Runtime", [hits(peers[c]) for c in columns])
    row("for scale: differ from 'off'", [int((peers[c] != peers["off"]).sum()) for c in columns])

    if args.max_steps is not None and distance["off"].max() > args.max_steps:
        print(f"\nFAILED: a value differs from 'off' by more than {args.max_steps} steps")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tessera", type=Path, required=True, metavar="Y.npy",
                        help="Tessera's outputs, [N,10], int8 or float32")
    parser.add_argument("--model", type=Path, default=REPOSITORY / "models/fashion/fashion_int8.onnx",
                        help="the int8 model (models/fashion/fashion_int8.onnx)")
    parser.add_argument("--data", type=Path, default=Path("/usr/share/datasets/fashion-mnist"),
                        help="folder of the IDX .gz files (%(default)s)")
    parser.add_argument("--count", type=int, default=1000, metavar="N",
                        help="number of test images (%(default)s)")
    parser.add_argument("--max-steps", type=int, metavar="K",
                        help="exit with 1 if a value differs from column 'off' by more than K steps")
    try:
        sys.exit(compare(parser.parse_args()))
    except Problem as problem:
        print(f"ort_diff.py: {problem}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
