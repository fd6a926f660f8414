# SPDX-License-Identifier: Apache-2.0
"""Scales and zero points of operand and result, drawn from a seed. Each has a kind:

- plain: any scales and zero points
- ties: powers of two, whose results are often exactly between two integers
- near: a quotient of the scales close to 16 / k, so that float32 and exact arithmetic may fall on two sides of a tie
- low, high: zero points of -128 and 127
- small, large: scales of the operand from 2^-20 on and up to 2^6
- coarse, fine: a scale of the result that leaves few different values, or clamps most of them
"""

import numpy as np

KINDS = ["plain", "ties", "near", "low", "high", "small", "large", "coarse", "fine", "plain", "near"]
# Scales of the operand: exponents of 2.
SPANS = {"small": (-20, -12), "large": (1, 6)}
EVERY = np.arange(-128, 128)


class Branch:
    """One operand with every int8 value, and its result: real value = (integer - zero) * scale."""

    def __init__(self, scale, zero, out_scale, out_zero):
        self.scale, self.zero, self.out_scale, self.out_zero = np.float32(scale), zero, np.float32(out_scale), out_zero

    def real(self):
        """The 256 values of the operand in float32, as a DequantizeLinear has them."""
        return (EVERY - self.zero).astype(np.float32) * self.scale


def power_of_two(scale):
    return 2.0 ** np.round(np.log2(scale))


def draw(rng, k, function, fixed=None, least=0):
    """Branch |k|. |function|: the results of a float32 array, which size the scale of the result. |fixed|: the result's scale
    and zero point, where the format allows one only. |least|: the kernel takes a result's scale of so much of the operand's."""
    kind = KINDS[k % len(KINDS)]
    lo, hi = SPANS.get(kind, (-9, 0))
    scale = 2.0 ** (lo + (hi - lo) * rng.unit())
    if kind == "ties":
        scale = power_of_two(scale)
    zero = {"low": -128, "high": 127}.get(kind, rng.range(-128, 127))
    made = Branch(scale, zero, 1, 0)
    if fixed:
        return Branch(scale, zero, *fixed)
    values = function(made.real())
    values = np.abs(values[np.isfinite(values)])
    most = float(np.clip(values.max(initial=1e-4), 1e-4, 1e5))
    out = most / 127 * (0.3 + 1.7 * rng.unit()) * {"coarse": 30, "fine": 0.05}.get(kind, 1)
    if kind == "ties":
        out = power_of_two(out)
    if kind == "near":
        out = float(np.float32(float(made.scale) * 16 / rng.range(3, 40))) * (1 + rng.range(-2, 2) * 2.0**-23)
    out = max(out, float(made.scale) * least)
    return Branch(scale, zero, out, {"low": 127, "high": -128}.get(kind, rng.range(-128, 127)))
