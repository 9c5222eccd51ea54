"""Parameters, labels, rows and weights as the native half takes them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

#: Values of the parameters that are words in a spec and not the same in Python.
_WORDS = {None: "none", True: "true", False: "false"}


def most_memory() -> int:
    """Three quarters of the machine's memory: more than this no model may take."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4 * 3
    except (AttributeError, ValueError, OSError):
        return 1 << 40


def seed_of(random_state: Any) -> int:
    """Give a seed out of what scikit-learn accepts as a random state."""
    if random_state is None:
        return int(np.random.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    seed = int(random_state)
    if seed < 0:
        raise ValueError(f"random_state must be a whole number >= 0, not {random_state!r}")
    return seed


def word(value: Any) -> str:
    """Write a parameter as a spec has it."""
    if value is None or isinstance(value, (bool, np.bool_)):
        return _WORDS[None if value is None else bool(value)]
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    text = str(value)
    if not text or any(mark in text for mark in ",:= "):
        raise ValueError(f"{value!r} is not a value of a parameter")
    return text


def text_of(label: Any) -> str:
    """Write a label as a model file has it."""
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    if isinstance(label, np.generic):
        label = label.item()
    return str(label)


def labels_of(texts: Iterable[str]) -> np.ndarray:
    """Give labels as numbers where all of them are, else as texts."""
    texts = list(texts)
    for kind in (int, float):
        try:
            return np.array([kind(text) for text in texts])
        except ValueError:
            continue
    return np.array(texts)


def native_rows(X: Any) -> Any:
    """Give rows as the native half takes them."""
    if not hasattr(X, "indptr"):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X.indptr, X.indices, X.data


def checked_weights(sample_weight: Any, rows: int) -> np.ndarray | None:
    """Check sample weights, in scikit-learn's words."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(rows, weights)
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if len(weights) != rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    if np.isnan(weights).any():
        raise ValueError("Input sample_weight contains NaN.")
    if np.isinf(weights).any():
        raise ValueError("Input sample_weight contains infinity or a value too large for dtype('float64').")
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights


def distinct(labels: Any) -> np.ndarray:
    """Give the classes that labels make."""
    classes = np.unique(labels)
    if len(classes) < 2:
        count = f"{len(classes)} class" + ("" if len(classes) == 1 else "es")
        raise ValueError(f"The number of classes has to be greater than one; got {count}")
    return classes


def codes_of(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Give the places of labels among the classes."""
    present, codes = np.unique(y, return_inverse=True)
    order = np.argsort(classes)
    places = order[np.searchsorted(classes, present, sorter=order).clip(max=len(order) - 1)]
    unknown = present[classes[places] != present]
    if len(unknown):
        raise ValueError(f"y has labels {unknown.tolist()} that are not in classes {classes.tolist()}")
    return places[codes.ravel()].astype(np.int64)
