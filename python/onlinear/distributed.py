"""Learning from parts of data that are in many places: every round, each part goes on from one model, and the models are
merged.

Anything that maps a function over a list does the work: the builtin `map`, `joblib`, Dask, Ray, `multiprocessing`; see
`onlinear.spark` for Spark. The result depends on the parts and their order alone.
"""

from __future__ import annotations

import builtins
import copy
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from . import _native
from ._base import Learner
from ._io import merged_files

__all__ = ["fit"]

#: So many models are merged at once; more than that in a tree.
FAN_IN = 16


def fit(
    parts: Sequence[Any],
    learner: Learner,
    rounds: int = 10,
    *,
    map: Callable[..., Iterable[Any]] = builtins.map,
    classes: Any = None,
) -> Learner:
    """Learn from parts of data, each wherever `map` takes it.

    Parameters
    ----------
    parts : sequence
        Each a tuple ``(X, y)`` or ``(X, y, sample_weight)``, or a function without arguments that gives one, so that a
        part is read where it is learned from. All have the same features; a part may be empty, or of one class.
    learner : estimator
        Any that can be merged; one that has learned goes on. It is left as it is.
    rounds : int, default=10
        How often each part is learned from; a learner that learns from all rows at once has one round.
    map : callable, default=map
        Called as ``map(function, list)``; gives the results in the order of the list.
    classes : array-like, default=None
        All labels there are; needed where a part is a function.

    Returns
    -------
    estimator
        The learner's class, with all that it learned; it goes on with `partial_fit` as if it had met every part itself.

    Examples
    --------
    >>> import onlinear
    >>> from onlinear import distributed
    >>> parts = [onlinear.datasets.make_two_gaussians(200, random_state=seed) for seed in range(4)]
    >>> model = distributed.fit(parts, onlinear.AROW(), rounds=3)
    >>> int(model.passes_["trials"].sum())
    2400
    """
    parts = list(parts)
    labels = _classes(parts, learner, classes)
    _native.require_mergeable(learner._spec(), len(labels))
    if learner._is_batch and rounds != 1:
        raise ValueError(f"{type(learner).__name__} learns from all rows at once: rounds must be 1, not {rounds}")
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, not {rounds}")
    base = learner.to_bytes() if hasattr(learner, "_model") else None
    for _ in range(rounds):
        work = functools.partial(_learned, copy.copy(learner) if base is None else base, labels)
        files = [file for file in map(work, parts) if file is not None]
        if not files:
            raise ValueError("no part has any rows")
        base = _merged(files, base, map)
    model = Learner.from_bytes(base)
    model.set_params(**learner.get_params(deep=False))
    model._model.classes = [str(text) for text in _texts(model, labels)]
    model.classes_ = labels
    return model
