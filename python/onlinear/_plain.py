"""What estimators need of scikit-learn, for where it is not installed."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np


class NotFittedError(ValueError, AttributeError):
    """An estimator is used before it has learned."""


class BaseEstimator:
    """Parameters by name, as scikit-learn's base class has them."""

    @classmethod
    def _names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the parameters; with `deep` those of estimators among them too, as `name__parameter`."""
        params = {}
        for name in self._names():
            value = params[name] = getattr(self, name)
            if deep and isinstance(value, BaseEstimator):
                params.update({f"{name}__{key}": inner for key, inner in value.get_params().items()})
        return params

    def set_params(self, **params: Any) -> BaseEstimator:
        """Change parameters."""
        names = self._names()
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in names:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {names}.")
            if rest:
                getattr(self, name).set_params(**{rest: value})
            else:
                setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {name: p.default for name, p in inspect.signature(type(self).__init__).parameters.items()}
        changed = [f"{k}={v!r}" for k, v in self.get_params(deep=False).items() if v is not defaults[k] != v]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        text = repr(self).replace("&", "&amp;").replace("<", "&lt;")
        return f"<pre>{text}</pre>"


class TransformerMixin:
    """What follows from fit and transform."""

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit to rows, and give what becomes of them."""
        return self.fit(X, y).transform(X)  # type: ignore[attr-defined]


class ClassifierMixin:
    """The score of a classifier."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the share of rows whose predicted class is right."""
        right = np.asarray(self.predict(X)) == np.asarray(y)  # type: ignore[attr-defined]
        return float(np.average(right, weights=sample_weight))


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def as_matrix(X: Any) -> Any:
    """Give an array or a sparse matrix of numbers, which need not be finite."""
    if _is_sparse(X):
        X = X.tocsr()
        return X if X.dtype in (np.float64, np.float32) else X.astype(np.float64)
    X = np.asarray(X)
    if X.ndim != 2:
        kind = "scalar array" if X.ndim == 0 else f"{X.ndim}D array"
        raise ValueError(f"Expected 2D array, got {kind} instead:\narray={X}.\nReshape your data.")
    if np.iscomplexobj(X):
        raise ValueError(f"Complex data not supported\n{X}\n")
    if X.dtype not in (np.float64, np.float32):
        X = X.astype(np.float64)
    return X


def validate_data(estimator: Any, X: Any, y: Any = None, *, reset: bool = True) -> Any:
    """Give rows (and labels) as arrays, or say what is wrong with them."""
    names = getattr(X, "columns", None)
    names = None if names is None else np.asarray(names, dtype=object)
    X = as_matrix(X)
    rows, features = X.shape
    name = type(estimator).__name__
    for count, what in ((rows, "sample"), (features, "feature")):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required by {name}."
            )
    if reset:
        estimator.n_features_in_ = features
        if names is not None and all(isinstance(name, str) for name in names):
            estimator.feature_names_in_ = names
    elif features != estimator.n_features_in_:
        raise ValueError(
            f"X has {features} features, but {name} is expecting {estimator.n_features_in_} features as input"
        )
    if y is None:
        return X
    return X, validate_targets(y, rows)


def validate_targets(y: Any, rows: int) -> np.ndarray:
    """Give labels as an array, one for each row, or say what is wrong with them."""
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    if len(y) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(y)}]")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("Input y contains NaN or infinity.")
    return y


def check_classification_targets(y: Any) -> None:
    """Refuse labels that are numbers of a regression."""
    if y.dtype.kind == "f" and (y != np.floor(y)).any():
        raise ValueError("Unknown label type: continuous. Maybe you are trying to fit a classifier on real numbers.")


def check_is_fitted(estimator: Any) -> None:
    """Refuse an estimator that has not learned."""
    if not estimator.__sklearn_is_fitted__():
        name = type(estimator).__name__
        raise NotFittedError(f"This {name} instance is not fitted yet. Call 'fit' before using this estimator.")
