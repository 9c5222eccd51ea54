"""Model files, and models made of models."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from . import _native
from ._learner import Learner
from ._specs import restored

__all__ = ["load", "merge", "merged_files"]


def load(path: str | os.PathLike[str]) -> Learner:
    """Give the estimator of a model file, of this package or of the command line.

    It predicts to the bit what it predicted there, and goes on learning as if it had never been saved. Labels are
    numbers where all of them can be.
    """
    return restored(_native.Model.load(os.fspath(path), max_memory=_native.most_memory()))


def merge(
    models: Sequence[Learner],
    weights: Sequence[float] | None = None,
    base: Learner | None = None,
    mean: str = "all",
) -> Learner:
    """Make one model of several that learned from different rows, all from one model on.

    The merged model has met the trials of all of them, each once, and goes on learning as what it was. Vectors are
    mixed, Σ μᵢ wᵢ; sums and counts are added up, less what the models have in common; support vectors are united. What
    cannot be merged is refused by name, and so are models that differ in more than what they learned.

    Parameters
    ----------
    models : sequence of estimators
        With the same parameters and classes.
    weights : sequence of float, default=None
        μ, taken as they are; unless given in proportion to the trials of each since the base, adding up to 1. They
        apply to what is mixed and never to sums.
    base : estimator, default=None
        The model that all of them went on from, if they did not start afresh.
    mean : {"all", "moved"}, default="all"
        What is mixed is the mean of all models; or, number by number, of those that moved it from where it is in the
        base, which must be given. That suits rare features: what one model alone has learned is not divided by all.

    Examples
    --------
    >>> import onlinear
    >>> parts = [onlinear.datasets.make_two_gaussians(300, random_state=seed) for seed in range(3)]
    >>> models = [onlinear.AveragedPerceptron().partial_fit(X, y, classes=[-1, 1]) for X, y in parts]
    >>> merged = onlinear.merge(models)
    >>> int(merged.passes_[:, 0].sum())
    900
    """
    models = list(models)
    if not models:
        raise ValueError("there is no model to merge")
    for model in [*models, *([] if base is None else [base])]:
        if not isinstance(model, Learner) or not hasattr(model, "_model"):
            raise ValueError(f"{model!r} is not an estimator of onlinear that has learned")
        if not np.array_equal(model.classes_, models[0].classes_):
            raise ValueError("models can be merged only where they agree: they differ in their classes")
    shares = None if weights is None else [float(weight) for weight in weights]
    files = [model.to_bytes() for model in models]
    merged = merged_files(files, shares, None if base is None else base.to_bytes(), mean)
    merged._model.classes = models[0]._model.classes
    merged._take(merged._model, models[0].classes_)
    return merged.set_params(**models[0].get_params(deep=False))


def merged_files(
    models: list[bytes], weights: list[float] | None = None, base: bytes | None = None, mean: str = "all"
) -> Learner:
    """Merge model files."""
    return restored(_native.merge(models, weights, base, mean, max_memory=_native.most_memory()))
