#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times a network in a peer, onnxruntime or openvino. A worker of host_peers.py.

  time_peer.py PEER MODEL.onnx ITEMS.npy OUTPUT.npy THREADS ROUNDS
  time_peer.py PEER --version

Loads the network once, runs each item once without counting, then prints the seconds of one inference for each of
ROUNDS lines that it reads from stdin. Writes what the network computes to OUTPUT.npy.

ONNX Runtime has all graph optimisations and, where it makes the network faster, int8 activations kept as they are
(session.qdqisint8allowed); OpenVINO has the latency hint and, so that float stays float32, that precision.
"""

import sys
import time
from importlib.metadata import version

import numpy as np


def with_onnxruntime(model, threads, items):
    import onnxruntime as ort

    fastest = None
    for int8 in ("0", "1"):
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.qdqisint8allowed", int8)
        session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name

        def infer(item, session=session, name=name):
            return session.run(None, {name: item})[0]

        seconds = min(timed(infer, items) for _ in range(3))
        if fastest is None or seconds < fastest[0]:
            fastest = (seconds, infer)
    return fastest[1]


def with_openvino(model, threads, _):
    import openvino as ov

    core = ov.Core()
    compiled = core.compile_model(core.read_model(model), "CPU", {
        "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()

    def infer(item):
        request.infer([item], share_inputs=True)
        return request.get_output_tensor(0).data

    return infer


def timed(infer, items):
    begin = time.perf_counter()
    for item in items:
        infer(item)
    return (time.perf_counter() - begin) / len(items)


PEERS = {"onnxruntime": with_onnxruntime, "openvino": with_openvino}


def main():
    make = PEERS[sys.argv[1]]
    if sys.argv[2:] == ["--version"]:
        print(sys.argv[1], version(sys.argv[1]))
        return
    model, data, output, threads, rounds = sys.argv[2:]
    items = [item[np.newaxis] for item in np.load(data)]
    infer = make(model, int(threads), items)
    np.save(output, np.concatenate([np.array(infer(item)) for item in items]))
    for _ in range(int(rounds)):
        sys.stdin.readline()
        print(timed(infer, items), flush=True)


if __name__ == "__main__":
    main()
