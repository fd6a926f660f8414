#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a model in ONNX Runtime with Tessera's execution provider, on values that are all 0.

  example.py PROVIDER MODEL.onnx    PROVIDER: libonnxruntime_ep_tessera.so
"""

import os
import sys

import numpy as np
import onnxruntime as ort

library, model = sys.argv[1:]
ort.register_execution_provider_library("tessera", os.path.abspath(library))
devices = [device for device in ort.get_ep_devices() if device.ep_name == "TesseraExecutionProvider"]
options = ort.SessionOptions()
options.add_provider_for_devices(devices, {"device": "cycle"})
session = ort.InferenceSession(model, options, enable_fallback=0)

TYPES = {"tensor(float)": np.float32, "tensor(int8)": np.int8, "tensor(uint8)": np.uint8}
feeds = {given.name: np.zeros([extent if isinstance(extent, int) else 1 for extent in given.shape], TYPES[given.type])
         for given in session.get_inputs()}
for output, values in zip(session.get_outputs(), session.run(None, feeds)):
    print(output.name, values.shape, values.dtype)
