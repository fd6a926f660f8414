#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From Keras to files that run here: TFLite's converter in int8, and tf2onnx with tessera quantize.

  python3 keras_paths.py TESSERA FOLDER

Exit status: 0 every path goes as docs/models.md says. Needs tensorflow (tensorflow-cpu will do), tf2onnx, onnx, numpy.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
import tf2onnx

from steps import Steps


def network():
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    x = image = tf.keras.Input((16, 16, 3))
    x = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(16, 3, padding="same", use_bias=False)(x)))
    y = layers.DepthwiseConv2D(3, padding="same")(x)
    x = layers.ReLU()(layers.Add()([x, layers.Conv2D(16, 1)(y)]))
    x = layers.GlobalAveragePooling2D()(layers.MaxPooling2D()(x))
    return tf.keras.Model(image, layers.Dense(10)(x))


def main():
    steps = Steps(sys.argv[1], sys.argv[2])
    net = network()
    items = np.random.default_rng(1).standard_normal((16, 16, 16, 3)).astype(np.float32)
    want = net(items).numpy()
    print(f"tensorflow {tf.__version__}, tf2onnx {tf2onnx.__version__}")

    # The exported graph holds the layers in their inference form.
    graph = tf.function(lambda image: net(image, training=False))
    signature = [tf.TensorSpec((1, 16, 16, 3), tf.float32, name="image")]

    print("TFLiteConverter, int8 inside, floats outside")
    converter = tf.lite.TFLiteConverter.from_keras_model(net)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([x[None]] for x in items)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    path = steps.folder / "keras_int8.tflite"
    path.write_bytes(converter.convert())
    have = steps.run(path, items)
    steps.near("int8", have, want, 0.1)

    path = steps.folder / "keras.onnx"
    tf2onnx.convert.from_function(graph, input_signature=signature, opset=13, output_path=str(path))
    steps.onnx("tf2onnx", path, items, want)
    return steps.end()


if __name__ == "__main__":
    sys.exit(main())
