"""Figures of a model on rows whose labels are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._convert import codes_of

if TYPE_CHECKING:
    from ._learner import Learner

__all__ = ["metrics"]


def metrics(model: Learner, X: Any, y: Any, probabilities: Any = None) -> dict[str, Any]:
    """Give the figures that people ask for, as scikit-learn defines them.

    Parameters
    ----------
    model : Learner
        An estimator that has learned.
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        The labels of the rows.
    probabilities : array of shape (n_samples, n_classes), default=None
        The probability of each of `model.classes_`, for the log loss.

    Returns
    -------
    dict
        ``error_rate`` and beside it ``baseline``, the error of always saying the largest class of the training rows;
        ``examples``, ``errors``, ``accuracy``, ``balanced_accuracy``, ``f1``, ``auc``, ``average_precision`` (of more
        than two classes the mean over each against the rest; None where a class has no rows), ``log_loss``,
        ``classes`` (for each label ``precision``, ``recall``, ``f1``, ``support``) and ``confusion``, an array with a
        row for each true class.

    Examples
    --------
    >>> import onlinear
    >>> X, y = onlinear.datasets.make_artificial(600, features=20, relevant=5, noise=0.0)
    >>> model = onlinear.AveragedPerceptron().fit(X[:400], y[:400])
    >>> figures = onlinear.metrics(model, X[400:], y[400:])
    >>> figures["error_rate"] < figures["baseline"], figures["auc"] > 0.9
    (True, True)
    """
    rows = model._checked_rows(X)
    y = np.asarray(y).ravel()
    count = len(rows[0]) - 1 if isinstance(rows, tuple) else len(rows)
    if len(y) != count:
        raise ValueError(f"X has {count} rows, but y has {len(y)} labels")
    if probabilities is not None:
        probabilities = np.require(probabilities, dtype=np.float64, requirements=["A", "C"])
        if probabilities.shape != (count, len(model.classes_)):
            raise ValueError(f"probabilities have shape {probabilities.shape}, not {(count, len(model.classes_))}")
    told = model._model.metrics(rows, codes_of(y, model.classes_), probabilities)
    classes = zip(model.classes_.tolist(), model._model.classes, strict=True)
    told["classes"] = {label: told["classes"][text] for label, text in classes}
    told["confusion"] = np.array(told["confusion"], dtype=np.int64)
    return told
