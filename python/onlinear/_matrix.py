"""Rows that the native half made, as arrays and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._convert import zeros

#: With at least this share of values that are not zero, rows are given as a dense array.
_DENSE = 0.5


def matrix_of(parts: dict[str, Any], sparse: bool | None) -> Any:
    """Give the rows whose parts the native half made, as a CSR matrix or as a dense array."""
    shape = (len(parts["indptr"]) - 1, parts["features"])
    stored = len(parts["data"])
    if sparse is None:
        sparse = stored < _DENSE * shape[0] * shape[1]
    if sparse:
        from scipy.sparse import csr_matrix

        indptr = parts["indptr"].astype(parts["indices"].dtype) if stored < 2**31 else parts["indptr"]
        return csr_matrix((parts["data"], parts["indices"], indptr), shape=shape, copy=False)
    dense = zeros(shape, "X as a dense array")
    dense[np.repeat(np.arange(shape[0]), np.diff(parts["indptr"])), parts["indices"]] = parts["data"]
    return dense
