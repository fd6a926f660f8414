# SPDX-License-Identifier: Apache-2.0
"""Sequence LSTM on int8 with a 16-bit cell: batches, both orders of axes, coupled gates, peepholes, clipped cells. Its
states are variables, so that each run of a file begins with what the one before left."""

import numpy as np

from build import INT8, INT16, INT32, Tensor, options

OPERATORS = ("UNIDIRECTIONAL_SEQUENCE_LSTM",)  # their makers also give intermediates

# batch, steps, depth, cells, time major, coupled, peepholes, log2 of the cell's scale, clip
LAYERS = [
    (1, 3, 5, 4, False, False, False, -12, 0.0),
    (2, 4, 3, 6, False, False, False, -11, 0.0),
    (2, 3, 4, 5, True, False, True, -12, 0.0),
    (1, 5, 2, 3, True, True, False, -13, 0.0),
    (1, 2, 6, 4, False, True, True, -10, 2.0),
    (1, 1, 16, 20, False, False, False, -12, 1.5),
    (3, 2, 1, 1, False, False, True, -9, 0.0),
    (1, 6, 7, 9, False, False, False, -15, 0.0),
]


def lstm(rng, k):
    batch, steps, depth, cells, time_major, coupled, holes, exponent, clip = LAYERS[k]
    shape = (steps, batch) if time_major else (batch, steps)
    x_scale, h_scale = np.float32(0.01 + 0.09 * rng.unit()), np.float32(0.004 + 0.008 * rng.unit())

    def weights(columns):
        return Tensor.constant(rng.int8((cells, columns)), INT8, scale=np.float32(0.002 + 0.03 * rng.unit()))

    def gates(make):
        return [None if coupled and gate == 0 else make() for gate in range(4)]

    def hole():
        return Tensor.constant(rng.range(-20000, 20000, cells), INT16, scale=np.float32(2e-5 + 3e-5 * rng.unit()))

    inputs = [Tensor((*shape, depth), scale=x_scale, zero=rng.range(-128, 127))]
    inputs += gates(lambda: weights(depth)) + gates(lambda: weights(cells))
    inputs += [hole() if holes and not (coupled and gate == 0) else None for gate in range(3)]
    inputs += gates(lambda: Tensor.constant(rng.range(-3000, 3000, cells), INT32, scale=np.float32(1e-4)))
    inputs += [None, None]
    hidden = dict(scale=h_scale, zero=rng.range(-20, 20))
    inputs += [Tensor((batch, cells), INT8, variable=True, **hidden),
               Tensor((batch, cells), INT16, scale=np.float32(2.0**exponent), variable=True)]
    inputs += [None] * 4
    between = [Tensor((0,), INT16, scale=np.float32(2.0**-12)) for _ in range(4)] + [Tensor((0,), INT8, **hidden)]
    made = options("UnidirectionalSequenceLSTMOptions", fusedActivationFunction=4, cellClip=clip, timeMajor=time_major)
    return inputs, [Tensor((*shape, cells), **hidden)], made, between


FAMILIES = [("UNIDIRECTIONAL_SEQUENCE_LSTM", len(LAYERS), lstm, "")]
