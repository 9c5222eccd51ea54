"""Model files, and models made of models."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from . import _native
from ._learner import Learner
from ._specs import restored

__all__ = ["load", "merge"]


def load(path: str | os.PathLike[str]) -> Learner:
    """Give the estimator of a model file, of this package or of the command line.

    It predicts to the bit what it predicted there, and goes on learning as if it had never been saved. Labels are
    numbers where all of them can be.
    """
    return restored(_native.Model.load(os.fspath(path), max_memory=_native.most_memory()))


def merge(models: Sequence[Learner], weights: Sequence[float] | None = None) -> Learner:
    """Mix linear models of one learner that learned from different rows: Σ weightᵢ wᵢ.

    A learner that is nothing but its weight vector goes on as itself; others end up as a Perceptron with the mixed
    weights. See McDonald, Hall and Mann (2010).

    Parameters
    ----------
    models : sequence of estimators
        With the same parameters, classes and number of features.
    weights : sequence of float, default=None
        The share of each, taken as they are; equal shares that add up to 1 unless given.
    """
    models = list(models)
    if not models:
        raise ValueError("there is no model to merge")
    for model in models:
        if not isinstance(model, Learner) or not hasattr(model, "_model"):
            raise ValueError(f"{model!r} is not an estimator of onlinear that has learned")
        if not np.array_equal(model.classes_, models[0].classes_):
            raise ValueError("models can be merged only where they agree: they differ in their classes")
    shares = [1.0 / len(models)] * len(models) if weights is None else [float(weight) for weight in weights]
    merged = restored(_native.merge([model._model for model in models], shares))
    merged.classes_ = models[0].classes_
    if type(merged) is type(models[0]):
        merged.set_params(**models[0].get_params(deep=False))
    return merged
