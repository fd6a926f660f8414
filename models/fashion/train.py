#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train, export and check the Fashion-MNIST ResNet-8 of this folder.

Three steps, each of which can be run alone:

  train      (default) trains with PyTorch on one CPU thread, writes a checkpoint
             after every epoch into --work, then exports
  --export   turns a checkpoint into fashion.onnx (float32, batch norm folded)
             and fashion_int8.onnx (QDQ, calibrated on training images)
  --evaluate runs both files over all 10,000 test images with ONNX Runtime,
             checks the form of the int8 file and fails if the int8 accuracy is
             below --floor or more than --margin points below the float one

The network takes pixel/255 directly: there is no mean or deviation to subtract,
so quantising its input with scale 1/255 and zero point -128 maps the pixel byte
p to the int8 value p - 128, with no arithmetic on the data.

The test images are used by --evaluate alone. The number of epochs is fixed
beforehand, the last epoch's weights are the ones exported, and activation
ranges come from training images.

Examples:
  python3 train.py                           # train from scratch and export
  python3 train.py --resume                  # go on from the last checkpoint
  python3 train.py --export                  # export the last checkpoint again
  python3 train.py --evaluate                # needs onnx, onnxruntime, numpy only
"""

import argparse
import gzip
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
FLOAT_FILE = "fashion.onnx"
INT8_FILE = "fashion_int8.onnx"

# What the Debian package dataset-fashion-mnist installs.
DATA_DIR = "/usr/share/datasets/fashion-mnist"

OPSET = 13  # the first with per-axis DequantizeLinear
INPUT_SCALE = np.float32(1.0 / 255.0)
INPUT_ZERO_POINT = -128

# Residual stages: name, channels in, channels out, stride of the first convolution.
STAGES = (("stage1", 16, 16, 1), ("stage2", 16, 32, 2), ("stage3", 32, 64, 2))


# --------------------------------------------------------------------------- data


def read_idx(path):
    """Returns the uint8 array that a gzipped IDX file holds."""
    with gzip.open(path, "rb") as f:
        raw = f.read()
    if len(raw) < 4 or raw[:3] != b"\x00\x00\x08":
        raise ValueError(f"{path}: not an IDX file of unsigned bytes")
    rank = raw[3]
    shape = np.frombuffer(raw, ">u4", rank, 4).astype(np.int64)
    data = np.frombuffer(raw, np.uint8, -1, 4 + 4 * rank)
    if data.size != shape.prod():
        raise ValueError(f"{path}: {data.size} bytes of data, its header says {shape.prod()}")
    return data.reshape(shape)


def load_split(data_dir, split):
    """Returns images (uint8 [N,1,28,28]) and labels (int64 [N]); split: 'train' or 't10k'."""
    images = read_idx(Path(data_dir) / f"{split}-images-idx3-ubyte.gz")
    labels = read_idx(Path(data_dir) / f"{split}-labels-idx1-ubyte.gz")
    return images[:, None], labels.astype(np.int64)


def to_input(images):
    """The network's input for uint8 images: float32 pixel/255."""
    return images.astype(np.float32) / np.float32(255.0)


# ----------------------------------------------------------------------- training


def make_network():
    """The network as PyTorch module, batch norm after every convolution."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    class ConvBN(nn.Sequential):
        def __init__(self, cin, cout, kernel, stride):
            super().__init__(
                nn.Conv2d(cin, cout, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(cout)
            )

    class Block(nn.Module):
        def __init__(self, cin, cout, stride):
            super().__init__()
            self.conv1 = ConvBN(cin, cout, 3, stride)
            self.conv2 = ConvBN(cout, cout, 3, 1)
            if stride != 1:
                self.shortcut = ConvBN(cin, cout, 1, stride)

        def forward(self, x):
            y = self.conv2(F.relu(self.conv1(x), inplace=True))
            side = self.shortcut(x) if hasattr(self, "shortcut") else x
            return F.relu(y + side, inplace=True)

    class ResNet8(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = ConvBN(1, STAGES[0][1], 3, 1)
            for name, cin, cout, stride in STAGES:
                setattr(self, name, Block(cin, cout, stride))
            self.fc = nn.Linear(STAGES[-1][2], 10)

        def forward(self, x):
            x = F.relu(self.stem(x), inplace=True)
            for name, *_ in STAGES:
                x = getattr(self, name)(x)
            return self.fc(x.mean((2, 3)))

    return ResNet8().to(memory_format=torch.channels_last)


def augment(x, shift, rng):
    """Flips half of the images left-right and shifts each by up to `shift` pixels."""
    import torch
    from torch.nn import functional as F

    n, _, h, w = x.shape
    flip = torch.rand(n, generator=rng) < 0.5
    x = torch.where(flip[:, None, None, None], x.flip(3), x)
    padded = F.pad(x, (shift,) * 4)[:, 0]
    dy, dx = torch.randint(0, 2 * shift + 1, (2, n, 1, 1), generator=rng)
    rows = torch.arange(h)[None, :, None] + dy
    cols = torch.arange(w)[None, None, :] + dx
    return padded[torch.arange(n)[:, None, None], rows, cols][:, None]


def train(args):
    """Trains for args.epochs epochs; returns the path of the last checkpoint."""
    import torch
    from torch.nn import functional as F

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    rng = torch.Generator().manual_seed(args.seed)

    images, labels = load_split(args.data, "train")
    images, labels = torch.from_numpy(to_input(images)), torch.from_numpy(labels)
    steps = len(images) // args.batch

    net = make_network()
    # Batch-norm parameters and biases are left out of the weight decay.
    decayed = [p for p in net.parameters() if p.ndim > 1]
    plain = [p for p in net.parameters() if p.ndim <= 1]
    optimiser = torch.optim.SGD(
        [{"params": decayed, "weight_decay": args.weight_decay}, {"params": plain}],
        lr=args.lr, momentum=0.9, nesterov=True,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, max_lr=args.lr, total_steps=args.epochs * steps, pct_start=0.2
    )

    args.work.mkdir(parents=True, exist_ok=True)
    path = args.work / "last.pt"
    first = 0
    if args.resume:
        state = torch.load(path)
        if state["epochs"] != args.epochs:
            sys.exit(f"{path} belongs to a run of {state['epochs']} epochs, not {args.epochs}")
        net.load_state_dict(state["net"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        rng.set_state(state["rng"])
        first = state["epoch"]

    for epoch in range(first, args.epochs):
        started = time.time()
        net.train()
        order = torch.randperm(len(images), generator=rng)
        loss_sum = hits = 0.0
        for step in range(steps):
            pick = order[step * args.batch : (step + 1) * args.batch]
            x = augment(images[pick], args.shift, rng).to(memory_format=torch.channels_last)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=not args.float32):
                logits = net(x)
            logits = logits.float()
            loss = F.cross_entropy(logits, labels[pick], label_smoothing=args.smoothing)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            loss_sum += loss.item()
            hits += (logits.argmax(1) == labels[pick]).sum().item()
        torch.save(
            {
                "epoch": epoch + 1, "epochs": args.epochs, "net": net.state_dict(),
                "optimiser": optimiser.state_dict(), "schedule": schedule.state_dict(),
                "rng": rng.get_state(),
            },
            path,
        )
        print(
            f"epoch {epoch + 1:3d}/{args.epochs}  loss {loss_sum / steps:.4f}  "
            f"training top-1 {100 * hits / (steps * args.batch):.2f} %  "
            f"{time.time() - started:.0f} s",
            flush=True,
        )
    return path


# ------------------------------------------------------------------------- export


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
    import onnxruntime as ort

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


# ----------------------------------------------------------------------- evaluate


def ort_session(model, optimise=True):
    """An ONNX Runtime session on one thread for a path or serialised model."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if not optimise:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    model = model if isinstance(model, bytes) else str(model)
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


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

    # The promise about the input, over every byte there is.
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


# --------------------------------------------------------------------------- main


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--export", action="store_true", help="export a checkpoint, without training")
    what.add_argument("--evaluate", action="store_true", help="check the two files, nothing else")
    what.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    parser.add_argument("--data", default=DATA_DIR, help="folder of the four IDX .gz files (%(default)s)")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the ONNX files (this one)")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "tessera-fashion",
                        help="folder for checkpoints (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="CPU threads for training (%(default)s)")
    training = parser.add_argument_group("training")
    training.add_argument("--epochs", type=int, default=40)
    training.add_argument("--batch", type=int, default=128)
    training.add_argument("--lr", type=float, default=0.2, help="peak of the one-cycle schedule (%(default)s)")
    training.add_argument("--weight-decay", type=float, default=5e-4)
    training.add_argument("--smoothing", type=float, default=0.05, help="label smoothing (%(default)s)")
    training.add_argument("--shift", type=int, default=2, help="largest random shift in pixels (%(default)s)")
    training.add_argument("--float32", action="store_true", help="train in float32 instead of bfloat16")
    quant = parser.add_argument_group("quantisation")
    quant.add_argument("--calibration", type=int, default=1000, help="training images used (%(default)s)")
    quant.add_argument("--percentile", type=float, default=99.99, help="kept part of a range (%(default)s)")
    limits = parser.add_argument_group("requirements")
    limits.add_argument("--floor", type=float, default=92.0, help="least int8 top-1 in %% (%(default)s)")
    limits.add_argument("--margin", type=float, default=0.5, help="most points lost to float (%(default)s)")
    return parser.parse_args()


def main():
    args = parse_arguments()
    if args.evaluate:
        evaluate(args)
        return
    os.environ.setdefault("OMP_NUM_THREADS", str(args.threads))
    export(args, args.work / "last.pt" if args.export else train(args))


if __name__ == "__main__":
    main()
