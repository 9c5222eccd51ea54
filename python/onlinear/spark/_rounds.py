"""Rounds over the partitions of a frame: what workers do, and what becomes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .. import distributed
from .._learner import Learner
from ._rows import FEATURES, LABEL, WEIGHT, is_text, matrix_of

#: A model of a partition, by the number of the partition.
MODELS = "part int, model binary"
#: Models larger than this are merged in a tree by the workers; the driver gets one.
LARGE = 1 << 23


def alone() -> None:
    """Keep a worker to the one core that it was given."""
    os.environ["ONLINEAR_THREADS"] = "1"


def learned_from(start: Any, classes: np.ndarray) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Give what a worker does with the batches of its partition: learn from them, one after another."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        alone()
        if isinstance(start.value, Learner) and start.value._is_batch:
            found = list(batches)
            batches = iter(pa.Table.from_batches(found).combine_chunks().to_batches() if found else [])
        parts = (part_of(batch, classes) for batch in batches)
        yield from model_of(distributed.learned_in_turn(start.value, classes, parts))

    return work


def model_of(file: bytes | None) -> Iterator[Any]:
    """Give the model of this partition, if it has one, as Spark takes it."""
    from pyspark import TaskContext

    context = TaskContext.get()
    if file is not None and context is not None:  # there is one in every worker
        yield _batch(context.partitionId(), file)


def part_of(batch: Any, classes: np.ndarray) -> tuple[Any, ...]:
    """Give the rows, labels and weights of a batch."""
    X = matrix_of(batch.column(FEATURES))
    labels = batch.column(LABEL)
    if labels.null_count:
        raise ValueError("a row has no label: null")
    y = np.array(labels.to_pylist()) if is_text(classes) else labels.to_numpy(zero_copy_only=False)
    weights = [batch.column(WEIGHT).to_numpy(zero_copy_only=False)] if WEIGHT in batch.schema.names else []
    return (X, y, *weights)


def _batch(part: int, file: bytes) -> Any:
    return pa.RecordBatch.from_arrays([pa.array([part], pa.int32()), pa.array([file], pa.binary())], ["part", "model"])


def rounds_over(
    session: SparkSession,
    pieces: Sequence[Callable[[Any], DataFrame]],
    learner: Learner,
    classes: np.ndarray,
    count: int,
    mean: str,
) -> Learner:
    """Give what so many rounds make of a learner; each piece gives what partitions make of a model with its rows."""
    base = learner.to_bytes() if hasattr(learner, "_model") else None
    levels, last = 1, 0  # the first merge tells how large models are, and how many
    for _ in range(count):
        has_rows = False
        for piece in pieces:
            start = session.sparkContext.broadcast(learner if base is None else base)
            found = _merged_by_workers(piece(start), start, levels, mean)
            if found:
                has_rows, last = True, max(last, found[-1][0])
                base = distributed.merged([file for _, file in found], base, mean)
                levels = _levels(last) if len(base) > LARGE else 0
            start.destroy()
        if not has_rows:
            raise ValueError("no partition has any rows")
    assert base is not None  # there was a round
    return distributed.finished(base, learner, classes)


def _levels(last: int) -> int:
    """Give how often models of partitions up to this one are merged, so many at once, until there is one."""
    levels = 1
    while distributed.FAN_IN**levels <= last:
        levels += 1
    return levels


def _merged_by_workers(models: DataFrame, start: Any, levels: int, mean: str) -> list[tuple[int, bytes]]:
    """Give the models of a round, merged by the workers so many times, by the first partition of each."""
    for level in range(1, levels + 1):
        group = F.floor(F.col("part") / distributed.FAN_IN**level).alias("group")
        models = models.groupBy(group).applyInArrow(_merge_group(start, mean), MODELS)
    return sorted((row["part"], bytes(row["model"])) for row in models.collect())


def _merge_group(start: Any, mean: str) -> Callable[[Any], Any]:
    """Give what a worker does with the models of some partitions: merge them in the order of the partitions."""

    def work(table: Any) -> Any:
        alone()
        found = sorted(zip(table.column("part").to_pylist(), table.column("model").to_pylist(), strict=True))
        base = start.value if isinstance(start.value, bytes) else None
        merged = distributed.merged([file for _, file in found], base, mean)
        return pa.Table.from_batches([_batch(found[0][0], merged)])

    return work
