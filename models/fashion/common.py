# SPDX-License-Identifier: Apache-2.0
"""Names, constants and data that training, export and evaluation share."""

import gzip
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
FLOAT_FILE = "fashion.onnx"
INT8_FILE = "fashion_int8.onnx"

# The folder of the Debian package dataset-fashion-mnist.
DATA_DIR = "/usr/share/datasets/fashion-mnist"

INPUT_SCALE = np.float32(1.0 / 255.0)
INPUT_ZERO_POINT = -128

# Residual stages: name, channels in, channels out, stride of the first convolution.
STAGES = (("stage1", 16, 16, 1), ("stage2", 16, 32, 2), ("stage3", 32, 64, 2))


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
