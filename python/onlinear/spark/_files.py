"""Files that workers read themselves: parts of text as ranges of bytes, without rows going through the JVM."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

from .. import distributed
from .._convert import distinct
from .._learner import Learner
from .._read import read
from ._rounds import alone, model_of, rounds_over


def fit_files(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    learner: Learner,
    rounds: int = 10,
    *,
    classes: Any,
    bytes_per_part: int = 64 << 20,
    session: SparkSession | None = None,
    **options: Any,
) -> Learner:
    """Learn from text files (LIBSVM or VW, a row per line), of which each worker reads its own ranges of bytes.

    Parameters
    ----------
    paths : str or path, or a sequence of them
        Files that every worker can open by these names.
    learner : estimator
        Any that can be merged; one that has learned goes on.
    rounds : int, default=10
        How often each part is learned from.
    classes : array-like
        All labels there are.
    bytes_per_part : int, default=64 MiB
        How large a part is; lines are never cut.
    session : SparkSession, default=None
        The one that is active unless given.
    **options
        As of `onlinear.read`. Features must have the same places in all parts: with `n_features`, or `hash` where they
        have names.
    """
    if options.get("n_features") is None and options.get("hash") is None:
        raise ValueError("n_features (or hash) must be given: no part knows the features of the others")
    session = session or SparkSession.getActiveSession()
    if session is None:
        raise ValueError("there is no active session of Spark")
    files = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    ranges = [
        (file, start, min(start + bytes_per_part, size))
        for file in files
        for size in [os.path.getsize(file)]
        for start in range(0, size, bytes_per_part)
    ]
    if not ranges:
        raise ValueError("there is no file to read, or all are empty")
    parts = session.range(0, len(ranges), 1, len(ranges))
    return rounds_over(parts, learner, distinct(classes), rounds, _work(ranges, options))


def _work(ranges: list[tuple[str, int, int]], options: dict[str, Any]) -> Any:
    """Give what a worker does with the numbers of ranges."""

    def work(start: Any, classes: np.ndarray) -> Any:
        def learned(batches: Iterator[Any]) -> Iterator[Any]:
            alone()
            places = (place for batch in batches for place in batch.column("id").to_pylist())
            parts = (part_of(*ranges[place], options) for place in places)
            yield from model_of(distributed.learned_in_turn(start.value, classes, parts))

        return learned

    return work


def part_of(file: str, start: int, end: int, options: dict[str, Any]) -> tuple[Any, ...]:
    """Give the rows, labels and weights of the lines that begin in a range of bytes."""
    with open(file, "rb") as whole, tempfile.NamedTemporaryFile(dir=_memory(), suffix=_ending(file)) as part:
        if start > 0:
            whole.seek(start - 1)
            whole.readline()  # it begins before the range
        rest, last = end - whole.tell(), b"\n"
        while rest > 0 and (block := whole.read(min(rest, 1 << 24))):
            part.write(block)
            rest, last = rest - len(block), block[-1:]
        if last != b"\n":
            part.write(whole.readline())
        part.flush()
        if part.tell() == 0:
            return np.empty((0, 0)), np.empty(0)
        X, y, weights = read(part.name, return_weight=True, **options)
    return (X, y) if weights is None else (X, y, weights)


def _memory() -> str | None:
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


def _ending(file: str) -> str:
    return os.path.splitext(file)[1]
