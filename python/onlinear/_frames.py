"""Data frames as tables that the native half reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _native
from ._convert import text_of

__all__ = ["batches_of", "checked_names", "labelled", "named", "table_of", "weighted"]

#: So many rows of a relation are taken at a time: by itself it would give a million.
_ROWS = 1 << 16
#: What a column of labels, or of weights, is called that has no name.
_LABEL, _WEIGHT = "label", "sample_weight"


def table_of(X: Any) -> _native.Frame | None:
    """Give a data frame as a table; None for what is none.

    A frame of pandas whose columns are numbered and hold numbers only is an array.
    """
    if isinstance(X, _native.Frame):
        return X
    library = type(X).__module__.partition(".")[0]
    if library == "pandas" and hasattr(X, "columns"):
        return _of_pandas(X)
    if library == "polars" and type(X).__name__ == "LazyFrame":
        raise TypeError("a LazyFrame has no rows yet; call its .collect()")
    if hasattr(X, "__arrow_c_stream__"):
        return _native.FrameStream(X).whole()
    return None


def batches_of(X: Any) -> Iterator[_native.Frame] | None:
    """Give the tables of a stream one after another; None for what is in memory as a whole."""
    library = type(X).__module__.partition(".")[0].lstrip("_")
    # A relation's own stream may be held as a whole first; the method that gives a reader has had two names.
    reader = getattr(X, "to_arrow_reader", None) or getattr(X, "fetch_record_batch", None)
    if library == "duckdb" and reader is not None:
        return iter(_native.FrameStream(reader(_ROWS)))
    if hasattr(X, "__arrow_c_stream__") and hasattr(X, "read_next_batch"):
        return iter(_native.FrameStream(X))
    return None


def _of_pandas(X: Any) -> _native.Frame | None:
    if not any(isinstance(name, str) for name in X.columns) and all(dtype.kind in "iuf" for dtype in X.dtypes):
        return None
    return _native.Frame([(str(name), _cells(X.iloc[:, place])) for place, name in enumerate(X.columns)])


def _cells(column: Any) -> Any:
    """Give the cells of a column of pandas as the native half takes them, as `to_csv` would write them."""
    kind = getattr(column.dtype, "kind", "O")
    if hasattr(column, "cat"):
        categories = column.cat.categories
        texts = [text_of(value) for value in categories.tolist()]
        return column.cat.codes.to_numpy(dtype=np.int64), texts
    if kind in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == "b":
        codes = column.astype(object).map({True: 1, False: 0}).fillna(-1).to_numpy(dtype=np.int64)
        return codes, ["False", "True"]
    if kind == "M":
        texts = column.astype(str).where(column.notna(), None)
        return texts.tolist()
    if kind in "mc":
        what = "time spans" if kind == "m" else "complex numbers"
        raise TypeError(f"column {column.name!r} holds {what}; make numbers of them first")
    return column.astype(object).where(column.notna(), None).tolist()


def named(rows: np.ndarray, names: list[str]) -> _native.Frame:
    """Give the table whose columns an array has, in the order of these names."""
    cells = (column.tolist() if rows.dtype.kind not in "iufb" else column.astype(np.float64) for column in rows.T)
    return _native.Frame(list(zip(names, cells, strict=True)))


def labelled(
    table: _native.Frame, y: Any, codes: np.ndarray, classes: np.ndarray, weights: np.ndarray | None
) -> tuple[_native.Frame, str, str | None]:
    """Give the table with its labels, and weights, as further columns, and what those are called."""
    label = _free(getattr(y, "name", None), _LABEL, table.names)
    table = table.with_column(label, (codes, [text_of(label) for label in classes]))
    table, weight = weighted(table, weights)
    return table, label, weight


def weighted(table: _native.Frame, weights: np.ndarray | None) -> tuple[_native.Frame, str | None]:
    """Give the table with its weights as a further column, and what that is called."""
    if weights is None:
        return table, None
    weight = _free(None, _WEIGHT, table.names)
    return table.with_column(weight, weights), weight


def _free(name: Any, usual: str, taken: list[str]) -> str:
    is_number = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
    name = str(name) if is_number else name if isinstance(name, str) and name else usual
    while name in taken:
        name += "_"
    return name


def checked_names(names: list[str], expected: list[str]) -> None:
    """Refuse other columns than those that were learned from, in scikit-learn's words."""
    if names == expected:
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(names) - set(expected)), sorted(set(expected) - set(names))
    for what, odd in (("unseen at fit time", unseen), ("seen at fit time, yet now missing", missing)):
        if odd:
            shown = [f"- {name}\n" for name in odd[:5]] + (["- ...\n"] if len(odd) > 5 else [])
            message += f"Feature names {what}:\n{''.join(shown)}"
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(f"{message}predict_frame takes columns in any order, and further ones besides.")
