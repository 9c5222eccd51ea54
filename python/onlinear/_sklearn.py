"""What estimators need of scikit-learn, or of `_plain` where it is not installed.

Whether rows are finite is for the native half to say, which looks through them anyway.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "TransformerMixin",
    "as_matrix",
    "check_classification_targets",
    "check_is_fitted",
    "validate_data",
    "validate_targets",
]

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
    from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:
    from ._plain import (  # type: ignore[assignment]
        BaseEstimator,
        ClassifierMixin,
        TransformerMixin,
        as_matrix,
        check_classification_targets,
        check_is_fitted,
        validate_data,
        validate_targets,
    )
else:
    #: Rows are taken in either precision; those of other types become doubles.
    _ROWS = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_all_finite": False}

    def validate_data(estimator: Any, X: Any, y: Any = None, *, reset: bool = True) -> Any:
        """Give rows (and labels) as arrays, or say what is wrong with them."""
        labels = {} if y is None else {"y": y}
        return _validate_data(estimator, X, reset=reset, **_ROWS, **labels)

    def validate_targets(y: Any, rows: int) -> np.ndarray:
        """Give labels as an array, one for each row, or say what is wrong with them."""
        y = column_or_1d(y, warn=True)
        check_consistent_length(range(rows), y)
        assert_all_finite(y, input_name="y")
        return y

    def as_matrix(X: Any) -> Any:
        """Give an array or a sparse matrix of numbers."""
        return check_array(X, **_ROWS)
