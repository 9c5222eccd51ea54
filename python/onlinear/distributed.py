"""Learning from parts of data that are in many places.

Every round, each part goes on from one model, and the models are merged. Anything that maps a function over a list does
the work: the builtin `map`, `joblib`, Dask, Ray, `multiprocessing`; `onlinear.spark` is for Spark. The result follows
from the parts and their order alone.
"""

from __future__ import annotations

import builtins
import copy
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._convert import distinct, text_of
from ._learner import Learner
from ._models import merged_files

__all__ = ["fit"]

#: So many models are merged at once; more than that in a tree.
FAN_IN = 16
#: So often models whose output is a mean are merged in each round, unless it is said: see docs/distributed.md.
MERGES = 16


def fit(
    parts: Sequence[Any],
    learner: Learner,
    rounds: int = 10,
    *,
    map: Callable[..., Iterable[Any]] = builtins.map,
    classes: Any = None,
    merges_per_round: int | None = None,
    mean: str | None = None,
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
    merges_per_round : int, default=None
        Each part is learned from in so many pieces (of rows that are so many apart), behind each of which all models
        are merged: parts learn more from each other, and so many times the bytes go to and fro. A part that
        is a function is read for each piece. 16
        unless given for learners whose output is a mean of weights (`AveragedPerceptron`, `output="averaged"`), whom
        that helps where features are rare; 1 for all others.
    mean : {"moved", "all"}, default=None
        What is mixed of the models, as of :func:`onlinear.merge`; unless given "moved" for those same learners.

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
    >>> int(model.passes_[:, 0].sum())
    2400
    """
    parts = list(parts)
    labels = _labels(parts, learner, classes)
    merging = merging_of(learner, rounds, len(labels), merges_per_round, mean)
    base = learner.to_bytes() if hasattr(learner, "_model") else None
    for _ in range(rounds):
        has_rows = False
        for piece in range(merging.per_round):
            start = learner if base is None else base
            work = functools.partial(learned, start, labels, piece=(piece, merging.per_round))
            files = [file for file in map(work, parts) if file is not None]
            if files:
                base, has_rows = merged(files, base, merging.mean, map), True
        if not has_rows:
            raise ValueError("no part has any rows")
    assert base is not None  # there was a round
    return finished(base, learner, labels)


class Merging(NamedTuple):
    """How models become one: so often in each round, by this mean."""

    per_round: int
    mean: str


def merging_of(
    learner: Learner, rounds: int, classes: int, merges_per_round: int | None = None, mean: str | None = None
) -> Merging:
    """Give how models become one; refuse what cannot be learned in parts before anything is done."""
    if not isinstance(learner, Learner):
        raise TypeError(f"learner must be an estimator of onlinear, not {learner!r}")
    model = learner._model if hasattr(learner, "_model") else learner._native_model(range(classes))
    has_mean = _is_mean_of_weights(learner, model)
    merging = Merging(
        (MERGES if has_mean else 1) if merges_per_round is None else merges_per_round,
        ("moved" if has_mean else "all") if mean is None else mean,
    )
    for name, count in {"rounds": rounds, "merges_per_round": merging.per_round}.items():
        if count < 1:
            raise ValueError(f"{name} must be at least 1, not {count}")
        if learner._is_batch and count > 1:
            raise ValueError(f"{type(learner).__name__} learns from all rows at once: {name} must be 1, not {count}")
    model.require_mergeable("all" if mean is None else mean)
    return merging


def _is_mean_of_weights(learner: Learner, model: _native.Model) -> bool:
    """Tell whether what is learned is a mean of all weights that there were, none of which goes by precisions."""
    spec = learner.spec
    if not (spec.split(":")[0] == "averaged" or "output=averaged" in spec):
        return False
    try:
        model.require_mergeable("moved")
    except ValueError:
        return False
    return True


def learned(start: Learner | bytes, classes: np.ndarray, part: Any, piece: tuple[int, int] = (0, 1)) -> bytes | None:
    """Give the model file of what one part makes of the model that all start from; nothing if it has no rows.

    A piece is the number of one of so many of the part: every so manieth row, so that rows sorted by label are not
    pieces of one class each.
    """
    rows = part() if callable(part) else part
    return learned_in_turn(start, classes, [rows if piece == (0, 1) else _cut(rows, *piece)])


def _cut(rows: Any, piece: int, pieces: int) -> tuple[Any, ...]:
    """Give one of so many pieces of a part."""
    columns = [values.tocsr() if hasattr(values, "tocsr") else values for values in rows]
    return tuple((values.iloc if hasattr(values, "iloc") else values)[piece::pieces] for values in columns)


def learned_in_turn(start: Learner | bytes, classes: np.ndarray, batches: Iterable[Any]) -> bytes | None:
    """Give the model file of what batches of rows, one after another, make of a model; nothing if there are no rows."""
    model = with_classes(Learner.from_bytes(start), classes) if isinstance(start, bytes) else copy.copy(start)
    rows = 0
    for X, y, *weights in batches:
        count = np.shape(X)[0]
        if count and model._is_batch and rows:
            raise ValueError(f"{type(model).__name__} learns from all rows at once, and they came in several batches")
        if count and model._is_batch:
            _require_all(classes, y, model)
            model.fit(X, y, *weights)
        elif count:
            model.partial_fit(X, y, classes, *weights)
        rows += count
    return model.to_bytes() if rows else None


def _require_all(classes: np.ndarray, y: Any, model: Learner) -> None:
    """Refuse a part that lacks a class where all that is learned is learned from it."""
    lacking = np.setdiff1d(classes, y)
    if len(lacking):
        name = type(model).__name__
        raise ValueError(f"{name} needs all classes in each part, and one lacks {lacking.tolist()}: shuffle the rows")


def merged(
    files: list[bytes], base: bytes | None, mean: str = "all", map: Callable[..., Iterable[Any]] = builtins.map
) -> bytes:
    """Merge model files that went on from `base`, so many at once, wherever `map` takes them."""
    while len(files) > FAN_IN:
        files = list(map(functools.partial(_together, base, mean), _groups(files)))
    return _together(base, mean, files)


def _groups(files: list[bytes]) -> list[list[bytes]]:
    return [files[first : first + FAN_IN] for first in range(0, len(files), FAN_IN)]


def _together(base: bytes | None, mean: str, files: list[bytes]) -> bytes:
    if len(files) == 1:
        return files[0]
    if base is None and mean == "moved":
        base = _native.untaught(files[0])  # parts that start afresh move weights from 0
    return merged_files(files, base=base, mean=mean).to_bytes()


def finished(file: bytes, learner: Learner, classes: np.ndarray) -> Learner:
    """Give the estimator of a model file with the parameters and labels that it was asked for with."""
    return with_classes(Learner.from_bytes(file), classes).set_params(**learner.get_params(deep=False))


def with_classes(model: Learner, classes: np.ndarray) -> Learner:
    """Give a model with its classes in this order."""
    model._model.classes = [text_of(label) for label in classes]
    model._take(model._model, classes)
    return model


def _labels(parts: list[Any], learner: Learner, classes: Any) -> np.ndarray:
    """Give all labels there are."""
    if classes is None and hasattr(learner, "classes_"):
        classes = learner.classes_
    if classes is None:
        if any(callable(part) for part in parts):
            raise ValueError("classes must be given where a part is a function: nobody has seen all labels")
        classes = np.concatenate([np.unique(part[1]) for part in parts]) if parts else []
    return distinct(classes)
