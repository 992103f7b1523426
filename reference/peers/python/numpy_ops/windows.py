"""The windows that pools and convolutions go over."""

from itertools import product

import numpy as np
from numpy_ops.elementwise import F


class Windows:
    """The positions of a kernel over the last dimensions of a padded copy of x [N, C, ...]."""

    def __init__(self, c, x_shape, y_spatial, fill=0):
        self.k, self.s, self.p = (c.integer(key) for key in ("k", "s", "p"))
        self.d = c.integer("d", "1")
        self.spatial, self.y_spatial = x_shape[2:], tuple(y_spatial)
        padded = tuple(extent + 2 * self.p for extent in self.spatial)
        self.padded = np.full(x_shape[:2] + padded, fill, F)
        inside = tuple(slice(self.p, self.p + extent) for extent in self.spatial)
        self.inner = self.padded[(slice(None), slice(None)) + inside]

    def offsets(self):
        return product(range(self.k), repeat=len(self.spatial))

    def at(self, offset):
        """The values under one position of the kernel, [N, C, ...y]."""
        cuts = tuple(
            slice(i * self.d, i * self.d + (count - 1) * self.s + 1, self.s)
            for i, count in zip(offset, self.y_spatial)
        )
        return self.padded[(slice(None), slice(None)) + cuts]
