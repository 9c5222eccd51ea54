"""Data files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._convert import column_words, labels_of
from ._matrix import matrix_of

if TYPE_CHECKING:
    from ._learner import Learner

__all__ = ["read"]


def read(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    format: str | None = None,
    label: str | int | None = None,
    weight: str | int | None = None,
    header: bool | None = None,
    missing: str | None = None,
    kinds: dict[str, str] | None = None,
    ignore: Sequence[str | int] = (),
    only: Sequence[str | int] = (),
    decimal: str | None = None,
    like: Learner | None = None,
    n_features: int | None = None,
    hash: int | None = None,
    encoding: str | None = None,
    alias: Mapping[str, str] | str | None = None,
    zero_based: bool = False,
    skip_bad_rows: bool = False,
    max_memory: int | None = None,
    sparse: bool | None = None,
    return_weight: bool = False,
    return_names: bool = False,
) -> tuple[Any, ...]:
    """Read a data file of any format that the program knows.

    LIBSVM/svmlight, CSV, JSON lines, Vowpal Wabbit text and idx files, plain or packed with gzip or zstd, told by
    content and name.

    Parameters
    ----------
    path : str or path, or a sequence of them
        The file, or several that are read one after another as one.
    format : {"libsvm", "jsonl", "csv", "vw", "idx"}, default=None
        The format, where it cannot be told.
    label, weight : str or int, default=None
        CSV: the column of labels and of sample weights, by name or by number counting from 1.
    header : bool, default=None
        CSV: whether the first line names the columns; told by its look unless given.
    missing : {"indicator", "mean", "median", "zero", "refuse"}, default=None
        Tables: what an empty cell becomes; refused unless given. Where it is to be filled in later, it is NaN.
    kinds : dict of str, default=None
        Tables: what some columns hold, such as ``{"zip": "category", "since": "date=dmy"}``.
    ignore, only : sequence of str or int, default=()
        Tables: columns that are left out, or the only ones that are not.
    decimal : {"point", "comma"}, default=None
        Tables: what stands before the fraction of numbers; told by the numbers unless given.
    like : estimator, default=None
        Give exactly the features of this model, which has learned: its columns are read, and words that it never met
        are left out. What it fills in is NaN.
    n_features : int, default=None
        How many features there are; an index beyond is refused.
    hash : int, default=None
        Hash the features into 2**hash places.
    encoding : {"utf8", "latin1", "utf16"}, default=None
        How text is encoded; UTF-8 unless given, or UTF-16 where a byte-order mark says so.
    alias : mapping or str, default=None
        Labels that are read as others: ``{"no.": "no"}``, or ``"no.=no,yes.=yes"``.
    zero_based : bool, default=False
        LIBSVM: indices count from 0, as scikit-learn writes them.
    skip_bad_rows : bool, default=False
        Leave out rows that are wrong.
    max_memory : int, default=None
        Refuse what would take more bytes than this; four fifths of the memory there is unless given.
    sparse : bool, default=None
        Whether to give a CSR matrix (needs SciPy) or a dense array; by the share of zeros unless given.
    return_weight, return_names : bool, default=False
        Give also the sample weights (None where all are 1), and the names of the features (None where they have none).

    Returns
    -------
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Numbers where all labels are, else texts; None for a file without labels.
    """
    if like is not None and not hasattr(like, "_model"):
        raise ValueError(f"like={like!r} is not an estimator that has learned")
    options = {
        "format": format,
        "label": None if label is None else str(label),
        "weight": None if weight is None else str(weight),
        "header": header,
        "columns": column_words(missing=missing, kinds=kinds, ignore=ignore, only=only, decimal=decimal),
        "skip_bad_rows": skip_bad_rows,
        "features": n_features,
        "hash": hash,
        "encoding": encoding,
        "alias": alias if alias is None or isinstance(alias, str) else list(alias.items()),
        "zero_based": zero_based,
        "max_memory": _native.most_memory() if max_memory is None else max_memory,
        "sparse": sparse,
    }
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not paths:
        raise ValueError("there is no file to read")
    parts = _native.read([os.fspath(path) for path in paths], options, None if like is None else like._model)
    given = [matrix_of(parts["rows"]), _targets(parts, os.fspath(paths[0]))]
    if return_weight:
        given.append(parts["weights"])
    if return_names:
        given.append(None if parts["names"] is None else np.array(parts["names"], dtype=object))
    return tuple(given)


def _targets(parts: dict[str, Any], path: str) -> np.ndarray | None:
    numbers = parts["labels"]
    missing = numbers < 0
    if missing.all():
        return None
    if missing.any():
        raise ValueError(f"{path}: row {int(np.argmax(missing))} has no label, but others have one")
    return labels_of(parts["texts"])[numbers]
