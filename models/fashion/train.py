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
import os
import tempfile
from pathlib import Path

from common import DATA_DIR, HERE
from evaluate import evaluate


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
    from export import export  # needs PyTorch
    from network import train

    export(args, args.work / "last.pt" if args.export else train(args))


if __name__ == "__main__":
    main()
