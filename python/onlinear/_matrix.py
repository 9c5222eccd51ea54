"""Rows that the native half made, as arrays and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np


def matrix_of(rows: Any) -> Any:
    """Give rows as a dense array, or as a CSR matrix where the native half made the parts of one."""
    if isinstance(rows, np.ndarray):
        return rows
    try:
        from scipy.sparse import csr_matrix
    except ImportError as error:
        message = "sparse rows are given as a matrix of SciPy: pip install scipy, or 'onlinear[sklearn]'"
        raise ImportError(message) from error

    parts, shape = rows
    return csr_matrix(parts, shape=shape, copy=False)
