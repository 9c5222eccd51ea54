"""Parameters, labels, rows and weights as the native half takes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np

from . import _native

#: Values of the parameters that are words in a spec and not the same in Python.
_WORDS = {None: "none", True: "true", False: "false"}


#: What a label must look like to be a number; Python itself takes more for one, such as 1_0.
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


#: What may become of an empty cell, and what may stand before the fraction of a number.
_MISSING = ("indicator", "mean", "median", "zero", "refuse")
_DECIMALS = ("point", "comma")


def zeros(shape: tuple[int, int], what: str) -> np.ndarray:
    """Give an array of zeros, unless it would take more than the memory that there is."""
    if 8 * shape[0] * shape[1] > _native.most_memory():
        raise MemoryError(f"{what} of shape {shape} would take {8 * shape[0] * shape[1] // 10**6} MB of memory")
    return np.zeros(shape)


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
    if all(len(text) <= 20 and _WHOLE.fullmatch(text) and abs(int(text)) < 2**63 for text in texts):
        return np.array([int(text) for text in texts], dtype=np.int64)
    if all(_NUMBER.fullmatch(text) and len(text) < 1000 for text in texts):
        numbers = np.array([float(text) for text in texts])
        # Different labels stay different, to the last digit.
        if np.isfinite(numbers).all() and len(set(numbers.tolist())) == len({Decimal(text) for text in texts}):
            return numbers
    return np.array(texts)


def native_rows(X: Any, *, side_by_side: bool = False) -> Any:
    """Give rows as the native half takes them, an array's `side_by_side` in memory where that is asked for."""
    if not hasattr(X, "indptr"):
        return np.require(X, requirements=["A", "C"] if side_by_side else ["A"])
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return tuple(np.require(part, requirements=["A", "C"]) for part in (X.indptr, X.indices, X.data))


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


def class_weights_of(class_weight: Any) -> Any:
    """Give the weights of classes as the native half takes them: a word, or a pair for each label."""
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    try:
        return [(text_of(label), float(weight)) for label, weight in class_weight.items()]
    except (AttributeError, TypeError, ValueError):
        message = f"class_weight must be 'balanced', a dict of label: weight or None, not {class_weight!r}"
        raise ValueError(message) from None


def column_words(
    *, missing: Any = None, kinds: Any = None, ignore: Any = (), only: Any = (), decimal: Any = None, interact: Any = ()
) -> dict[str, Any]:
    """Give what is said of the columns of a table as the native half takes it."""
    for name, given, known in (("missing", missing, _MISSING), ("decimal", decimal, _DECIMALS)):
        if given is not None and given not in known:
            raise ValueError(f"{name} must be {', '.join(map(repr, known))} or None, not {given!r}")
    for name, given in (("ignore", ignore), ("only", only), ("interact", interact)):
        if isinstance(given, str):
            raise ValueError(f"{name} must be a sequence, such as [{given!r}], not {given!r}")
    pairs = [tuple(map(str, pair)) for pair in interact or ()]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"interact must be pairs of columns, such as [('a', 'b')], not {interact!r}")
    return {
        "missing": missing,
        "kinds": [(str(column), str(kind)) for column, kind in (kinds or {}).items()],
        "ignore": [str(column) for column in ignore or ()],
        "only": [str(column) for column in only or ()],
        "decimal": decimal,
        "interact": pairs,
    }


def distinct(labels: Any) -> np.ndarray:
    """Give the classes that labels make."""
    classes = np.unique(labels)
    if len(classes) < 2:
        count = f"{len(classes)} class" + ("" if len(classes) == 1 else "es")
        raise ValueError(f"The number of classes has to be greater than one; got {count}")
    return classes


def codes_of(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Give the places of labels among the classes."""
    order = np.argsort(classes)
    codes = order[np.searchsorted(classes, y, sorter=order).clip(max=len(order) - 1)]
    is_unknown = classes[codes] != y
    if is_unknown.any():
        unknown = np.unique(y[is_unknown]).tolist()
        raise ValueError(f"y has labels {unknown} that are not in classes {classes.tolist()}")
    return codes.astype(np.int64, copy=False)
